"""Write the example files: timed captions, stories and ratings. Everything in them was written for
Storymeter.

    python examples/make_examples.py

The captions of both annotators and of the good system are below, by hand. The two bad systems are made from
the good one: `padded` says everything again under other times, `disordered` tells the right sentences in the
wrong order. The pictures of the stories are drawn by make_pictures.py."""

from __future__ import annotations

import json
import random
from pathlib import Path

HERE = Path(__file__).resolve().parent

# video: (duration, first annotator, second annotator, good system); events are (start, end, sentence)
VIDEOS = {
    "pancakes": (
        62.0,
        [
            (0, 14, "A woman cracks two eggs into a bowl of flour."),
            (14, 31, "She stirs the batter until it is smooth."),
            (31, 50, "She pours some batter into a hot pan and flips the pancake."),
            (50, 62, "She stacks the pancakes on a plate and adds syrup."),
        ],
        [
            (0, 30, "A lady mixes eggs and flour to make batter."),
            (30, 51, "The batter is fried in a pan."),
            (51, 61, "Syrup is poured over a pile of pancakes."),
        ],
        [
            (0, 15, "A woman is cracking eggs into a bowl."),
            (16, 30, "She mixes the batter with a spoon."),
            (32, 49, "She pours the batter into a pan."),
            (50, 62, "She puts syrup on the pancakes."),
        ],
    ),
    "frisbee": (
        40.0,
        [
            (0, 9, "A man and his dog walk onto a grassy field."),
            (9, 26, "The man throws a red frisbee and the dog runs after it."),
            (26, 40, "The dog brings the frisbee back and jumps up at the man."),
        ],
        [
            (0, 10, "A dog follows its owner across the grass."),
            (10, 27, "The dog chases a frisbee and catches it in the air."),
            (28, 40, "It returns the toy to its owner."),
        ],
        [
            (0, 8, "A man walks with a dog in a field."),
            (10, 25, "The man throws a frisbee and the dog catches it."),
            (27, 39, "The dog runs back to the man."),
        ],
    ),
    "bicycle": (
        88.0,
        [
            (0, 20, "A mechanic turns a bicycle upside down on the floor."),
            (20, 45, "He takes off the back wheel and pulls out the inner tube."),
            (45, 70, "He patches the hole and puts the tube back into the tyre."),
            (70, 88, "He pumps up the tyre and spins the wheel."),
        ],
        [
            (0, 22, "A man places his bike upside down in a workshop."),
            (22, 68, "He removes the wheel and repairs the flat tube."),
            (68, 88, "The tyre is inflated and the wheel is tested."),
        ],
        [
            (0, 21, "A man turns over a bike."),
            (21, 44, "He removes the wheel of the bike."),
            (47, 69, "He repairs the tube with a patch."),
            (71, 88, "He pumps air into the tyre."),
        ],
    ),
    "guitar": (
        55.0,
        [
            (0, 12, "A young man sits on a bed and tunes a guitar."),
            (12, 43, "He plays a slow song and sings along."),
            (43, 55, "He smiles at the camera and puts the guitar away."),
        ],
        [
            (0, 13, "A boy tunes the strings of his guitar."),
            (13, 44, "He sings while he plays the guitar."),
            (44, 55, "The boy stops playing and waves."),
        ],
        [
            (1, 12, "A man is sitting on a bed with a guitar."),
            (12, 42, "The man plays the guitar and sings a song."),
            (44, 55, "He puts down the guitar and smiles."),
        ],
    ),
    "swimming": (
        47.0,
        [
            (0, 10, "Eight swimmers step onto the starting blocks."),
            (10, 36, "They dive into the pool and swim freestyle."),
            (36, 47, "The swimmer in the middle lane wins and raises his arm."),
        ],
        [
            (0, 11, "Swimmers get ready at the edge of a pool."),
            (11, 37, "The race begins and they swim as fast as they can."),
            (37, 46, "The winner celebrates in the water."),
        ],
        [
            (0, 10, "Swimmers are standing on the blocks."),
            (11, 35, "They jump into the water and swim."),
            (36, 47, "A swimmer wins the race and celebrates."),
        ],
    ),
    "fence": (
        73.0,
        [
            (0, 18, "A girl opens a can of white paint in the garden."),
            (18, 55, "She paints a wooden fence with a wide brush."),
            (55, 73, "She steps back and looks at the finished fence."),
        ],
        [
            (0, 17, "Someone stirs paint in a can outside."),
            (17, 56, "A girl covers the fence with white paint."),
            (56, 73, "The fence is done and she cleans the brush."),
        ],
        [
            (0, 17, "A girl opens a can of paint."),
            (19, 54, "The girl paints the fence with a brush."),
            (56, 72, "She looks at the white fence."),
        ],
    ),
    "salad": (
        66.0,
        [
            (0, 16, "A chef washes lettuce and tomatoes in a sink."),
            (16, 40, "He chops the vegetables on a wooden board."),
            (40, 55, "He mixes oil and lemon juice in a small jar."),
            (55, 66, "He pours the dressing over the salad and tosses it."),
        ],
        [
            (0, 17, "A cook rinses vegetables under running water."),
            (17, 41, "Lettuce and tomatoes are cut with a knife."),
            (41, 66, "He makes a dressing and adds it to the bowl."),
        ],
        [
            (0, 15, "A man is washing vegetables in the kitchen."),
            (16, 39, "He cuts the tomatoes with a knife."),
            (41, 54, "He mixes oil and lemon in a jar."),
            (56, 66, "He adds the dressing to the salad."),
        ],
    ),
    "basketball": (
        38.0,
        [
            (0, 12, "Two teams warm up on an indoor basketball court."),
            (12, 28, "A tall player dribbles past the defence and scores."),
            (28, 38, "The crowd stands up and cheers."),
        ],
        [
            (0, 11, "Players practise shots before a game."),
            (11, 29, "One of them runs to the basket and makes a layup."),
            (29, 38, "The audience applauds."),
        ],
        [
            (0, 12, "Players are standing on a basketball court."),
            (13, 27, "A player dribbles the ball and scores."),
            (28, 38, "The people are cheering."),
        ],
    ),
    "planting": (
        91.0,
        [
            (0, 25, "An old man digs a row of holes in a flower bed."),
            (25, 60, "He puts small plants into the holes and covers the roots with soil."),
            (60, 91, "He waters the plants with a green can."),
        ],
        [
            (0, 24, "A gardener digs in the soil with a spade."),
            (24, 61, "He sets young flowers into the ground."),
            (61, 90, "The flowers are watered."),
        ],
        [
            (0, 24, "A man digs holes in the garden."),
            (26, 59, "He puts plants into the ground."),
            (62, 91, "He waters the plants with a can."),
        ],
    ),
    "haircut": (
        58.0,
        [
            (0, 13, "A barber puts a cape around a customer."),
            (13, 41, "He trims the hair with scissors and a comb."),
            (41, 58, "He shows the customer the back of his head in a mirror."),
        ],
        [
            (0, 14, "A customer sits down in a barber shop."),
            (14, 42, "The barber cuts his hair."),
            (42, 58, "The man looks at his new haircut in a mirror."),
        ],
        [
            (0, 12, "A man sits in a chair at the barber."),
            (13, 40, "The barber cuts the hair with scissors."),
            (43, 57, "The man looks into a mirror."),
        ],
    ),
    "skateboard": (
        34.0,
        [
            (0, 9, "A boy rides a skateboard down a street."),
            (9, 19, "He tries to jump over a bench and falls."),
            (19, 34, "He gets up, tries again and lands the jump."),
        ],
        [
            (0, 8, "A skateboarder rolls along the road."),
            (8, 20, "He fails to jump over a bench."),
            (20, 33, "The second try works and he laughs."),
        ],
        [
            (0, 9, "A boy is riding a skateboard."),
            (10, 18, "He jumps over a bench and falls down."),
            (20, 34, "He stands up and jumps again."),
        ],
    ),
    "campfire": (
        79.0,
        [
            (0, 22, "Friends collect dry wood in a forest."),
            (22, 48, "They light a fire inside a ring of stones."),
            (48, 65, "They roast marshmallows on long sticks."),
            (65, 79, "They sing together while it gets dark."),
        ],
        [
            (0, 23, "A group of people gathers sticks among the trees."),
            (23, 50, "A campfire is lit."),
            (50, 79, "They sit around the fire, eat marshmallows and sing."),
        ],
        [
            (0, 21, "People are collecting wood in the forest."),
            (23, 47, "They make a fire with stones around it."),
            (49, 64, "They roast marshmallows over the fire."),
            (66, 79, "The people sing at night."),
        ],
    ),
}

