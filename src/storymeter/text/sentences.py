"""A story given as one text: cut into sentences, with words in the places of its names.

Two kinds of text come in: tokenised ones, where every mark stands between blanks (`we ate . it rained .`), as
VIST and ROCStories are published, and ordinary prose. In tokenised text every lone `.`, `!` or `?` ends a
sentence, with closing quotes and further marks that follow it. In prose a sentence ends at such a mark before
a blank and something that can begin a sentence, unless the mark belongs to an abbreviation, an initial or a
number; `。`, `！` and `？` end one wherever they stand. This is the only splitter: everything that needs
sentences asks it.

>>> split_sentences("we ate . it rained ! so what ? ''")
['we ate .', 'it rained !', "so what ? ''"]
>>> split_sentences("Dr. Smith paid $3.50. She left!")
['Dr. Smith paid $3.50.', 'She left!']
>>> split_sentences("犬が走る。「待て！」と言う。")
['犬が走る。', '「待て！」', 'と言う。']

Data sets put placeholders where names stood: `[male]`, `[female]`, `[location]`, `[organization]`. At scoring
time each kind always gives the same word, so that a story has one score; for training, names are drawn at
random, so that a model cannot learn one of them.

>>> fill("[male] and [FEMALE] went to [location] .")
'john and mary went to springfield .'
"""

import random
import re

_ABBREVIATIONS = frozenset(
    [
        "mr",
        "mrs",
        "ms",
        "dr",
        "prof",
        "st",
        "sr",
        "jr",
        "vs",
        "etc",
        "inc",
        "ltd",
        "co",
        "corp",
        "mt",
        "ave",
        "blvd",
        "rd",
        "dept",
        "gen",
        "col",
        "sgt",
        "capt",
        "lt",
        "rev",
        "hon",
        "gov",
        "sen",
        "rep",
        "jan",
        "feb",
        "mar",
        "apr",
        "jun",
        "jul",
        "aug",
        "sep",
        "sept",
        "oct",
        "nov",
        "dec",
        "mon",
        "tue",
        "wed",
        "thu",
        "fri",
        "sat",
        "sun",
        "no",
        "fig",
        "vol",
        "e.g",
        "i.e",
        "a.m",
        "p.m",
        "u.s",
        "u.k",
        "approx",
        "est",
    ]
)
_CLOSING = "\"'”’)]»"
_END_TOKEN = re.compile(r"(?<=\s)[.!?…]+(?:\s+(?:[.!?…]+|''|[\"”’)\]]))*(?=\s|$)")
_END_PUNKT = re.compile(r"[.!?](?:\s+(?:''|[\"')\]}])(?=\s|$))*(?=\s|$)")
_END_PROSE = re.compile(rf"[.!?…]+[{re.escape(_CLOSING)}]*(?=\s|$)|[。！？]+[」』）”’]*")


def is_tokenised(text: str) -> bool:
    """Whether marks stand between blanks: at least one lone full stop, and none glued to a word before a
    blank.
    """
    return bool(re.search(r"\s[.!?](?=\s|$)", text)) and not re.search(r"[a-z]{3}[.!?]\s", text)


def split_sentences(text: str, *, like_nltk: bool = False) -> list[str]:
    """Sentences in order, stripped, none empty.

    `like_nltk` cuts tokenised text as NLTK's Punkt does, for numbers that were made with it: every lone mark
    ends a sentence (`! !` are two), and an ellipsis ends none. In prose it changes nothing.

    text: prose.
    like_nltk: cuts as NLTK does.
    """
    text = " ".join(text.split())
    tokenised = is_tokenised(text)
    if tokenised and like_nltk:
        return _punkt(text)
    if tokenised:
        ends = [match.end() for match in _END_TOKEN.finditer(text)]
    else:
        ends = [match.end() for match in _END_PROSE.finditer(text) if _ends_sentence(text, match)]
    pieces, begin = [], 0
    for end in [*ends, len(text)]:
        piece = text[begin:end].strip()
        if any(char.isalnum() for char in piece):
            pieces.append(piece)
        elif piece and pieces:  # marks alone belong to the sentence before them
            pieces[-1] = f"{pieces[-1]} {piece}"
        begin = end
    return pieces


def _punkt(text: str) -> list[str]:
    ends = [
        match.end()
        for match in _END_PUNKT.finditer(text)
        if match.start() == 0 or text[match.start() - 1] == " "
    ]
    return [
        piece
        for begin, end in zip([0, *ends], [*ends, len(text)], strict=True)
        if (piece := text[begin:end].strip())
    ]


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    marks, rest = match.group(), text[match.end() :].lstrip()
    if not rest or marks[0] in "。！？":  # no blank follows these, and no abbreviation ends in them
        return True
    word = text[: match.start()].rsplit(" ", 1)[-1].lstrip("\"'“‘([").lower()
    short = marks == "." and (word in _ABBREVIATIONS or re.fullmatch(r"[a-z](\.[a-z])*", word) is not None)
    goes_on = rest[0] in ",;:" or (rest[0].islower() and len(marks) > 1)
    return not goes_on and (not short or word == "i")


_PLACEHOLDER = re.compile(r"\[\s*([a-z_]+)\s*\]", re.IGNORECASE)
_WORDS: dict[str, list[str]] = {
    "male": [
        "john",
        "tom",
        "james",
        "mike",
        "david",
        "bob",
        "sam",
        "dan",
        "peter",
        "mark",
        "paul",
        "steve",
        "kevin",
        "brian",
        "george",
        "eric",
        "adam",
        "jack",
        "ben",
        "luke",
        "frank",
        "henry",
        "matt",
        "nick",
        "tim",
        "ryan",
        "joe",
        "carl",
        "alex",
        "scott",
        "greg",
        "ken",
    ],
    "female": [
        "mary",
        "anna",
        "lisa",
        "kate",
        "sarah",
        "emma",
        "jane",
        "amy",
        "susan",
        "linda",
        "laura",
        "julie",
        "karen",
        "nancy",
        "alice",
        "rachel",
        "maria",
        "emily",
        "jenny",
        "helen",
        "ellen",
        "kelly",
        "beth",
        "claire",
        "diana",
        "megan",
        "lucy",
        "molly",
        "tina",
        "sophie",
        "carol",
        "rose",
    ],
    "neutral": ["alex", "sam", "jordan", "taylor", "casey", "robin", "jamie", "morgan"],
    "location": [
        "springfield",
        "paris",
        "boston",
        "chicago",
        "london",
        "florida",
        "denver",
        "texas",
        "seattle",
        "italy",
        "oakland",
        "mexico",
    ],
    "organization": [
        "the company",
        "the club",
        "the school",
        "the team",
        "the church",
        "the museum",
        "the university",
        "the store",
    ],
}


def fill(text: str, source: random.Random | None = None) -> str:
    """`text` with a word in each placeholder's place; one draw per kind and text when `source` is given. A
    placeholder of an unknown kind keeps its own word."""
    if "[" not in text:
        return text
    chosen: dict[str, str] = {}

    def word(match: re.Match[str]) -> str:
        kind = match.group(1).lower()
        words = _WORDS.get(kind)
        if words is None:
            return kind
        if kind not in chosen:
            chosen[kind] = source.choice(words) if source is not None else words[0]
        return chosen[kind]

    return _PLACEHOLDER.sub(word, text)
