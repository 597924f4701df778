"""The sums of all shards to `Results`: the same bytes however the corpus was cut, as the sums are exact."""

from collections.abc import Iterable
from functools import partial
from itertools import combinations, zip_longest

import msgspec
import numpy as np

from ...arrays import FloatArray
from ...captions import Corpus, Origin
from ...errors import DataError, first_few
from ...join import Coverage
from ...metrics import Metric
from ...scores import ResampledSums, Score, Signature
from ...stats.poisson import added, sums_interval
from ..provenance import WRAP, order_field
from ..results import Results, SystemResult, Tally, value_of
from .inputs import Job, Source
from .scoring import MOST, NAMED, ShardSums, SystemSums, check_columns, scored


def merged_shards(job: Job) -> Results:
    """Read one by one, added up as they come."""
    total = load_shard(job, 0)
    for shard in range(1, job.shards):
        total = _added(total, load_shard(job, shard))
    names = [*job.metrics]
    systems = tuple(
        _system(job, source, sums, order_field(total.order))
        for source, sums in zip(job.systems, total.systems, strict=True)
    )
    pairs = combinations([source.name for source in job.systems], 2)
    tallies = {
        (a, b, name): tally
        for (a, b), each in zip(pairs, total.tallies, strict=True)
        for name, tally in zip(names, each, strict=True)
    }
    references = tuple(
        Corpus((), source.name, Origin(format=source.kind, sha256=f"{captions:016x}"))
        for source, captions in zip(job.references, total.references, strict=True)
    )
    return Results(systems, tuple(job.metrics.values()), references, job.conditions, tallies)


def load_shard(job: Job, shard: int) -> ShardSums:
    data = job.folder.get(scored(shard))
    if data is None:
        job.folder.remove(scored(shard))
        raise DataError(f"Shard {shard} of the run was damaged.", hint="Run the command again: it is redone.")
    found = msgspec.msgpack.decode(data, type=ShardSums)
    _check_fit(job, found, f"shard {shard}")
    return found


def _check_fit(job: Job, found: ShardSums, where: str) -> None:
    """Sums are read by their place: names and number of the columns, systems, signatures and resamples must
    be those of the run.
    """
    check_columns(list(job.metrics), found.columns, job.columns(), where)
    width, sets = sum(map(len, job.columns())), 1 + 2 * job.conditions.resamples
    for source, system in zip_longest(job.systems, found.systems):
        fits = (
            source is not None
            and system is not None
            and len(system.signatures) == len(job.metrics)
            and all(0 <= column < width for column, _ in system.places)
            and len(system.sums) == 8 * sets * len(system.places)
        )
        if not fits:
            raise DataError(f"The sums of {where} do not fit the run.", hint="Score again in a new folder.")


def _added(a: ShardSums, b: ShardSums) -> ShardSums:
    return ShardSums(
        a.columns,
        [_both(x, y) for x, y in zip(a.systems, b.systems, strict=True)],
        [x + y & WRAP for x, y in zip(a.references, b.references, strict=True)],
        [
            [_tallied(x, y) for x, y in zip(one, other, strict=True)]
            for one, other in zip(a.tallies, b.tallies, strict=True)
        ],
        a.order + b.order & WRAP,
    )


def _both(a: SystemSums, b: SystemSums) -> SystemSums:
    exact = added([a.exact(), b.exact()])
    first, second, third = (sorted([*x, *y])[:NAMED] for x, y in zip(a.named, b.named, strict=True))
    return SystemSums(
        a.n + b.n,
        a.matched + b.matched,
        (a.counts[0] + b.counts[0], a.counts[1] + b.counts[1], a.counts[2] + b.counts[2]),
        (first, second, third),
        a.documents + b.documents & WRAP,
        a.captions + b.captions & WRAP,
        [max(both, key=len) for both in zip(a.signatures, b.signatures, strict=True)],
        list(exact.digits),
        b"".join(digits.astype("<i8").tobytes() for digits in exact.digits.values()),
    )


def _tallied(a: Tally, b: Tally) -> Tally:
    most = sorted([*a.most, *b.most], key=lambda entry: (-abs(entry[1] - entry[2]), entry[0]))[:MOST]
    return Tally(
        (a.wins or 0) + (b.wins or 0), (a.ties or 0) + (b.ties or 0), (a.losses or 0) + (b.losses or 0), most
    )


def _system(job: Job, source: Source, sums: SystemSums, order: str | None) -> SystemResult:
    _check(source, job.references, sums)
    widths = np.cumsum([0, *(len(metric.columns) for metric in job.metrics.values())]).tolist()
    values = sums.exact().values(widths[-1])
    if not len(values):  # not one row had a digit: all sums are zero
        values = np.zeros((1 + 2 * job.conditions.resamples, widths[-1]))
    scores = tuple(
        _score(name, metric, sums, _signature(metric, sums, k, order), values[:, widths[k] : widths[k + 1]])
        for k, (name, metric) in enumerate(job.metrics.items())
    )
    missing, extra, empty = (tuple(names) for names in sums.named)
    coverage = Coverage(sums.matched, missing, extra, empty, sums.counts)
    origin = Origin(format=source.kind, sha256=f"{sums.captions:016x}")
    return SystemResult(source.name, scores, coverage, Corpus((), source.name, origin))


def _signature(metric: Metric, sums: SystemSums, k: int, order: str | None) -> Signature:
    signature = Signature.parse(sums.signatures[k])
    return signature.add(order=order) if metric.ordered else signature


def _score(name: str, metric: Metric, sums: SystemSums, signature: Signature, values: FloatArray) -> Score:
    """What `Metric.score_of_rows` makes of rows, made of their sums."""
    kept = ResampledSums.of(values.copy(), f"{sums.documents:016x}")
    parts = {key: float(value) for key, value in metric.combine(kept.total).items()}
    return Score(
        name,
        parts.pop("value"),
        parts,
        sums.n,
        signature,
        columns=metric.columns,
        interval=sums_interval(kept, partial(value_of, metric), sums.n),
        as_percent=metric.percent,
        higher_is_better=metric.higher_is_better,
        sums=kept,
    )


def _check(source: Source, references: Iterable[Source], sums: SystemSums) -> None:
    """What `join` checks of a whole corpus."""
    if references and not sums.matched:
        names = ", ".join(reference.name for reference in references)
        raise DataError(
            f"No reference matched: none of the ids of {source.name!r} (such as"
            f" {first_few(sums.named[1], limit=2)}) is among those of {names} (such as"
            f" {first_few(sums.named[0], limit=2)}).",
            hint="Check that both describe the same documents; --id-map can match the ids.",
        )
    if not sums.n:
        raise DataError(f"{source.name!r} holds no documents.", hint="Check the files.")
