"""From files to results in one call: what `storymeter score`, `compare`, `report` and `meta` do first."""

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from .. import __version__, protocol as protocols
from ..captions import Corpus
from ..errors import StorymeterError, UsageError
from ..join import Coverage
from ..metrics import Metric
from ..progress import Note, Progress, silent, unsaid
from ..scores import Score
from .comparing import merged
from .provenance import signed_before
from .results import AUTO, INTERVALS, REVISION, Conditions, Resamples, Results, SystemResult, chosen
from .run import MetricLike, Run, metric_list, parse_metrics
from .saved import load, write
from .sharded.inputs import find, preview
from .suitability import choose_metrics, default_metrics
from .systems import (
    FOUND,
    Layout,
    in_shards,
    is_saved,
    named_seeds,
    read_systems,
    require_equal_lines,
    with_seeds,
)
from .units import DOCUMENT, with_unit


class PartialRun:
    """Each finished score of a run is kept until the run is complete, so that an interrupted run goes on.

    The folder `run.smr.partial` beside the target holds one small saved run per system and metric, named by
    all that the numbers depend on. What does not fit (other files, another version or formula of a plug-in,
    another prompt or model, a damaged file) is scored again.
    """

    def __init__(
        self,
        target: str | Path,
        run: Run,
        conditions: Conditions,
        *seen: str | None,
    ) -> None:
        self.folder = Path(f"{target}.partial")
        self.run, self.conditions = run, conditions
        facts = (conditions.protocol, conditions.tokenizer, conditions.seed, conditions.resamples)
        self._known = [__version__, str(REVISION), digest(*run.references), *map(str, (*facts, *seen))]
        self._digests: dict[int, str] = {}
        #: how many scores came from the folder
        self.resumed = 0

    def get(self, candidates: Corpus, name: str, metric: Metric) -> Score | None:
        path = self._path(candidates, name, metric)
        if not path.is_file():
            return None
        try:
            score = load(path, metrics=[metric]).systems[0].scores[0]
        except StorymeterError:
            return None
        self.resumed += 1
        return score

    def put(self, candidates: Corpus, name: str, metric: Metric, score: Score) -> None:
        system = SystemResult(candidates.name, (score,), Coverage(0), Corpus(()))
        write(Results((system,), (metric,), (), self.conditions), self._path(candidates, name, metric))

    def remove(self) -> None:
        """The run is complete."""
        if self.folder.is_dir():
            for path in self.folder.glob("*.smr"):
                path.unlink(missing_ok=True)
            if not any(self.folder.iterdir()):
                self.folder.rmdir()

    def _path(self, candidates: Corpus, name: str, metric: Metric) -> Path:
        if id(candidates) not in self._digests:
            self._digests[id(candidates)] = digest(candidates)
        signed = signed_before(metric, self.run.context)
        key = [*self._known, name, metric.name, self._digests[id(candidates)], signed]
        return self.folder / f"{hashlib.sha256(msgspec.json.encode(key)).hexdigest()[:32]}.smr"


def digest(*corpora: Corpus) -> str:
    """What the numbers depend on: names, captions and what is said of them, wherever the files lie."""
    content = [(corpus.name, corpus.documents, corpus.meta) for corpus in corpora]
    return hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()


Files: TypeAlias = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def score_files(
    candidates: Files,
    references: Files = (),
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    *,
    systems: Mapping[str, Sequence[str]] | None = None,
    layout: Layout = FOUND,
    resamples: Resamples = AUTO,
    unit: str = "",
    save: str | None = None,
    into: str | None = None,
    cluster: str | None = None,
    shards: int | None = None,
    sample: float | None = None,
    equal_lines: bool = False,
    each: Callable[[str, Score], None] | None = None,
    progress: Progress = silent,
    note: Note = unsaid,
    **settings: Any,
) -> Results:
    """Scores files as `storymeter score` does, with the same numbers.

    candidates: a file for each system, saved runs, or the patterns of a corpus in shards.
    references: a file for each annotator.
    metrics: names or objects; default: chosen by the kind of document.
    systems: training runs (seeds) of one system: {name: [file, file]}.
    layout: how the files are read (`engine.systems.Layout`).
    resamples: bootstrap resamples of the intervals; 0 leaves them out.
    unit: documents that are drawn and swapped together: a field, `id:SEPARATOR`, or `id`.
    save: where the run is kept (`.smr`); an interrupted run continues there.
    into: a saved run that the candidates are added to; its references, metrics and conditions count.
    cluster, shards, sample: where and in which parts a corpus in shards is scored.
    equal_lines: refuses line-numbered files of different length.
    each: called with the name of a system and its score as soon as it is known.
    note: called with each sentence about what was assumed, resumed or saved.
    settings: those of `Run`: protocol, tokenizer, language, jobs, seed, device, images, videos, budget.
    progress: called with what is being done, how much is done, and of how much.
    """
    paths, against = _paths(candidates), _paths(references)
    wanted = None if metrics is None else metric_list(metrics)
    built = {} if wanted is None else parse_metrics(wanted)
    about: dict[str, Any] = {"layout": layout, "progress": progress, "note": note}
    if into is not None:
        if systems:
            hint = "Score all systems again with --save."
            raise UsageError("--system cannot be added to a saved run.", hint=hint)
        return _score_into(into, paths, each=each, settings=settings, **about)
    paths, groups = with_seeds(paths, systems or {})
    protocol = settings.get("protocol", protocols.PAPER)
    if isinstance(protocol, str):
        protocols.get(protocol)
    if any(map(is_saved, paths)):
        results = load_runs(paths, against, wanted)
        return with_unit(results, unit, results.conditions.resamples) if unit else results
    if in_shards(paths, against):
        if unit:
            hint = "Leave it out, or score the files without a pattern."
            raise UsageError("--unit is not for a corpus in shards, whose rows are not kept.", hint=hint)
        parts = {"shards": shards, "sample": sample, "resamples": resamples}
        return _score_in_shards(paths, against, wanted, cluster, save, parts, settings=settings, **about)
    for name, value in (("shards", shards), ("sample", sample)):
        if value is not None:
            hint = "Give a quoted pattern such as 'mine/*.parquet', or a folder."
            raise UsageError(f"--{name} is for a corpus in shards.", hint=hint)
    images, videos = settings.get("images"), settings.get("videos")
    read, others = read_systems(paths, against, metrics=built.values(), images=images, **about)
    scored, seeds = named_seeds(read, groups)
    if equal_lines:
        require_equal_lines([*scored, *others])
    asked = built or choose_metrics(scored[0], references=bool(others), images=images is not None)
    run = Run(others, progress=progress, **settings)
    drawn = INTERVALS if resamples == AUTO else resamples
    if save is None:
        results = run.score(scored, asked, drawn, unit=unit, cluster=cluster, each=each)
        return replace(results, seeds=seeds)
    conditions = Conditions(run.context.protocol, run.context.tokenizer, run.context.seed, drawn)
    journal = PartialRun(save, run, conditions, images, videos)
    results = run.score(scored, asked, drawn, unit=unit, cluster=cluster, journal=journal, each=each)
    results = replace(results, seeds=seeds)
    _keep(results, save, journal, note)
    return results


