"""storymeter report: one page that a lab can link from its paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ._declare import NEW_FILE, Resamples, option
from ._options import busy, jobs_option, progress_bar, say, seed_option
from ._reading import reading_options, reference_reading_options
from ._scoring import (
    annotators_option,
    make_run,
    score_files,
    scoring_options,
    spread_of_annotators,
    system_option,
    unit_option,
)

if TYPE_CHECKING:
    from ..engine.results import Results


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
    resamples: Any,
    **options: Any,
) -> None:
    """Write a self-contained HTML report.

    RUN.smr is a run saved by `storymeter score --save RUN.smr`; without one, CANDIDATES are scored first. The
    page is one file that loads nothing from the network.

    \b
    storymeter report run.smr --out report.html
    storymeter report mine.json yours.json -r references.json --videos clips
    """
    from ..engine.seeds import collapsed
    from ..report.full.build import find_videos, write_report
    from ..report.full.findings import Findings

    if out.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"--out {str(out)!r} is not an .html file.", hint="Write it like --out report.html")
    with progress_bar() as progress:
        results = score_files(candidates, progress, {**options, "resamples": resamples})
    by_annotator = _by_annotator(results, options) if annotators else None
    results = collapsed(results)
    with busy("comparing the systems"):
        comparisons = results.compare(resamples=resamples) if len(results.systems) > 1 else []
    heading = title or ", ".join(system.name for system in results.systems)
    ids = {score_id for system in results.systems for score in system.scores[:1] for score_id in score.ids}
    videos = options["videos"]
    found = find_videos(Path(videos), ids, out) if videos is not None else {}
    if videos is not None:
        say(f"{len(found):,} of {len(ids):,} videos found in {videos}.")
    findings = Findings(heading, results, comparisons, found)
    extras = {
        "by_annotator": by_annotator,
        "audit": _audit(results, options) if audit else None,
        "people": _people(findings, human, options["seed"]) if human is not None else None,
        "unsupported": _unsupported(findings, options["device"]) if facts else None,
    }
    with busy("writing the page"):
        written = write_report(out, findings, images=options["images"], device=options["device"], **extras)
    say(f"Report: {', '.join(map(str, written))}")


def _by_annotator(results: Results, options: dict[str, Any]) -> Any:
    from ..report.scores import annotator_table
    from ..report.templating import shown

    return shown(annotator_table(results, spread_of_annotators(results, options)))


def _audit(results: Results, options: dict[str, Any]) -> Any:
    from ..report.full.people import audit_section
    from ..stress.auditing import audit

    system = results.systems[0]
    names = [score.metric for score in system.scores if score.metric != "localisation"]
    with progress_bar() as progress:
        run = make_run(results.references, progress, {**options, **results.conditions.settings})
        return audit_section(audit(system.candidates, run, metrics=names), system.name)


def _unsupported(findings: Any, device: str) -> Any:
    from ..report.full.details import unsupported

    if not findings.annotators:
        hint = "Give references, or leave out --facts."
        raise UsageError("--facts compares captions with references, and the run has none.", hint=hint)
    with progress_bar() as progress:
        return unsupported(findings, device, progress)


def _people(findings: Any, source: Path, seed: int) -> Any:
    from ..human.analysis.studies import result_of
    from ..human.sources import open_ratings
    from ..report.full.people import people_section, study_section
    from ..report.studies import preferences, survey

    opened = open_ratings(source)
    say(*opened.about)
    if not opened.kind.scored:
        other: Any = result_of(opened)
        return study_section(preferences(other) if isinstance(other, list) else survey(other))
    found: Any = result_of(opened, splits=0, seed=seed)
    return people_section(findings, found if opened.table is not None else found.analysis, seed=seed)