# story: five (picture, sentence of the good system, sentence of the dull one)
STORIES = {
    "beach": [
        ("sun", "We left early and reached the sea just after sunrise.", "It was a nice day."),
        ("boat", "A white boat was waiting for us at the end of the pier.", "There was a boat."),
        ("fish", "Before noon my sister had caught her first fish.", "There was a fish."),
        ("fire", "In the evening we cooked it over a fire on the sand.", "There was a fire."),
        ("moon", "The moon was high when we finally fell asleep.", "It was a nice day."),
    ],
    "garden": [
        ("pot", "In spring we put one small seed into a pot.", "There was a pot."),
        ("rain", "It rained for a week and nothing happened.", "There was rain."),
        ("leaf", "Then a green leaf came out of the soil.", "There was a leaf."),
        ("flower", "By June a tall red flower stood at the window.", "There was a flower."),
        ("bee", "Now a bee visits it every morning.", "There was a bee."),
    ],
    "birthday": [
        ("calendar", "My brother had counted the days until his birthday.", "It was a birthday."),
        ("cake", "Our mother baked a cake with six candles.", "There was a cake."),
        ("gift", "He opened the biggest gift first.", "There was a gift."),
        ("kite", "Inside was a blue kite with a long tail.", "There was a kite."),
        ("hill", "We all ran up the hill to let it fly.", "We had a great time."),
    ],
    "snow": [
        ("window", "The children woke up and looked out of the window.", "There was a window."),
        ("snow", "Snow had fallen all night.", "There was snow."),
        ("snowman", "They built a snowman that was taller than their father.", "There was a snowman."),
        ("cup", "When their hands were cold, there was hot cocoa in a big cup.", "There was a cup."),
        ("moon", "At bedtime the snowman stood guard under the moon.", "It was a great day."),
    ],
    "train": [
        (
            "house",
            "Grandmother took us from her house to the station with a heavy bag.",
            "There was a house.",
        ),
        ("train", "The train was late, and we ate all the bread while we waited.", "There was a train."),
        ("bridge", "After an hour we crossed the long bridge over the river.", "There was a bridge."),
        ("city", "Then the towers of the city came into view.", "There was a city."),
        ("star", "That night she showed us the brightest star from the roof.", "It was a nice night."),
    ],
    "market": [
        ("basket", "I went to the market with an empty basket.", "There was a basket."),
        ("apple", "The first stall sold apples as red as paint.", "There was an apple."),
        ("fish", "A man with a loud voice wanted me to buy a fish.", "There was a fish."),
        ("flower", "I chose a red flower for my neighbour instead.", "There was a flower."),
        ("house", "She was so pleased that she asked me into her house.", "There was a house."),
    ],
    "dog": [
        ("dog", "One morning a small brown dog sat in front of our door.", "There was a dog."),
        ("bowl", "We gave it water in an old bowl.", "There was a bowl."),
        ("poster", "Then we put up a poster at every corner.", "There was a poster."),
        ("house", "Nobody called, so the dog moved into our house.", "There was a house."),
        ("ball", "Now it wakes me with a ball in its mouth.", "There was a ball."),
    ],
    "race": [
        ("road", "On Sunday the road belonged to the runners.", "There was a road."),
        ("shoe", "At the start my left shoe came open.", "There was a shoe."),
        ("hill", "I was last when we reached the hill.", "There was a hill."),
        ("bridge", "On the bridge I passed three of them.", "There was a bridge."),
        ("medal", "They gave me a medal for coming second to last.", "I had a great time."),
    ],
}

