"""Slow, plain computations of what no package offers: SODA, the ActivityNet score, RoViST's non-redundancy,
z-scores and clusters. They are written from the formulas of the papers and share no line with the library:
dictionaries and loops instead of arrays, a search over all matchings instead of dynamic programming,
scipy's tests instead of ours.

Sentence scores come from outside: `f(hypotheses, references)` is the original METEOR, BLEU, ROUGE-L or CIDEr.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from functools import cache
from itertools import combinations, pairwise
from typing import NamedTuple

from scipy import stats

TIOUS = (0.3, 0.5, 0.7, 0.9)
Pairs = frozenset[tuple[int, int]]


class Told(NamedTuple):
    """A caption with its segment."""

    start: float
    end: float
    text: str


def iou(a: Told, b: Told, eps: float) -> float:
    """Eq. 1 of the SODA paper where `eps` is 0; the public scripts divide by the union plus 1e-8."""
    shared = min(a.end, b.end) - max(a.start, b.start)
    if shared <= 0:
        return 0.0
    union = max(a.end, b.end) - min(a.start, b.start)
    return shared / (union + eps)


def matchings(cost: list[list[float]]) -> tuple[float, list[Pairs]]:
    """The greatest sum of `cost` over pairs (row, column) that do not cross, and every set of pairs that
    reaches it. A pair of cost 0 is no match."""

    @cache
    def best(i: int, j: int) -> tuple[float, frozenset[Pairs]]:
        if i == 0 or j == 0:
            return 0.0, frozenset([frozenset()])
        found: dict[Pairs, float] = {}
        for total, sets in (best(i - 1, j), best(i, j - 1)):
            found |= dict.fromkeys(sets, total)
        if cost[i - 1][j - 1] > 0:
            total, sets = best(i - 1, j - 1)
            found |= {pairs | {(i - 1, j - 1)}: total + cost[i - 1][j - 1] for pairs in sets}
        top = max(found.values())
        return top, frozenset(pairs for pairs, total in found.items() if total > top - 1e-12)

    top, sets = best(len(cost), len(cost[0]) if cost else 0)
    return top, sorted(sets, key=sorted)


def f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def soda(
    variant: str,
    candidates: list[Told],
    references: list[Told],
    f: Callable[[Told, Told], float],
    eps: float,
    sort_references: bool = True,
) -> list[tuple[float, float, float]]:
    """Precision, recall and F1 of a video (SODA, eqs. 4-10), at each threshold; only variant a has more than
    one. `f(candidate, reference)` is the sentence score."""
    told = sorted(candidates, key=lambda c: c.start)
    truth = sorted(references, key=lambda r: r.start) if sort_references else references
    overlap = [[iou(g, p, eps) for p in told] for g in truth]
    totals = []
    for t in TIOUS if variant == "a" else (0.0,):
        cost = [
            [
                x * f(p, g) if variant == "c" and x > 0 else x if x >= t else 0.0
                for x, p in zip(row, told, strict=True)
            ]
            for row, g in zip(overlap, truth, strict=True)
        ]
        total, sets = matchings(cost)
        if variant in "ab":
            sums = [sum(f(told[j], truth[i]) for i, j in pairs) for pairs in sets]
            if max(sums) - min(sums) > 1e-12:
                raise ValueError("Several matchings are best and their sentence scores differ: draw again.")
            total = sums[0]
        totals.append(total)
    parts = [(total / len(told), total / len(truth)) for total in totals]
    return [(p, r, f1(p, r)) for p, r in parts]


def best_annotator(values: list[list[tuple[float, float, float]]]) -> list[float]:
    """Of each annotator's values the best F1 at each threshold, then the mean over thresholds."""
    best = [max(at, key=lambda value: value[2]) for at in zip(*values, strict=True)]
    return [statistics.fmean(column) for column in zip(*best, strict=True)]


def activitynet_pairs(
    candidates: list[Told], annotators: list[list[Told]], t: float, unmatched: str | None
) -> list[tuple[str, str]]:
    """Every caption with every reference that it overlaps by t or more; without one, with `unmatched`."""
    found: list[tuple[str, str]] = []
    for p in candidates:
        partners = [g.text for references in annotators for g in references if iou(g, p, 1e-8) >= t]
        found += [(p.text, text) for text in partners or ([unmatched] if unmatched is not None else [])]
    return found


