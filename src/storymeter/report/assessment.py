"""A human study as tables and sentences."""

import csv
import io
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping

from ..errors import many
from ..human.analysis.assessment import Analysis
from ..human.analysis.quality import FLAGS
from ..human.analysis.rater_effects import FEW_RATERS
from ..human.analysis.reliability import Replication, SplitHalf
from ..human.analysis.scores import Ranking
from ..human.campaign.export import safe
from .table import Column, Table, interval_cell, keys, numbers, to_json

TEST_NAMES = {
    "t": "paired t-test",
    "signed-rank": "Wilcoxon signed-rank test",
    "mann-whitney": "Mann-Whitney test",
}


PAIR_TESTS = {
    "raters": "t-test over raters of their mean differences in z, two-sided",
    "ranksum": "Rank-sum test on z scores of captions, one-sided",
}


def known(value: float | None) -> float | None:
    """None where there is no number."""
    return None if value is None or math.isnan(value) else value


def pairs(analysis: Analysis) -> list[tuple[str, str, float | None, float | None, float | None]]:
    """Every two systems once, in the direction of the smaller p-value; None where no test could be made."""
    ranking, out = analysis.ranking, []
    for i, j in itertools.combinations(range(len(ranking.systems)), 2):
        x, y = (j, i) if ranking.p[j, i] < ranking.p[i, j] else (i, j)
        p, holm, bh = (known(float(each[x, y])) for each in (ranking.p, ranking.p_holm, ranking.p_bh))
        out.append((ranking.systems[x].name, ranking.systems[y].name, p, holm, bh))
    return out


def rank_range(ranks: tuple[int, int]) -> str:
    """The ranks that are compatible with the significant differences.

    >>> rank_range((1, 1)), rank_range((2, 4))
    ('1', '2-4')
    """
    low, high = ranks
    return f"{low}" if low == high else f"{low}-{high}"


#: what clusters, p and intervals rest on, by the kind of test
CLUSTER_NAMES = {"raters": "over raters", "ranksum": "rank-sum"}
_CLUSTER_NOTES = {
    "raters": (
        "Clusters and 95 % intervals take raters as random{hold}. cluster (rank-sum) is the papers'"
        " test over captions, which takes the ratings of one rater as"
        " independent; where the two differ, trust the first."
    ),
    "ranksum": (
        "Clusters and 95 % intervals are those of the papers (over captions): they hold for these raters."
        " cluster (over raters) takes raters as random; where the two differ, trust the second."
    ),
}


def _numbers_of(ranking: Ranking) -> dict[str, int]:
    return {name: k for k, cluster in enumerate(ranking.clusters, 1) for name in cluster}


def system_table(analysis: Analysis) -> Table:
    ranking, other = analysis.ranking, analysis.other
    number, second = _numbers_of(ranking), _numbers_of(other)
    both = ranking.by != other.by
    rows = [
        [
            *(number[s.name], rank_range(s.ranks), s.name, s.raw, s.z),
            interval_cell(s.interval, "one caption"),
            *(s.captions, s.n),
            *([second[s.name]] if both else []),
        ]
        for s in analysis.ranking.systems
    ]
    return Table(
        [
            Column("cluster", "d"),
            "rank",
            Column("system", key=True),
            Column("raw", ".1f"),
            *numbers("+.3f", "z", "95 %"),
            *numbers(",d", "captions", "ratings"),
            *([Column(f"cluster ({CLUSTER_NAMES[other.by]})", "d")] if both else []),
        ],
        rows,
        title="Systems",
        note=" ".join(
            (
                *_found(ranking),
                *([_basis(ranking)] if both else []),
                *(
                    ["raw is –: the file holds standardised scores only."]
                    if any(s.raw is None for s in ranking.systems)
                    else []
                ),
            )
        ),
    )


