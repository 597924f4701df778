"""Paired tests of two systems on the same documents, over rows of additive statistics.

`rows_a[i]` and `rows_b[i]` are what document i adds for either system. Only sums of rows are needed, so a
thousand resamples are one matrix product, for BLEU as for a mean.

- `paired_permutations` (approximate randomisation; Noreen 1989): the null hypothesis is that the two outputs
  of a document are exchangeable. p = (count + 1) / (k + 1), two-sided: never 0, and exact whatever k. With
  `resamples=None` the number is chosen: all swaps up to 12 documents, else as many as it takes until the
  Monte Carlo error of p decides no significance after Holm's correction over the pairs of one value.
- `paired_bootstraps` (Koehn 2004): the interval of the difference, and the larger p of the equal-tailed
  bootstrap-t test (Hall 1988) and of the permutation test. The former alone rejects too often where the
  differences have heavy tails or many ties; the latter alone where they are skewed.

>>> a, b = np.array([[3.0, 1], [4, 1], [5, 1], [6, 1]]), np.array([[1.0, 1], [2, 1], [3, 1], [4, 1]])
>>> mean = Part(slice(None), lambda sums: sums[..., 0] / sums[..., 1])
>>> (test,) = paired_permutations(a, b, [mean], resamples=None, seed=1)
>>> test.difference, test.p        # 2 of 16 swaps are as extreme
(2.0, 0.125)
>>> win_tie_loss([1, 2, 3], [0, 2, 4])
(1, 1, 1)
"""

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray
from ..errors import DataError
from .resampling import BLOCK, KEPT, SIGNIFICANT, expanded_tail, percentiles, resample_counts, undecided

Combine = Callable[[FloatArray], FloatArray]
#: up to so many documents all swaps are made
ALL_SWAPS = 12
#: swaps drawn at least and at most where their number is chosen; times documents, no more than `SWAPPED`
LEAST_SWAPS, MOST_SWAPS, SWAPPED = 2048, 131_072, 1 << 27
#: the smallest corrected p that can be reached is at most this share of the significance level
REACH = 0.1


@dataclass(frozen=True, slots=True)
class PairedTest:
    """`difference` = value(A) - value(B); `p` two-sided; `interval` only from the bootstrap."""

    name: str
    difference: float
    p: float
    resamples: int
    n: int
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """Columns of the rows, and the formula that makes one value of their sums."""

    columns: slice
    combine: Combine

    def value(self, sums: FloatArray) -> FloatArray:
        return np.asarray(self.combine(sums[..., self.columns]))


Pairs = Sequence[tuple[int, int]]


def paired_permutations(
    rows_a: FloatArray, rows_b: FloatArray, parts: Sequence[Part], *, resamples: int | None, seed: int
) -> list[PairedTest]:
    """The test of several values of the same documents, resampled alike.

    rows_a, rows_b: additive statistics of two systems, a row per document, in the same order.
    parts: which columns of the rows belong to a value, and how the value is made of their sums.
    resamples, seed: how many permutations, and what they are drawn by.
    """
    a, b = _same(rows_a, rows_b)
    found = permutation_tests([a, b], parts, [(0, 1)], resamples=resamples, seed=seed)
    return [tests[0] for tests in found]


