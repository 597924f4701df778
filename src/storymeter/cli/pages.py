"""Commands that show captions beside their scores: `report` (one page), `show` (one document)."""

from pathlib import Path
from typing import Any

import click

from .. import engine, report
from ..errors import UsageError
from ..files import write_text
from ..progress import silent
from ._files import layout_of, reading_options, reference_reading_options
from ._options import (
    NEW_FILE,
    Resamples,
    device_option,
    images_option,
    jobs_option,
    option,
    output,
    print_note,
    progress_bar,
    protocol_option,
    references_option,
    seed_option,
    terminal_width,
    tokenizer_option,
)
from ._scoring import (
    annotators_option,
    judging_options,
    score_files,
    scoring_options,
    settings_of,
    system_option,
    unit_option,
)


@click.command("show")
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
def show_command(
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
    view: Any = "facts" if support else "graphs" if graphs else None
    given = settings_of(options, silent)
    found = engine.show(
        document,
        candidates,
        references,
        system=system,
        metric=metric,
        view=view,
        layout=layout_of(options),
        images=images,
        device=device,
        note=print_note,
        **given,
    )
    more: dict[str, dict[str, Any]] = {"list": {"document": document}, "StoryExplanation": {"images": images}}
    shown = report.present(found, **more.get(type(found).__name__, {}))
    output(report.render(shown, width=terminal_width()))
    if page and shown.page is not None:
        write_text(page, shown.page())
        print_note(f"The same as a page: {page}")


@click.command("report")
@click.argument("candidates", nargs=-1, metavar="RUN.smr... | CANDIDATES...")
@scoring_options
@unit_option
@system_option
@annotators_option
@option(
    "--human",
    "Ratings, or the folder of a campaign: human scores are shown beside the metrics.",
    click.Path(exists=True, path_type=Path),
    metavar="EXPORT|CAMPAIGN",
)
@option("--audit", "Also run the stress tests on the first system's captions.", bool)
@option("--facts", "Also mark the words that no reference supports.", bool)
@option("--title", "Heading of the page.  [default: names of the systems]", metavar="TEXT")
@option(
    "--out",
    "File to write; above 25 MB, pictures go into a folder beside it.",
    NEW_FILE,
    "report.html",
    metavar="FILE",
)
@option(
    "--resamples",
    "Resamples of the intervals and of each test; auto: as many as the marks need.",
    Resamples(99),
    "auto",
)
@jobs_option
@seed_option
@reading_options
@reference_reading_options
def report_command(
    candidates: tuple[str, ...],
    human: Path | None,
    audit: bool,
    facts: bool,
    annotators: bool,
    title: str | None,
    out: Path,
    **options: Any,
) -> None:
    """Write a self-contained HTML report.

    RUN.smr is a run saved by `storymeter score --save RUN.smr`; without one, CANDIDATES are scored first. The
    page is one file that loads nothing from the network.

    \b
    storymeter report run.smr --out report.html
    storymeter report mine.json yours.json -r references.json --videos clips
    """

    if out.suffix.lower() not in (".html", ".htm"):  # a wrong name must not cost the scoring
        raise UsageError(f"--out {str(out)!r} is not an .html file.", hint="Write it like --out report.html")
    with progress_bar() as progress:
        results = score_files(candidates, progress, options)
        written = report.write_report(
            results,
            out,
            title=title,
            resamples=options["resamples"],
            human=human,
            annotators=annotators,
            audit=audit,
            facts=facts,
            note=print_note,
            **settings_of(options, progress, but=("protocol", "tokenizer")),
        )
    print_note(f"Report: {', '.join(map(str, written))}")
