"""Printing of meta-evaluations, shared by the sub-verbs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from ...files import write_text
from ...report.agreement import (
    Agreement,
    agreement_json,
    agreement_table,
    comparison_table,
    interval_table,
    williams_matrix,
)
from ...report.table import Table
from .._declare import PATH, RESAMPLES, option, together
from .._options import output, put, say, write_figures

resampling_options = together(
    option("--resamples", "Bootstrap resamples for the intervals; 0: none.", RESAMPLES, 500),
    option(
        "--permutations",
        "Resamples of the permutation test (segment level).",
        click.IntRange(10, 10_000_000),
        10_000,
    ),
    option(
        "--compare statistic",
        "What the permutation test compares (segment level; Williams' test between systems is"
        " about Pearson's r).",
        ("pearson", "spearman", "kendall_b", "kendall_c", "accuracy_ties"),
        "pearson",
    ),
    option(
        "--bootstrap unit",
        "Unit of resampling for system-level intervals; items: for these systems only.",
        ("items", "systems", "both"),
        "both",
    ),
    option("--html page", "Also write a page with figures that explains every number.", PATH, metavar="FILE"),
    option("--figures", "Also write the figures as PNG files.", PATH, metavar="DIR"),
)


def keep(pictures: Mapping[str, bytes], folder: Path) -> None:
    write_figures(folder, pictures)
    say(f"Figures in {folder}")


def keep_page(text: str, page: Path) -> None:
    write_text(page, text)
    say(f"Page with figures and explanations: {page}")


def show(agreements: Sequence[Agreement], style: str, page: Path | None, figures: Path | None) -> None:
    from ...report.agreement_page import agreement_page, draw

    if figures is not None:
        several = len({agreement.title for agreement in agreements}) > 1
        keep(
            {
                f"{agreement.level}-{f'{agreement.title}-' if several else ''}{name}": data
                for agreement in agreements
                for name, data in draw(agreement).items()
            },
            figures,
        )
    if page is not None:
        keep_page(agreement_page(agreements), page)
    say(*dict.fromkeys(note for agreement in agreements for note in agreement.notes))
    if style == "json":
        output(agreement_json(agreements))
    elif style == "html":
        output(agreement_page(agreements))
    else:
        tables: list[Table] = []
        for agreement in agreements:
            begin = len(tables)
            tables.append(agreement_table(agreement))
            if style == "table":
                tables += [interval_table(agreement)]
            if len(agreement.results) > 1:
                tables.append(
                    williams_matrix(agreement)
                    if agreement.level == "system" and style == "table"
                    else comparison_table(agreement)
                )
            if style == "csv" and len(agreements) > 1:  # these have no headings
                tables[begin:] = [
                    replace(
                        table,
                        columns=["data", *table.columns],
                        rows=[[f"{agreement.title} ({agreement.level} level)", *row] for row in table.rows],
                    )
                    for table in tables[begin:]
                ]
        put(tables, style)
