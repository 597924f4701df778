"""storymeter meta similarity --systems A B … [--human H …]: similarity of captions between sources."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .._declare import PATH, RESAMPLES, ManyFiles, option
from .._options import (
    coloured,
    device_option,
    output,
    progress_bar,
    say,
    terminal_width,
    tokenizer_option,
)
from .._reading import result_options, unequal_lines_option
from .._scoring import read_both
from ._shared import keep, keep_page


@click.command("similarity", cls=ManyFiles, many=("--systems", "--human"))
@option("--systems", "Captions by systems, one file each.", multiple=True, required=True, metavar="FILE...")
@option(
    "--human people", "Captions of the same items by people, one file each.", multiple=True, metavar="FILE..."
)
@option("--scorer", "Scorer of the similarity of two captions.", default="sts", metavar="NAME")
@tokenizer_option("For scorers that count words.")
@unequal_lines_option
@option("--resamples", "Bootstrap resamples for the intervals; 0: none.", RESAMPLES, 1000)
@option("--html page", "Also write a page with figures that explains every number.", PATH, metavar="FILE")
@option("--figures", "Also write the figures as PNG files.", PATH, metavar="DIR")
@option("--out", "Write the result to this file instead of stdout.", PATH, metavar="FILE")
@device_option
@result_options
def command(
    systems: tuple[str, ...],
    people: tuple[str, ...],
    scorer: str,
    tokenizer: Any,
    unequal_lines: bool,
    resamples: int,
    page: Path | None,
    figures: Path | None,
    out: Path | None,
    device: str,
    style: str,
    jobs: int,
    seed: int,
    **reading: Any,
) -> None:
    """Measure how similar the captions of sources are.

    Compares captions of the same items by systems and people, every source with every other: means
    and distributions."""
    from ...engine.systems import require_equal_lines
    from ...files import write_text
    from ...meta.similarity import similarity
    from ...registry import scorer as get_scorer
    from ...report.similarity import (
        draw,
        kind_table,
        matrix_table,
        similarity_json,
        similarity_page,
        source_table,
    )

    judge = get_scorer(scorer)
    with progress_bar() as progress:
        read, _ = read_both([*systems, *people], (), reading)
        if not unequal_lines:
            require_equal_lines(read)
        found = similarity(
            read[: len(systems)],
            read[len(systems) :],
            scorer=judge,
            tokenizer=tokenizer,
            jobs=jobs,
            resamples=resamples,
            seed=seed,
            device=device,
            progress=progress,
        )
    if figures is not None:
        keep({f"similarity-{name}": data for name, data in draw(found).items()}, figures)
    if page is not None:
        keep_page(similarity_page(found), page)
    say(*found.notes)
    if style in ("json", "html"):
        text = similarity_json(found) if style == "json" else similarity_page(found)
    else:
        width, colour = (terminal_width(), coloured()) if out is None else (None, False)
        text = "\n".join(
            table.render(style, width=width, colour=colour)
            for table in (source_table(found), kind_table(found), matrix_table(found))
        )
    if out is None:
        output(text)
    else:
        write_text(out, text)
        say(f"Similarities of {len(found.names)} sources: {out}")
    if style == "table":
        say(f"signature: {found.signature}")
