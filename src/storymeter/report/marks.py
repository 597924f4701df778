"""What stands beside the numbers of a run: marks, what the tests and intervals rest on, and its coverage.

The marks of a leaderboard say which system is best, which cannot be distinguished from it, and where the
documents are too few to tell. All tables, pages and JSON take their marks from here."""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from ..engine.results import Comparison, Results, SystemResult, hollow_references, with_reference
from ..engine.units import score_skewness, unit_count
from ..errors import first_few
from ..scores import Score
from ..stats.paired import smallest_p
from ..stats.resampling import SIGNIFICANT, holm

#: best; level: not distinguishable from the best; worse: significantly worse; unknown: no test could have
#: told; '': not compared
Mark = Literal["best", "level", "worse", "unknown", ""]
SIGNS: dict[Mark, str] = {"best": "", "level": "†", "worse": "", "unknown": "?", "": ""}
#: below so many documents intervals are rough
ROUGH = 30
#: swaps mislead where squared skewness over documents is higher, and find little where fewer documents differ
SKEWED, FEW = 0.04, 12


def best_of(scores: Sequence[Score]) -> list[int]:
    """The systems that share the best value; none where no direction is better."""
    sign = direction(scores[0])
    values = [sign * score.value for score in scores]
    known = [value for value in values if not math.isnan(value) and value != -math.inf]
    return [k for k, value in enumerate(values) if value == max(known)] if sign and known else []


def direction(score: Score) -> float:
    """1 where higher is better, -1 where lower is, 0 where neither is."""
    return {True: 1.0, False: -1.0, None: 0.0}[score.higher_is_better]


def marks(results: Results, comparisons: Sequence[Comparison]) -> list[list[Mark]]:
    """[metric][system]"""
    names = [system.name for system in results.systems]
    tests = {(c.metric, c.a, c.b): c for c in comparisons}
    tested = {c.metric for c in comparisons}
    found = []
    for k in range(len(results.metrics)):
        scores = [system.scores[k] for system in results.systems]
        best = best_of(scores) if len(scores) > 1 else []
        if tested and scores[0].metric not in tested:  # its formula is not known here: no mark may say worse
            best = []
        untested: Mark = "unknown" if best and not tested and scores[0].n < 2 else ""
        column: list[Mark] = []
        for j, score in enumerate(scores):
            against = [_against(tests, score.metric, names[leader], names[j]) for leader in best]
            column.append("best" if j in best else _mark(against, direction(score)) or untested)
        found.append(column)
    return found


def _against(
    tests: dict[tuple[str, str, str], Comparison], metric: str, leader: str, other: str
) -> tuple[Comparison, float] | None:
    """The comparison, and by how much the leader's value is higher."""
    there, turned = tests.get((metric, leader, other)), tests.get((metric, other, leader))
    if there is not None:
        return there, there.difference
    return None if turned is None else (turned, -turned.difference)


def _mark(against: Sequence[tuple[Comparison, float] | None], sign: float) -> Mark:
    known = [test for test in against if test is not None]
    if not known:
        return ""
    if not all(c.testable for c, _ in known):
        return "unknown"
    return "worse" if all(c.significant and sign * ahead > 0 for c, ahead in known) else "level"


def mark_notes(columns: Sequence[Sequence[Mark]], comparisons: Sequence[Comparison]) -> str:
    """What the marks of a leaderboard mean, and over which tests they are corrected."""
    there = {mark for column in columns for mark in column}
    seeded = any(c.p_seeds is not None for c in comparisons)
    test = f"paired permutation test{', over seeds Welch' if seeded else ''}, {family(comparisons)}"
    said = []
    if "level" in there:
        said.append(f"†: not distinguishable from the best ({test}, p ≥ .05).")
    elif "worse" in there:
        said.append(f"No mark: significantly worse than the best ({test}, p < .05).")
    if "unknown" in there:
        one = "one document has no test: no difference can be significant."
        said.append(f"?: {too_few(comparisons) or one}")
    if any(len(column) > 2 and "best" in column and {"level", "unknown"} & {*column} for column in columns):
        said.append("The best of systems that are not distinguishable scores too high, with its interval.")
    level = [c for c in comparisons if not c.significant and (c.wins or c.losses)]
    few = few_differ(level) if "level" in there else []
    return " ".join([*said, *few, *(_skew_decides(comparisons) if "worse" in there else [])])


def _skew_decides(comparisons: Sequence[Comparison]) -> list[str]:
    """A sentence where differences are skewed and only p permutation calls them significant."""
    metrics: dict[str, list[Comparison]] = {}
    for c in comparisons:
        metrics.setdefault(c.metric, []).append(c)
    names = [
        name
        for name, family in metrics.items()
        for corrected in [holm([c.p_bootstrap for c in family]).tolist()]
        if any(
            c.p_seeds is None and c.significant and p >= SIGNIFICANT and skewed(c.skewness, c.units or c.n)
            for c, p in zip(family, corrected, strict=True)
        )
    ]
    said = (
        f"Skewed differences ({', '.join(names)}): some that are significant here are not by p bootstrap"
        " (storymeter compare), which is the one to trust."
    )
    return [said] if names else []


