"""storymeter show: look at one document instead of a number."""

from __future__ import annotations

from typing import Any

import click

from ..progress import silent
from ._declare import option
from ._judging import judging_options
from ._options import (
    device_option,
    images_option,
    jobs_option,
    output,
    protocol_option,
    references_option,
    say,
    terminal_width,
    tokenizer_option,
)
from ._reading import layout_of, reading_options, reference_reading_options
from ._scoring import settings_of


@click.command()
@click.argument("document")
@click.argument("candidates")
@references_option
@option("--system", "System of a saved run to show; default: the first.", metavar="NAME")
@option(
    "--metric -m",
    "Metric whose matching is shown (soda_b, soda_c, soda_d, with any scorer); default: soda_c, or"
    " that of the saved run.",
)
@protocol_option
@tokenizer_option("How sentences become words; see storymeter score --help.")
@option(
    "--graphs",
    "Show scene graphs instead: objects, attributes and relations of both sides. This is the default for"
    " single captions.",
    bool,
)
@option(
    "--facts support",
    "The captions with the words that no reference supports in brackets; the same as -m facts.",
    bool,
)
@option("--html page", "Also write a self-contained page.", metavar="FILE")
@images_option
@device_option
@jobs_option
@judging_options
@reading_options
@reference_reading_options
def command(
    document: str,
    candidates: str,
    references: tuple[str, ...],
    system: str | None,
    metric: str | None,
    graphs: bool,
    support: bool,
    page: str | None,
    images: str | None,
    device: str,
    **options: Any,
) -> None:
    """Show how one document was scored.

    DOCUMENT is its id in CANDIDATES, a file of captions or a saved run. A video: its captions and references
    on a time axis, matched pairs joined. A story: its weakest link, repetitions, and the best image region
    for each noun. A single caption: its scene graph and that of its references. With --facts: the words that
    no reference supports.

    \b
    storymeter show v_123 mine.json --references references.json --html v_123.html
    storymeter show v_123 run.smr --system mine
    storymeter show v_123 mine.json -r references.json --facts
    storymeter show -r references.json -- -abc mine.json   an id beginning with -
    """
    from ..engine import show
    from ..files import write_text
    from ..report import present, render

    view: Any = "facts" if support else "graphs" if graphs else None
    given = settings_of(options, silent)
    found = show(
        document,
        candidates,
        references,
        system=system,
        metric=metric,
        view=view,
        layout=layout_of(options),
        images=images,
        device=device,
        note=say,
        **given,
    )
    more: dict[str, dict[str, Any]] = {"list": {"document": document}, "StoryExplanation": {"images": images}}
    shown = present(found, **more.get(type(found).__name__, {}))
    output(render(shown, width=terminal_width()))
    if page and shown.page is not None:
        write_text(page, shown.page())
        say(f"The same as a page: {page}")
