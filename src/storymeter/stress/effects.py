"""The cost of a damage on a scale that no affine map and no sign of the metric can change.

    change of a damage = (damaged - undamaged) / (right - wrong)

Wrong captions are those of another document (`exchange`): a change of -40 % says that the damage costs 40 %
of what the metric pays for captions of the right document. The interval is Fieller's over documents (or the
units of `--unit`), with Student's t: the set of all shares s that a t-test of
mean(damaged - undamaged - s (right - wrong)) = 0 does not reject. For a metric whose corpus value is no mean,
documents count by their jackknife pseudo-values n V - (n - 1) V(without the document).

A verdict is given where right captions win in more than half of the documents, by more than chance (the 95 %
interval of Wilson for the share of wins, ties half, lies above 50 %). Where they do not, or where the metric
does not vary, no verdict is given: a constant and a random metric pass nothing. Where the mean distance is
not above 0 by more than chance, the intervals of changes are unbounded, and verdicts undecided.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arrays import FloatArray
from ..metrics import Metric
from ..scores import Score

Answer = Literal["yes", "no", "undecided", "not applicable"]
#: the error of intervals, two-sided
LEVEL = 0.05
#: the share of documents in which right captions must win, for "notices the wrong story"
WINS = 2 / 3


@dataclass(frozen=True, slots=True)
class Effect:
    """A number with its interval."""

    value: float
    low: float
    high: float

    def at_most(self, limit: float) -> Answer:
        return "yes" if self.high <= limit else "no" if self.low > limit else "undecided"

    def below(self, limit: float) -> Answer:
        return "yes" if self.high < limit else "no" if self.low >= limit else "undecided"

    def at_least(self, limit: float) -> Answer:
        return "yes" if self.low >= limit else "no" if self.high < limit else "undecided"

    def __str__(self) -> str:
        if math.isinf(self.high):
            return f"{100 * self.value:+.1f} % [unbounded]"
        return f"{100 * self.value:+.1f} % [{100 * self.low:+.0f}, {100 * self.high:+.0f}]"


def together(*answers: Answer) -> Answer:
    """Yes if all are; no if any is."""
    return "no" if "no" in answers else "undecided" if "undecided" in answers else "yes"


@dataclass(frozen=True, eq=False)
class Evidence:
    """The values of one metric by trial and unit, higher being better; `right` and `wrong` name the trials
    that set the scale."""

    values: Mapping[str, FloatArray]
    right: str = "original"
    wrong: str = "exchange"

    @property
    def distances(self) -> FloatArray:
        return self.values[self.right] - self.values[self.wrong]

    @property
    def distance(self) -> float:
        return float(self.distances.mean())

    def share(self, size: float) -> float:
        """A size as a share of the mean distance; not known where that is not above 0."""
        return size / self.distance if self.distance > 0 else math.nan

    def unfit(self) -> str:
        """Why there is no scale; '' where there is one."""
        distances = self.distances
        n = len(distances)
        if n < 2:
            return "one document cannot be compared with another one"
        if self._constant:
            return "the metric does not vary"
        wins = self.wins()
        if wins.low <= 0.5:
            shown = f"{100 * wins.value:.0f} % [{100 * wins.low:.0f}, {100 * wins.high:.0f}]"
            return f"right captions are not above wrong ones: they win in {shown} of {n:,} documents"
        return ""

    @property
    def _constant(self) -> bool:
        values = np.concatenate([*self.values.values()])
        return float(np.ptp(values)) <= 1e-12 * float(np.abs(values).max(initial=0.0))

    @property
    def _nothing(self) -> float:
        """What rounding alone may add up to."""
        return 1e-9 * float(np.ptp(np.concatenate([*self.values.values()])))

    def change(self, label: str, base: str = "", *, level: float = LEVEL) -> Effect:
        """Of a damage against `base` (default: right captions), as a share of the distance."""
        moved = self.values[label] - self.values[base or self.right]
        return fieller(np.where(np.abs(moved) <= self._nothing, 0.0, moved), self.distances, level)

    def exceeds(self, label: str, base: str, share: float, level: float) -> bool:
        """Whether a change is above this share of the distance, by a t-test at `level` (two-sided)."""
        n, over = len(self.distances), self.values[label] - self.values[base] - share * self.distances
        error = float(over.std(ddof=1)) / math.sqrt(n)
        return float(over.mean()) - _student(n, level) * error > self._nothing

    def wins(self) -> Effect:
        """The share of units in which right captions beat wrong ones, ties half; Wilson's interval."""
        distances = self.distances
        points = np.where(np.abs(distances) <= self._nothing, 0.5, distances > 0)
        n, share = len(points), float(points.mean())
        z2 = 1.959963984540054**2
        middle = (share + z2 / (2 * n)) / (1 + z2 / n)
        half = math.sqrt(z2) / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
        return Effect(share, max(0.0, middle - half), min(1.0, middle + half))