def few_differ(comparisons: Sequence[Comparison]) -> list[str]:
    """A sentence where so few documents differ that a test over them finds little."""
    few = dict.fromkeys(
        c.metric
        for c in comparisons
        if c.p_seeds is None and c.testable and None not in (c.wins, c.losses)
        if tied((c.wins or 0) + (c.losses or 0), c.n)
    )
    return [f"Few documents differ ({', '.join(few)}): the tests find little."] if few else []


def family(comparisons: Sequence[Comparison]) -> str:
    """Which tests are corrected together.

    >>> family([])
    ''
    """
    tests = max((c.tests for c in comparisons), default=0)
    if not tests:
        return ""
    over = "one comparison" if tests == 1 else f"Holm over the {tests} comparisons"
    return f"{over} of one metric"


def too_few(comparisons: Sequence[Comparison]) -> str:
    """Sentences where no difference, however large, could be significant."""
    said = dict.fromkeys(_too_few(c) for c in comparisons if not c.testable)
    return " ".join(said)


def _too_few(c: Comparison) -> str:
    over = f" in {c.tests:,} comparisons per metric" if c.tests > 1 else ""
    n, what = (c.units, "units") if c.units not in (0, c.n) else (c.n, "documents")
    if smallest_p(n, c.tests) >= SIGNIFICANT:
        return (
            f"n too small to tell: with {n:,} {what} no difference can be significant{over} (smallest"
            f" possible p {c.p_smallest:.3f}); {c.documents_needed:,} {what} would do."
        )
    needed = math.floor(c.tests / SIGNIFICANT)
    return (
        f"{c.resamples:,} resamples are too few to tell: no difference can be significant{over} (smallest"
        f" possible p {c.p_smallest:.3f}). Use --resamples auto, or {needed} or more."
    )


def skewed(skewness: float, n: int) -> bool:
    """Whether the differences of `n` documents are so skewed that swaps of them mislead: the error of their
    p grows with the square of the skewness over n.
    """
    return abs(skewness) >= 1 and skewness**2 / n >= SKEWED


def tied(changed: int, n: int) -> bool:
    """Whether most documents are tied and few are left to test on."""
    return changed < min(FEW, n / 2)


def rough(n: int) -> str:
    """A sentence on intervals of few documents."""
    return f"Intervals of fewer than {ROUGH} documents are rough." if 1 < n < ROUGH else ""


def rough_scores(results: Results) -> str:
    """The same for a run; from 30 documents on, which metrics have intervals that a few documents decide."""
    n = unit_count(results)
    if n < ROUGH or results.in_shards:
        return rough(n)
    names = [name for name, skew in score_skewness(results).items() if skewed(skew, n)]
    return f"Intervals of {', '.join(names)} are rough: a few documents decide them." if names else ""


def scale_note(percent: Mapping[str, bool]) -> str:
    """What the printed numbers are multiplied by; `percent` says it for each metric.

    >>> scale_note({"meteor": True, "words": False})
    'Scores are times 100 (not: words); JSON, CSV and Score.value in Python have fractions.'
    """
    if not any(percent.values()):
        return ""
    plain = [name for name, times_100 in percent.items() if not times_100]
    but = f" (not: {', '.join(plain)})" if plain else ""
    return f"Scores are times 100{but}; JSON, CSV and Score.value in Python have fractions."


# Which documents a system has, as sentences and for JSON.


def coverage_lines(results: Results) -> list[str]:
    """How many documents were missing, extra and empty: always said, because a silent gap is a wrong
    number; and what the missing ones cost. Without references, what other systems have and a system has not.
    """
    if not results.references:
        return uneven_lines(results)
    return [
        f"{system.name}: {with_reference(system.coverage, results.references)}, {missing:,} missing"
        f"{cost_of_missing(results) if missing else ''}, {extra:,} extra, {empty:,} empty."
        for system in results.systems
        for missing, extra, either in [system.coverage.sizes]
        for empty in [either - hollow_references(system.coverage, results.references)]
    ]


def uneven_lines(results: Results) -> list[str]:
    """Without references: which documents of other systems a system does not have. Its mean is then one of
    other documents.
    """
    scored = {system.name: set(system.scores[0].ids) for system in results.systems if system.scores}
    every = set().union(*scored.values())
    return [
        f"{name}: {len(every - own):,} of the {len(every):,} documents of all systems are missing"
        f" ({first_few(sorted(every - own), limit=3)}), so that its score is a mean of other documents. With"
        " references each counts 0: --references FILE."
        for name, own in scored.items()
        if every - own
    ]


def cost_of_missing(results: Results) -> str:
    """
    Under `missing=zero` a system pays for every document that it did not submit; corpus metrics see it as an
    empty caption.
    """
    protocol = results.conditions.protocol
    if protocol.missing == "zero":
        return f" (each counts 0; --protocol {protocol}+missing=skip leaves them out)"
    return " (left out of its scores)"


def coverage_record(system: SystemResult) -> dict[str, int]:
    """How many documents met a reference, and how many were missing, extra and empty."""
    counts = dict(zip(("missing", "extra", "empty"), system.coverage.sizes, strict=True))
    return {"matched": system.coverage.matched, **counts}
