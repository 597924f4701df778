"""Who moves the ranking, as a table, as JSON, and in words."""

from __future__ import annotations

from typing import Any

from ..human.analysis.influence import Influence
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


def influence_json(found: Influence) -> dict[str, Any]:
    return {
        "order": list(found.order),
        "biases": [one._asdict() for one in found.biases],
        "without": [one._asdict() for one in found.alone],
        "groups": [one._asdict() for one in found.groups],
    }


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
