"""Short lists of everyday words that scene graphs and alignments need: what a caption writer means by them.

Colours and sizes are the categories of SPICE; numbers and collectives say how many; links are prepositions of several words. Articles
are dropped before tagging, so phrases are written without them.
"""

from __future__ import annotations

ARTICLES = frozenset(["a", "an", "the"])
COLOURS = {word: word for word in ["black", "blond", "blue", "brown", "gold", "golden", "green", "grey", "maroon", "navy", "orange", "pink", "purple", "red", "silver", "tan", "teal", "turquoise", "violet", "white", "yellow", "beige", "crimson", "lavender", "magenta", "khaki", "brunette"]} | {"gray": "grey", "blonde": "blond"}
SIZES = {word: word for word in ["big", "enormous", "giant", "gigantic", "huge", "large", "little", "long", "massive", "medium", "mini", "miniature", "short", "small", "tall", "thick", "thin", "tiny", "wide", "narrow"]}
ADJECTIVES = COLOURS | SIZES
NUMBERS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "dozen": "12", "twenty": "20"}
COLLECTIVE = {"couple of": "2", "pair of": "2", "group of": "group", "crowd of": "crowd", "bunch of": "group", "set of": "set", "number of": "several",
              "lot of": "many", "lots of": "many", "line of": "line", "row of": "row", "team of": "team", "herd of": "group", "pack of": "group", "piece of": "piece"}
LINKS = {"in front of": "in front of", "on top of": "on", "next to": "near", "close to": "near", "out of": "out of", "off of": "off", "on side of": "beside", "at side of": "beside",
         "by side of": "beside", "on edge of": "at", "at edge of": "at", "in middle of": "in", "in midst of": "in", "in center of": "in", "in back of": "behind",
         "inside of": "in", "outside of": "outside", "on back of": "on", "at top of": "on", "at bottom of": "under", "in background of": "behind"}
#: nouns that name no thing in the scene
EMPTY_NOUNS = frozenset(["front", "side", "something", "someone", "other", "kind", "sort", "type", "one"])
#: verbs of captions that taggers take for nouns
VERBS_AS_NOUNS = {"runs": "run", "jumps": "jump", "walks": "walk", "rides": "ride", "stands": "stand", "plays": "play", "climbs": "climb", "smiles": "smile", "looks": "look",
                  "swims": "swim", "catches": "catch", "leaps": "leap", "poses": "pose", "waits": "wait", "talks": "talk", "splashes": "splash", "swings": "swing", "kicks": "kick",
                  "dives": "dive", "slides": "slide", "throws": "throw", "sits": "sit", "holds": "hold", "wears": "wear", "surfs": "surf", "skis": "ski", "skateboards": "skateboard",
                  "snowboards": "snowboard", "laughs": "laugh", "sleeps": "sleep", "chases": "chase", "races": "race", "watches": "watch", "dances": "dance",
                  "rolls": "roll", "trots": "trot", "flies": "fly", "bites": "bite", "points": "point", "hugs": "hug", "hops": "hop", "approaches": "approach", "cries": "cry"}
ANIMATE = frozenset(["man", "woman", "boy", "girl", "child", "kid", "person", "guy", "lady", "baby", "toddler", "player", "dog", "cat", "horse", "rider", "biker", "cyclist", "skateboarder", "snowboarder", "surfer", "skier", "climber", "swimmer", "runner", "dancer", "singer", "performer", "musician", "worker", "hiker", "puppy", "animal", "bird", "bear", "cow", "sheep", "elephant", "fisherman", "fireman", "policeman", "officer", "soldier", "chef", "cook", "clown", "crowd", "family", "team", "couple", "adult", "teenager", "teen", "youth", "gentleman", "male", "female", "friend", "father", "mother", "son", "daughter", "brother", "sister", "bride", "groom", "student", "teacher", "athlete", "actor", "artist", "greyhound", "poodle", "terrier", "bull", "goat", "duck", "motorcyclist", "bicyclist", "wrestler", "boxer", "gymnast", "golfer", "pitcher", "batter", "quarterback", "goalie", "referee", "fan", "spectator", "tourist", "driver"])
#: words that tell nothing by themselves
STOP_WORDS = frozenset(["a", "an", "the", "and", "or", "but", "of", "to", "in", "on", "at", "by", "for", "with", "from", "as", "is", "are", "was", "were", "be", "been", "being", "am", "it", "its", "he",
                        "she", "they", "them", "his", "her", "their", "him", "this", "that", "these", "those", "there", "while", "who", "which", "i", "you", "we", "'s", "has", "have", "had", "do", "does"])
#: base forms that exclude each other where one caption has the one and the other caption the other
OPPOSITES = (("man", "woman"), ("boy", "girl"), ("man", "girl"), ("boy", "woman"), ("male", "female"), ("gentleman", "lady"), ("black", "white"), ("big", "small"), ("big", "little"),
             ("large", "small"), ("large", "little"), ("young", "old"), ("short", "tall"), ("short", "long"), ("inside", "outside"), ("indoors", "outdoors"), ("indoor", "outdoor"),
             ("up", "down"), ("over", "under"), ("front", "back"), ("left", "right"), ("sit", "stand"), ("day", "night"), ("wet", "dry"), ("hot", "cold"), ("empty", "full"), ("open", "closed"))