def permutation_tests(
    rows: Sequence[FloatArray], parts: Sequence[Part], pairs: Pairs, *, resamples: int | None, seed: int
) -> list[list[PairedTest]]:
    """`[part][pair]`: the tests of all pairs of systems, which share the documents and so the swaps. Where
    the number of swaps is chosen, each part has its own: its pairs are one family of tests.
    """
    n, every, width = len(rows[0]), np.hstack(rows), rows[0].shape[1]
    totals = [each.sum(axis=0) for each in rows]
    observed = np.array(
        [[part.value(totals[a]) - part.value(totals[b]) for a, b in pairs] for part in parts], dtype=float
    ).reshape(len(parts), len(pairs))
    counts = np.zeros(observed.shape, dtype=np.int64)
    made = np.zeros(len(parts), dtype=np.int64)
    open_parts = list(range(len(parts)))
    whole = resamples is None and n <= ALL_SWAPS
    # so many swaps reach a corrected p of a tenth of the significance level
    stage = max(LEAST_SWAPS, -(-math.ceil(len(pairs) / (REACH * SIGNIFICANT)) // BLOCK) * BLOCK)
    if resamples is not None:
        blocks = random_swaps(n, resamples, seed)
    else:
        most = max(stage, min(MOST_SWAPS, SWAPPED // n // BLOCK * BLOCK))
        blocks = all_swaps(n) if whole else _swaps(n, most, seed)
    for swapped in blocks:
        columns = _columns(open_parts, parts, width, len(rows))
        used = swapped @ (every if columns is None else every[:, columns])
        moved = _spread(used, columns, every.shape[1])
        for k in open_parts:
            for j, (a, b) in enumerate(pairs):
                change = moved[:, b * width : (b + 1) * width] - moved[:, a * width : (a + 1) * width]
                values = np.abs(parts[k].value(totals[a] + change) - parts[k].value(totals[b] - change))
                counts[k, j] += reached(values, abs(observed[k, j]))
            made[k] += len(swapped)
        if resamples is None and not whole and made[open_parts[0]] >= stage:
            stage *= 2
            open_parts = [k for k in open_parts if undecided((counts[k] + 1) / (made[k] + 1), made[k])]
            if not open_parts:
                break
    known = 0 if whole else 1  # all swaps include none
    return [
        [
            PairedTest(
                "permutation",
                float(observed[k, j]),
                float((counts[k, j] + known) / (made[k] + known)),
                int(made[k]) * (1 if known else 2),
                n,
            )
            for j in range(len(pairs))
        ]
        for k in range(len(parts))
    ]


def smallest_p(n: int, tests: int, resamples: int = 0) -> float:
    """The smallest p after Holm's correction over `tests` that any difference could have: 2 of the 2^n swaps
    of n documents are as extreme as the most extreme one, and k drawn swaps give no less than 1 / (k + 1).

    >>> smallest_p(5, 1), smallest_p(6, 1), round(smallest_p(100, 45, 999), 4)
    (0.0625, 0.03125, 0.045)
    """
    drawn = 1 / (resamples + 1) if 0 < resamples < 2.0 ** min(n, 60) else 0.0
    return min(1.0, tests * max(2.0 ** (1 - n), drawn))


def documents_needed(tests: int) -> int:
    """The smallest number of documents with which a difference could be significant.

    >>> documents_needed(1), documents_needed(3), documents_needed(45)
    (6, 7, 11)
    """
    return next(n for n in range(2, 100) if smallest_p(n, tests) < SIGNIFICANT)


def detectable(freedom: float, alpha: float, power: float) -> float:
    """The difference, in standard errors, that a two-sided t-test at `alpha` finds in the share `power` of
    studies (noncentral t).

    >>> round(detectable(1e6, 0.05, 0.8), 2), round(detectable(4, 0.05, 0.8), 2)
    (2.8, 3.76)
    """
    from scipy.special import nctdtr, stdtrit

    limit = float(stdtrit(freedom, 1 - alpha / 2))
    low, high = 0.0, 2 * limit + 10
    for _ in range(50):
        middle = (low + high) / 2
        found = 1 - float(nctdtr(freedom, middle, limit))
        low, high = (low, middle) if found >= power else (middle, high)
    return high


def documents_for(difference: float, error: float, n: int, tests: int, alpha: float, power: float) -> int:
    """How many documents find a difference in the share `power` of studies, if `n` of them have this standard
    error: bisection, since the error falls with the root of their number.

    >>> documents_for(0.5, 0.25, 100, 1, 0.05, 0.8)
    199
    """
    least = documents_needed(tests)

    def found(m: int) -> bool:
        return detectable(m - 1, alpha / tests, power) * error * math.sqrt(n / m) <= difference

    high = least
    while not found(high):
        low, high = high, 2 * high
    if high == least:
        return least
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high


def _columns(chosen: Sequence[int], parts: Sequence[Part], width: int, systems: int) -> list[int] | None:
    """The columns of the rows side by side that the chosen parts need; None: all."""
    if len(chosen) == len(parts):
        return None
    needed = sorted({c for k in chosen for c in range(*parts[k].columns.indices(width))})
    return [system * width + c for system in range(systems) for c in needed]


def _spread(sums: FloatArray, columns: list[int] | None, width: int) -> FloatArray:
    if columns is None:
        return sums
    wide = np.zeros((len(sums), width))
    wide[:, columns] = sums
    return wide


def paired_bootstraps(
    rows_a: FloatArray, rows_b: FloatArray, parts: Sequence[Part], *, resamples: int, seed: int
) -> list[PairedTest]:
    """The same for the bootstrap; p is at least that of the permutation test.

    rows_a, rows_b, parts, resamples, seed: as in `paired_permutations`."""
    a, b = _same(rows_a, rows_b)
    swapped = permutation_tests([a, b], parts, [(0, 1)], resamples=None, seed=seed)
    booted = bootstraps([a, b], parts, [(0, 1)], resamples, seed)
    tests = []
    for part, (permutation,), found in zip(parts, swapped, booted, strict=True):
        difference = float(part.value(a.sum(axis=0)) - part.value(b.sum(axis=0)))
        interval = percentiles(found.drawn[:, 0], expanded_tail(len(a)))
        p = max(float(found.p[0]), permutation.p)
        tests.append(PairedTest("bootstrap", difference, p, resamples, len(a), interval))
    return tests


@dataclass(frozen=True, slots=True)
class Bootstraps:
    """Of one value and all pairs of systems: `drawn` (resamples, pairs) are the differences of resampled
    documents, `p` those of the equal-tailed bootstrap-t test, `errors` the standard errors of the
    differences, `skewness` that of the documents' pseudo-values.
    """

    drawn: FloatArray
    p: FloatArray
    errors: FloatArray
    skewness: FloatArray


def bootstraps(
    rows: Sequence[FloatArray], parts: Sequence[Part], pairs: Pairs, resamples: int, seed: int
) -> list[Bootstraps]:
    """The bootstrap of each part, for all pairs of systems scored on the same documents.

    The test needs the deviation of each resample. It is that of the jackknife's pseudo-values, which for a
    mean are the values of the documents themselves."""
    n, every, width = len(rows[0]), np.hstack(rows), rows[0].shape[1]
    ahead = [pseudo_values(rows, part, pairs) for part in parts]
    centred = np.hstack([each - each.mean(axis=0) for each in ahead])
    wide = np.hstack([every, centred, centred**2])
    at, some = every.shape[1], centred.shape[1]
    drawn: list[list[FloatArray]] = [[] for _ in parts]
    ratios = []
    for counts in resample_counts(n, resamples, seed):
        sums = counts @ wide
        for k, part in enumerate(parts):
            values = np.stack([part.value(sums[:, s * width : (s + 1) * width]) for s in range(len(rows))])
            drawn[k].append(np.stack([values[a] - values[b] for a, b in pairs], axis=1))
        means = sums[:, at : at + some] / n
        spread = np.maximum(sums[:, at + some :] / n - means**2, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios.append(means / np.sqrt(spread / (n - 1)))
    ratio = np.vstack(ratios)
    deviations = np.sqrt((centred**2).sum(axis=0) / (n - 1) / n)
    found = []
    for k, part in enumerate(parts):
        own = slice(k * len(pairs), (k + 1) * len(pairs))
        totals = [float(part.value(each.sum(axis=0))) for each in rows]
        observed = [totals[a] - totals[b] for a, b in pairs]
        p = [
            1.0 if not abs(o) > 0 else _equal_tailed(ratio[:, j], o / d) if d > 0 else 1 / (resamples + 1)
            for j, o, d in zip(range(own.start, own.stop), observed, deviations[own], strict=True)
        ]
        found.append(Bootstraps(np.vstack(drawn[k]), np.array(p), deviations[own], skewness(centred[:, own])))
    return found


def _equal_tailed(ratios: FloatArray, observed: float) -> float:
    """Twice the smaller tail. A resample of documents that are all alike has no deviation: it counts as
    extreme on either side.
    """
    known = ratios[np.isfinite(ratios)]
    tail = min(reached(known, observed), reached(-known, -observed)) + len(ratios) - len(known)
    return min(1.0, 2 * (tail + 1) / (len(ratios) + 1))


def skewness(values: FloatArray) -> FloatArray:
    """Of each column; 0 where all values are alike.

    >>> skewness(np.array([[0.0, 1.0], [0.0, 1.0], [3.0, 1.0]])).round(2).tolist()
    [0.71, 0.0]
    """
    centred = values - values.mean(axis=0)
    spread = (centred**2).mean(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(spread > 0, (centred**3).mean(axis=0) / spread**1.5, 0.0)


def pseudo_values(rows: Sequence[FloatArray], part: Part, pairs: Pairs) -> FloatArray:
    """(documents, pairs): n times the difference minus n - 1 times that without the document."""
    n = len(rows[0])
    without = [np.nan_to_num(part.value(each.sum(axis=0) - each)) for each in rows]
    total = [float(np.nan_to_num(part.value(each.sum(axis=0)))) for each in rows]
    columns = [n * (total[a] - total[b]) - (n - 1) * (without[a] - without[b]) for a, b in pairs]
    return np.stack(columns, axis=1)


def standard_errors(rows: Sequence[FloatArray], part: Part) -> list[float]:
    """The jackknife's standard error of the value of each system."""
    found = []
    for each in rows:
        n = len(each)
        without = np.nan_to_num(part.value(each.sum(axis=0) - each))
        found.append(float(np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())))
    return found


def win_tie_loss(
    values_a: Sequence[float] | FloatArray,
    values_b: Sequence[float] | FloatArray,
    *,
    tolerance: float = 1e-12,
) -> tuple[int, int, int]:
    """On how many documents A is better, equal (within `tolerance`), worse."""
    difference = np.asarray(values_a, dtype=float) - np.asarray(values_b, dtype=float)
    better, worse = int((difference > tolerance).sum()), int((difference < -tolerance).sum())
    return better, int((np.abs(difference) <= tolerance).sum()), worse


def all_swaps(n: int) -> Iterator[FloatArray]:
    """One block of (2^(n - 1), n): every swap in which the first pair stays, which is half of all; the other
    half are their mirror images.
    """
    numbers = np.arange(1 << (n - 1), dtype=np.uint32)[:, None]
    yield (numbers >> np.arange(n - 1, -1, -1, dtype=np.uint32) & 1).astype(float)


def random_swaps(n: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    """Blocks of (up to 256, n) zeros and ones: which of n pairs change places."""
    yield from _kept_swaps(n, resamples, seed) if n * resamples <= KEPT else _swaps(n, resamples, seed)


@functools.lru_cache(maxsize=1)
def _kept_swaps(n: int, resamples: int, seed: int) -> list[FloatArray]:
    return list(_swaps(n, resamples, seed))


def _swaps(n: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    for packed in packed_swaps(n, resamples, seed):
        yield np.unpackbits(packed, axis=1, count=n).astype(float)


def packed_swaps(n: int, resamples: int, seed: int) -> Iterator[NDArray[np.uint8]]:
    """The same, eight to a byte: one random bit each."""
    random = np.random.default_rng(seed)
    for start in range(0, resamples, BLOCK):
        yield random.integers(0, 256, (min(BLOCK, resamples - start), -(-n // 8)), dtype=np.uint8)


def chance(blocks: Iterable[FloatArray], observed: float) -> float:
    """p = (count + 1) / (k + 1), where count of k values reach the observed one."""
    values = np.concatenate([np.empty(0), *blocks])
    return (reached(values, observed) + 1) / (len(values) + 1)


def reached(values: FloatArray, observed: float) -> int:
    """How many values reach the observed one; rounding in the last places does not decide."""
    return int((values >= observed - 1e-12 * max(1.0, abs(observed))).sum())


def _same(rows_a: FloatArray, rows_b: FloatArray) -> tuple[FloatArray, FloatArray]:
    a, b = np.asarray(rows_a, dtype=float), np.asarray(rows_b, dtype=float)
    if a.shape != b.shape or a.ndim != 2:
        raise DataError(
            f"A paired test needs the same documents on both sides, but the rows have shapes {a.shape} and"
            f" {b.shape}.",
            hint="Score both systems against the same references under the same protocol.",
        )
    if len(a) < 2:
        raise DataError(
            f"A paired test needs at least two documents; there {'is' if len(a) == 1 else 'are'} {len(a)}.",
            hint="Compare on more documents.",
        )
    return a, b