# how well people like each system, for the made-up raters: mean and spread on the slider
LIKED = {"good": (74, 12), "disordered": (48, 16), "padded": (39, 15), "human": (91, 6)}

Event = tuple[float, float, str]


def write(name: str, value: object) -> None:
    path = HERE / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def reference(annotator: int) -> dict[str, object]:
    return {
        video: {
            "duration": content[0],
            "timestamps": [[s, e] for s, e, _ in content[annotator]],
            "sentences": [t for *_, t in content[annotator]],
        }
        for video, content in VIDEOS.items()
    }


def submission(events: dict[str, list[Event]]) -> dict[str, object]:
    return {
        "version": "VERSION 1.0",
        "results": {
            video: [{"sentence": t, "timestamp": [s, e]} for s, e, t in captions]
            for video, captions in events.items()
        },
        "external_data": {"used": False, "details": "written by hand"},
    }


def padded(duration: float, events: list[Event], dice: random.Random) -> list[Event]:
    """Every caption again, three times, under other times."""
    out = list(events)
    for *_, text in events:
        for _ in range(3):
            start = round(dice.uniform(0, duration * 0.8), 1)
            out.append((start, round(min(duration, start + dice.uniform(4, duration / 2)), 1), text))
    return sorted(out)


def disordered(events: list[Event]) -> list[Event]:
    """The times stay, the sentences change places: the last comes first."""
    return [(s, e, text) for (s, e, _), (*_, text) in zip(events, reversed(events), strict=True)]