def _found(ranking: Ranking) -> Iterator[str]:
    """What the clusters say of the differences between systems."""
    if len(ranking.clusters) > 1:
        yield "Every system significantly beats every system of the clusters below its own."
    elif len(ranking.systems) > 1:
        # neighbours may share a cluster although systems further apart differ
        yield (
            "The systems cannot be divided into clusters; single differences are significant."
            if (ranking.p < ranking.alpha).any()
            else "No significant difference between systems was found."
        )


def _basis(ranking: Ranking) -> str:
    """Few raters do not stand for others, which a note of the ranking says."""
    hold = "" if ranking.raters < FEW_RATERS else ": they hold for other raters of the same kind"
    return _CLUSTER_NOTES[ranking.by].format(hold=hold)


def pair_table(analysis: Analysis) -> Table:
    alpha = analysis.ranking.alpha
    rows = [
        [a, b, p, holm, bh, "no test: equal scores" if p is None else "yes" if p < alpha else "no"]
        for a, b, p, holm, bh in pairs(analysis)
    ]
    return Table(
        [*keys("better", "worse"), *numbers(".4g", "p", "p Holm", "p BH"), "significant"],
        rows,
        title="Differences between systems",
        note=f"{PAIR_TESTS[analysis.ranking.by]}; significant: p < {alpha:g}.",
    )


def flag_legend(raised: Iterable[str]) -> str:
    """What each flag that occurs means."""
    found = set(raised)
    meant = "; ".join(f"{flag}: {meaning}" for flag, meaning in FLAGS.items() if flag in found)
    return f"Flags (none rejects a rater by itself): {meant}." if meant else ""


def worker_table(analysis: Analysis) -> Table:
    rows = [
        [w.id, w.accepted if w.pairs else None, w.reason, w.ratings, w.seconds, ", ".join(w.flags)]
        for w in analysis.quality.workers
    ]
    return Table(
        [*keys("rater"), "passed", "because", Column("ratings", ",d"), Column("s/rating", ".1f"), "flags"],
        rows,
        title="Raters",
        note=flag_legend(flag for w in analysis.quality.workers for flag in w.flags),
    )


def evidence_table(analysis: Analysis) -> Table:
    """The numbers behind the verdicts."""
    rows = [
        [
            *(w.id, w.pairs, w.mean_high, w.mean_low, w.p, w.agreement),
            *(w.repeats, w.repeat_difference, w.repeat_p, w.consistency_p),
        ]
        for w in analysis.quality.workers
    ]
    return Table(
        [
            *keys("rater"),
            Column("pairs", "d"),
            *numbers(".1f", "undamaged", "damaged"),
            Column("p", ".3g"),
            Column("r others", ".2f"),
            Column("repeats", "d"),
            Column("change", ".1f"),
            *numbers(".3g", "p drift", "p alike"),
        ],
        rows,
        title="Control results of each rater",
        note=(
            "–: nothing to compute it from (no complete control pair, no caption that another accepted rater"
            " rated, no repeated caption, or scores that are all equal)."
        ),
    )


def summary_lines(analysis: Analysis) -> list[str]:
    if analysis.ratings.standardised:  # published means: a note says what the file has, and of no rater
        return []
    quality, agree, split = analysis.quality, analysis.agreement, analysis.split_half
    passed = int(quality.accepted.sum())
    second = {
        "peers": (
            f" and the check of attention (agreement with the others, usually r = {quality.usual or 0:.2f})"
        ),
        "repeats": " and the check of repeats (p < 0.1)",
        "": "",
    }[analysis.quality.second]
    people = f"{many(len(quality.workers), 'rater')}"
    if not analysis.tested:
        found = "no rater could be tested (no control pairs), and the ratings of all are used."
    else:
        used = (
            f"and the {len(analysis.used):,} ratings of these are used."
            if analysis.accept == "passed"
            else "but the ratings of all are used (--accept all)."
        )
        found = (
            f"{passed:,} passed the control test ({TEST_NAMES[quality.test]}, p < {quality.alpha:g}){second},"
            f" {used}"
        )
    lines = [f"{many(len(analysis.ratings), 'rating')} by {people}; {found}"]
    if agree.units:
        lines.append(
            f"Agreement on the {agree.units:,} captions that two or more raters rated: Krippendorff's alpha"
            f" {agree.alpha:.3f} (1: perfect, 0: chance), ICC {agree.icc:.3f} (the share of the variance that"
            " is due to captions, not raters)."
            if not math.isnan(agree.alpha)
            else (
                f"Agreement cannot be computed: the {agree.units:,} captions rated twice all got the same"
                " score."
            )
        )
    else:
        lines.append(f"Agreement cannot be computed: {agree.reason}.")
    if split is not None:
        lines.append(_split_line(split, len(analysis.ranking.systems)))
    return lines


