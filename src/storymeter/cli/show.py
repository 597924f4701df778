"""storymeter show: look at one document instead of a number."""

from __future__ import annotations

from typing import Any

import click

from ._options import jobs_option, output, say, terminal_width
from ._reading import read_candidates, read_references, reading_options


@click.command()
@click.argument("document")
@click.argument("candidates")
@click.option("--references", "-r", multiple=True, metavar="FILE", help="What people wrote; once per annotator.")
@click.option("--metric", "-m", default="soda_c", show_default=True, help="Whose matching to show (soda_b, soda_c, soda_d, with any scorer).")
@click.option("--protocol", default="paper", show_default=True, help="Named set of choices; see storymeter info --protocols.")
@click.option("--html", "page", metavar="FILE", help="Also write a self-contained page.")
@jobs_option
@reading_options
def command(document: str, candidates: str, references: tuple[str, ...], metric: str, protocol: str, page: str | None, jobs: int, **reading: Any) -> None:
    """Show DOCUMENT (an id) of CANDIDATES: a video's captions and references on a time axis, matched pairs joined."""
    from ..files import write_text
    from ..report.timeline import terminal, timeline_page
    from ._show_video import video_timeline

    system = read_candidates([candidates], **reading)[0]
    timeline = video_timeline(document, system, read_references(references, **reading), metric=metric, protocol=protocol, jobs=jobs)
    output(terminal(timeline, terminal_width() or 120))
    if page:
        write_text(page, timeline_page(timeline))
        say(f"The same as a page: {page}")
