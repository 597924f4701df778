"""Preferences and rankings by pairwise votes as tables, JSON and pages."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from markupsafe import Markup

from ..errors import many
from ..human.analysis.pairwise import PairwiseRanking
from ..human.analysis.preference import Preference, Preferences
from ..human.analysis.rater_effects import FEW_RATERS
from .figures import charts
from .presentation import Presentation, present, present_all
from .studies import STORY_RATER_WORDS, Study, story_rater_tables
from .table import Column, Table, interval_cell, keys, numbers, to_json

PREFERENCE_WORDS = {
    "items": "how many videos were compared",
    "A wins": "videos on which the answers were for A on average; likewise for B",
    "undecided": "videos on which the answers cancel out; they are in no share",
    "share B %": "of the decided videos, how many B wins",
    "95 %": "the interval of that share (Clopper-Pearson), for these raters",
    "mean": "the mean answer, from -2 (A is much better) to 2 (B is much better)",
    "95 % mean": "where other raters and videos of the same kind would put the mean, in 95 of 100 studies",
    "p": "how likely so large a mean is if both are equally good; two-sided, raters are random; p binomial"
    " where that test cannot be made",
    "p binomial": "the same for the wins, as in the paper: videos as throws of a coin, for these raters only",
    "alpha": "how far raters agree with each other: 1 is perfectly, 0 is chance (Krippendorff)",
}
RANKING_WORDS = {
    "cluster": "every system of a cluster differs significantly from every system of the clusters below",
    "rank": "the best and worst place that the significant differences allow",
    "strength": "log odds by the Bradley-Terry model with ties; 0 is the average system",
    "95 %": "the interval of the strength; votes of one rater or about one item are not independent",
    "win share %": "how often the system would be preferred to the average system; a tie counts half",
    "wins, ties, losses": "answers for the system, for neither, and against it",
}


@present_all.register(Preference)
def present_preferences(first: Preference, results: Sequence[Preference]) -> Presentation:
    return preferences(results).presentation()


@present.register(PairwiseRanking)
def present_ranking(found: PairwiseRanking) -> Presentation:
    about = f"{many(found.votes, 'vote')} of {many(found.raters, 'rater')} on {many(found.items, 'item')}"
    if found.tie_share == found.tie_share:
        about += f"; two equal systems would tie in {100 * found.tie_share:.0f} % of the votes"
    return Presentation(
        "Systems by pairwise votes",
        lambda style, width: [ranking_table(found), *([] if style == "csv" else [difference_table(found)])],
        lambda: to_json(ranking_data(found)),
        (f"{about}.", *found.notes),
    )


def ranking_table(found: PairwiseRanking) -> Table:
    cluster = {name: k for k, names in enumerate(found.clusters, 1) for name in names}
    rows = [
        [
            cluster[one.name],
            f"{one.ranks[0]}-{one.ranks[1]}" if one.ranks[0] != one.ranks[1] else str(one.ranks[0]),
            one.name,
            one.strength,
            interval_cell(one.interval, "not bounded by votes"),
            one.win_share,
            *(one.wins, one.ties, one.losses),
        ]
        for one in found.systems
    ]
    general = found.raters >= FEW_RATERS and any(one.interval for one in found.systems)
    hold = "; intervals hold for other raters and items" if general else ""
    return Table(
        [
            Column("cluster", "d"),
            "rank",
            *keys("system"),
            *numbers("+.3f", "strength", "95 %"),
            Column("win share %", ".1f", 100.0),
            *numbers(",d", "wins", "ties", "losses"),
        ],
        rows,
        title="Systems by pairwise votes",
        note=(
            "strength: log odds by the Bradley-Terry model with ties (Davidson), mean 0; win share: against"
            " the average system, a tie counts half; every system of a cluster differs significantly from"
            f" every system of the clusters below (Holm, p < {found.alpha:g}){hold}."
        ),
    )


def difference_table(found: PairwiseRanking) -> Table:
    rows = [
        [
            *(better.name, worse.name, better.strength - worse.strength),
            interval_cell(_between(found, i, j), "not bounded by votes"),
            *(None if value != value else float(value) for value in (found.p[i, j], found.p_holm[i, j])),
        ]
        for i, better in enumerate(found.systems)
        for j, worse in enumerate(found.systems)
        if i < j
    ]
    return Table(
        [*keys("better", "worse"), *numbers("+.3f", "difference", "95 %"), *numbers(".4g", "p", "p Holm")],
        rows,
        title="Differences between systems",
        note="Difference of strengths in log odds; two-sided t test with clusters of raters and items.",
    )


def _between(found: PairwiseRanking, i: int, j: int) -> tuple[float, float] | None:
    """The 95 % interval of the difference of two systems."""
    value, half = found.systems[i].strength - found.systems[j].strength, float(found.margin[i, j])
    return None if half != half else (value - half, value + half)


def ranking_data(found: PairwiseRanking) -> dict[str, Any]:
    return {
        "schema": 1,
        "task": "votes",
        "model": "bradley-terry-davidson",
        "votes": found.votes,
        "raters": found.raters,
        "items": found.items,
        "alpha": found.alpha,
        "tie_share": None if found.tie_share != found.tie_share else found.tie_share,
        "systems": [asdict(one) for one in found.systems],
        "significance": [
            {"better": better, "worse": worse, "difference": difference, "p": p, "p_holm": adjusted}
            for better, worse, difference, _, p, adjusted in difference_table(found).rows
        ],
        "clusters": [list(cluster) for cluster in found.clusters],
        "notes": list(found.notes),
    }


def preferences(results: Sequence[Preference]) -> Study:
    whole = results if isinstance(results, Preferences) else Preferences(results)
    ranking, raters = whole.ranking, story_rater_tables(whole.quality)
    notes = [note for r in results for note in r.notes] + list(ranking.notes if ranking else ())
    rows = [
        [
            *(r.a, r.b, len(r.items), r.wins_a, r.wins_b, r.undecided, r.share_b),
            interval_cell(r.interval, "no item decided"),
            r.mean,
            interval_cell(r.mean_interval, "no test over raters"),
            *(r.p, r.p_binomial, r.alpha),
        ]
        for r in results
    ]
    table = Table(
        [
            *keys("A", "B"),
            Column("items", ",d"),
            *numbers("d", "A wins", "B wins", "undecided"),
            *numbers(".1f", "share B %", "95 %", scale=100.0),
            *numbers("+.2f", "mean", "95 % mean"),
            *(*numbers(".4g", "p", "p binomial"), Column("alpha", ".3f")),
        ],
        rows,
        title="Preferences",
        note=(
            "share B: of the decided items, how many B wins, with its interval for these raters; mean:"
            " answers from -2 (A) to 2 (B); its interval and p (two-sided) take raters as random, and where"
            " no such test can be made, p is p binomial: the paper's test against 50 %, for these raters;"
            " alpha: Krippendorff's, ordinal (– where no item has two raters or nothing varies)."
        ),
    )
    return Study(
        "Human preferences",
        to_json(
            {
                "schema": 1,
                "task": "preference",
                "pairs": [asdict(result) for result in results],
                **({"ranking": ranking_data(ranking)} if ranking else {}),
                "quality": asdict(whole.quality),
            }
        ),
        [table, *([ranking_table(ranking)] if ranking else []), *raters],
        [PREFERENCE_WORDS, *([RANKING_WORDS] if ranking else []), *(STORY_RATER_WORDS for _ in raters)],
        list(dict.fromkeys(notes)),
        "preferences",
        "How many items each side won; the grey middle is undecided.",
        lambda: preference_shares(results),
    )


def preference_shares(results: Sequence[Preference]) -> Markup:
    return charts.shares(
        [(r.a, r.b, r.wins_a, r.undecided, r.wins_b) for r in results],
        alternative="; ".join(
            f"{r.a} {r.wins_a}, undecided {r.undecided}, {r.b} {r.wins_b}" for r in results
        ),
    )
