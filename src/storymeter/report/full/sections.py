"""Sections of the report that follow from its findings: the leaderboard, the tests between systems, the
verdict, what the reader must know of the coverage, and the methods (a paragraph to paste into a paper,
BibTeX, files, what the words mean).
"""

import math
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

import numpy as np
from markupsafe import Markup

from ... import __version__
from ...captions import Corpus
from ...engine.results import Comparison
from ...errors import many
from ...join import Coverage
from ...measure import Measure
from ...metrics import Metric
from ...papers import PAPERS
from ...stats.resampling import SIGNIFICANT
from ..comparison import win_tie_loss
from ..figures.charts import bar_and_whisker
from ..figures.points import Dot, both_names, dots
from ..marks import too_few, uneven_lines
from ..scores import part_text
from .findings import Findings


def board(findings: Findings) -> list[tuple[dict[str, Any], ...]]:
    """[system][metric]"""
    return list(zip(*(_column(findings, m) for m in range(len(findings.metrics))), strict=True))


def _column(findings: Findings, metric: int) -> list[dict[str, Any]]:
    scores = findings.scores(metric)
    ends = [end for score in scores for end in (score.value, *(score.interval or ())) if math.isfinite(end)]
    limits = (min([0.0, *ends]), max([0.0, *ends]) * 1.02 or 1.0)
    best, shown = findings.best(metric), findings.results.metrics[metric].shown_parts
    cells = []
    for k, (score, mark) in enumerate(zip(scores, findings.marks[metric], strict=True)):
        text, around = f"{score.value * score.scale:.2f}", ""
        if score.interval is not None:
            around = f"{score.interval[0] * score.scale:.2f} – {score.interval[1] * score.scale:.2f}"
        figure = bar_and_whisker(
            score.value,
            score.interval,
            limits,
            colour=k % 8,
            alternative=f"{findings.systems[k]}, {findings.metrics[metric]}: {text}"
            + (f", 95 %: {around}" if around else ""),
        )
        leads = k in best and len(scores) > 1
        spread = f"s {np.std(score.seeds, ddof=1) * score.scale:.2f}" if score.seeds else ""
        cells.append(
            {
                "text": text,
                "range": around,
                "figure": figure,
                "parts": [f"{name} {part_text(score.parts[name])}" for name in shown],
                "spread": spread,
                "best": leads,
                "near": mark == "level",
                "unknown": mark == "unknown",
            }
        )
    return cells


def matrix(findings: Findings, metric: int) -> list[list[dict[str, str] | None]]:
    """The system of the row against that of the column."""
    systems = range(len(findings.systems))
    return [[_test(findings, metric, a, b) for b in systems] for a in systems]


def _test(findings: Findings, metric: int, a: int, b: int) -> dict[str, str] | None:
    found = findings.comparison(metric, a, b) if a != b else None
    if found is None:
        return None
    c, turn = found
    lead = turn * c.difference
    wins = (findings.direction(metric) or 1.0) * lead > 0
    outcome = "" if not c.p_holm < SIGNIFICANT else "wins" if wins else "loses"
    nothing = "no significant difference" if c.testable else "too few documents to tell"
    sentence = {"wins": "better", "loses": "worse", "": nothing}[outcome]
    return {
        "text": _signed(lead * findings.scores(metric)[0].scale),
        "title": f"{findings.systems[a]} against {findings.systems[b]}: {sentence},"
        f" p = {c.p:.4f}, after Holm {c.p_holm:.4f}",
        "outcome": outcome,
    }


def forest(findings: Findings, metric: int) -> Markup:
    """A row per pair: the difference with its interval, hollow where it may be luck."""
    name, scale = findings.metrics[metric], findings.scores(metric)[0].scale
    rows = [
        Dot(
            f"{c.a} – {c.b}",
            c.difference * scale,
            (c.interval[0] * scale, c.interval[1] * scale) if not math.isnan(c.interval[0]) else None,
            f"{_both(c)} · {win_tie_loss(c)}",
            findings.systems.index(c.a) % 8,
            hollow=c.p_holm >= SIGNIFICANT,
            short=both_names(c.a, c.b),
        )
        for c in findings.comparisons
        if c.metric == name
    ]
    return dots(
        rows,
        label=f"difference in {name}, with its 95 % interval" + (" (simultaneous)" if len(rows) > 1 else ""),
        alternative=f"Differences between systems under {name}: "
        + "; ".join(f"{row.name} {row.value:+.2f}" for row in rows),
        zero=True,
    )


def _both(c: Comparison) -> str:
    """p as it is, and after the correction where there are several tests."""
    return f"p {_p(c.p)}" + (f", Holm {_p(c.p_holm)}" if c.tests > 1 else "")


def _signed(difference: float) -> str:
    """
    >>> _signed(0.126), _signed(-0.001)
    ('+0.13', '0.00')
    """
    text = f"{difference:+.2f}"
    return text if float(text) else "0.00"


def _p(p: float) -> str:
    """
    >>> _p(0.0496), _p(0.05), _p(0.0002)
    ('.0496', '.050', '< .001')
    """
    digits = 4 if p < SIGNIFICANT <= round(p, 3) else 3  # what is below the threshold also reads so
    return "< .001" if p < 0.001 else f"{p:.{digits}f}".replace("0.", ".", 1)


# Two or three sentences that follow from the tests, and what the reader must know of the coverage.


_LUCK = "paired permutation test, p\N{NO-BREAK SPACE}<\N{NO-BREAK SPACE}.05 after Holm"


