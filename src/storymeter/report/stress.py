"""Results of the stress tests: the papers' tables, verdicts and attacks, JSON, figures and a page."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from markupsafe import Markup

from ..errors import many
from ..stats.resampling import holm
from ..stress.auditing import Audit
from ..stress.effects import Answer
from ..stress.experiment import OracleScore, Result, Row
from ..stress.persuasion import ATTACKS, KINDS, RIGHT, SUCCESS, WRONG, Persuasion
from ..stress.wrong_details import Details
from .agreement import choice_data, choice_table
from .figures.charts import Tile, heat_map, lines
from .presentation import Presentation, plain, present, present_all, table_page
from .table import Column, Table, keys, numbers, to_json

#: the damages behind each verdict of the audit
RESTS_ON = {
    "does not reward padding": ("pad same", "pad other", "pad foreign"),
    "notices order": ("swap", "shuffle"),
    "does not reward repetition": ("repeat",),
    "notices what is missing": ("drop",),
    "notices missing words": ("truncate",),
    "notices the wrong story": ("exchange",),
}
#: damages that are measured from `jitter`
REORDERED = ("swap", "shuffle", "reverse")
PARTS = {"precision": "Prec.", "recall": "Rec.", "f1": "F1", "value": ""}


@present.register(Result)
def present_result(
    result: Result, *, title: str = "", intro: str = "", base: str | None = None
) -> Presentation:
    """`base`: the column that changes are measured from."""
    return _presented(
        result,
        title,
        intro,
        [result_table(result, change_from=base)],
        lambda: result_json(result),
        lambda: curve_figure(result) if base is None else change_figure(result, base),
    )


@present.register(Audit)
def present_audit(found: Audit, *, title: str = "Stress audit") -> Presentation:
    attacks = [attack_table(found.persuasion)] if found.persuasion else []
    return _presented(
        found.result,
        title,
        "Each line is one kind of damage; the verdicts are derived from these numbers.",
        [audit_table(found), *attacks, *damage_tables(found.result)],
        lambda: audit_json(found),
        lambda: audit_figure(found),
    )


def _presented(
    result: Result,
    title: str,
    intro: str,
    tables: Sequence[Table],
    json: Callable[[], str],
    figure: Callable[[], Markup],
) -> Presentation:
    return Presentation(
        title,
        lambda style, width: [number_table(result)] if style == "csv" else tables,
        json,
        page=lambda: table_page(title, tables, intro=intro, figure=figure()),
        figures=lambda: {"figure": figure()},
    )


@present.register(Persuasion)
def present_attacks(found: Persuasion, *, title: str = "Attacks", long: bool = False) -> Presentation:
    """`long`: a line for each attack."""
    data = {
        "schema": 1,
        "signature": str(found.result.signature),
        "documents": found.documents,
        "verdicts": {verdict.metric: verdict.answer for verdict in found.verdicts()},
        "attacks": attack_data(found),
    }
    return Presentation(
        title,
        lambda style, width: [attack_list(found) if long or style == "csv" else attack_table(found)],
        lambda: to_json(data),
    )


@present.register(Details)
def present_details(found: Details, *, title: str = "One wrong detail") -> Presentation:
    data = {"schema": 1, "accuracy": choice_data(found.results), "signatures": found.signatures}
    return plain(title, [choice_table(found.results, title)], json=lambda: to_json(data))


@present_all.register(OracleScore)
def present_oracles(first: OracleScore, scores: list[OracleScore]) -> Presentation:
    return plain("Oracle captions", [oracle_table(scores)])


def result_table(result: Result, *, change_from: str | None = None) -> Table:
    """Mean ± standard deviation in per cent; with `change_from`, the percentage change from that column in
    parentheses.
    """
    base = result.labels.index(change_from) if change_from in result.labels else None
    rows = [
        [row.metric, PARTS.get(row.part, row.part), *(_cell(row, k, base) for k in range(len(result.labels)))]
        for row in result.rows
    ]
    return Table([*keys("metric", ""), *result.labels], rows, note=str(result.signature))


def _metrics(result: Result) -> list[str]:
    return list(dict.fromkeys(row.metric for row in result.rows))


def _cell(row: Row, column: int, base: int | None) -> str:
    cell = row.cells[column]
    spread = f" ± {row.scale * cell.sd:.2f}" if len(cell.values) > 1 else ""
    change = ""
    if base is not None and column != base and row.cells[base].mean:
        change = f" ({100 * (cell.mean / row.cells[base].mean - 1):+.1f})"
    return f"{row.scale * cell.mean:.2f}{spread}{change}"


def number_table(result: Result) -> Table:
    """The same for machines: one line per metric, part and column."""
    rows = [
        [row.metric, row.part, label, cell.mean, cell.sd, len(cell.values)]
        for row in result.rows
        for label, cell in zip(result.labels, row.cells, strict=True)
    ]
    return Table(["metric", "part", "column", *numbers(".6f", "mean", "sd"), "repeats"], rows)


def result_json(result: Result, **more: Any) -> str:
    rows = [
        {
            "metric": row.metric,
            "part": row.part,
            "cells": [
                {"column": label, "mean": cell.mean, "sd": cell.sd, "values": list(cell.values)}
                for label, cell in zip(result.labels, row.cells, strict=True)
            ],
        }
        for row in result.rows
    ]
    return to_json(
        {
            "schema": 1,
            "signature": str(result.signature),
            "columns": list(result.labels),
            "rows": rows,
            **more,
        }
    )


#: as the table has them
ANSWERS: dict[Answer, str] = {"yes": "yes", "no": "NO", "undecided": "undecided", "not applicable": "n/a"}


def audit_table(audit: Audit) -> Table:
    rows = [[v.metric, v.property, ANSWERS[v.answer], v.because] for v in audit.verdicts]
    return Table(
        [*keys("metric", "property"), "holds", "because"],
        rows,
        title="Verdicts",
        note=(
            "Percentages are changes of the score in shares of the distance between right captions and those"
            " of another document, with 95 % intervals over documents. undecided: the interval contains the"
            " limit (more documents decide); n/a: right captions are not above wrong ones, or the metric does"
            f" not vary. {audit.result.signature}"
        ),
    )


def audit_figure(audit: Audit) -> Markup:
    """Damage by metric: the change in per cent, blue where the metric pays for it, orange where it costs; a
    thick border where a verdict that rests on the damage does not hold.
    """
    result = audit.result
    metrics = _metrics(result)
    labels = [label for label in result.labels if label != "original" and not sampled(label)]
    broken = {
        (verdict.metric, label)
        for verdict in audit.verdicts
        if verdict.answer == "no"
        for label in RESTS_ON.get(verdict.property, ())
    }
    tiles = [
        [_damage_tile(result, metric, label, (metric, label) in broken) for metric in metrics]
        for label in labels
    ]
    return heat_map(
        labels, metrics, tiles, alternative="Change of every metric under every damage, in per cent."
    )


def _damage_tile(result: Result, metric: str, label: str, flag: bool) -> Tile:
    row, base = result.row(metric), base_of(label, result.labels)
    cells = dict(zip(result.labels, row.cells, strict=True))
    if not cells[base].mean:
        return Tile("–", None, f"{metric} is 0 without damage")
    change = 100 * (cells[label].mean / cells[base].mean - 1)
    title = f"{metric}, {label}: {change:+.1f} % from {base}" + ("; a verdict does not hold" if flag else "")
    return Tile(f"{change:+.1f}", max(-1.0, min(1.0, change / 60)), title, flag)


def base_of(label: str, labels: Sequence[str]) -> str:
    """What a damage is compared with: those that change the order also move the segments a little, and so
    does `jitter`, which does nothing else; the rest is compared with the original."""
    return "jitter" if label in REORDERED and "jitter" in labels else "original"


def sampled(label: str) -> bool:
    """No damage, but a sample of the padded captions: m times as many as people wrote."""
    return label.startswith("m=")


def damage_tables(result: Result) -> list[Table]:
    """One line per damage, one column per metric: its value and the percentage change; the samples of the
    padded captions are a table of their own.
    """
    metrics = [result.row(metric) for metric in _metrics(result)]
    heads = [row.metric for row in metrics]
    damages, samples = [], []
    for k, label in enumerate(result.labels):
        if sampled(label):
            samples.append([label, *(_cell(row, k, None) for row in metrics)])
        else:
            base = base_of(label, result.labels)
            at = None if label == base else result.labels.index(base)
            damages.append([label, base if at is not None else "", *(_cell(row, k, at) for row in metrics)])
    tables = [
        Table(
            [*keys("damage"), "change from", *heads],
            damages,
            title="Scores by kind of damage",
            note=(
                "In brackets: the change in % from the line that is named. Damages to the order also move the"
                " segments, and so are compared with jitter, which does only that; the verdicts use the same."
            ),
        )
    ]
    if samples:
        tables.append(
            Table(
                [*keys("captions"), *heads],
                samples,
                title="Scores by number of captions",
                note=(
                    "Samples of the captions padded to 60 a video: m times as many as people wrote. The best"
                    " should be at m=1 or m=2."
                ),
            )
        )
    return tables


def audit_json(audit: Audit) -> str:
    verdicts = [
        {
            "metric": v.metric,
            "property": v.property,
            "answer": v.answer,
            "holds": v.holds,
            "because": v.because,
        }
        for v in audit.verdicts
    ]
    attacks = attack_data(audit.persuasion) if audit.persuasion else []
    return result_json(audit.result, verdicts=verdicts, attacks=attacks)


def curve_figure(result: Result) -> Markup:
    """The curve of `count`: means and standard deviations in per cent of the metric's best mean."""
    counted = {"m": "captions kept, as a multiple of the references'", "k": "captions kept"}
    cells = {metric: result.row(metric).cells for metric in _metrics(result)}
    best = {metric: max(cell.mean for cell in row) or 1.0 for metric, row in cells.items()}
    return lines(
        {metric: [100 * cell.mean / best[metric] for cell in row] for metric, row in cells.items()},
        [label.partition("=")[2] or label for label in result.labels],
        labels=(
            counted.get(result.labels[0].partition("=")[0], "captions kept"),
            "% of the metric's best",
        ),
        alternative="Each metric by the number of captions kept, as a share of its best.",
        errors={metric: [100 * cell.sd / best[metric] for cell in row] for metric, row in cells.items()},
    )


