"""Finds the roles of columns, by name and where no name is known by content; and reads scores in cells, with
the scale that they are on.

Case, blanks, dashes, underscores and a plural do not matter. The first names of a role are specific
(`video`), the later ones general (`id`, `index`); a general one counts only where no specific one is there.
Two columns that fit a role equally well are a question to the user, unless they say the same thing in every
row.

>>> number("4 - good"), number("3,5"), number("★★★"), number("80%"), number("left")
(4.0, 3.5, 3.0, 80.0, None)
>>> found_scale([1, 3, 5, 4]), found_scale([0.2, 1.0]), found_scale([12, 88]), found_scale([1, 6])
((1.0, 5.0), (0.0, 1.0), (0.0, 100.0), (1.0, 7.0))
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...errors import DataError, UsageError, first_few
from .sheets import Sheet

#: role: tiers of names, specific ones first
ALIASES: dict[str, tuple[tuple[str, ...], ...]] = {
    "rater": (
        ("rater", "annotator", "worker", "judge", "evaluator", "assessor", "coder", "reviewer", "labeler"),
        ("participant", "subject", "user", "username", "prolific", "prolific pid", "turker", "person"),
        ("completed by", "email", "email address", "respondent", "nickname", "who"),
    ),
    "item": (
        ("item", "video", "vid", "clip", "image", "img", "story", "album", "stimulus", "scene", "photo"),
        ("document", "doc", "segment", "sid", "sample", "instance", "example", "media", "sequence"),
        ("file", "filename", "path", "url", "question", "key", "task", "id", "name"),
        ("index",),
    ),
    "system": (
        ("system", "sys", "model", "method", "approach", "algorithm", "captioner"),
        ("team", "run", "submission", "variant", "engine", "condition", "candidate"),
    ),
    "score": (
        ("score", "rating", "human", "human score", "mark", "grade", "mos", "likert", "slider", "star", "da"),
        ("value", "points", "point", "rate", "judgement", "judgment", "quality", "overall"),
        ("answer", "response", "number", "label", "result"),
    ),
    "criterion": (("criterion", "criteria", "aspect", "dimension", "attribute", "schema", "facet"),),
    "seconds": (
        ("second", "lead time", "time spent", "time taken", "elapsed", "response time", "rt", "work time"),
        ("work time in seconds", "duration seconds", "duration in seconds", "seconds spent"),
    ),
    "time": (("time", "timestamp", "date", "created at", "submitted at", "completed at", "updated at"),),
    "stratum": (("stratum", "strata", "language", "lang", "language pair", "lang pair"),),
    "hit": (("hit", "session", "batch"),),
    "position": (("position", "trial", "trial number", "order"),),
    "kind": (("kind", "type", "item type", "control"),),
    "left": (
        ("left", "system a", "model a", "sys a", "method a", "system 1", "model 1", "method 1", "sys 1"),
        ("a", "first", "option a", "option 1", "candidate a", "candidate 1", "caption a", "1", "s1", "m1"),
    ),
    "right": (
        ("right", "system b", "model b", "sys b", "method b", "system 2", "model 2", "method 2", "sys 2"),
        ("b", "second", "option b", "option 2", "candidate b", "candidate 2", "caption b", "2", "s2", "m2"),
    ),
    "choice": (
        (
            "choice",
            "vote",
            "preference",
            "pref",
            "preferred",
            "winner",
            "better",
            "chosen",
            "selected",
            "selection",
        ),
        ("answer", "verdict", "best", "response", "label", "result", "judgement", "judgment", "outcome"),
    ),
    "loser": (("loser", "rejected", "worse"),),
}
#: names that any column may bear: an item only where nothing else is
GENERAL = frozenset({"file", "filename", "path", "url", "question", "key", "task", "id", "name", "index"})
#: words that may stand around a name: `rater_id`, `name of the system`, `left system`
_AROUND = ("id", "name", "no", "number", "code", "uuid", "key")
_SIDED = ("system", "model", "sys", "method", "caption", "video", "option", "candidate")
#: columns of numbers that are no scores
_OTHER_NUMBERS = """
duration length age confidence width height fps frame year start end begin stop count n tokens words
row line progress finished annotation annotationid taskid project createdago priority totalannotation
resultcount
"""
NOT_SCORES = frozenset(_OTHER_NUMBERS.split())
#: what people are asked about a caption or story
_CRITERIA = """
coherence coherent relevance relevant fluency fluent consistency consistent accuracy accurate
adequacy adequate correctness correct informativeness informative grounding groundedness grounded
detail detailedness conciseness concise creativity creative naturalness natural readability
faithfulness factuality completeness complete helpfulness interestingness interesting engagement
engaging expressiveness concreteness focus structure grammar grammaticality specificity humanness
humanlikeness repetition norepetition nonredundancy redundancy clarity diversity thoroughness
precision recall overall quality order temporal visualgrounding sentiment style logic emotion
vividness truthfulness hallucination coverage
"""
CRITERIA = frozenset(_CRITERIA.split())
_RATER_LIKE = re.compile(
    r"(?:rater|annotator|worker|judge|evaluator|assessor|coder|reviewer|user|participant|subject|person|expert"
    r"|human|r|a|w|p|h|j|u|anno|ann|labeler)[\s_-]*(?:\d+|[a-h])",
    re.IGNORECASE,
)
SYSTEM_LIKE = re.compile(
    r"(?:system|sys|model|method|approach|captioner|variant|team|algorithm|condition)[\s_-]*\w{1,20}",
    re.IGNORECASE,
)
ITEM_LIKE = re.compile(
    r"(?:video|vid|clip|item|image|img|story|album|question|sample|scene|doc|document|segment|photo|v|q|i|s)?"
    r"[\s_-]*#?\d+",
    re.IGNORECASE,
)


def plain(head: str) -> str:
    """A column's name without what does not matter in it.

    >>> plain("Worker_ID"), plain("Video IDs"), plain("data.video-id")
    ('workerid', 'videoid', 'data.videoid')
    """
    bare = re.sub(r"[\s_\-()]+", "", head.casefold()).rstrip("?:")
    return bare[:-1] if len(bare) > 3 and bare.endswith("s") and not bare.endswith("ss") else bare


def _spellings(alias: str) -> set[str]:
    bare = plain(alias)
    around = {f"{bare}{word}" for word in _AROUND} | {f"{word}{bare}" for word in ("the", "name")}
    sided = (
        {f"{bare}{word}{more}" for word in _SIDED for more in ("", "id", "name")}
        if bare in ("left", "right")
        else set()
    )
    return {bare, *around, *sided}


_TIERS: dict[str, list[set[str]]] = {
    role: [set().union(*map(_spellings, tier)) for tier in tiers] for role, tiers in ALIASES.items()
}


@dataclass(frozen=True, slots=True)
class Given:
    """What the user said of the columns: roles with their columns (several are joined by +), a pattern of
    heads, and what the answers of a vote mean."""

    columns: Mapping[str, tuple[str, ...]]
    pattern: str = ""
    #: answer of a vote: left, right or tie; {"names": ""} where answers are names of systems
    answers: Mapping[str, str] = field(default_factory=dict)

    def one(self, role: str) -> str | None:
        named = self.columns.get(role, ())
        return named[0] if len(named) == 1 else None

    def several(self, role: str) -> tuple[str, ...]:
        named = self.columns.get(role, ())
        return named if len(named) > 1 else ()


def given_columns(
    columns: Mapping[str, str] | None, sheet: Sheet, answers: Mapping[str, str] | None = None
) -> Given:
    """The user's mapping with the heads as they stand in the file."""
    columns = columns or {}
    named: dict[str, tuple[str, ...]] = {}
    pattern = ""
    for role, value in columns.items():
        if role == "pattern":
            pattern = value
            continue
        if role not in ALIASES:
            raise UsageError(
                f"There is no role {role!r} of a column.", hint=f"Roles: {', '.join(ALIASES)}, pattern."
            )
        wanted = [value] if value in sheet.heads else value.split("+")
        named[role] = tuple(_head(one, sheet) for one in wanted)
    return Given(named, pattern, answers or {})


