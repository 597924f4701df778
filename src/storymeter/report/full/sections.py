"""Sections of the report below the leaderboard: what people said (ranking, raters, agreement with metrics),
what an audit found, and the methods (a paragraph to paste into a paper, BibTeX, files, what the words mean).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from markupsafe import Markup

from ... import __version__
from ...captions import Corpus
from ...errors import DataError, many
from ...human.analysis.assessment import Analysis
from ...measure import Measure
from ...meta.compute import values_of_results
from ...meta.run import evaluate_metrics
from ...meta.scores import Judgement, join_scores, tabulate
from ...metrics import Metric
from ...papers import PAPERS
from ...stress.auditing import Audit
from ..assessment import rank_range, summary_lines, system_table, worker_table
from ..figures.points import Dot, dots
from ..stress import ANSWERS, audit_figure, audit_table
from ..studies import Study
from ..templating import shown
from .findings import Findings

GLOSSARY = [
    ("document", "one video, one story or one image with its captions."),
    (
        "95 % interval",
        "the range that contains the score of all such documents for 95 of 100 test sets of this size"
        " (bootstrap, expanded percentiles). Intervals of several differences hold together.",
    ),
    (
        "p",
        "probability of a difference at least as large if the two systems were equally good, estimated by"
        " exchanging the outputs of the two systems at random for each document (paired permutation test)."
        " With Holm's correction, the probability of one or more false positives among the comparisons of"
        " one metric is at most .05.",
    ),
    ("IoU", "intersection over union: how far two segments of time overlap; 1 is the same segment."),
    ("f", "similarity of two sentences, computed by the scorer of the metric."),
    (
        "partner",
        "the reference that a caption was matched with; an unmatched caption adds nothing to the score.",
    ),
    ("signature", "what a number depends on: two numbers may be compared when their signatures are equal."),
]


def methods(findings: Findings) -> dict[str, Any]:
    cited = list(dict.fromkeys(key for metric in findings.results.metrics for key in _papers(metric)))
    tests = [
        *(["koehn2004"] if findings.with_intervals else []),
        *(["noreen1989", "holm1979"] if findings.comparisons else []),
    ]
    keys = [key for key in [*cited, *tests] if key in PAPERS]
    results = findings.results
    files = [_file("system", system.candidates) for system in results.systems]
    files += [_file("references", corpus) for corpus in results.references]
    return {
        "paragraph": _paragraph(findings),
        "bibtex": "\n\n".join(PAPERS[key].bibtex(key) for key in keys),
        "files": files,
        "glossary": _glossary(findings),
    }


def _glossary(findings: Findings) -> list[tuple[str, str]]:
    """The words that stand on this page."""
    absent = {
        *(() if findings.with_intervals else ("95 % interval",)),
        *(() if findings.comparisons else ("p",)),
        *(() if findings.alignments else ("IoU", "f", "partner")),
    }
    return [(word, meaning) for word, meaning in GLOSSARY if word not in absent]


def _papers(metric: Metric) -> list[str]:
    """The papers of a metric and of the scorer inside it."""
    measures = (metric, getattr(metric, "scorer", None))
    return [key for each in measures if isinstance(each, Measure) for key in each.declaration.papers]


def _paragraph(findings: Findings) -> str:
    metrics, conditions = findings.results.metrics, findings.results.conditions
    named = [_described(findings, m) for m in range(len(metrics))]
    against = len(findings.annotators) if any(metric.needs_references for metric in metrics) else 0
    stories = findings.kind == "story"
    protocol = not stories or str(conditions.protocol) != "paper"  # which is about captions with times
    cut = {score.signature.get("tok") for m in range(len(metrics)) for score in findings.scores(m)[:1]}
    settings = [
        *([f"protocol {conditions.protocol}"] if protocol else []),
        *([f"tokenizer {conditions.tokenizer}"] if conditions.tokenizer in cut else []),
    ]
    text = (
        f"We scored {many(len(findings.systems), 'system')} on"
        f" {len(findings.ids):,} {_units(findings)}"
        + (f" against the references of {many(against, 'annotator')}" if against else "")
        + f" with Storymeter {__version__}"
        + (f" ({', '.join(settings)})" if settings else "")
        + f": {', '.join(named)}."
    )
    if findings.with_intervals:
        text += (
            f" Intervals are 95 % expanded percentile intervals of the bootstrap over {findings.resampled}"
            f" ({conditions.resamples:,} resamples)."
        )
    if findings.comparisons:
        tests = findings.comparisons[0].tests
        corrected = f"corrected after Holm over the {tests} comparisons of each metric; " if tests > 1 else ""
        text += (
            f" Differences were tested by paired permutation over {findings.resampled}"
            f" ({PAPERS['noreen1989'].short}),"
            f" {corrected}seed {conditions.seed}."
        )
    return text + _training_runs(findings)


def _training_runs(findings: Findings) -> str:
    """How systems with several training runs were scored and tested."""
    if not findings.runs:
        return ""
    runs = ", ".join(f"{name}: {count}" for name, count in findings.runs.items())
    text = f" Scores of systems with several training runs ({runs}) are means over them"
    if findings.with_intervals:
        text += "; their intervals are t intervals that contain the variance of runs and of documents"
    if findings.tested_by_runs:
        text += "; their differences were tested by Welch's t-test over runs"
    return f"{text}."


def _units(findings: Findings) -> str:
    one, several = ("story", "stories") if findings.kind == "story" else ("document", "documents")
    return one if len(findings.ids) == 1 else several


#: fields of signatures that name a model or its input, as the methods write them
_INPUTS = {
    "model": "model",
    "vg": "grounding by",
    "c": "coherence by",
    "encoder": "encoder",
    "vectors": "word vectors",
    "tagger": "tagger",
    "parser": "parser",
    "regions": "regions",
}


def _described(findings: Findings, metric: int) -> str:
    """A metric with its papers, models and their hashes, and whether they are those of the papers."""
    made = findings.results.metrics[metric]
    papers = [PAPERS[key].short for key in _papers(made) if key in PAPERS]
    said = ["; ".join(dict.fromkeys(papers))] if papers else []
    signatures = [score.signature for score in findings.scores(metric)]
    found = {
        key: "/".join(dict.fromkeys(s.get(key) for s in signatures)) for key in (*_INPUTS, "idf", "stories")
    }
    if made.stand_in:
        said.append("not the original's engine")
    said += [f"{word} {found[key]}" for key, word in _INPUTS.items() if found[key]]
    if found["idf"]:
        count, _, digest = found["stories"].partition("#")
        said.append(f"idf {found['idf']}" + (f" of {count} stories, #{digest}" if count else ""))
    return findings.metrics[metric] + (f" ({'; '.join(said)})" if said else "")


def _file(part: str, corpus: Corpus) -> dict[str, Any]:
    return {
        "part": part,
        "name": PurePath(corpus.origin.path).name or corpus.name,
        "format": corpus.origin.format,
        "documents": len(corpus),
        "captions": corpus.captions,
        "sha256": corpus.origin.sha256,
    }


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
