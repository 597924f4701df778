"""Finds the roles of columns: by name, and where no name is known by its content.

Case, blanks, dashes, underscores and a plural do not matter. The first names of a role are specific
(`video`), the later ones general (`id`, `index`); a general one counts only where no specific one is there.
Two columns that fit a role equally well are a question to the user, unless they say the same thing in every
row."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...errors import DataError, UsageError, first_few
from .scales import numeric
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
