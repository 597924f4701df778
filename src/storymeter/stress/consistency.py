"""Three properties that any metric should have, and that a judge has to show, on at most 20 documents.

does not reward length                         right captions said twice, with words that say nothing, or
                                               with a sentence about another document behind them gain at
                                               most 5 % of the distance between right and wrong captions
does not depend on the order of references     the last annotator first, and so on: no document's value
                                               changes by more than a millionth of that distance
says the same twice                            asked again (`meta.self_agreeing`), no document's value
                                               changes by more than 1 % of that distance
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import msgspec
import numpy as np

from ..arrays import FloatArray
from ..captions import Corpus
from ..engine.results import document_values
from ..engine.run import MetricLike, Run, parse_metrics
from ..meta.self_agreeing import SelfAgreement, self_agreement
from .changes import Scene, fewer_documents
from .effects import Answer, Evidence, evidence_of, together
from .experiment import Trial, Verdict, apply, run_trials
from .persuasion import ATTACKED

LENGTH = "does not reward length"
ORDER = "does not depend on the order of references"
TWICE = "says the same twice"
#: shares of the distance between right and wrong captions: what longer captions may gain, how much a metric
#: may differ from itself, and what is rounding
GAIN, DRIFT, ROUNDING = 0.05, 0.01, 1e-6
NO_DISTANCE = "the mean distance between right and wrong captions is not above 0"
FILLER = (
    "and all of this can be seen here in this video, which shows exactly what is described, as anyone who"
    " looks at it will be able to see"
)


def consistency_verdicts(
    corpus: Corpus, run: Run, *, metrics: Sequence[MetricLike], most: int = ATTACKED
) -> list[Verdict]:
    """On at most `most` documents, drawn by the seed."""
    (few,), references = fewer_documents([corpus], run.references, most, run.context.seed)
    small = run.against(references)
    known = _evidence(few, small, metrics)
    return [
        *_length(known),
        *_order(few, small, metrics, known),
        *(
            Verdict(found.metric, TWICE, *_twice(found, known[found.metric]))
            for found in self_agreement([few], small, metrics=metrics, resamples=0)
            if found.metric in known
        ),
    ]


def _evidence(corpus: Corpus, run: Run, metrics: Sequence[MetricLike]) -> dict[str, Evidence]:
    """Of the metrics that say what is better: right, wrong and longer captions."""
    if len(corpus) < 2:
        return {}
    foreign = apply(["exchange"], corpus, Scene.of(run), seed=run.context.seed)
    trials = [Trial("original", lambda repeat: corpus), Trial("exchange", lambda repeat: foreign)]
    trials += [Trial(label, partial(_longer, corpus, foreign, make)) for label, make in LONGER.items()]
    result = run_trials("length", trials, corpus, run, metrics)
    found = {
        metric: evidence_of(
            documents, result.labels, None, higher_is_better=result.row(metric).higher_is_better
        )
        for metric, documents in result.documents.items()
    }
    return {metric: evidence for metric, evidence in found.items() if evidence is not None}


LONGER: dict[str, Callable[[str, str], str]] = {
    "twice": lambda text, other: f"{text} {text}",
    "filler": lambda text, other: f"{text} {FILLER}",
    "foreign": lambda text, other: f"{text} {other}",
}


def _length(known: Mapping[str, Evidence]) -> list[Verdict]:
    out = []
    for metric, evidence in known.items():
        if why := evidence.unfit():
            out.append(Verdict(metric, LENGTH, "not applicable", why))
            continue
        effects = {label: evidence.change(label) for label in LONGER}
        because = ", ".join(f"{label} {effect}" for label, effect in effects.items())
        answer = together(*(effect.at_most(GAIN) for effect in effects.values()))
        out.append(Verdict(metric, LENGTH, answer, because))
    return out


def _longer(corpus: Corpus, foreign: Corpus, make: Callable[[str, str], str], repeat: int) -> Corpus:
    documents = []
    for document, other in zip(corpus, foreign, strict=True):
        pairs = zip(document.captions, other.captions, strict=True)
        captions = (msgspec.structs.replace(one, text=make(one.text, more.text)) for one, more in pairs)
        documents.append(msgspec.structs.replace(document, captions=tuple(captions)))
    return msgspec.structs.replace(corpus, documents=tuple(documents))


def _order(
    corpus: Corpus, run: Run, metrics: Sequence[MetricLike], known: Mapping[str, Evidence]
) -> list[Verdict]:
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
        if metric not in known:
            continue
        if why := known[metric].unfit():
            out.append(Verdict(metric, ORDER, "not applicable", why))
            continue
        apart = np.array([known[metric].share(size) for size in np.abs(values - theirs[metric]).tolist()])
        if math.isnan(known[metric].share(0)):
            out.append(Verdict(metric, ORDER, "undecided", NO_DISTANCE))
            continue
        moved = int((apart > ROUNDING).sum())
        because = f"{moved} of {len(values)} documents change"
        because += f", by {100 * np.nanmax(apart):.2f} % of the distance at most" if moved else ""
        out.append(Verdict(metric, ORDER, "no" if moved else "yes", because))
    return out


def _values(corpus: Corpus, run: Run, metrics: Sequence[MetricLike]) -> dict[str, FloatArray]:
    """Per metric that reads references, the values of the documents."""
    results = run.score(corpus, metrics, 0)
    return {
        label: document_values(metric, score)
        for label, metric, score in zip(
            parse_metrics(metrics), results.metrics, results.systems[0].scores, strict=True
        )
        if metric.needs_references
    }


def _twice(found: SelfAgreement, evidence: Evidence) -> tuple[Answer, str]:
    if why := evidence.unfit():
        return "not applicable", why
    if not found.documents:
        return "undecided", "no document has a value in both"
    share = evidence.share(found.largest)
    if math.isnan(share):
        return "undecided", NO_DISTANCE
    how = "asked anew" if found.asked else "computed again"
    because = f"{how}: {100 * found.equal:.0f} % equal, differ by {100 * share:.2f} % of the distance at most"
    return "yes" if share <= DRIFT else "no", because