def change_figure(result: Result, base: str) -> Markup:
    """Metric by column: the change from `base`, in per cent."""
    metrics = _metrics(result)
    labels = [label for label in result.labels if label != base]
    tiles = []
    for metric in metrics:
        cells = dict(zip(result.labels, result.row(metric).cells, strict=True))
        start = cells[base].mean
        changes = [100 * (cells[label].mean / start - 1) if start else math.nan for label in labels]
        tiles.append(
            [
                Tile("–" if math.isnan(c) else f"{c:+.1f}", max(-1.0, min(1.0, c / 60)), f"{metric}, {label}")
                for c, label in zip(changes, labels, strict=True)
            ]
        )
    return heat_map(metrics, labels, tiles, alternative=f"Change of every metric from {base}, in per cent.")


# The attacks of the audit as tables: by kind for people, one by one for whoever wants to know.


def attack_table(found: Persuasion) -> Table:
    """One line per kind: how many of its attacks succeed, and the highest lift."""
    metrics = found.metrics
    rows = [
        [kind or "all", *(_cell_of_attacks(found, metric, kind) for metric in metrics)]
        for kind in (*KINDS, None)
    ]
    for label in (WRONG, RIGHT):
        values = (found.result.row(metric).scale * found.value(metric, label) for metric in metrics)
        rows.append([f"{label} captions", *(f"{value:.2f}" for value in values)])
    unfit = [one.metric for one in found.verdicts() if one.answer == "not applicable"]
    said = f" Says nothing of {', '.join(unfit)}: right captions are not above wrong ones." if unfit else ""
    return Table(
        [*keys("attacks"), *metrics],
        rows,
        title="Attacks in captions: how many succeed, by kind",
        note=(
            "Number of successful attacks of those tried, and the highest lift (increase in the score of"
            " wrong captions by the attack, in % of the score of correct captions). An attack succeeds if its"
            f" lift is above {100 * SUCCESS:.0f} %. {many(found.documents, 'document')}.{said}"
            f" {found.result.signature}"
        ),
    )


