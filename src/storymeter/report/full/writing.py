"""The report of results in one call: tests, human scores, audit and unsupported words, on one page. What
people said (ranking, raters, agreement with metrics) and what an audit found are sections of that page.
"""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ...engine import Results, Run
from ...engine.annotators import by_annotator
from ...engine.results import AUTO, Resamples
from ...engine.units import collapsed
from ...errors import DataError, UsageError
from ...human.analysis.assessment import Analysis
from ...human.analysis.studies import result_of
from ...human.sources import open_ratings
from ...meta.agreeing import evaluate_metrics
from ...meta.scores import Judgement, join_scores, tabulate, values_of_results
from ...progress import Note, Progress, silent, unsaid
from ...stress.auditing import Audit, audit as run_audit
from ..assessment import rank_range, summary_lines, system_table, worker_table
from ..figures.points import Dot, dots
from ..pairwise import preferences
from ..presentation import shown
from ..scores import annotator_table
from ..stress import ANSWERS, audit_figure, audit_table
from ..studies import Study, survey
from .build import find_videos, write_page
from .details import unsupported
from .findings import Findings


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


# What people said.


def people_section(findings: Findings, analysis: Analysis, *, seed: int = 0) -> dict[str, Any]:
    summary = [*summary_lines(analysis), *analysis.notes]
    figures = [_ranking(findings, analysis)]
    try:
        figures.append(_agreement(findings, analysis, seed))
    except DataError as error:
        summary.append(f"The metrics cannot be compared with the ratings: {error.message}")
    tables = [shown(system_table(analysis)), shown(worker_table(analysis))]
    return {"summary": summary, "figures": figures, "tables": tables}


def study_section(study: Study) -> dict[str, Any]:
    """A preference study or a survey."""
    figure = {"title": study.figure_note, "drawn": study.draw(), "note": study.figure_note}
    tables = [shown(table) for table in study.tables]
    return {"summary": study.notes, "figures": [figure], "tables": tables}


def _ranking(findings: Findings, analysis: Analysis) -> dict[str, str]:
    place = {name: k for k, name in enumerate(findings.systems)}
    rows = [
        Dot(s.name, s.z, s.interval, f"rank {rank_range(s.ranks)}", place.get(s.name, len(place) + k))
        for k, s in enumerate(analysis.ranking.systems)
    ]
    return {
        "title": "Ranking by people",
        "drawn": _dots(rows, "mean standardised score (z)", "{:+.2f}"),
        "note": (
            "0 is a rater's own average. The rank is the range that is compatible with the significant"
            " differences."
        ),
    }


def _agreement(findings: Findings, analysis: Analysis, seed: int) -> dict[str, str]:
    captions, names = analysis.captions, analysis.used
    judgements = [
        Judgement(names.systems[s], names.item.names[i], float(z))
        for s, i, z in zip(captions.system, captions.item, captions.z, strict=True)
        if names.systems[s] in findings.systems
    ]
    values = values_of_results(findings.results)
    scores = join_scores(tabulate(judgements, scale="z"), values)
    results, _ = evaluate_metrics(replace(scores, notes=()), "segment", permutations=10, seed=seed)
    rows = [
        Dot(r.metric, r.values["pearson"], r.intervals.get("pearson"), f"n {r.n:,}", k)
        for k, r in enumerate(sorted(results, key=lambda r: -r.values["pearson"]))
        if r.values["pearson"] == r.values["pearson"]
    ]
    return {
        "title": "Metrics against people",
        "drawn": _dots(rows, "Pearson's r with people's scores of the same captions", "r = {:.2f}"),
        "note": "Each metric's value of a document against the mean standardised score that people gave it.",
    }


def _dots(rows: Sequence[Dot], what: str, said: str) -> Markup:
    alternative = "; ".join(f"{row.name}: {said.format(row.value)}" for row in rows)
    return dots(rows, label=f"{what}, with its 95 % interval", alternative=alternative, zero=True)


# What the metrics reward: the audit of `storymeter stress audit` as a section of the report.


def audit_section(audit: Audit, system: str) -> dict[str, str]:
    answers = Counter(verdict.answer for verdict in audit.verdicts)
    counted = ", ".join(f"{answers[answer]} {answer}" for answer in ANSWERS if answers[answer])
    return {
        "intro": (
            f"The captions of {system} were damaged on purpose, in a different way on every line. A good"
            f" metric should then give a lower score. Verdicts: {counted}."
        ),
        "figure": audit_figure(audit),
        "note": (
            "The change in per cent. Orange: the score falls; blue: it rises. A thick border: a verdict based"
            " on this cell does not hold. swap, shuffle and reverse also move the segments and are compared"
            " with jitter, which does only that; all others with the original."
        ),
        "verdicts": shown(audit_table(audit)).html,
    }
