"""Bootstrap and permutation of documents that were never in one place.

In the Poisson bootstrap (Hanley & MacGibbon 2006; Chamandy et al. 2012) each document is drawn w ~ Poisson(1)
times, on its own: the multinomial's limit, without a total to keep. Here w comes from a hash of (seed,
document, resample), and the swaps of a permutation test from other bits of the same: so a document has the
same weights on every machine, in every part of a corpus and for every system. Sums over parts add up
(exactly, `stats.poisson`), two systems are resampled alike, and nothing depends on how the corpus was cut.

A weight is read off 16 bits of the hash by a table of Poisson(1) probabilities, rounded to 1/65,536.

>>> keys = document_keys(["v1", "v2", "v3"])
>>> poisson_weights(keys, 6, seed=0).astype(int).tolist()
[[0, 3, 1, 0, 0, 1], [1, 1, 0, 1, 1, 2], [0, 5, 0, 0, 3, 3]]

Sums that are the same bits in whatever order and in however many parts they were added.

A number is written as digits on a fixed grid, x = sum over j of d_j * 2^(26 j) with |d_j| < 2^26, down to
2^-104. Digits times small whole weights are whole numbers below 2^53, which float64 adds without rounding: so
one matrix product per digit gives exact sums, parts of a corpus add up as 64-bit integers, and only the final
number is rounded, once (after Demmel & Nguyen, "Parallel Reproducible Summation", 2015).

>>> rows = np.array([[1e16], [1.0], [-1e16], [0.1]])
>>> parts = [weighted_sums(rows[k : k + 2], [np.ones((2, 1))]) for k in (0, 2)]
>>> added(parts).values(1).tolist(), rows.sum().item()
([[1.1]], 0.1)
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray
from ..scores import ResampledSums
from .paired import PairedTest, chance
from .resampling import expanded_tail, percentiles

#: bits of a digit, and the lowest digit: what is smaller than 2^-104 does not count
BITS, LOWEST = 26, -4
#: rows that may be multiplied at a time: times a weight of at most 8 and a digit below 2^26, under 2^53
BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class ExactSums:
    """(column, digit) -> the sum of that digit for each set of weights, as 64-bit integers. 2^34 rows fit."""

    digits: dict[tuple[int, int], NDArray[np.int64]] = field(default_factory=dict)

    def values(self, columns: int) -> FloatArray:
        """(weights, columns): the sums, each rounded once."""
        sets = len(next(iter(self.digits.values()))) if self.digits else 0
        out = np.zeros((sets, columns))
        for column in range(columns):
            places = sorted(j for c, j in self.digits if c == column)
            if not places:
                continue
            if len(places) == 1:
                out[:, column] = np.ldexp(self.digits[column, places[0]].astype(np.float64), BITS * places[0])
                continue
            shift = [BITS * (j - places[0]) for j in places]
            sums = [self.digits[column, j].tolist() for j in places]
            scale = BITS * places[0]
            out[:, column] = [
                math.ldexp(float(sum(part << s for part, s in zip(parts, shift, strict=True))), scale)
                for parts in zip(*sums, strict=True)
            ]
        return out


def digits_of(rows: FloatArray) -> tuple[list[tuple[int, int]], FloatArray]:
    """The places (column, j) that any row has a digit at, and the digits: (rows, places)."""
    rest = np.array(rows, dtype=np.float64)
    largest = float(np.abs(rest).max(initial=0.0))
    top = math.frexp(largest)[1] // BITS
    places: list[tuple[int, int]] = []
    found: list[FloatArray] = []
    for j in range(top, LOWEST - 1, -1):
        digit = np.trunc(np.ldexp(rest, -BITS * j))
        used = np.flatnonzero(digit.any(axis=0)).tolist()
        if used:
            rest -= np.ldexp(digit, BITS * j)
            places += [(column, j) for column in used]
            found += [digit[:, column] for column in used]
    return places, np.column_stack(found) if found else np.zeros((len(rest), 0))


def weighted_sums(rows: FloatArray, weights: Sequence[FloatArray]) -> ExactSums:
    """Each of `weights` is (rows, sets) of whole numbers from 0 to 8; at most `BLOCK` rows at a time."""
    places, digits = digits_of(rows)
    sums = np.rint(np.hstack([digits.T @ each for each in weights])).astype(np.int64)
    return ExactSums({place: sums[k] for k, place in enumerate(places)})


def added(parts: Iterable[ExactSums]) -> ExactSums:
    """The sums of several parts of a corpus, in any order."""
    total: dict[tuple[int, int], NDArray[np.int64]] = {}
    for part in parts:
        for place, sums in part.digits.items():
            known = total.get(place)
            total[place] = sums.copy() if known is None else np.add(known, sums, out=known)
    return ExactSums(dict(sorted(total.items())))


Keys = NDArray[np.uint64]
#: documents that are weighted at a time, so that their weights stay in the processor's cache
DOCUMENTS = 256
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
#: where the bits of the swaps begin in a document's stream, far behind those of the weights
_SWAPS = 1 << 40


def sums_interval(
    sums: ResampledSums, value: Callable[[FloatArray], FloatArray], n: int
) -> tuple[float, float] | None:
    """The 95 % interval of `value(sums)` over `n` documents, expanded like that of rows; None without
    resamples.
    """
    return percentiles(value(sums.drawn), expanded_tail(n)) if len(sums.drawn) and n > 1 else None


def document_keys(ids: Iterable[str]) -> Keys:
    """64 bits of BLAKE2b of each id: the same on every machine."""
    digests = [hashlib.blake2b(id.encode("utf-8", "surrogatepass"), digest_size=8).digest() for id in ids]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def spread(keys: Keys) -> FloatArray:
    """A number from 0 to 1 for each document, to draw a sample by."""
    return np.asarray(_mixed(keys + _GOLDEN) / 2.0**64)


def poisson_weights(keys: Keys, resamples: int, seed: int) -> FloatArray:
    """(documents, resamples): how often each document is drawn."""
    words = _stream(keys, -(-resamples // 4), seed, 0)
    return np.asarray(_POISSON[words.view("<u2")[:, :resamples]])


def swaps(keys: Keys, resamples: int, seed: int) -> FloatArray:
    """(documents, resamples) of zeros and ones: whose two outputs change places."""
    words = _stream(keys, -(-resamples // 64), seed, _SWAPS)
    bits = np.unpackbits(words.view(np.uint8), axis=1, count=resamples, bitorder="little")
    return bits.astype(np.float64)


def resampled(keys: Keys, rows: FloatArray, resamples: int, seed: int) -> ExactSums:
    """Sums of rows under 1 + 2 * resamples sets of weights: all ones, the bootstrap's, the permutations'."""

    def sums(some: Keys, of: FloatArray) -> ExactSums:
        drawn, swapped = poisson_weights(some, resamples, seed), swaps(some, resamples, seed)
        return weighted_sums(of, [np.ones((len(some), 1)), drawn, swapped])

    blocks = range(0, len(keys), DOCUMENTS)
    return added(sums(keys[k : k + DOCUMENTS], rows[k : k + DOCUMENTS]) for k in blocks)


def paired_tests(
    a: ResampledSums, b: ResampledSums, value: Callable[[FloatArray], FloatArray], n: int
) -> tuple[PairedTest, PairedTest]:
    """The permutation test and the bootstrap of two systems summed over the same `n` documents. There are no
    rows to make a bootstrap-t of: the test of equal values is a t-test with the deviation of the resamples,
    whose p is at least that of the permutation test.
    """
    observed, moved = float(value(a.total) - value(b.total)), b.swapped - a.swapped
    swapped = value(a.total + moved) - value(b.total - moved)
    drawn = np.asarray(value(a.drawn) - value(b.drawn))
    interval = percentiles(drawn, expanded_tail(n))
    exchanged = chance([np.abs(swapped)], abs(observed))
    p = max(exchanged, t_test(observed, standard_error(drawn, n), n))
    return (
        PairedTest("permutation", observed, exchanged, len(swapped), n),
        PairedTest("bootstrap", observed, p, len(drawn), n, interval),
    )


def standard_error(drawn: FloatArray, n: int) -> float:
    """Of a value over `n` documents, from its resamples."""
    return float(np.nanstd(drawn)) * math.sqrt(n / (n - 1))


def t_test(observed: float, error: float, n: int) -> float:
    """Two-sided p of a difference with this standard error."""
    from scipy.special import stdtr

    if not observed:
        return 1.0
    return float(2 * stdtr(n - 1, -abs(observed) / error)) if error > 0 else 0.0


def _stream(keys: Keys, words: int, seed: int, begin: int) -> NDArray[np.uint64]:
    """(documents, words): SplitMix64 (Steele, Lea & Flood 2014) from a state made of seed and document."""
    digest = hashlib.blake2b(str(seed).encode(), digest_size=8).digest()
    state = _mixed(keys ^ np.uint64(int.from_bytes(digest, "little")))
    steps = np.arange(begin + 1, begin + 1 + words, dtype=np.uint64) * _GOLDEN
    return np.ascontiguousarray(_mixed(state[:, None] + steps), dtype="<u8")


def _mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(words ^ (words >> np.uint64(31)))


#: Poisson(1) by 16 random bits; the largest weight is 8
_ENDS = np.rint(np.cumsum([math.exp(-1) / math.factorial(k) for k in range(9)]) * 65536)
_POISSON = np.searchsorted(_ENDS[:-1], np.arange(65536), side="right").astype(np.float64)
