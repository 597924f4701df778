"""storymeter report: one page that a lab can link from its paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..errors import UsageError
from ._declare import NEW_FILE, Resamples, option
from ._options import jobs_option, progress_bar, say, seed_option
from ._reading import reading_options, reference_reading_options
from ._scoring import annotators_option, score_files, scoring_options, settings_of, system_option, unit_option


@click.command()
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
def command(
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
    from ..report import write_report

    if out.suffix.lower() not in (".html", ".htm"):  # a wrong name must not cost the scoring
        raise UsageError(f"--out {str(out)!r} is not an .html file.", hint="Write it like --out report.html")
    with progress_bar() as progress:
        results = score_files(candidates, progress, options)
        written = write_report(
            results,
            out,
            title=title,
            resamples=options["resamples"],
            human=human,
            annotators=annotators,
            audit=audit,
            facts=facts,
            note=say,
            **settings_of(options, progress, but=("protocol", "tokenizer")),
        )
    say(f"Report: {', '.join(map(str, written))}")
