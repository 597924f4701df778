"""A run in a file: `run.smr`, a zip of JSON and arrays that any language can read.

    run.json                    schema, version, revision of the numbers, protocol, tokenizer, seed,
                                resamples; the metrics with what is known of them; the systems with
                                coverage, document ids and scores; the names of the references
    references/K.json           the K-th annotator's captions (the records of storymeter.captions)
    systems/K/candidates.json   the K-th system's captions
    systems/K/M-rows.npy        (documents, columns): the additive statistics of the M-th metric, float64
    systems/K/M-alignment.npy   (6, …): see `_pack`; only where the metric has a matching
    systems/K/M-sums.npy        instead of rows, of a run in shards: (1 + 2 resamples, columns): the sums of
                                all rows, of each bootstrap resample, and over the documents that each
                                permutation swaps; such runs have no ids and no captions
    checksums.json              member -> SHA-256

The same results give the same bytes: nothing in it tells when or where it was made. It appears whole or not
at all. While `storymeter score --save` runs, each finished score is a file of its own in the folder
`run.smr.partial`; the same command again goes on from there, and the folder is gone when the run is complete.
"""

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import nan
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta

from .. import __version__
from ..arrays import FloatArray
from ..captions import Corpus
from ..errors import DataError, StorymeterError, UsageError
from ..join import Coverage
from ..metrics import MeanMetric, Metric
from ..pairs import PairScorer, TextMetric
from ..registry import as_metric, metric as get_metric
from ..scores import Alignment, ResampledSums, Rows, Score, Signature
from .provenance import check_revision, protocol_as_meant
from .results import MOST_RESAMPLES, Conditions, Results, SystemResult, Tally
from .storage import RESULT, SCHEMA, Archive, Folder, npy, unfinished, write_zip


class MetricRecord(msgspec.Struct, forbid_unknown_fields=True):
    """`name` reads back to the metric, `label` is what it was asked by; `mean`: parts of a `MeanMetric`."""

    name: str
    label: str
    percent: bool
    higher_is_better: bool | None
    needs_references: bool
    columns: list[str]
    mean: list[str] | None


class ScoreRecord(msgspec.Struct, forbid_unknown_fields=True):
    """A value that is no number is null."""

    value: float | None
    parts: dict[str, float | None]
    interval: tuple[float | None, float | None] | None
    signature: str
    aligned: bool


class CountsRecord(msgspec.Struct, forbid_unknown_fields=True):
    """Of a system in shards: documents scored, missing, extra and empty, and the hash of their ids."""

    n: int
    missing: int
    extra: int
    empty: int
    documents: str


