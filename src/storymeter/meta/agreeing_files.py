"""Metrics against people, in one call.

>>> pairs = [(v, s, h) for v in range(8) for s, h in (("a", v), ("b", 9 - v))]
>>> rows = [{"video": v, "system": s, "human": h, "mine": h + v % 3} for v, s, h in pairs]
>>> found = agree(rows, resamples=0, permutations=100)["human"]
>>> [(result.metric, result.n, round(result.values["pearson"], 3)) for result in found.results]
[('mine', 16, 0.955)]

Captions are scored where there are any; human scores, ratings, surveys and preferences are read from a file
or the folder of a campaign:

    meta.agree("study/", candidates=["a.json", "b.json"], references="references.json", metrics=["meteor"])
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ..engine.run import MetricLike, Run, metric_list, parse_metrics
from ..engine.scored_files import Files, score_files
from ..engine.suitability import default_metrics
from ..engine.systems import FOUND, Layout, is_saved, read_systems, require_equal_lines
from ..errors import DataError, UsageError
from ..human.analysis.preference import MetricAccuracy, Preference, metric_accuracy
from ..join import Task
from ..progress import Note, Progress, silent, unsaid
from .agreeing import Agreement, CurvePoint, measured, reference_curve as curve_of
from .inputs import open_human, read_one_table, read_people, read_preferences, read_scores
from .scores import (
    Judgement,
    MetricValues,
    Scores,
    join_scores,
    pooled_documents,
    values_of,
    values_of_file,
    values_of_results,
)

Curves = dict[str, list[CurvePoint]]


class PreferenceAccuracy(NamedTuple):
    """How often each metric prefers what people prefer."""

    rows: Sequence[tuple[Preference, MetricAccuracy]]
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class ScoredFiles:
    """Files of captions and how they are scored: the arguments of `engine.score_files`."""

    candidates: Sequence[str]
    references: Sequence[str] = ()
    metrics: Sequence[MetricLike] = ()
    layout: Layout = FOUND
    #: whether plain texts may have unequal numbers of lines
    unequal_lines: bool = False
    #: whether a list of sentences is a story
    stories: bool = False
    note: Note = unsaid
    settings: Mapping[str, Any] | None = None

    @property
    def saved(self) -> bool:
        return any(map(is_saved, self.candidates))

    @property
    def progress(self) -> Progress:
        found: Progress = (self.settings or {}).get("progress", silent)
        return found

    def results(self, *, systems: bool = False) -> dict[str, MetricValues]:
        """The values of each document, or of whole systems, as `storymeter score` gives them."""
        results = score_files(
            self.candidates,
            self.references,
            [*self.metrics] or None,
            layout=self.layout,
            resamples=0,
            equal_lines=not self.unequal_lines,
            note=self.note,
            **(self.settings or {}),
        )
        return values_of_results(results, systems=systems)

    def pooled(self, wanted: set[tuple[str, str]]) -> tuple[Task, list[MetricLike], Run]:
        """The documents that people judged as one task, the metrics, and the run that scores them."""
        settings = self.settings or {}
        systems, against = read_systems(
            self.candidates,
            self.references,
            layout=self.layout,
            metrics=parse_metrics(self.metrics).values(),
            images=settings.get("images"),
            stories=self.stories,
            progress=self.progress,
            note=self.note,
        )
        if not self.unequal_lines:
            require_equal_lines([*systems, *against])
        images = settings.get("images") is not None
        usual = default_metrics(systems[0].kind, references=bool(against), images=images)
        names: list[MetricLike] = [*self.metrics] if self.metrics else [*usual]
        return pooled_documents(systems, against, wanted), names, Run((), **settings)


def agree(
    table: Any,
    *,
    candidates: Files = (),
    references: Files = (),
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    scores: str | Path | None = None,
    level: Literal["segment", "system"] = "segment",
    columns: Mapping[str, str] | None = None,
    accept: Literal["passed", "all"] = "passed",
    which: Literal["z", "raw"] = "z",
    ties: Literal["half", "wrong", "drop"] = "half",
    layout: Layout = FOUND,
    settings: Mapping[str, Any] | None = None,
    **options: Any,
) -> dict[str, Agreement] | PreferenceAccuracy:
    """How well metrics agree with human scores; one result per column of human scores, or per criterion. Of
    preferences: how often each metric prefers what people prefer.

    table: human and metric columns (`video,system,human,mymetric,meteor`): a path, records, or a data frame;
        with `scores` or `candidates` a file of human scores, a file of ratings or the folder of a campaign.
    candidates, references, metrics: files of captions that are scored, one per system; names of metrics.
    scores: a file of metric scores, one column per metric beside system and item.
    level: `segment`: one point per judged caption; `system`: one per system.
    columns: those that are not found by their names: `{"human": "adequacy", "system": "model"}`.
    accept: of ratings; `passed` leaves out raters who failed the controls of their study.
    which: of ratings; the standardised or the raw score of a caption.
    ties: of preferences; what a tie of the metric counts.
    layout: how the files of captions are read.
    settings: of the run that scores them (protocol, tokenizer, device, images …), as of `storymeter.Run`.
    options: resamples, permutations, statistic, unit, system_value, reference_curve, seed, jobs: as in
        `storymeter meta`.
    """
    if scores is None and not candidates:
        found = read_one_table(table, columns)
        values = values_of_file(found.metrics)
        joined = {name: join_scores(one, values) for name, one in found.human.items()}
        return {name: measured(name, level, one, **options) for name, one in joined.items()}
    names = metric_list(metrics) if metrics is not None else []
    files = ScoredFiles(_paths(candidates), _paths(references), names, layout, settings=settings)
    agreements = agree_files(
        table, files, scores=scores, level=level, accept=accept, which=which, ties=ties, **options
    )
    if isinstance(agreements, PreferenceAccuracy):
        return agreements
    return {agreement.title: agreement for agreement in agreements}


def _paths(files: Files) -> list[str]:
    listed = [files] if isinstance(files, str | os.PathLike) else files
    try:
        return [os.fspath(path) for path in listed]
    except TypeError:
        raise UsageError(
            f"Files cannot be {str(files)[:80]}.", hint='Give paths: candidates=["a.json", "b.json"].'
        ) from None


def agree_files(
    human: str | Path,
    files: ScoredFiles,
    *,
    scores: str | Path | None = None,
    level: Literal["segment", "system"] = "segment",
    accept: Literal["passed", "all"] = "passed",
    which: Literal["z", "raw"] = "z",
    ties: str = "half",
    reference_curve: str | None = None,
    curve_references: int | None = None,
    **options: Any,
) -> list[Agreement] | PreferenceAccuracy:
    """One agreement for each human score of a file; of preferences the accuracy of each metric. `options` are
    those of `agreeing.measured`.
    """
    opened = open_human(Path(human))
    if opened is not None and opened.kind.stories:
        files = ScoredFiles(**{**vars(files), "stories": True})
    if opened is not None and (people := read_preferences(Path(human), accept=accept, opened=opened)):
        return _preferred(*people, files, scores, ties)
    tables = read_people(Path(human), which, accept, opened)
    known = values_of_file(read_scores(Path(scores))) if scores is not None else {}
    scored = [join_scores(table, known) for table in tables.values()]
    curves: list[Curves] = [{} for _ in scored]
    if files.candidates:
        asked = {
            "statistic": reference_curve,
            "up_to": curve_references,
            "resamples": options.get("resamples", 500),
        }
        apart = level == "system" and options.get("system_value") == "own"
        scored, curves = _scored(scored, files, asked if reference_curve else None, apart)
    return [
        measured(title, level, table, curve, reference_curve, **options)
        for title, table, curve in zip(tables, scored, curves, strict=True)
    ]


def _scored(
    tables: list[Scores], files: ScoredFiles, curve: dict[str, Any] | None, apart: bool
) -> tuple[list[Scores], list[Curves]]:
    """The metrics of the candidates, computed once (or saved), beside every table of human scores; and the
    curves over the number of references. `apart`: every system is scored by itself.
    """
    first = tables[0]
    whole = first.items == ("",)  # people judged whole systems: corpus scores
    none: list[Curves] = [{} for _ in tables]
    if whole or files.saved:
        if curve:
            raise UsageError("--reference-curve scores documents.", hint="Give files of captions.")
        values = files.results(systems=whole)
        return [join_scores(table, values) for table in tables], none
    judged = [
        [
            Judgement(t.systems[s], t.items[i], float(v))
            for s, i, v in zip(t.system, t.item, t.human, strict=True)
        ]
        for t in tables
    ]
    task, names, run = files.pooled({(j.system, j.item) for judgements in judged for j in judgements})
    if not len(task):
        raise DataError(
            f"No document of {', '.join(files.candidates)} has both a human score and a reference; the human"
            f" scores are for the systems {', '.join(first.systems[:5])} and items such as"
            f" {', '.join(first.items[:3])}.",
            hint=(
                "The name of a system is its file name without suffix; the item is the document id. Use the"
                " same names in all files."
            ),
        )

    def score(run: Run, names: Sequence[MetricLike]) -> tuple[dict[str, MetricValues], list[Curves]]:
        values, _ = values_of(task, names, run, apart=apart)
        if not curve:
            return values, none
        return values, [curve_of(task, judgements, names, run, **curve) for judgements in judged]

    with run.announced(names, score):
        values, drawn = score(run, names)
    return [join_scores(table, values) for table in tables], drawn


def _preferred(
    preferences: Sequence[Preference],
    notes: Sequence[str],
    files: ScoredFiles,
    scores: str | Path | None,
    ties: str,
) -> PreferenceAccuracy:
    """Accuracy against -2..2: how often a metric prefers what people prefer."""
    values = values_of_file(read_scores(Path(scores))) if scores is not None else {}
    if files.saved:
        values |= files.results()
    elif files.candidates:
        wanted = {(name, item) for p in preferences for item in p.items for name in (p.a, p.b)}
        task, names, run = files.pooled(wanted)
        values |= values_of(task, names, run)[0]
    rows = []
    for preference in preferences:
        for metric, entry in values.items():
            sign = -1 if entry.higher_is_better is False else 1
            a, b = (
                {item: sign * v for (system, item), v in entry.values.items() if system == name}
                for name in (preference.a, preference.b)
            )
            rows.append((preference, metric_accuracy(preference, metric, a, b, ties=ties)))
    return PreferenceAccuracy(rows, notes)