def detection(candidates: list[Told], annotators: list[list[Told]], t: float) -> tuple[float, float]:
    """Precision and recall of the segments of a video, each of the annotator who gives the most."""
    precision = recall = 0.0
    for references in annotators:
        found = sum(any(iou(g, p, 1e-8) > t for g in references) for p in candidates)
        met = sum(any(iou(g, p, 1e-8) > t for p in candidates) for g in references)
        precision = max(precision, found / len(candidates))
        recall = max(recall, met / len(references))
    return precision, recall


def non_redundancy(sentences: list[list[str]], equal_pairs: bool, n: int = 4) -> tuple[float, float, float]:
    """NR, inter and intra of a story given as tokens (RoViST, eq. 7). `equal_pairs` counts equal pairs of
    tokens above the line, as the authors' script does."""

    def jaccard(a: list[str], b: list[str]) -> float:
        shared = sum(x == y for x in a for y in b) if equal_pairs else len({*a} & {*b})
        return shared / len({*a, *b}) if a or b else 0.0

    inter = [jaccard(a, b) for a, b in combinations(sentences, 2)]
    grams = [[s[k : k + n] for k in range(0, len(s), n)] for s in sentences]
    intra = [jaccard(a, b) for cut in grams for a, b in pairwise(cut)]
    within = statistics.fmean(intra) if intra else 0.0
    if not inter:
        return 1 - within, 0.0, within
    between = statistics.fmean(inter)
    return 1 - (between + within) / 2, between, within


class Ranked(NamedTuple):
    z: dict[str, float]
    raw: dict[str, float]
    n: dict[str, int]
    p: dict[tuple[str, str], float]
    clusters: list[list[str]]


def worker_tests(rows: list[tuple[int, str, str, str, str, float]]) -> dict[str, dict[str, float]]:
    """For each rater the one-sided p that damaged captions got lower scores, by three tests of scipy."""
    found: dict[str, dict[str, float]] = {}
    for worker in dict.fromkeys(row[1] for row in rows):
        mine = [row for row in rows if row[1] == worker]
        high = {(hit, system, item): score for hit, _, system, kind, item, score in mine if kind == "SYSTEM"}
        pairs = [
            (high[hit, system, item], score)
            for hit, _, system, kind, item, score in mine
            if kind == "BAD_REF" and (hit, system, item) in high
        ]
        up, down = ([pair[k] for pair in pairs] for k in (0, 1))
        constant = all(a == b for a, b in pairs)
        found[worker] = {
            "pairs": len(pairs),
            "t": math.nan if constant else float(stats.ttest_rel(down, up, alternative="less").pvalue),
            "mann-whitney": math.nan
            if constant
            else float(stats.mannwhitneyu(down, up, alternative="less", method="asymptotic").pvalue),
        }
    return found


def ranking(rows: list[tuple[int, str, str, str, str, float]], alpha: float = 0.05) -> Ranked:
    """z per rater over all ratings, means per caption, means per system, rank-sum tests, WMT's clusters."""
    scores: dict[str, list[float]] = {}
    for _, worker, _, _, _, score in rows:
        scores.setdefault(worker, []).append(score)
    mean = {worker: statistics.fmean(values) for worker, values in scores.items()}
    sd = {worker: statistics.stdev(values) for worker, values in scores.items()}
    cells: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for _, worker, system, kind, item, score in rows:
        if kind in ("SYSTEM", "REPEAT") and sd[worker] > 0:
            cells.setdefault((system, item), []).append((score, (score - mean[worker]) / sd[worker]))
    captions = {
        key: tuple(statistics.fmean(column) for column in zip(*values, strict=True))
        for key, values in cells.items()
    }
    systems = list(dict.fromkeys(system for system, _ in captions))
    each = {s: [value for (system, _), value in captions.items() if system == s] for s in systems}
    z = {s: statistics.fmean(value[1] for value in each[s]) for s in systems}
    p = {
        (a, b): float(
            stats.mannwhitneyu(
                [v[1] for v in each[a]], [v[1] for v in each[b]], alternative="greater", method="asymptotic"
            ).pvalue
        )
        for a in systems
        for b in systems
        if a != b
    }
    order = sorted(systems, key=lambda s: -z[s])
    clusters: list[list[str]] = [[]]
    for k, system in enumerate(order):
        clusters[-1].append(system)
        if k + 1 < len(order) and all(p[a, b] < alpha for a in order[: k + 1] for b in order[k + 1 :]):
            clusters.append([])
    return Ranked(
        z,
        {s: statistics.fmean(value[0] for value in each[s]) for s in systems},
        {s: sum(len(values) for (system, _), values in cells.items() if system == s) for s in systems},
        p,
        clusters,
    )
