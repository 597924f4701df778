"""A human study as JSON, and the influence of its raters on the ranking as a table and JSON."""

import itertools
from typing import Any

from ..human.analysis.assessment import Analysis
from ..human.analysis.influence import Influence, Robust
from ..human.analysis.reliability import Replication
from ..human.campaign.money import Pay, stated
from .assessment import known, pairs
from .table import Column, Table

WORDS = {
    "system": "the system that the rater scores most differently from the other raters of its captions",
    "deviation": (
        "by how many standard deviations higher (+) or lower (-) than the others the rater scores that"
        " system's captions, after subtracting the rater's mean difference over the other systems: + favours"
        " the system, - disfavours it"
    ),
    "p": (
        "how likely so large a deviation of any rater for any system is by chance (Holm's correction);"
        " below .01: flagged"
    ),
    "moves": (
        "the system whose score the rater moves most, and by how much the rater's scores raise (+) or lower"
        " (-) it: its score with the rater less that without"
    ),
    "order": "whether the order of the systems would change without the rater",
}
#: rows of the table; all raters are in the JSON
SHOWN = 12


ROBUST_WORDS = {
    "trimmed": (
        "the mean of the raters' mean z-scores of the system, without the fifth of the raters with the"
        " highest and the fifth with the lowest values"
    ),
    "mean turns at %": (
        "share of the raters of this system and the next that must answer as badly as possible before"
        " the mean over raters no longer puts it first; the worst case: those who liked it most change sides"
    ),
    "trimmed turns at %": "the same for the trimmed mean",
}


def robust_table(found: Robust) -> Table:
    """Systems by trimmed means, and how far each is from changing places with the next."""
    rows = [
        [one.name, one.value, one.raters, *((100 * gap.mean, 100 * gap.trimmed) if gap else (None, None))]
        for one, gap in itertools.zip_longest(found.systems, found.breakdown)
    ]
    return Table(
        [
            Column("system", key=True),
            Column("trimmed", "+.3f"),
            Column("raters", ",d"),
            Column("mean turns at %", ".0f"),
            Column("trimmed turns at %", ".0f"),
        ],
        rows,
        title="Robust ranking",
        note="turns at: the share of raters who must be hostile before the system falls behind the next one.",
    )


def influence_table(found: Influence) -> Table:
    """The raters with the clearest bias, then those who move a system most."""
    clearest = {one.rater: one for one in reversed(found.biases)}
    ranked = sorted(
        found.alone,
        key=lambda one: (
            not any(b.flagged for b in (clearest.get(one.raters[0]),) if b),
            not one.changes,
            -abs(one.shift),
        ),
    )
    rows = []
    for one in ranked[:SHOWN]:
        bias = clearest.get(one.raters[0])
        rows.append(
            [
                one.raters[0],
                ("" if not bias else f"{bias.system} (flagged)" if bias.flagged else bias.system),
                bias.bias if bias else None,
                bias.p if bias else None,
                f"{one.system} {one.shift:+.3f}",
                "changes" if one.changes else "same",
            ]
        )
    more = len(ranked) - len(rows)
    return Table(
        ["rater", "system", Column("deviation", "+.2f"), Column("p", ".3g"), "moves", "order"],
        rows,
        title="Influence of single raters",
        note="deviation: how much higher (+) or lower (-) than the others the rater scores the system, in z,"
        " compared with the other systems. For information only: no rater is excluded because of it."
        + (f" {more:,} more raters are in the JSON." if more > 0 else ""),
    )


def cost_line(analysis: Analysis, pay: Pay | None) -> str:
    """What the study paid."""
    pay = stated(pay or analysis.pay, analysis.hits)
    each = pay.total / len(analysis.ranking.systems)
    return f"{pay.sentence} That is {each:,.2f} {pay.currency} per system."


