"""`storymeter meta …`: which metric agrees with people? Without a sub-verb, files are given: `storymeter meta
CANDIDATES… --human FILE`. Also what its sub-verbs share: options of resampling, and printing.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .._options import COUNT, PATH, RESAMPLES, keep, option, print_note, print_result, together
from .._verbs import Verbs

if TYPE_CHECKING:
    from ...report import Presentation

_DEFAULT = "agree"

VERBS = {
    "agree": "agree",
    "benchmark": "benchmarks",
    "report_card": "benchmarks",
    "self": "captions",
    "similarity": "captions",
    "words": "captions",
}


class MetaVerbs(Verbs):
    """Anything that is no sub-verb goes to `agree`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.list_commands(ctx), "--help", "-h", "--help-all"):
            args = [_DEFAULT, *args]
        return super().parse_args(ctx, args)


@click.command("meta", cls=MetaVerbs, package=sys.modules[__name__])
def meta_command() -> None:
    """Measure how well metrics agree with human scores.

    \b
    storymeter meta a.json b.json -r references.json --human ratings.csv
    storymeter meta agree --human human.csv --scores scores.csv    from tables

    Without a subcommand, `agree` runs.
    """


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
    option(
        "--system-value",
        "Between systems: METEOR's mean over captions and CIDEr's idf of all systems, as in published tables,"
        " or own: each system's rated captions scored by themselves, as `storymeter score` does.",
        ("published", "own"),
        "published",
    ),
    option(
        "--reference-curve",
        "Also compute this coefficient with 1, 2, 3, … references.",
        ("pearson", "spearman", "kendall_b", "kendall_c"),
    ),
    option(
        "--curve-references",
        "With --reference-curve: up to N references, over the items that have so many.  [default: the largest"
        " number that an item has]",
        COUNT,
        metavar="N",
    ),
    option(
        "--layout",
        "Several human scores: criteria, one table with a row per metric and the coefficients of each human"
        " score beside each other, or full, all tables of each.  [default: criteria for several criteria of"
        " a study, else full]",
        ("criteria", "full"),
    ),
    option("--html page", "Also write a page with figures that explains every number.", PATH, metavar="FILE"),
    option("--figures", "Also write the figures as PNG files.", PATH, metavar="DIR"),
)


def show(shown: Presentation, style: str, page: Path | None, figures: Path | None) -> None:
    """Writes what --figures and --html ask for, and prints the result unless `style` is empty."""
    keep(shown, page, figures)
    print_note(*shown.notes)
    if style:
        print_result(shown, style)
