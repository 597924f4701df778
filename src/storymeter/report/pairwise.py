"""A ranking by pairwise votes as tables and JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..errors import many
from ..human.analysis.pairwise import PairwiseRanking
from .presentation import Presentation, present
from .table import Column, Table, interval_cell, keys, numbers, to_json


@present.register(PairwiseRanking)
def present_ranking(found: PairwiseRanking) -> Presentation:
    about = (
        f"{many(found.votes, 'vote')} of {many(found.raters, 'rater')} on"
        f" {many(found.items, 'item')}; two equal systems would"
        f" tie in {100 * found.tie_share:.0f} % of the votes."
    )
    return Presentation(
        "Systems by pairwise votes",
        lambda style, width: [ranking_table(found), *([] if style == "csv" else [difference_table(found)])],
        lambda: to_json(ranking_data(found)),
        (about, *found.notes),
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
            f" every system of the clusters below (Holm, p < {found.alpha:g}); intervals hold for other"
            " raters and items."
        ),
    )


def difference_table(found: PairwiseRanking) -> Table:
    rows = [
        [better.name, worse.name, better.strength - worse.strength, found.p[i, j], found.p_holm[i, j]]
        for i, better in enumerate(found.systems)
        for j, worse in enumerate(found.systems)
        if i < j
    ]
    return Table(
        [*keys("better", "worse"), *numbers("+.3f", "difference"), *numbers(".4g", "p", "p Holm")],
        [[*row[:3], *(None if value != value else float(value) for value in row[3:])] for row in rows],
        title="Differences between systems",
        note="Difference of strengths in log odds; two-sided t test with clusters of raters and items.",
    )


def ranking_data(found: PairwiseRanking) -> dict[str, Any]:
    return {
        "schema": 1,
        "task": "votes",
        "model": "bradley-terry-davidson",
        "votes": found.votes,
        "raters": found.raters,
        "items": found.items,
        "alpha": found.alpha,
        "tie_share": found.tie_share,
        "systems": [asdict(one) for one in found.systems],
        "significance": [
            {"better": better, "worse": worse, "difference": difference, "p": p, "p_holm": adjusted}
            for better, worse, difference, p, adjusted in difference_table(found).rows
        ],
        "clusters": [list(cluster) for cluster in found.clusters],
        "notes": list(found.notes),
    }
