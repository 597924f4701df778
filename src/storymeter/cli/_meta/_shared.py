"""Printing of meta-evaluations, shared by the sub-verbs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .._declare import PATH, RESAMPLES, option, together
from .._options import keep, print_result, say, write_figures

if TYPE_CHECKING:
    from ...report import Presentation

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


def show(shown: Presentation, style: str, page: Path | None, figures: Path | None) -> None:
    """Writes what --figures and --html ask for, and prints the result unless `style` is empty."""
    if figures is not None and shown.figures is not None:
        write_figures(figures, shown.figures())
        say(f"Figures in {figures}")
    keep(shown, page, None)
    say(*shown.notes)
    if style:
        print_result(shown, style)
