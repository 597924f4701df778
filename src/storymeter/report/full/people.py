"""What people said, beside the metrics: the ranking with its intervals, the raters, and how well each metric
agrees with people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from ...errors import DataError
from ...human.analysis.assessment import Analysis
from ...meta.compute import values_of_results
from ...meta.run import evaluate_metrics
from ...meta.scores import Judgement, join_scores, tabulate
from ...stress.auditing import Audit
from ..assessment import rank_range, summary_lines, system_table, worker_table
from ..figures.points import Dot, dots
from ..stress import ANSWERS, audit_figure, audit_table
from ..studies import Study
from ..templating import shown
from .findings import Findings


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
    figure = {"title": study.figure_note, "drawn": study.svg(), "note": study.figure_note}
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