def analysis_data(
    analysis: Analysis, *, pay: Pay | None = None, repeated: Replication | None = None
) -> dict[str, Any]:
    """What the JSON output holds."""
    pay = stated(pay or analysis.pay, analysis.hits)
    ranking, quality = analysis.ranking, analysis.quality
    split, robust, influence = analysis.split_half, analysis.robust, analysis.influence
    # published means of captions: who rated them, and what it cost, is not in the file
    published = analysis.ratings.standardised
    return {
        "schema": 1,
        "test": quality.test,
        "alpha": quality.alpha,
        "gates": quality.gates,
        "scale": analysis.scale,
        "accept": analysis.accept,
        "tested": analysis.tested,
        "bounds": list(analysis.ratings.bounds) if analysis.scale == "raw" else None,
        "ratings": analysis.ratings.total,
        "ratings_used": analysis.used.total,
        "hits": None if published else analysis.hits,
        "workers": []
        if published
        else [
            {
                "id": w.id,
                "pairs": w.pairs,
                "p": w.p,
                "accepted": w.accepted,
                "used": bool(used),
                "reason": w.reason,
                "flags": list(w.flags),
                "ratings": w.ratings,
                "mean_high": w.mean_high,
                "mean_low": w.mean_low,
                "repeats": w.repeats,
                "repeat_p": w.repeat_p,
                "consistency_p": w.consistency_p,
                "agreement": w.agreement,
                "agreement_p": w.agreement_p,
                "seconds": w.seconds,
            }
            for w, used in zip(quality.workers, analysis.kept, strict=True)
        ],
        "systems": [
            {
                "name": s.name,
                "raw": s.raw,
                "z": s.z,
                "n": s.n,
                "captions": s.captions,
                "interval": s.interval,
                "ranks": s.ranks,
            }
            for s in ranking.systems
        ],
        "significance": [
            {"better": a, "worse": b, "p": p, "p_holm": h, "p_bh": q} for a, b, p, h, q in pairs(analysis)
        ],
        "clusters": [list(cluster) for cluster in ranking.clusters],
        "clusters_by": ranking.by,
        **{
            f"clusters_{one.by}": [list(cluster) for cluster in one.clusters]
            for one in (analysis.other, ranking)
        },
        "raters_used": None if published else ranking.raters,
        "reliability": {
            "krippendorff_alpha": known(analysis.agreement.alpha),
            "icc": known(analysis.agreement.icc),
            "captions_rated_twice": analysis.agreement.units,
            "split_half_z": known(split.z) if split else None,
            "split_half_interval": split.interval if split else None,
            "usual_agreement": quality.usual,
        },
        "rings": [{**ring._asdict(), "evidence": ring.evidence} for ring in quality.rings],
        "partisans": list(quality.partisans),
        **(
            {
                "robust": {
                    "systems": [one._asdict() for one in robust.systems],
                    "breakdown": [one._asdict() for one in robust.breakdown],
                }
            }
            if robust
            else {}
        ),
        "influence": {
            "order": list(influence.order),
            "biases": [one._asdict() for one in influence.biases],
            "without": [one._asdict() for one in influence.alone],
            "groups": [one._asdict() for one in influence.groups],
        },
        "cost": None
        if published
        else {
            "hits": pay.hits,
            "total": pay.total,
            "per_system": pay.total / len(ranking.systems),
            "per_hit": pay.price,
            "per_hour": pay.hourly,
            "currency": pay.currency,
            "assumed": pay.assumed,
        },
        **(
            {
                "replication": {
                    "systems": list(repeated.systems),
                    "raw": known(repeated.raw),
                    "z": known(repeated.z),
                    "only_first": list(repeated.only_first),
                    "only_second": list(repeated.only_second),
                }
            }
            if repeated
            else {}
        ),
        "notes": list(analysis.notes),
    }


# What the numbers on the page of a human study mean.


SYSTEM_WORDS = {
    "cluster": (
        "neighbouring systems without significant differences between all of them; every system"
        " significantly beats every system of the clusters below"
    ),
    "rank": (
        "the best and worst place that is compatible with the significant differences: 1-2 means first or"
        " second"
    ),
    "raw": "the mean score, on the slider (0 to 100) or the scale of the file, after averaging the ratings of"
    " each caption",
    "z": (
        "the same mean after standardising the scores of each rater (z-scores), so that strict and generous"
        " raters have the same influence; 0 is the average of a rater, 1 is one standard deviation above it;"
        " the ranking uses this column"
    ),
    "95 %": (
        "95 % interval of z: with raters as random, where other raters and captions of the same kind would"
        " put the system (six raters or more are needed for this);"
        " with rank-sum clusters, other captions by the same raters"
    ),
    "captions": "how many different captions of the system were rated",
    "ratings": "how many ratings they got, exact repeats included",
    "cluster (rank-sum)": (
        "the clusters of the papers: a test over captions that takes all ratings as independent, so that it"
        " separates equal systems more often than it says if raters differ in what they like"
    ),
    "cluster (over raters)": (
        "clusters with raters as random; from six raters on they hold for other raters of the same kind"
    ),
}
WORKER_WORDS = {
    "passed": "whether the rater passed quality control (–: no control items); the reason is in the next"
    " column",
    "ratings": "how many ratings the rater gave",
    "s/rating": "seconds per rating, on average (–: the file holds no times)",
    "flags": "unusual patterns; a flag alone rejects nobody",
}
EVIDENCE_WORDS = {
    "pairs": (
        "how many control pairs (a caption and the same caption damaged on purpose) the rater rated"
        " completely"
    ),
    "undamaged": "the rater's mean score for the undamaged members of these pairs",
    "damaged": "the rater's mean score for the damaged ones, which should be lower",
    "p": (
        "how likely such a difference would be if the rater could not tell the two apart; below the threshold"
        " the rater passes"
    ),
    "r others": (
        "correlation with the accepted other raters' scores of the same captions: 1 is perfect,"
        " 0 not at all; about half of what is usual, or less, is too little"
    ),
    "repeats": "how many captions the rater saw twice",
    "change": "by how much the two scores of such a caption differ on average",
    "p drift": (
        "how likely so large a change in one direction is for a consistent rater; a small number means the"
        " rater drifted"
    ),
    "p alike": (
        "how likely scores of repeats so close to each other are for somebody who answers without looking;"
        " below .1 the rater is consistent"
    ),
    "–": (
        "there is nothing to compute the number from: no complete control pair, no caption that another"
        " accepted rater rated, no repeated caption (fewer than five for p alike), or all scores equal"
    ),
}
SECOND_GATE = {
    "": "",
    "repeats": (
        " Other captions were shown twice. A rater whose two scores of one caption are no closer than those"
        " of unrelated captions does not pass either."
    ),
    "peers": (
        " A rater who looks at some captions only can pass that test, but agrees little with the other"
        " raters of the same captions: a rater whose agreement is not clearly above half of the usual one"
        " does not pass either, nor do raters who agree with each other more than the captions explain, or"
        " favour one system far more than others do."
    ),
}
PAIR_WORDS = {
    "p": (
        "how likely so large a difference would be if the two systems were equally good; the line above the"
        " table names the test"
    ),
    "p Holm": (
        "the same, corrected so that the chance of even one false claim in the whole table stays below the"
        " threshold"
    ),
    "p BH": (
        "the same, corrected so that the expected share of false claims among the claims made stays below the"
        " threshold"
    ),
}
