"""A story given as one text, cut into sentences.

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
"""

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
    ends = [match.end() for match in _END_TOKEN.finditer(text)] if tokenised else _prose_ends(text)
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


def _prose_ends(text: str) -> list[int]:
    return [match.end() for match in _END_PROSE.finditer(text) if _ends_sentence(text, match)]


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    marks, rest = match.group(), text[match.end() :].lstrip()
    if not rest or marks[0] in "。！？":  # no blank follows these, and no abbreviation ends in them
        return True
    word = text[: match.start()].rsplit(" ", 1)[-1].lstrip("\"'“‘([").lower()
    short = marks == "." and (word in _ABBREVIATIONS or re.fullmatch(r"[a-z](\.[a-z])*", word) is not None)
    goes_on = rest[0] in ",;:" or (rest[0].islower() and len(marks) > 1)
    return not goes_on and (not short or word == "i")