def _head(name: str, sheet: Sheet) -> str:
    if name in sheet.heads:
        return name
    alike = [head for head in sheet.heads if plain(head) == plain(name)]
    if len(alike) != 1:
        raise UsageError(
            f"{sheet.name} has no column {name!r}.", hint=f"Its columns: {first_few(sheet.heads, limit=20)}."
        )
    return alike[0]


def by_name(role: str, sheet: Sheet, taken: Sequence[str], given: Given) -> str | None:
    """The column of a role by its name; None where no column bears one. Two that fit are a question."""
    if role in given.columns:
        return given.one(role)
    for tier in _TIERS[role]:
        found = [head for head in sheet.heads if head not in taken and _bears(head, tier)]
        found = [head for head in found if any(value is not None for value in sheet.column(head))]
        if role in ("score", "seconds", "position"):
            found = [head for head in found if numeric(sheet.column(head))]
        if len(found) > 1:
            exact = [head for head in found if plain(head) in {plain(a) for t in ALIASES[role] for a in t}]
            found = exact if len(exact) == 1 and role != "score" else found
        if len(found) > 1 and role != "score":
            found = _without_synonyms(sheet, found)
        if len(found) > 1:
            if role in ("time", "seconds", "hit", "position", "kind", "stratum"):
                return found[0] if role in ("time", "seconds") else None
            raise question(
                sheet, f"both {first_few(map(repr, found))} may be the {role}", [{role: one} for one in found]
            )
        if found:
            return found[0]
    return None


def _bears(head: str, names: set[str]) -> bool:
    bare = plain(head)
    return bare in names or ("." in bare and bare.rsplit(".", 1)[1] in names)