def _student(n: int, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(n - 1, 1 - level / 2))


def fieller(moved: FloatArray, distances: FloatArray, level: float = LEVEL) -> Effect:
    """mean(moved) / mean(distances) with Fieller's interval; all numbers where the distance is not above 0.

    >>> fieller(np.array([-1.0, -1.0, -1.0]), np.array([2.0, 2.0, 2.0]))
    Effect(value=-0.5, low=-0.5, high=-0.5)
    """
    n = len(moved)
    a, b = float(moved.mean()), float(distances.mean())
    if n < 2 or b <= 0:
        return Effect(a / b if b else math.nan, -math.inf, math.inf)
    t2 = _student(n, level) ** 2 / n
    cov = np.cov(moved, distances)
    saa, sab, sbb = t2 * float(cov[0, 0]), t2 * float(cov[0, 1]), t2 * float(cov[1, 1])
    # s of (a - s b)^2 <= saa - 2 s sab + s^2 sbb
    square, linear, rest = b * b - sbb, a * b - sab, a * a - saa
    if square <= 0:
        return Effect(a / b, -math.inf, math.inf)
    root = math.sqrt(max(0.0, linear * linear - square * rest))
    return Effect(a / b, (linear - root) / square, (linear + root) / square)


def document_shares(metric: Metric, score: Score) -> FloatArray:
    """What each document brings to the corpus value: its own value where that is a mean, else its jackknife
    pseudo-value."""
    if score.rows is None or len(score.rows) < 2:
        return np.asarray(metric.by_document(np.zeros((0, len(score.columns)))), dtype=float)
    rows = np.asarray(score.rows, dtype=float)
    total, n = rows.sum(axis=0), len(rows)
    with np.errstate(invalid="ignore", divide="ignore"):
        without = np.asarray(metric.combine(total - rows)["value"], dtype=float)
        shares = n * float(metric.combine(total)["value"]) - (n - 1) * without
    return shares if np.isfinite(shares).all() else np.asarray(metric.by_document(rows), dtype=float)


def evidence_of(
    documents: FloatArray,
    labels: Sequence[str],
    units: Sequence[str] | None,
    *,
    higher_is_better: bool | None,
    right: str = "original",
    wrong: str = "exchange",
) -> Evidence | None:
    """(trials, documents) as evidence by unit; None where nothing says what is better, or a value lacks."""
    if higher_is_better is None or wrong not in labels or right not in labels:
        return None
    known = ~np.isnan(documents).any(axis=0)
    values = (1.0 if higher_is_better else -1.0) * documents[:, known]
    if units is not None:
        _, code = np.unique(np.array(units)[known], return_inverse=True)
        grouped = np.zeros((len(values), int(code.max(initial=-1)) + 1))
        np.add.at(grouped.T, code, values.T)
        values = grouped
    return Evidence(dict(zip(labels, values, strict=True)), right, wrong)
