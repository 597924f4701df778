"""Stress results as the papers' tables, as figures, and as one page."""

from __future__ import annotations

import io
from typing import Any

from ..stress.audit import Audit
from ..stress.experiment import Result, Row
from ..stress.tables import OracleScore
from .page import heading, page, paragraph, picture
from .table import Column, Table, to_json

PARTS = {"precision": "Prec.", "recall": "Rec.", "f1": "F1", "value": ""}


def result_table(result: Result, *, change_from: str | None = None) -> Table:
    """Mean ± standard deviation in per cent; with `change_from`, the percentage change from that column in
    parentheses.
    """
    base = result.labels.index(change_from) if change_from in result.labels else None
    rows = [
        [row.title, PARTS.get(row.part, row.part), *(_cell(row, k, base) for k in range(len(result.labels)))]
        for row in result.rows
    ]
    return Table(["metric", "", *result.labels], rows, note=str(result.signature))


def _cell(row: Row, column: int, base: int | None) -> str:
    cell = row.cells[column]
    spread = f" ± {100 * cell.sd:.2f}" if len(cell.values) > 1 else ""
    change = ""
    if base is not None and column != base and row.cells[base].mean:
        change = f" ({100 * (cell.mean / row.cells[base].mean - 1):+.1f})"
    return f"{100 * cell.mean:.2f}{spread}{change}"


def number_table(result: Result) -> Table:
    """The same for machines: one line per metric, part and column."""
    rows = [
        [row.metric, row.part, label, cell.mean, cell.sd, len(cell.values)]
        for row in result.rows
        for label, cell in zip(result.labels, row.cells, strict=True)
    ]
    return Table(["metric", "part", "column", Column("mean", ".6f"), Column("sd", ".6f"), "repeats"], rows)


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


def audit_table(audit: Audit) -> Table:
    rows = [[v.metric, v.property, "yes" if v.holds else "NO", v.because] for v in audit.verdicts]
    return Table(
        ["metric", "property", "holds", "because"], rows, title="Verdicts", note=str(audit.result.signature)
    )


def damage_table(result: Result, base: str) -> Table:
    """One line per damage, one column per metric: its value and the percentage change."""
    metrics = [result.row(metric) for metric in dict.fromkeys(row.metric for row in result.rows)]
    at = result.labels.index(base)
    rows = [[label, *(_cell(row, k, at) for row in metrics)] for k, label in enumerate(result.labels)]
    return Table(["damage", *(row.title for row in metrics)], rows, title="What each damage does")


def audit_json(audit: Audit) -> str:
    verdicts = [
        {"metric": v.metric, "property": v.property, "holds": v.holds, "because": v.because}
        for v in audit.verdicts
    ]
    return result_json(audit.result, verdicts=verdicts)


def oracle_table(scores: list[OracleScore]) -> Table:
    rows = [[s.system, s.meteor, s.self_bleu, s.captions] for s in scores]
    return Table(
        [
            "system",
            Column("METEOR", ".2f", 100),
            Column("Self-BLEU", ".2f", 100),
            Column("oracle captions", ",d"),
        ],
        rows,
        note=(
            "METEOR: mean over oracle captions, each against the reference it was chosen for. Self-BLEU:"
            " lower is more varied."
        ),
    )


def _save(figure: Any, kind: str) -> bytes:
    import matplotlib.pyplot as plt

    out = io.BytesIO()
    with plt.rc_context({"svg.hashsalt": "storymeter", "svg.fonttype": "none"}):  # same input, same bytes
        figure.savefig(
            out,
            format=kind,
            dpi=150,
            bbox_inches="tight",
            metadata={"Date": None} if kind == "svg" else {"Software": None},
        )
    plt.close(figure) if kind == "png" else None
    return out.getvalue()


def _axes(width: float = 7.0, height: float = 4.0) -> tuple[Any, Any]:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(width, height))
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def curve(result: Result) -> Any:
    """Score against m or k, relative to each metric's best, with standard deviations."""
    figure, axes = _axes()
    places = range(len(result.labels))
    for metric in dict.fromkeys(row.metric for row in result.rows):
        row = result.row(metric)
        best = max(cell.mean for cell in row.cells) or 1.0
        axes.errorbar(
            places,
            [100 * c.mean / best for c in row.cells],
            yerr=[100 * c.sd / best for c in row.cells],
            marker="o",
            capsize=3,
            label=row.title,
        )
    axes.set_xticks(list(places), [label.partition("=")[2] or label for label in result.labels])
    axes.set_xlabel(
        {"m": "captions kept, as a multiple of the references'", "k": "captions kept"}.get(
            result.labels[0].partition("=")[0], "captions kept"
        )
    )
    axes.set_ylabel("% of the metric's best")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
    return figure


def bars(result: Result, base: str) -> Any:
    """Percentage change from one column, a group of bars per metric."""
    figure, axes = _axes()
    labels = [label for label in result.labels if label != base]
    metrics = list(dict.fromkeys(row.metric for row in result.rows))
    width = 0.8 / max(1, len(metrics))
    for k, metric in enumerate(metrics):
        row = result.row(metric)
        cells = dict(zip(result.labels, row.cells, strict=True))
        start = cells[base].mean or 1.0
        axes.bar(
            [p + (k - (len(metrics) - 1) / 2) * width for p in range(len(labels))],
            [100 * (cells[label].mean / start - 1) for label in labels],
            width,
            label=row.title,
        )
    axes.axhline(0, color="0.4", linewidth=0.8)
    axes.set_xticks(
        range(len(labels)),
        labels,
        rotation=30 if len(labels) > 4 else 0,
        ha="right" if len(labels) > 4 else "center",
    )
    axes.set_ylabel(f"change from {base}, %")
    axes.legend(frameon=False)
    return figure


def figures(result: Result, base: str | None) -> dict[str, bytes]:
    """`png` and `svg` of the one picture that belongs to the result."""
    figure = curve(result) if base is None else bars(result, base)
    return {"svg": _save(figure, "svg"), "png": _save(figure, "png")}


def stress_page(title: str, intro: str, tables: list[Table], image: bytes | None, alternative: str) -> str:
    parts = [paragraph(intro)]
    if image is not None:
        parts.append(picture(image, alternative))
    for table in tables:
        parts += [
            heading(table.title) if table.title else "",
            f'<div class="scroll">{table.render("html")}</div>',
        ]
    return page(title, parts)
