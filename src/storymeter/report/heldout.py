"""The held-out results of a coherence model as tables."""

from __future__ import annotations

from ..story.train.heldout import HeldOut
from .table import Column, Table, numbers


def held_out_tables(result: HeldOut) -> list[Table]:
    columns: list[Column | str] = [
        "stories",
        Column("pairs", ",d"),
        *numbers(".3f", "forced choice", "bag of words", "first pair", "middle", "last pair", "order"),
        *numbers(".3f", "ECE raw", "ECE"),
    ]
    rows = [
        [c.set, c.pairs, c.accuracy, c.baseline, c.first, c.middle, c.last, c.order, c.ece_raw, c.ece]
        for c in result.choices
    ]
    tables = [
        Table(
            columns,
            rows,
            title=f"Held out: {result.model}",
            note=(
                "forced choice: p(A, B) > p(B, A) over neighbouring sentences; order: C of the story above C"
                " of its sentences shuffled, all stories; ECE: expected calibration error before and after"
                " the temperature"
            ),
        )
    ]
    if result.human is not None:
        human = result.human
        tables.append(
            Table(
                [
                    Column("stories", ",d"),
                    *numbers(".3f", "Kendall tau-b", "low", "high", "untrained head"),
                ],
                [[human.stories, human.tau, human.low, human.high, human.untrained]],
                title="With human labels (UNION, rated machine stories)",
                note="95 % bootstrap interval over stories",
            )
        )
    return tables