def _without_synonyms(sheet: Sheet, found: list[str]) -> list[str]:
    """Columns that say the same thing in every row (a video's id and its file) count as one, the first."""
    kept: list[str] = []
    for head in found:
        column = list(map(str, sheet.column(head)))
        if not any(_one_to_one(column, list(map(str, sheet.column(other)))) for other in kept):
            kept.append(head)
    return kept


def _one_to_one(first: Sequence[str], second: Sequence[str]) -> bool:
    pairs = len(set(zip(first, second, strict=True)))
    return pairs == len(set(first)) == len(set(second))


def rater_like(heads: Sequence[str]) -> bool:
    return all(_RATER_LIKE.fullmatch(head.strip()) for head in heads)


def question(
    sheet: Sheet, what: str, ways: Sequence[Mapping[str, str]], option: str = "--columns"
) -> DataError:
    """Two readings that fit equally well: what they are, and the command for each."""
    commands = [
        f"storymeter human analyse {_quoted(sheet.path or sheet.name)} {option} "
        + _quoted(",".join(f"{role}={head}" if head else role for role, head in way.items()))
        for way in ways
    ]
    return DataError(
        f"{sheet.name} can be read in more than one way: {what}.",
        hint="Say which is meant:\n" + "\n".join(commands),
    )


def _quoted(word: str) -> str:
    return word if re.fullmatch(r"[\w./=,+@:-]+", word) else "'" + word.replace("'", "'\\''") + "'"


Bounds = tuple[float, float]
_LEADING = re.compile(
    r"\s*([+-]?\d+(?:[.,]\d+)?)\s*(?:%|$|[-–—:.)(/=]\s*\D.*|\s*/\s*\d+|\s+[^\W\d].*)", re.DOTALL
)
_STARS = re.compile(r"[★⭐*]+[☆]*")
#: answers in words, from the lowest
_WORDS = (
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree"),
    ("poor", "fair", "good", "very good", "excellent"),
    ("very poor", "poor", "fair", "good", "excellent"),
    ("very poor", "poor", "average", "good", "very good"),
    ("very bad", "bad", "neutral", "good", "very good"),
    ("very bad", "bad", "ok", "good", "very good"),
    ("terrible", "bad", "ok", "good", "excellent"),
    ("bad", "poor", "fair", "good", "excellent"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("not at all", "slightly", "moderately", "very", "extremely"),
)


def number(cell: Any) -> float | None:
    """The score in a cell; None where there is none."""
    if isinstance(cell, bool):
        return float(cell)
    if isinstance(cell, int | float):
        return float(cell) if math.isfinite(cell) else None
    if not isinstance(cell, str):
        return None
    try:
        value = float(cell)
        return value if math.isfinite(value) else None
    except ValueError:
        pass
    if _STARS.fullmatch(cell.strip()):
        return float(sum(mark != "☆" for mark in cell.strip()))
    found = _LEADING.fullmatch(cell)
    return float(found[1].replace(",", ".")) if found else None


def worded(cells: Iterable[Any]) -> dict[str, float] | None:
    """What each answer in words counts, 1 to 5, where all cells are such answers; else None."""
    there = {" ".join(str(cell).lower().split()) for cell in cells if cell is not None}
    if len(there) < 2:
        return None
    return next(
        (
            {word: float(mark) for mark, word in enumerate(words, 1)}
            for words in _WORDS
            if there <= set(words)
        ),
        None,
    )


def numeric(cells: Sequence[Any]) -> bool:
    """Whether every cell that is filled holds a number, and some are filled."""
    filled = [cell for cell in cells if cell is not None]
    return bool(filled) and all(number(cell) is not None for cell in filled)


def found_scale(values: Iterable[float]) -> Bounds:
    """The usual scale that these scores fit; where none fits, from the lowest to the highest."""
    seen = sorted(set(values))
    low, high = seen[0], seen[-1]
    if low < 0 or high > 100:
        ends = max(abs(low), abs(high))
        return (-ends, ends) if low < 0 and float(ends).is_integer() and ends <= 10 else (low, high)
    for bounds in ((0.0, 1.0), (1.0, 5.0), (1.0, 7.0), (0.0, 5.0), (1.0, 10.0), (0.0, 10.0)):
        if bounds[0] <= low and high <= bounds[1]:
            return bounds
    return 0.0, 100.0


def stated_scale(text: str) -> Bounds:
    """`1-5` as its two ends."""
    ends = re.fullmatch(r"\s*(-?\d+(?:\.\d+)?)\s*(?:-|–|\.\.|:|to)\s*(-?\d+(?:\.\d+)?)\s*", text)
    if ends is None or float(ends[1]) >= float(ends[2]):
        raise UsageError(
            f"{text!r} is no scale.", hint="Give its ends: --scale 1-5; z where the scores are standardised."
        )
    return float(ends[1]), float(ends[2])


def scale_name(bounds: Bounds) -> str:
    """A scale as it is printed: `1-5`, `-2..2`."""
    low, high = bounds
    return f"{low:g}..{high:g}" if low < 0 else f"{low:g}-{high:g}"
