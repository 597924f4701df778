"""Metrics against people, in one call.

>>> pairs = [(v, s, h) for v in range(8) for s, h in (("a", v), ("b", 9 - v))]
>>> rows = [{"video": v, "system": s, "human": h, "mine": h + v % 3} for v, s, h in pairs]
>>> found = agree(rows, resamples=0, permutations=100)["human"]
>>> [(result.metric, result.n, round(result.values["pearson"], 3)) for result in found.results]
[('mine', 16, 0.955)]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from ..errors import DataError
from ..human.sources import OpenedRatings
from .comparisons import MetricComparison
from .compute import values_of_file
from .inputs import open_human, read_human, read_scores, read_survey
from .one_table import read_one_table
from .run import CurvePoint, evaluate_metrics
from .scores import Scores, join_scores
from .statistics import MetricResult

#: a sentence metric's value of a whole system: the mean over captions, or what `score` prints
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


def agree(
    table: Any,
    *,
    scores: str | Path | None = None,
    level: Literal["segment", "system"] = "segment",
    columns: Mapping[str, str] | None = None,
    accept: Literal["passed", "all"] = "passed",
    which: Literal["z", "raw"] = "z",
    **options: Any,
) -> dict[str, Agreement]:
    """How well metrics agree with human scores; one result per column of human scores, or per criterion.

    Parameters ---------- table A table of human and metric columns (`video,system,human,mymetric,meteor`):
    a path, records, or a data frame. With `scores`, a file of human scores, a file of ratings or the folder
    of a campaign. scores A file of metric scores, one column per metric beside system and item. level
    `segment`: one point per judged caption; `system`: one per system. columns Columns that are not found by
    their names: `{"human": "adequacy", "system": "model"}`. accept Ratings: `passed` leaves out raters who
    failed the controls of their study. which Ratings: the standardised or the raw score of a caption.
    options resamples, permutations, statistic, unit, system_value, seed, jobs: as in `storymeter meta`."""
    if scores is None:
        found = read_one_table(table, columns)
        human, known = found.human, found.metrics
    else:
        human, known = read_people(Path(table), which, accept), read_scores(Path(scores))
    values = values_of_file(known)
    joined = {name: join_scores(one, values) for name, one in human.items()}
    return {name: measured(name, level, one, **options) for name, one in joined.items()}


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
    """Sentence metrics whose value of a whole system is not the mean over its captions: which one is taken
    stands in the signature.
    """
    names = [*scores.averaged]
    own = system_value == "own"
    listed = {
        name: f"{text}|system:{'own' if own and name in names else 'mean'}" if name in names else text
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
    if level == "system" and scores.averaged:
        scores = _of_systems(scores, system_value)
    results, comparisons = evaluate_metrics(scores, level, **resampling)
    statistic = curve_statistic or "kendall_c"
    return Agreement(title, level, scores, results, comparisons, scores.notes, curve or {}, statistic)
