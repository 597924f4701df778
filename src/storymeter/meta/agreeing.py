"""Tables of human and metric scores, and the agreement of metrics with people in them.

>>> pairs = [(v, s, h) for v in range(8) for s, h in (("a", v), ("b", 9 - v))]
>>> rows = [{"video": v, "system": s, "human": h, "mine": h + v % 3} for v, s, h in pairs]
>>> found = read_one_table(rows)
>>> [name for name in found.human], {name: len(values) for name, values in found.metrics.items()}
(['human'], {'mine': 16})
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from ..errors import DataError, first_few, many
from ..human.sources import OpenedRatings
from ..human.tables.roles import NOT_SCORES, by_name, given_columns, number, numeric, plain
from ..human.tables.sheets import Sheet, from_object, read_sheet
from ..scores import Signature
from .comparisons import MetricComparison
from .inputs import open_human, read_human, read_survey
from .run import CurvePoint, evaluate_metrics
from .scores import Judgement, Key, Scores, tabulate
from .statistics import MetricResult

#: names of a column of human scores, where none says that it is about people
_SCORES = ("score", "rating", "mos", "da", "judgement", "judgment", "gold", "zscr", "zscore", "mark", "grade")
#: roles that may be named for such a table, beside `human`
_ROLES = ("system", "item", "rater")


@dataclass(frozen=True, slots=True)
class OneTable:
    """Human scores by the name of their column, and metric scores by (system, item)."""

    human: dict[str, Scores]
    metrics: dict[str, dict[Key, float]]


def read_one_table(source: Any, columns: Mapping[str, str] | None = None) -> OneTable:
    """Reads a path, records or a data frame. `columns` names what is not found by its name: human, system,
    item."""
    sheet = read_sheet(Path(source)) if isinstance(source, str | Path) else from_object(source)
    given = given_columns({role: head for role, head in (columns or {}).items() if role in _ROLES}, sheet)
    roles: dict[str, str] = {}
    for role in ("rater", "system", "item", "time"):
        head = by_name(role, sheet, tuple(roles.values()), given)
        if head is not None:
            roles[role] = head
    free = [
        head
        for head in sheet.heads
        if head not in roles.values() and plain(head) not in NOT_SCORES and numeric(sheet.column(head))
    ]
    people = _people(sheet, free, (columns or {}).get("human"))
    metrics = [head for head in free if head not in people]
    if not metrics:
        raise DataError(
            f"{sheet.name} has no column of a metric beside {first_few(people)}.",
            hint="Give one column of numbers per metric, or metric scores of their own: --scores FILE",
        )
    keys, said = _keys(sheet, roles)
    assumed = ", ".join(f"{role} = {head}" for role, head in roles.items() if role != "time")
    note = (
        f"read {sheet.name}: human = {first_few(people)}, metrics = {first_few(metrics, limit=20)}"
        + (f", {assumed}" if assumed else "")
        + f" ({many(len(sheet.rows), 'row')})"
    )
    scores = {}
    for head in people:
        pairs = zip(keys, sheet.column(head), strict=True)
        given_scores = [(key, value) for key, cell in pairs if (value := number(cell)) is not None]
        scores[head] = tabulate([Judgement(*key, value) for key, value in given_scores], notes=[note, *said])
    return OneTable(scores, {head: _values(sheet, head, keys) for head in metrics})


def _people(sheet: Sheet, free: Sequence[str], named: str | None) -> list[str]:
    """The columns of human scores."""
    if named is not None:
        wanted = named.split("+")
        unknown = [head for head in wanted if head not in free]
        if unknown:
            raise DataError(
                f"{sheet.name} has no column of numbers called {unknown[0]!r}.",
                hint=f"Columns of numbers: {first_few(free, limit=20)}.",
            )
        return wanted
    people = [head for head in free if plain(head).startswith("human") or plain(head).endswith("human")]
    people = people or [head for head in free if plain(head).replace(".", "") in _SCORES]
    if len(people) == 1 or (all(plain(head).startswith("human") for head in people) and people):
        return people
    fits = people or free
    if not fits:
        raise DataError(
            f"{sheet.name} has no columns of numbers; its columns are {first_few(sheet.heads, limit=12)}.",
            hint="Give system, item, the human score and one column per metric.",
        )
    commands = [f"storymeter meta {sheet.path or sheet.name} --columns human={head}" for head in fits[:4]]
    raise DataError(
        f"{sheet.name}: which column holds the human scores? {first_few(fits)} may.",
        hint="Say which is meant:\n" + "\n".join(commands),
    )


def _keys(sheet: Sheet, roles: Mapping[str, str]) -> tuple[list[Key], list[str]]:
    """System and item of every row, and what was assumed of them."""
    stem, said = sheet.name.split(".")[0], []
    systems = (
        [str(name) for name in sheet.column(roles["system"])]
        if "system" in roles
        else [stem] * len(sheet.rows)
    )
    if "system" not in roles:
        said.append(f"{sheet.name} names no systems: all rows count as those of {stem!r}.")
    if "item" in roles:
        items = [str(name) for name in sheet.column(roles["item"])]
    elif len(set(systems)) == len(systems):
        items = [""] * len(systems)
    else:
        items = [f"row {row}" for row in range(2, len(systems) + 2)]
        said.append(f"{sheet.name} names no items: every row counts as one.")
    return list(zip(systems, items, strict=True)), said


def _values(sheet: Sheet, head: str, keys: Sequence[Key]) -> dict[Key, float]:
    found: dict[Key, float] = {}
    for row, (key, cell) in enumerate(zip(keys, sheet.column(head), strict=True), 2):
        value = number(cell)
        if value is None:
            continue
        if found.setdefault(key, value) != value:
            raise DataError(
                f"{sheet.name}, row {row}: {head} is {value:g} for {' '.join(key).strip()}, and"
                f" {found[key]:g} in an earlier row.",
                hint="A caption has one score of a metric: check that system and item name it.",
            )
    return found


#: the value of a whole system: of sentence metrics the mean over captions, or that of the system by itself
SystemValue = Literal["published", "own"]


@dataclass(frozen=True, slots=True)
class Agreement:
    """What a comparison of metrics with people found."""

    title: str
    level: str
    scores: Scores
    results: Sequence[MetricResult]
    comparisons: Sequence[MetricComparison]
    notes: Sequence[str] = ()
    curve: Mapping[str, Sequence[CurvePoint]] = field(default_factory=dict)
    curve_statistic: str = "kendall_c"


def read_people(
    path: Path,
    which: Literal["z", "raw"],
    accept: Literal["passed", "all"],
    opened: OpenedRatings | None = None,
) -> dict[str, Scores]:
    """The human scores of a file or campaign, by criterion where there are several."""
    opened = opened or open_human(path)
    surveyed = read_survey(path, accept=accept, opened=opened) if opened is not None else None
    if surveyed:
        return {f"{path.stem}, {criterion}": one for criterion, one in surveyed.items()}
    return {path.stem: read_human(path, which=which, accept=accept, opened=opened)}


def _of_systems(scores: Scores, system_value: SystemValue) -> Scores:
    """Which value of a system is taken stands in the signature: the mean over captions of a sentence metric
    whose value of them together is another one, or that of the system scored by itself (`own`).
    """
    names, own = [*scores.averaged], system_value == "own"
    listed = {
        name: f"{text}|system:{'own' if own else 'mean'}" if own or name in names else text
        for name, text in scores.signatures.items()
    }
    if own:
        additive = {**scores.additive, **scores.averaged}
        return replace(scores, additive=additive, averaged={}, signatures=listed)
    note = (
        f"{', '.join(names)}: the mean over a system's captions, as in published tables; --system-value own"
        " takes the value of all its captions together, which `storymeter score` prints."
    )
    return replace(scores, notes=(*scores.notes, note), signatures=listed)


def _of_captions(scores: Scores) -> Scores:
    """BLEU of one caption is sentence BLEU, whatever the level for a system is."""
    signatures = {name: Signature.parse(text) for name, text in scores.signatures.items()}
    levels = {
        name: str(one.add(level="sentence"))
        for name, one in signatures.items()
        if one.get("level") == "corpus"
    }
    return replace(scores, signatures={**scores.signatures, **levels})


def measured(
    title: str,
    level: Any,
    scores: Scores,
    curve: Mapping[str, Sequence[CurvePoint]] | None = None,
    curve_statistic: str | None = None,
    system_value: SystemValue = "published",
    **resampling: Any,
) -> Agreement:
    """Every metric of the table against the people's scores beside it."""
    if level == "segment" and scores.items == ("",):
        raise DataError("The human scores are about whole systems.", hint="Use --level system.")
    if level == "segment":
        scores = _of_captions(scores)
    if level == "system" and (scores.averaged or system_value == "own"):
        scores = _of_systems(scores, system_value)
    results, comparisons = evaluate_metrics(scores, level, **resampling)
    statistic = curve_statistic or "kendall_c"
    return Agreement(title, level, scores, results, comparisons, scores.notes, curve or {}, statistic)
