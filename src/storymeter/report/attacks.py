"""The attacks of the audit as tables: by kind for people, one by one for whoever wants to know."""

from __future__ import annotations

from typing import Any

from ..stress.persuasion import ATTACKS, KINDS, RIGHT, SUCCESS, WRONG, Persuasion
from .table import Table, keys, numbers


def attack_table(found: Persuasion) -> Table:
    """One line per kind: how many of its attacks succeed, and the highest lift."""
    metrics = found.metrics
    rows = [[kind or "all", *(_cell(found, metric, kind) for metric in metrics)] for kind in (*KINDS, None)]
    for label in (WRONG, RIGHT):
        values = (found.result.row(metric).scale * found.value(metric, label) for metric in metrics)
        rows.append([f"{label} captions", *(f"{value:.2f}" for value in values)])
    return Table(
        [*keys("attacks"), *metrics],
        rows,
        title="Attacks in captions: how many succeed, by kind",
        note=(
            "Number of successful attacks of those tried, and the highest lift (increase in the score of"
            " wrong captions by the attack, in % of the score of correct captions). An attack succeeds if its"
            f" lift is above {100 * SUCCESS:.0f} %. {found.documents} documents. {found.result.signature}"
        ),
    )


def _cell(found: Persuasion, metric: str, kind: str | None) -> str:
    tried = sum(kind in (None, attack.kind) for attack in ATTACKS)
    lift = found.lift(metric, found.strongest(metric, kind))
    return f"{len(found.successes(metric, kind))} of {tried} ({100 * lift:+.1f})"


def attack_list(found: Persuasion) -> Table:
    """All attacks, with the lift under every metric."""
    rows = [
        [attack.name, *(found.lift(metric, attack) for metric in found.metrics), attack.text]
        for attack in ATTACKS
    ]
    lifts = numbers("+.1f", *found.metrics, scale=100)
    return Table([*keys("attack"), *lifts, "text"], rows, title="Lift of every attack, %")


def attack_data(found: Persuasion) -> list[dict[str, Any]]:
    return [
        {
            "attack": attack.name,
            "kind": attack.kind,
            "text": attack.text,
            "lift": {metric: found.lift(metric, attack) for metric in found.metrics},
        }
        for attack in ATTACKS
    ]
