"""storymeter show: look at one document instead of a number."""

from __future__ import annotations

from typing import Any

import click

from ._options import device_option, jobs_option, output, say, terminal_width
from ._reading import read_candidates, read_references, reading_options


@click.command()
@click.argument("document")
@click.argument("candidates")
@click.option(
    "--references", "-r", multiple=True, metavar="FILE", help="What people wrote; once per annotator."
)
@click.option(
    "--metric",
    "-m",
    default="soda_c",
    show_default=True,
    help="Whose matching to show (soda_b, soda_c, soda_d, with any scorer).",
)
@click.option(
    "--protocol",
    default="paper",
    show_default=True,
    help="Named set of choices; see storymeter info --protocols.",
)
@click.option(
    "--graphs",
    is_flag=True,
    help=(
        "Scene graphs instead: which things, attributes and relations both sides name. Single captions are"
        " always shown so."
    ),
)
@click.option("--html", "page", metavar="FILE", help="Also write a self-contained page.")
@click.option(
    "--images", type=click.Path(exists=True, file_okay=False), help="Folder of the stories' images."
)
@device_option
@jobs_option
@reading_options
def command(
    document: str,
    candidates: str,
    references: tuple[str, ...],
    metric: str,
    protocol: str,
    graphs: bool,
    page: str | None,
    images: str | None,
    device: str,
    jobs: int,
    **reading: Any,
) -> None:
    """Look at one document instead of a number.

    DOCUMENT is its id in CANDIDATES. A video: its captions and references on a time axis, matched pairs
    joined. A story: its weakest link, what repeats, and what each noun was seen in. A single caption: a scene
    graph beside its references'.

    \b
    storymeter show v_123 mine.json --references people.json --html v_123.html
    storymeter show -r people.json -- -abc mine.json        an id that begins with a dash
    """
    from ..files import write_text
    from ..report.timeline import terminal, timeline_page
    from ._show_video import video_timeline

    system = read_candidates([candidates], **reading)[0]
    if graphs or system.kind == "caption":
        from ..report.graphs import graphs_page
        from ..report.graphs import terminal as facts
        from ._show_graphs import graphs_of

        compared = graphs_of(
            document,
            system,
            read_references(references, **reading),
            metric=metric,
            protocol=protocol,
            jobs=jobs,
        )
        output(facts(compared, terminal_width() or 120))
        if page:
            write_text(page, graphs_page(document, compared))
            say(f"The same as a page: {page}")
        return
    if system.kind == "story":
        from ._show_story import show_story

        text, html = show_story(
            document,
            system,
            images=images,
            device=device,
            width=terminal_width() or 120,
            with_page=page is not None,
        )
        output(text)
        if page:
            write_text(page, html)
            say(f"The same as a page: {page}")
        return
    timeline = video_timeline(
        document, system, read_references(references, **reading), metric=metric, protocol=protocol, jobs=jobs
    )
    output(terminal(timeline, terminal_width() or 120))
    if page:
        write_text(page, timeline_page(timeline))
        say(f"The same as a page: {page}")