def _paths(files: Files) -> list[str]:
    listed = [files] if isinstance(files, str | os.PathLike) else files
    return [os.fspath(path) for path in listed]


def _score_into(
    path: str,
    candidates: Sequence[str],
    *,
    layout: Layout,
    progress: Progress,
    note: Note,
    each: Callable[[str, Score], None] | None,
    settings: Mapping[str, Any],
) -> Results:
    """More systems into a saved run, under its references, metrics and conditions; nothing is scored
    again.
    """
    before = load(path)
    if before.in_shards:
        raise UsageError(
            f"{path} is a run in shards: it keeps sums, and no references to score more systems against.",
            hint="Score all systems together: storymeter score A/ B/ -r REFERENCES/ --save FOLDER",
        )
    conditions = before.conditions
    labels = [score.metric for score in before.systems[0].scores]
    images, videos = settings.get("images"), settings.get("videos")
    systems, _ = read_systems(
        candidates, layout=layout, metrics=before.metrics, images=images, progress=progress, note=note
    )
    run = Run(before.references, progress=progress, **{**settings, **conditions.settings})
    journal = PartialRun(path, run, conditions, images, videos)
    unit = conditions.unit or DOCUMENT
    fresh = run.score(systems, labels, conditions.resamples, unit=unit, journal=journal, each=each)
    together = merged([before, replace(fresh, references=before.references, conditions=conditions)])
    _keep(together, path, journal, note)
    return together


def _score_in_shards(
    candidates: Sequence[str],
    references: Sequence[str],
    metrics: Sequence[MetricLike] | None,
    cluster: str | None,
    save: str | None,
    parts: Mapping[str, Any],
    *,
    layout: Layout,
    progress: Progress,
    note: Note,
    settings: Mapping[str, Any],
) -> Results:
    """On `cluster`, or on the cores here; `jobs` is the number of workers there."""
    from .sharded.run import score_shards

    if layout.format not in (None, "parquet", "jsonl"):
        raise UsageError(
            f"A corpus in shards is Parquet or JSON Lines, not {layout.format}.",
            hint="Convert the files with: storymeter convert FILE --to jsonl",
        )
    if not metrics:
        kind = preview(find(candidates[0]), layout.columns or {}).kind
        images = settings.get("images") is not None
        metrics = default_metrics(kind, references=bool(references), images=images)
    reading = ("columns", "repair", "id_map", "reference_columns", "reference_id_map")
    results = score_shards(
        candidates,
        references,
        metrics,
        cluster=cluster or "local",
        save=save,
        workers=settings.get("jobs"),
        reading={key: getattr(layout, key) for key in reading},
        progress=progress,
        **parts,
        **{key: value for key, value in settings.items() if key != "jobs"},
    )
    if parts["sample"]:
        note(f"A sample: {parts['sample']:.3%} of the documents, drawn by their ids.")
    if save is not None:
        note(_saved(results, save))
    return results


def _keep(results: Results, path: str, journal: PartialRun, note: Note) -> None:
    results.save(path)
    journal.remove()
    if journal.resumed:
        note(f"{journal.resumed:,} scores were read from an interrupted run and not computed again.")
    note(_saved(results, path))


def _saved(results: Results, path: str) -> str:
    systems, metrics = len(results.systems), len(results.metrics)
    return f"Saved: {path} ({systems} system{'s' * (systems != 1)}, {metrics} metric{'s' * (metrics != 1)})"


def load_runs(
    paths: Sequence[str], references: Sequence[str] = (), metrics: Sequence[MetricLike] | None = None
) -> Results:
    """Saved runs as one, with some of their metrics."""
    others = [path for path in paths if not is_saved(path)]
    if others or references:
        raise UsageError(
            f"A saved run contains its own captions and references; {[*others, *references][0]} is another"
            " file.",
            hint="Add a system to it: storymeter score NEW.json --into RUN.smr",
        )
    results = merged([load(path) for path in paths])
    if not metrics:
        return results
    return chosen(results, [metric if isinstance(metric, str) else metric.name for metric in metrics])