def stories(system: str) -> dict[str, object]:
    annotations = []
    for number, (album, frames) in enumerate(STORIES.items()):
        texts = {
            "good": [good for _, good, _ in frames],
            "dull": [dull for *_, dull in frames],
            "shuffled": [frames[k][1] for k in (3, 0, 4, 2, 1)],
        }[system]
        annotations += [
            [
                {
                    "story_id": album,
                    "album_id": album,
                    "storylet_id": f"{number}{k}",
                    "worker_arranged_photo_order": k,
                    "photo_flickr_id": picture,
                    "text": text,
                    "original_text": text,
                }
            ]
            for k, ((picture, *_), text) in enumerate(zip(frames, texts, strict=True))
        ]
    return {
        "images": [
            {"id": picture, "album_id": album} for album, frames in STORIES.items() for picture, *_ in frames
        ],
        "albums": [{"id": album, "title": album} for album in STORIES],
        "annotations": annotations,
    }


def ratings(dice: random.Random) -> list[str]:
    """Direct Assessment by eight made-up raters, the last of them careless: every video of every system, and
    the controls.
    """

    def clip(value: float) -> int:
        return min(100, max(0, round(value)))

    lines = ["item,system,rater,value,kind,pair"]
    for rater in range(8):
        shift, careless = dice.gauss(0, 6), rater == 7
        for system, (mean, spread) in LIKED.items():
            kind = "human" if system == "human" else "system"
            for video in VIDEOS:
                value = dice.uniform(0, 100) if careless else dice.gauss(mean + shift, spread)
                lines.append(
                    f"{video},{system},rater-{rater},{clip(value)},{kind},{video if kind == 'human' else ''}"
                )
        for video in VIDEOS:
            value = dice.uniform(0, 100) if careless else dice.gauss(35 + shift, 15)
            lines.append(f"{video},human,rater-{rater},{clip(value)},degraded,{video}")
    return lines


def clock(seconds: float, comma: str) -> str:
    return f"00:{int(seconds) // 60:02d}:{int(seconds) % 60:02d}{comma}{round(seconds % 1 * 1000):03d}"


def other_formats() -> None:
    """The first video, and one caption per video, in the other clothes that captions wear."""
    _, first, *_ = VIDEOS["pancakes"]
    folder = HERE / "formats"
    folder.mkdir(exist_ok=True)
    vtt = ["WEBVTT", ""] + [
        line for s, e, text in first for line in (f"{clock(s, '.')} --> {clock(e, '.')}", text, "")
    ]
    srt = [
        line
        for k, (s, e, text) in enumerate(first, 1)
        for line in (str(k), f"{clock(s, ',')} --> {clock(e, ',')}", text, "")
    ]
    tsv = ["video\tstart\tend\ttext"] + [
        f"{video}\t{s}\t{e}\t{text}" for video, content in VIDEOS.items() for s, e, text in content[1]
    ]
    chapters = [f"{int(s) // 60}:{int(s) % 60:02d} {text.rstrip('.')}" for s, _, text in first]
    for name, lines in (
        ("pancakes.vtt", vtt),
        ("pancakes.srt", srt),
        ("reference_1.tsv", tsv),
        ("pancakes.chapters.txt", chapters),
        ("lines.txt", [content[3][0][2] for content in VIDEOS.values()]),
    ):
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    ids = {video: number for number, video in enumerate(VIDEOS, 1)}
    pairs = [(video, content[annotator][0][2]) for video, content in VIDEOS.items() for annotator in (1, 2)]
    write(
        "formats/coco_annotations.json",
        {
            "images": [{"id": number, "file_name": f"{video}.jpg"} for video, number in ids.items()],
            "annotations": [
                {"id": k, "image_id": ids[video], "caption": text} for k, (video, text) in enumerate(pairs)
            ],
        },
    )
    write(
        "formats/coco_results.json",
        [{"image_id": ids[video], "caption": content[3][0][2]} for video, content in VIDEOS.items()],
    )
    write(
        "formats/youcook2.json",
        {
            "database": {
                video: {
                    "duration": content[0],
                    "subset": "validation",
                    "recipe_type": "0",
                    "video_url": "",
                    "annotations": [
                        {"id": k, "segment": [s, e], "sentence": text}
                        for k, (s, e, text) in enumerate(content[1])
                    ],
                }
                for video, content in VIDEOS.items()
                if video in ("pancakes", "salad")
            }
        },
    )


def main() -> None:
    dice = random.Random(7)
    write("videos/reference_1.json", reference(1))
    write("videos/reference_2.json", reference(2))
    good = {video: list(content[3]) for video, content in VIDEOS.items()}
    write("videos/good.json", submission(good))
    write(
        "videos/padded.json",
        submission({video: padded(VIDEOS[video][0], events, dice) for video, events in good.items()}),
    )
    write("videos/disordered.json", submission({video: disordered(events) for video, events in good.items()}))
    for system in ("good", "dull", "shuffled"):
        write(f"stories/{system}.json", stories(system))
    other_formats()
    (HERE / "ratings.csv").write_text("\n".join(ratings(dice)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
