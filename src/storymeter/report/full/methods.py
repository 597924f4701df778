"""A paragraph to paste into a paper, the BibTeX of what it cites, the files, and what the words mean."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from ... import __version__
from ...captions import Corpus
from ...errors import many
from ...metrics import Metric
from ...papers import PAPERS
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
    scorer = getattr(metric, "scorer", None)
    return [*getattr(metric, "papers", ()), *getattr(scorer, "papers", ())]


def _paragraph(findings: Findings) -> str:
    named = []
    for name, metric in zip(findings.metrics, findings.results.metrics, strict=True):
        known = [PAPERS[key].short for key in _papers(metric) if key in PAPERS]
        named.append(f"{name} ({'; '.join(dict.fromkeys(known))})" if known else name)
    conditions = findings.results.conditions
    against = len(findings.annotators)
    text = (
        f"We scored {many(len(findings.systems), 'system')} on"
        f" {len(findings.ids):,} document{'' if len(findings.ids) == 1 else 's'}"
        + (f" against the references of {many(against, 'annotator')}" if against else "")
        + f" with Storymeter {__version__} (protocol {conditions.protocol}, tokenizer"
        f" {conditions.tokenizer}): {', '.join(named)}."
    )
    if findings.with_intervals:
        text += (
            " Intervals are 95 % expanded percentile intervals of the bootstrap over documents"
            f" ({conditions.resamples:,} resamples)."
        )
    if findings.comparisons:
        tests = findings.comparisons[0].tests
        corrected = f"corrected after Holm over the {tests} comparisons of each metric; " if tests > 1 else ""
        text += (
            f" Differences were tested by paired permutation over documents ({PAPERS['noreen1989'].short}),"
            f" {corrected}seed {conditions.seed}."
        )
    return text


def _file(part: str, corpus: Corpus) -> dict[str, Any]:
    return {
        "part": part,
        "name": PurePath(corpus.origin.path).name or corpus.name,
        "format": corpus.origin.format,
        "documents": len(corpus),
        "captions": corpus.captions,
        "sha256": corpus.origin.sha256,
    }
