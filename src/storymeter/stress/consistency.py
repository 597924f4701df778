"""Three properties that any metric should have, and that a judge has to show.

does not reward length                         right captions said twice, with words that say nothing, or
                                               with a sentence about another document behind them raise
                                               the score by at most 1 %
does not depend on the order of references     the last annotator first, and so on: no document's value
                                               changes by more than 1e-9
says the same twice                            asked again (`meta.self_agreeing`), no document's value
                                               changes by more than 1 % of the metric's mean"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import msgspec
import numpy as np

from ..arrays import FloatArray
from ..captions import Corpus
from ..engine.results import document_values
from ..engine.run import Run, named
from ..meta.self_agreeing import EQUAL, SelfAgreement, self_agreement
from ..metrics import Metric
from .changes import Scene, fewer_documents
from .experiment import Trial, Verdict, apply, run_trials
from .persuasion import ATTACKED

LENGTH = "does not reward length"
ORDER = "does not depend on the order of references"
TWICE = "says the same twice"
#: how much longer captions may gain, and how much of its mean a metric may differ from itself
GAIN, DRIFT = 0.01, 0.01
FILLER = (
    "and all of this can be seen here in this video, which shows exactly what is described, as anyone who"
    " looks at it will be able to see"
)


def steady(
    corpus: Corpus, run: Run, *, metrics: Sequence[str | Metric], most: int = ATTACKED
) -> list[Verdict]:
    """On at most `most` documents, drawn by the seed."""
    (few,), references = fewer_documents([corpus], run.references, most, run.context.seed)
    small = run.against(references)
    return [
        *_length(few, small, metrics),
        *_order(few, small, metrics),
        *(
            Verdict(found.metric, TWICE, _same(found), _said(found))
            for found in self_agreement([few], small, metrics=metrics, resamples=0)
        ),
    ]


def _length(corpus: Corpus, run: Run, metrics: Sequence[str | Metric]) -> list[Verdict]:
    foreign = apply(["exchange"], corpus, Scene.of(run), seed=run.context.seed)
    kinds: dict[str, Callable[[str, str], str]] = {
        "twice": lambda text, other: f"{text} {text}",
        "filler": lambda text, other: f"{text} {FILLER}",
        "foreign": lambda text, other: f"{text} {other}",
    }
    if len(corpus) < 2:
        del kinds["foreign"]
    trials = [Trial("original", lambda repeat: corpus)]
    trials += [Trial(label, partial(_longer, corpus, foreign, make)) for label, make in kinds.items()]
    result = run_trials("length", trials, corpus, run, metrics)
    out = []
    for metric in dict.fromkeys(row.metric for row in result.rows if row.higher_is_better is not None):
        row = result.row(metric)
        base, *longer = (cell.mean for cell in row.cells)
        if base:
            sign = 1.0 if row.higher_is_better else -1.0
            gains = [sign * (value - base) / abs(base) for value in longer]
            because = ", ".join(
                f"{label} {100 * gain:+.1f} %" for label, gain in zip(kinds, gains, strict=True)
            )
            out.append(Verdict(metric, LENGTH, max(gains) <= GAIN, because))
    return out


def _longer(corpus: Corpus, foreign: Corpus, make: Callable[[str, str], str], repeat: int) -> Corpus:
    documents = []
    for document, other in zip(corpus, foreign, strict=True):
        pairs = zip(document.captions, other.captions, strict=True)
        captions = (msgspec.structs.replace(one, text=make(one.text, more.text)) for one, more in pairs)
        documents.append(msgspec.structs.replace(document, captions=tuple(captions)))
    return msgspec.structs.replace(corpus, documents=tuple(documents))


def _order(corpus: Corpus, run: Run, metrics: Sequence[str | Metric]) -> list[Verdict]:
    """Nothing where no document has two references."""
    if max(map(len, Scene.of(run).references.values()), default=0) < 2:
        return []
    turned = [
        msgspec.structs.replace(one, documents=tuple(reversed(one.documents)))
        for one in reversed(run.references)
    ]
    ours, theirs = (_values(corpus, each, metrics) for each in (run, run.against(turned)))
    out = []
    for metric, values in ours.items():
        apart = np.abs(values - theirs[metric])
        moved, most = int((apart > EQUAL).sum()), float(np.nanmax(apart, initial=0.0))
        because = f"{moved} of {len(values)} documents change" + (f", by {most:.4f} at most" if moved else "")
        out.append(Verdict(metric, ORDER, not moved, because))
    return out


def _values(corpus: Corpus, run: Run, metrics: Sequence[str | Metric]) -> dict[str, FloatArray]:
    """Per metric that reads references, the values of the documents."""
    results = run.score(corpus, metrics, 0)
    return {
        label: document_values(metric, score)
        for label, metric, score in zip(
            named(metrics), results.metrics, results.systems[0].scores, strict=True
        )
        if metric.needs_references
    }


def _same(found: SelfAgreement) -> bool:
    return found.documents > 0 and found.largest <= max(EQUAL, DRIFT * abs(float(np.mean(found.means))))


def _said(found: SelfAgreement) -> str:
    if not found.documents:
        return "no document has a value in both"
    how = "asked anew" if found.asked else "computed again"
    return f"{how}: {100 * found.equal:.0f} % equal, differ by {found.largest:.4f} at most"
