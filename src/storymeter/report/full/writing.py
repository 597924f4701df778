"""The report of results in one call: tests, human scores, audit and unsupported words, on one page."""

import os
from pathlib import Path
from typing import Any

from ...engine import Results, Run
from ...engine.annotators import by_annotator
from ...engine.results import AUTO, Resamples
from ...engine.units import collapsed
from ...errors import UsageError
from ...human.analysis.studies import result_of
from ...human.sources import open_ratings
from ...progress import Note, Progress, silent, unsaid
from ...stress.auditing import audit as run_audit
from ..pairwise import preferences
from ..scores import annotator_table
from ..studies import survey
from ..templating import shown
from .build import find_videos, write_page
from .details import unsupported
from .findings import Findings
from .sections import audit_section, people_section, study_section


def write_report(
    results: Results,
    out: str | os.PathLike[str] = "report.html",
    *,
    title: str | None = None,
    resamples: Resamples = AUTO,
    human: str | os.PathLike[str] | None = None,
    annotators: bool = False,
    audit: bool = False,
    facts: bool = False,
    images: str | None = None,
    videos: str | None = None,
    device: str = "cpu",
    seed: int = 0,
    progress: Progress = silent,
    note: Note = unsaid,
    **settings: Any,
) -> list[Path]:
    """Writes the page of `storymeter report`; the files that were written.

    results: of a run, or loaded.
    out: the page; above 25 MB its pictures go into a folder beside it.
    title: its heading; default: the names of the systems.
    resamples: of each test; auto: as many as the marks need.
    human: ratings, or the folder of a campaign, shown beside the metrics.
    annotators: also the scores against each annotator alone.
    audit: also the stress tests on the captions of the first system.
    facts: also marks the words that no reference supports.
    images, videos: folders of the pictures and videos.
    settings: further ones of `Run`, for the audit: jobs, budget.
    device, seed: where models run, and what resamples are drawn by.
    progress: called with what is being done, how much is done, and of how much.
    note: called with each sentence that a person should read.
    """
    page = Path(out)
    if page.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"--out {str(page)!r} is not an .html file.", hint="Write it like --out report.html")
    results = results.with_formulas()
    own = {"images": images, "videos": videos, "device": device, "progress": progress, **settings}
    alone = _by_annotator(results, own) if annotators else None
    results = collapsed(results)
    progress("comparing the systems", 0, 1)
    several = len(results.systems) > 1 and results.systems[0].scores[0].n > 1
    comparisons = results.compare(resamples=resamples) if several else []
    progress("comparing the systems", 1, 1)
    heading = title or ", ".join(system.name for system in results.systems)
    ids = {id for system in results.systems for score in system.scores[:1] for id in score.ids}
    found = find_videos(Path(videos), ids, page) if videos is not None else {}
    if videos is not None:
        note(f"{len(found):,} of {len(ids):,} videos found in {videos}.")
    findings = Findings(heading, results, comparisons, found)
    if facts and not findings.annotators:
        hint = "Give references, or leave out --facts."
        raise UsageError("--facts compares captions with references, and the run has none.", hint=hint)
    sections = {
        "by_annotator": alone,
        "audit": _audit(results, own) if audit else None,
        "people": _people(findings, human, seed, note) if human is not None else None,
        "unsupported": unsupported(findings, device, progress) if facts else None,
    }
    return write_page(page, findings, images=images, device=device, **sections)


def _by_annotator(results: Results, settings: dict[str, Any]) -> Any:
    own = {**settings, **results.conditions.settings}
    return shown(annotator_table(results, by_annotator(results, lambda against: Run(against, **own))))


def _audit(results: Results, settings: dict[str, Any]) -> Any:
    system = results.systems[0]
    names = [score.metric for score in system.scores if score.metric != "localisation"]
    run = Run(results.references, **{**settings, **results.conditions.settings})
    return audit_section(run_audit(system.candidates, run, metrics=names), system.name)


def _people(findings: Findings, source: str | os.PathLike[str], seed: int, note: Note) -> Any:
    opened = open_ratings(Path(source))
    for line in opened.about:
        note(line)
    if not opened.kind.scored:
        other: Any = result_of(opened)
        return study_section(preferences(other) if isinstance(other, list) else survey(other))
    found: Any = result_of(opened, splits=0, seed=seed)
    return people_section(findings, found if opened.table is not None else found.analysis, seed=seed)