class SystemRecord(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    ids: list[str]
    matched: int
    missing: list[str]
    extra: list[str]
    empty: list[str]
    scores: list[ScoreRecord]
    counts: CountsRecord | msgspec.UnsetType = msgspec.UNSET


class TallyRecord(msgspec.Struct, forbid_unknown_fields=True):
    a: str
    b: str
    metric: str
    tally: Tally


class RunRecord(msgspec.Struct, forbid_unknown_fields=True):
    storymeter: str
    schema: int
    version: str
    protocol: str
    tokenizer: str
    seed: Annotated[int, Meta(ge=0)]
    resamples: Annotated[int, Meta(ge=0, le=MOST_RESAMPLES)]
    metrics: list[MetricRecord]
    systems: list[SystemRecord]
    references: list[str]
    tallies: list[TallyRecord] | msgspec.UnsetType = msgspec.UNSET
    unit: str | msgspec.UnsetType = msgspec.UNSET
    #: of the code that computed the numbers (`engine.provenance`)
    revision: int = 0
    seeds: dict[str, tuple[str, ...]] | msgspec.UnsetType = msgspec.UNSET


class SavedMetric(Metric):
    """A metric of a saved run that is not installed here: its scores can be shown; what needs its formula
    says so. `formula` has the same one where only a scorer is not installed, as of `soda_c(scorer=mine)`.
    """

    def __init__(self, record: MetricRecord, formula: Metric | None = None) -> None:
        self.record, self.formula = record, formula
        self.lacks_formula = formula is None and record.mean is None
        self.columns, self.parts = tuple(record.columns), tuple(record.mean or ())
        for key in ("name", "percent", "higher_is_better", "needs_references"):
            setattr(self, key, getattr(record, key))

    _own = True
    name = ""
    columns: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()

    def rows(self, task: Any, context: Any) -> Rows:
        raise self._unknown()

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        if self.formula is None:
            raise self._unknown()
        return self.formula.combine(sums)

    def by_document(self, rows: FloatArray) -> FloatArray:
        return super().by_document(rows) if self.formula is None else self.formula.by_document(rows)

    def _unknown(self) -> UsageError:
        return UsageError(
            f"The metric {self.record.label!r} of the saved run is not known here.",
            hint="Install its plug-in, or give it in Python: storymeter.load(path, metrics=[…]).",
        )


class SavedMean(SavedMetric, MeanMetric):
    """The mean of document values, whoever wrote it: its formula is known."""

    _own = True

    def document_values(self, task: Any, context: Any) -> FloatArray:
        raise self._unknown()

    combine = MeanMetric.combine


def write(results: Results, path: str | Path) -> None:
    members: dict[str, bytes] = {}
    for k, corpus in enumerate(results.references):
        members[f"references/{k}.json"] = _captions(corpus)
    for k, system in enumerate(results.systems):
        members[f"systems/{k}/candidates.json"] = _captions(system.candidates)
        for m, score in enumerate(system.scores):
            members |= {f"systems/{k}/{m}-{name}": data for name, data in _arrays(score).items()}
    record = RunRecord(
        "run",
        SCHEMA,
        __version__,
        str(results.conditions.protocol),
        results.conditions.tokenizer,
        results.conditions.seed,
        results.conditions.resamples,
        [_metric_record(metric, k, results) for k, metric in enumerate(results.metrics)],
        [_system_record(system) for system in results.systems],
        [corpus.name for corpus in results.references],
        [TallyRecord(*pair, tally) for pair, tally in results.tallies.items()] or msgspec.UNSET,
        results.conditions.unit or msgspec.UNSET,
        results.conditions.revision,
        dict(results.seeds) or msgspec.UNSET,
    )
    write_zip(path, {"run.json": msgspec.json.format(msgspec.json.encode(record), indent=1), **members})


def load(path: str | Path, *, metrics: Sequence[Metric | PairScorer] | None = None) -> Results:
    """The results of a saved run; one whose numbers are not those of this version is named.

    path: the file of a saved run, or the folder of a run in shards.
    metrics: those of your own that no plug-in brings.
    """
    if "://" in str(path):
        return _from_afar(str(path), metrics)
    return _read(_of_folder(Path(path)) if Path(path).is_dir() else path, metrics, str(path))


def _read(path: str | Path, metrics: Sequence[Metric | PairScorer] | None, named: str) -> Results:
    with Archive(path) as archive:
        record = archive.decode("run.json", RunRecord)
        own = {metric.name: as_metric(metric) for metric in metrics or ()}
        conditions = Conditions(
            protocol_as_meant(record.protocol, record.revision, [entry.name for entry in record.metrics]),
            record.tokenizer,
            record.seed,
            record.resamples,
            record.unit or "",
            record.revision,
        )
        built = tuple(_metric(entry, own, conditions) for entry in record.metrics)
        references = tuple(
            archive.decode(f"references/{k}.json", Corpus) for k in range(len(record.references))
        )
        systems = tuple(_system(archive, k, record, references) for k in range(len(record.systems)))
    for k, metric in enumerate(built):
        if any(not _gives(metric, system.scores[k]) for system in systems):
            built = (*built[:k], _stand_in(record.metrics[k]), *built[k + 1 :])
    tallies = {(t.a, t.b, t.metric): t.tally for t in record.tallies or ()}
    results = Results(systems, built, references, conditions, tallies, record.seeds or {})
    check_revision(named, results)
    return results


def _from_afar(address: str, metrics: Sequence[Metric | PairScorer] | None) -> Results:
    """A run in shards on another filesystem: its result is fetched first."""
    with tempfile.TemporaryDirectory() as here:
        (Path(here) / RESULT).write_bytes(Folder(address).read(RESULT))
        return _read(Path(here) / RESULT, metrics, address)


def _of_folder(folder: Path) -> Path:
    """The file in the folder of a run in shards."""
    if (folder / RESULT).is_file():
        return folder / RESULT
    known = unfinished(Folder(str(folder)))
    if known:
        raise DataError(known, hint="Run the same command again: it continues where it stopped.")
    raise DataError(f"{folder} holds no run.", hint="Name the folder that --save wrote.")


def _captions(corpus: Corpus) -> bytes:
    """Encoded twice, so that a loaded run, in which a time of 5 is 5.0, is saved in the same bytes."""
    return msgspec.json.encode(msgspec.json.decode(msgspec.json.encode(corpus), type=Corpus))


def _metric_record(metric: Metric, k: int, results: Results) -> MetricRecord:
    mean = [*metric.parts] if isinstance(metric, MeanMetric) else _mean_of_pairs(metric)
    return MetricRecord(
        metric.name,
        results.systems[0].scores[k].metric,
        metric.percent,
        metric.higher_is_better,
        metric.needs_references,
        [*metric.columns],
        mean,
    )


def _mean_of_pairs(metric: Metric) -> list[str] | None:
    """A foreign scorer as a metric of documents is a mean, too, unless it has rules of its own."""
    if metric.own or not isinstance(metric, TextMetric) or hasattr(type(metric.scorer), "value_of"):
        return None
    inherited = (getattr(type(metric), name) is getattr(TextMetric, name) for name in ("combine", "columns"))
    return ["value"] if all(inherited) else None


def _metric(entry: MetricRecord, own: Mapping[str, Metric], conditions: Conditions) -> Metric:
    for name in (entry.name, entry.name.partition("(")[0]):
        with suppress(StorymeterError):
            found = own.get(name) or get_metric(name)
            found = found.under(conditions.protocol)
            if found.columns == tuple(entry.columns):
                return found if name == entry.name else _stand_in(entry, found)
    return _stand_in(entry)


def _stand_in(entry: MetricRecord, formula: Metric | None = None) -> SavedMetric:
    return SavedMetric(entry, formula) if entry.mean is None else SavedMean(entry)


def _gives(metric: Metric, score: Score) -> bool:
    """Whether the metric of that name gives the saved value of the saved rows: one of the user's own may have
    had the name and the columns of one of ours."""
    if score.rows is None or (isinstance(metric, SavedMetric) and metric.formula is None):
        return True
    value = float(metric.combine(score.rows.sum(axis=0))["value"])
    return bool(np.isclose(value, score.value, rtol=1e-9, atol=1e-12, equal_nan=True))


def _system_record(system: SystemResult) -> SystemRecord:
    coverage = system.coverage
    scores = [
        ScoreRecord(s.value, dict(s.parts), s.interval, str(s.signature), s.alignment is not None)
        for s in system.scores
    ]
    ids = [*system.scores[0].ids]
    lists = ([*coverage.missing], [*coverage.extra], [*coverage.empty])
    sums = system.scores[0].sums
    counts = (
        CountsRecord(system.scores[0].n, *coverage.sizes, sums.documents)
        if sums is not None
        else msgspec.UNSET
    )
    return SystemRecord(system.name, ids, coverage.matched, *lists, scores, counts)


def _system(archive: Archive, k: int, run: RunRecord, references: tuple[Corpus, ...]) -> SystemResult:
    record = run.systems[k]
    if len(record.scores) != len(run.metrics):
        raise archive.damaged(
            f"system {record.name!r} has {len(record.scores)} scores, not {len(run.metrics)}"
        )
    ids = tuple(record.ids)
    counts = record.counts or None
    scores = []
    for m, (entry, known) in enumerate(zip(record.scores, run.metrics, strict=True)):
        if counts is not None:
            shape = (1 + 2 * run.resamples, len(known.columns))
            array = archive.array(f"systems/{k}/{m}-sums.npy", np.float64, shape)
            scores.append(_score(entry, known, counts.n, (), sums=ResampledSums.of(array, counts.documents)))
            continue
        rows = archive.array(f"systems/{k}/{m}-rows.npy", np.float64, (len(ids), len(known.columns)))
        alignment = None
        if entry.aligned:
            alignment = _unpack(archive, f"systems/{k}/{m}-alignment.npy", ids)
        scores.append(_score(entry, known, len(ids), ids, rows=rows, alignment=alignment))
    lists = (tuple(record.missing), tuple(record.extra), tuple(record.empty))
    sizes = None if counts is None else (counts.missing, counts.extra, counts.empty)
    coverage = Coverage(record.matched, *lists, sizes)
    candidates = archive.decode(f"systems/{k}/candidates.json", Corpus)
    return SystemResult(record.name, tuple(scores), coverage, candidates)


def _score(entry: ScoreRecord, known: MetricRecord, n: int, ids: tuple[str, ...], **kept: Any) -> Score:
    return Score(
        known.label,
        _number(entry.value),
        {key: _number(value) for key, value in entry.parts.items()},
        n,
        Signature.parse(entry.signature),
        ids,
        tuple(known.columns),
        interval=(_number(entry.interval[0]), _number(entry.interval[1])) if entry.interval else None,
        as_percent=known.percent,
        higher_is_better=known.higher_is_better,
        **kept,
    )


def _number(value: float | None) -> float:
    return nan if value is None else value


def _arrays(score: Score) -> dict[str, bytes]:
    if score.sums is not None:
        sums = score.sums
        return {"sums.npy": npy(np.vstack([sums.total[None], sums.drawn, sums.swapped]))}
    rows = np.zeros((0, len(score.columns))) if score.rows is None else score.rows
    arrays = {"rows.npy": npy(np.ascontiguousarray(rows, dtype=np.float64))}
    if score.alignment is not None:
        arrays["alignment.npy"] = npy(_pack(score.alignment))
    return arrays


def _pack(alignment: Alignment) -> FloatArray:
    """(6, n): rows candidate, reference, iou, f, then offset and annotator (padded by -1), as float64."""
    size = max(len(alignment.candidate), len(alignment.offset))
    columns = [getattr(alignment, key) for key in _PACKED]
    return np.stack([np.pad(c.astype(np.float64), (0, size - len(c)), constant_values=-1) for c in columns])


_PACKED = ("candidate", "reference", "iou", "f", "offset", "annotator")


def _unpack(archive: Archive, member: str, ids: tuple[str, ...]) -> Alignment:
    packed = archive.array(member, np.float64, (len(_PACKED), -1))
    offset = packed[4][: len(ids) + 1].astype(np.int64)
    if (
        len(offset) != len(ids) + 1
        or offset[0] != 0
        or (np.diff(offset) < 0).any()
        or offset[-1] > packed.shape[1]
    ):
        raise archive.damaged(f"{member} does not fit its documents")
    size = int(offset[-1])
    candidate, reference = (packed[k][:size].astype(np.int64) for k in (0, 1))
    if (candidate < 0).any() or (reference < 0).any():
        raise archive.damaged(f"{member} does not fit its documents")
    annotator = packed[5][: len(ids)].astype(np.int64)
    return Alignment(ids, offset, candidate, reference, packed[2][:size], packed[3][:size], annotator)