def _split_line(split: SplitHalf, systems: int) -> str:
    halves = "Two random halves of the raters, each on one half of the items,"
    if split.interval is None:
        return f"Split-half reliability cannot be computed: {split.reason}."
    if systems == 2:  # the mean of r = 1 (same order) and r = -1 is the share of same orders
        return (
            f"{halves} put the two systems in the same order in {50 * (1 + split.z):.0f} % of"
            f" {many(split.splits, 'split')} (by chance: 50 %). With two systems r can only be 1 or -1."
        )
    if systems == 3:
        return (
            f"{halves} rank the systems alike with r = {split.z:.3f} (mean of {many(split.splits, 'split')};"
            " with three systems chance alone gives r beyond 0.7 or -0.7 in half of all cases)."
        )
    return (
        f"{halves} rank the systems alike with r = {split.z:.3f} (95 % of {split.splits} splits:"
        f" {split.interval[0]:.3f} to {split.interval[1]:.3f})."
    )


def replication_line(repeated: Replication) -> str:
    """Graham et al. (2018), table 5."""
    found = [
        f"{r:.3f} ({name})"
        for name, r in (("raw", known(repeated.raw)), ("z", known(repeated.z)))
        if r is not None
    ]
    alone = "".join(
        f" Only in the {run} run: {', '.join(names)}."
        for run, names in (("first", repeated.only_first), ("second", repeated.only_second))
        if names
    )
    return (
        f"Replication over {len(repeated.systems)} systems: "
        + (
            f"r = {', '.join(found)}."
            if found
            else "r cannot be computed, because the scores of one run are all equal."
        )
        + alone
    )


# The score of every caption, in the columns of the segment files that WMT and TRECVID publish.


HEAD = ("SYS", "SID", "RAW.SCR", "Z.SCR", "N")


def caption_rows(analysis: Analysis) -> Iterator[tuple[str, str, float | None, float, int]]:
    """System, item, raw mean (None where the file holds z only), z mean, ratings; by system and item."""
    captions, ratings = analysis.captions, analysis.used
    raw = [None if math.isnan(value) else value for value in captions.raw.tolist()]
    rows = zip(
        (ratings.systems[k] for k in captions.system.tolist()),
        (ratings.item.names[k] for k in captions.item.tolist()),
        raw,
        captions.z.tolist(),
        captions.n.tolist(),
        strict=True,
    )
    return iter(sorted(rows, key=lambda row: (row[0], len(row[1]), row[1])))


def caption_csv(analyses: Mapping[str, Analysis]) -> str:
    """The captions of each stratum below each other; where there are several, the first column names them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    several = len(analyses) > 1
    writer.writerow(("stratum", *HEAD) if several else HEAD)
    for name, analysis in analyses.items():
        for system, item, raw, z, n in caption_rows(analysis):
            row = [safe(system), safe(item), "" if raw is None else raw, z, n]
            writer.writerow([safe(name), *row] if several else row)
    return out.getvalue()


def caption_json(analysis: Analysis) -> str:
    rows = [dict(zip(HEAD, row, strict=True)) for row in caption_rows(analysis)]
    return to_json({"schema": 1, "captions": rows})