def _cell_of_attacks(found: Persuasion, metric: str, kind: str | None) -> str:
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


# Oracle captions: METEOR and Self-BLEU of each system.


def oracle_table(scores: list[OracleScore]) -> Table:
    values = numbers(".2f", "METEOR", "Self-BLEU", scale=100)
    columns: list[str | Column] = ["system", *values, Column("oracle captions", ",d")]
    rows = [[s.system, s.meteor, s.self_bleu, s.captions] for s in scores]
    note = (
        "METEOR: mean over oracle captions, each against the reference it was chosen for. Self-BLEU: each"
        " against the others of its document; lower is more varied."
    )
    if len(scores) < 2:
        return Table(columns, rows, note=note)
    if not all(score.against_first for score in scores[1:]):
        return Table(columns, rows, note=f"{note} One document in common: the difference is not tested.")
    meteor, varied = zip(*(score.against_first for score in scores[1:]), strict=True)
    tests = [[one.p for one in meteor], holm([one.p for one in meteor]), holm([one.p for one in varied])]
    return Table(
        [*columns, *numbers(".4f", "p", "p Holm", "p Self-BLEU")],
        [[*row, *found] for row, found in zip(rows, [[None] * 3, *zip(*tests, strict=True)], strict=True)],
        note=f"{note} p: against the first system, two-sided paired permutation of the documents that both"
        " have; of METEOR without and with Holm's correction, of Self-BLEU with it.",
    )
