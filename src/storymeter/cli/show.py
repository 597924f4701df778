"""storymeter show: look at one document instead of a number."""

from __future__ import annotations

from typing import Any

import click

from ._declare import option
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
from ._reading import reading_options, reference_reading_options
from ._shown import Shown


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
    from ..files import write_text

    shown = Shown.of(candidates, references, system, metric, options)
    width = terminal_width() or 120
    if support or metric == "facts":
        from ..report import facts_graphs as supported

        marked = shown.support(document, device)
        text, html = supported.support_text(marked, width), supported.support_page(marked)
    elif graphs or shown.corpus.kind == "caption":
        from ..report import facts_graphs as pictured

        compared = shown.graphs(document)
        text, html = pictured.graphs_text(compared, width), pictured.graphs_page(document, compared)
    elif shown.corpus.kind == "story":
        from ._shown import show_story

        text, html = show_story(
            document, shown.corpus, images=images, device=device, width=width, with_page=page is not None
        )
    else:
        from ..report.timeline import terminal, timeline_page

        timeline = shown.timeline(document)
        text, html = terminal(timeline, width), timeline_page(timeline)
    output(text)
    if page:
        write_text(page, html)
        say(f"The same as a page: {page}")