def verdict(findings: Findings) -> list[str]:
    judged = [m for m in range(len(findings.metrics)) if findings.direction(m)]
    if len(findings.systems) == 1 or not judged:
        return [_alone(findings)]
    if all(findings.marked(m, "unknown") for m in judged):
        return ["There are too few documents or resamples to tell which system is better."]
    alone = {
        m: findings.best(m)[0]
        for m in judged
        if len(findings.best(m)) == 1 and not findings.marked(m, "level") + findings.marked(m, "unknown")
    }
    wins = [sum(leader == k for leader in alone.values()) for k in range(len(findings.systems))]
    best = [sum(k in findings.best(m) for m in judged) for k in range(len(findings.systems))]
    leader = max(range(len(findings.systems)), key=lambda k: (wins[k], best[k]))
    name = findings.systems[leader]
    if not wins[leader]:
        said = [f"No system leads clearly: on none of {many(len(judged), 'metric')} is one of them"
                f" significantly better than all others ({_LUCK})."]  # fmt: skip
    else:
        of = (
            f"on {wins[leader]} of {len(judged)} metrics, each time"
            if len(judged) > 1
            else "on the one metric,"
        )
        said = [f"{name} leads {of} significantly ({_LUCK})."]
    ties: dict[tuple[str, ...], list[str]] = {}
    for m in judged:
        level = [*findings.best(m), *findings.marked(m, "level")]
        if leader in level and len(level) > 1:
            others = tuple(findings.systems[k] for k in level if k != leader)
            ties.setdefault(others, []).append(findings.metrics[m])
    if ties:
        said.append(
            "; ".join(
                f"{'on' if k else 'On'} {_listed(metrics)} {'it' if k or wins[leader] else name} ties with"
                f" {_listed(others)}"
                for k, (others, metrics) in enumerate(ties.items())
            )
            + "."
        )
    for k, other in enumerate(findings.systems):
        led = [findings.metrics[m] for m in judged if alone.get(m) == k]
        if k != leader and led:
            said.append(f"{other} leads on {_listed(led)}.")
    return said


def _alone(findings: Findings) -> str:
    scores = [score for m in range(len(findings.metrics)) for score in findings.scores(m)[:1]]
    told = []
    for score in scores[:3]:
        text = f"{score.metric} is {score.value * score.scale:.2f}"
        if score.interval is not None:
            low, high = (end * score.scale for end in score.interval)
            text += f" (95 %: {low:.2f} to {high:.2f})"
        told.append(text)
    more = f" and {len(scores) - 3} more metrics below" if len(scores) > 3 else ""
    return f"{findings.systems[0]} on {many(len(findings.ids), 'document')}: {', '.join(told)}{more}."


def warnings(findings: Findings) -> list[str]:
    """What is equally true of several systems is said once."""
    protocol = findings.results.conditions.protocol
    said: dict[str, list[str]] = {}
    for system in findings.results.systems:
        for text in _coverage(system.coverage, protocol.missing == "zero", str(protocol)):
            said.setdefault(text, []).append(system.name)
    few = too_few(findings.comparisons)
    uneven = [] if findings.results.references else uneven_lines(findings.results)
    return [*uneven, *([few] if few else []), *(f"{_listed(names)}: {text}" for text, names in said.items())]


def _coverage(c: Coverage, zero: bool, protocol: str) -> list[str]:
    said = []
    missing, extra, empty = c.sizes
    if missing:
        cost = (
            f"each counts 0 (--protocol {protocol}+missing=skip leaves them out)"
            if zero
            else (
                "they are left out of the scores, so that the scores of systems may be based on different"
                " documents"
            )
        )
        said.append(f"{missing:,} of {many(c.matched + missing, 'document')} are missing; {cost}.")
    if extra:
        said.append(f"{many(extra, 'document')} without a reference, not scored.")
    if empty:
        said.append(f"{many(empty, 'document')} without any caption of the system or of the references.")
    return said


def _listed(names: Sequence[str]) -> str:
    """
    >>> _listed(["a", "b", "c"]), _listed(["a"])
    ('a, b and c', 'a')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


# How the numbers were made.


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
    absent = {  # words that do not stand on this page
        *(() if findings.with_intervals else ("95 % interval",)),
        *(() if findings.comparisons else ("p",)),
        *(() if findings.alignments else ("IoU", "f", "partner")),
    }
    results = findings.results
    files = [_file("system", system.candidates) for system in results.systems]
    files += [_file("references", corpus) for corpus in results.references]
    return {
        "paragraph": _paragraph(findings),
        "bibtex": "\n\n".join(PAPERS[key].bibtex(key) for key in keys),
        "files": files,
        "glossary": [(word, meaning) for word, meaning in GLOSSARY if word not in absent],
    }


def _papers(metric: Metric) -> list[str]:
    """The papers of a metric and of the scorer inside it."""
    measures = (metric, getattr(metric, "scorer", None))
    return [key for each in measures if isinstance(each, Measure) for key in each.declaration.papers]


def _paragraph(findings: Findings) -> str:
    metrics, conditions = findings.results.metrics, findings.results.conditions
    named = [_described(findings, m) for m in range(len(metrics))]
    against = len(findings.annotators) if any(metric.needs_references for metric in metrics) else 0
    stories = findings.kind == "story"
    n = len(findings.ids)
    scored = f"{n:,} {'story' if n == 1 else 'stories'}" if stories else many(n, "document")
    protocol = not stories or str(conditions.protocol) != "paper"  # which is about captions with times
    cut = {score.signature.get("tok") for m in range(len(metrics)) for score in findings.scores(m)[:1]}
    settings = [
        *([f"protocol {conditions.protocol}"] if protocol else []),
        *([f"tokenizer {conditions.tokenizer}"] if conditions.tokenizer in cut else []),
    ]
    text = (
        f"We scored {many(len(findings.systems), 'system')} on {scored}"
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
