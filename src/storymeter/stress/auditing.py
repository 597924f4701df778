"""Stress audit of metrics. Every damage and metric, and a verdict per property with the numbers behind it.

The effect of a damage is measured as a share of the distance between right captions and those of another
document (`effects`), with a 95 % interval over documents. A verdict is "yes" where the whole interval lies on
the side of the limit that the property asks for, "no" where it lies on the other, else "undecided"; it is
"not applicable" where right captions are not above wrong ones, or the metric does not vary.

For timed captions:
    does not reward padding       none of the three kinds of redundant captions gains more than 5 %
    notices order                 shuffling the sentences costs at least 10 %, and swapping one pair costs
                                  something
    peaks at the right number     among samples of a system padded to 60 captions a video, m = 1 or 2 is above
                                  m = 0.1, m = 0.5 and m = 10
    notices what is missing       leaving out half of the captions costs at least 10 %
    notices the wrong story       right captions win in at least two thirds of the documents
    notices a wrong detail        where one detail that the references tell is changed (`minimal_pairs`:
                                  object, action, colour, number, negation, subject and object exchanged), the
                                  true caption scores higher in at least 85 % of the pairs, kinds weighing
                                  alike
For stories and single captions, as far as they apply: order, repetition (a sentence said twice costs
something), missing words (half of each sentence, at least 10 %), the wrong story. Misspellings and synonyms
are measured beside them, without a verdict: opinions differ.

For every metric, on at most 20 documents:
    cannot be talked into it      none of fifty attacks brings wrong captions half of the way to right ones
                                  (`persuasion`)
    does not reward length        right captions said twice, with words that say nothing, or with a sentence
                                  about another document behind them gain at most 5 %
    does not depend on the order of references
                                  the last annotator first, and so on: no document's value changes by more
                                  than a millionth of that distance
    says the same twice           asked again (`meta.agreeing`), no document's value changes by more than
                                  1 % of that distance
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import msgspec
import numpy as np

from ..arrays import FloatArray
from ..captions import Corpus
from ..engine.results import document_values
from ..engine.run import MetricLike, Run, parse_metrics
from ..engine.units import found_unit, unit_labels
from ..errors import MissingPartError, StorymeterError
from ..meta.agreeing import SelfAgreement, self_agreement
from .changes import Scene, fewer_documents
from .effects import WINS, Answer, Effect, Evidence, together
from .experiment import Result, Trial, Verdict, apply, run_trials, transformed
from .persuasion import ATTACKED, Persuasion, attacks as run_attacks
from .wrong_details import NOTICES, details

PADDED = 60
#: pairs of each kind of wrong detail, and how few in all say nothing
PAIRS, FEWEST = 25, 20
#: shares of the distance between right and wrong captions: what damage must cost, and what padding and longer
#: captions may gain
COST, GAIN = 0.10, 0.05
#: bootstrap resamples of the accuracy on wrong details
RESAMPLES = 1000
DETAILS = "notices a wrong detail"
LENGTH = "does not reward length"
ORDER = "does not depend on the order of references"
TWICE = "says the same twice"
#: how much a metric may differ from itself, as a share of the same distance, and what is rounding
DRIFT, ROUNDING = 0.01, 1e-6
NO_DISTANCE = "the mean distance between right and wrong captions is not above 0"
FILLER = (
    "and all of this can be seen here in this video, which shows exactly what is described, as anyone who"
    " looks at it will be able to see"
)


@dataclass(frozen=True, slots=True)
class Audit:
    result: Result
    verdicts: tuple[Verdict, ...]
    #: None where there are not two documents
    persuasion: Persuasion | None = None


CAPTION = {name: [name] for name in ("exchange", "truncate", "typo", "synonym")}
_ORDER = {name: [name] for name in ("swap", "shuffle", "reverse")}
_WHOLE = {"merge": ["merge"], "drop": ["drop(share=0.5)"], **CAPTION}
STORY = {**_ORDER, "repeat": ["repeat"], **_WHOLE}
DENSE = {
    **{f"pad {kind}": [f"pad(n={PADDED},kind={kind})"] for kind in ("same", "other", "foreign")},
    "jitter": ["jitter"],
    **_ORDER,
    **_WHOLE,
    **{f"m={m}": [f"pad(n={PADDED})", f"sample(m={m})"] for m in ("0.1", "0.5", "1", "2", "10")},
}


def audit(
    corpus: Corpus,
    run: Run,
    *,
    metrics: Sequence[MetricLike],
    repeats: int = 3,
    unit: str = "",
) -> Audit:
    """Scores damaged versions of `corpus` by every metric and gives a verdict for each property.

    corpus: the captions that are damaged.
    run: the references and the settings, a `Run`.
    metrics: names or metrics.
    repeats: of each damage that draws at random.
    unit: a field, or `id:SEPARATOR`, whose documents count together; default: `source`, where there is one.
    """

    def work(run: Run, metrics: Sequence[MetricLike]) -> Audit:
        return _audit(corpus, run, metrics, repeats, unit)

    with run.announced(metrics, work):
        return work(run, metrics)


def _audit(corpus: Corpus, run: Run, metrics: Sequence[MetricLike], repeats: int, unit: str) -> Audit:
    scene = Scene.of(run)
    damages = {"dense": DENSE, "story": STORY, "caption": CAPTION}[corpus.kind]
    if not run.references:
        damages = {label: names for label, names in damages.items() if "sample(m" not in names[-1]}
    trials = [Trial("original", lambda repeat: corpus)]
    trials += [transformed(label, names, corpus, run, scene, repeats) for label, names in damages.items()]
    result = run_trials("audit", trials, corpus, run, metrics, repeats=repeats)
    unit = unit or found_unit(run.references, [corpus])
    units = unit_labels(unit, result.ids, run.references, [corpus]) if unit else None
    attacks = run_attacks(corpus, run, metrics=metrics) if len(corpus) > 1 else None
    others = [
        *_wrong_details(corpus, run, metrics, result),
        *(attacks.verdicts() if attacks else []),
        *consistency_verdicts(corpus, run, metrics=metrics),
    ]
    verdicts = []
    asked = [(name, check) for name, needed, check in CHECKS if {*needed} <= {*result.labels}]
    for metric in result.documents:
        own = [one for one in others if one.metric == metric]
        evidence = result.evidence(metric, units)
        why = "the metric does not say what is better" if evidence is None else evidence.unfit()
        if evidence is None or why:
            names = [*(name for name, _ in asked), *(one.property for one in own)]
            verdicts += [Verdict(metric, name, "not applicable", why) for name in names]
        else:
            verdicts += [Verdict(metric, name, *check(evidence)) for name, check in asked]
            # the few documents of the other tests may say less than all
            verdicts += [
                replace(one, answer="undecided") if one.answer == "not applicable" else one for one in own
            ]
    return Audit(result, tuple(verdicts), attacks)


def _wrong_details(corpus: Corpus, run: Run, metrics: Sequence[MetricLike], result: Result) -> list[Verdict]:
    """None where the references tell too few of the candidates' details to say anything."""
    if not run.references:
        return []
    try:
        found = details(corpus, run, metrics=metrics, most=PAIRS, resamples=RESAMPLES, skip_missing=True)
    except MissingPartError as error:
        names = dict.fromkeys(row.metric for row in result.rows)
        return [Verdict(name, DETAILS, "undecided", error.message) for name in names]
    except StorymeterError:  # nothing to change
        return []
    if len(found.pairs) < FEWEST:
        return []
    out = []
    for metric in dict.fromkeys(one.metric for one in found.results):
        own = [one for one in found.results if one.metric == metric]
        low, high = own[-1].interval or (0.0, 1.0)
        accuracy = Effect(own[-1].accuracy, low, high)
        because = ", ".join(f"{one.category} {100 * one.accuracy:.0f} %" for one in own)
        because += f" [{100 * low:.0f}, {100 * high:.0f}]"
        out.append(Verdict(metric, DETAILS, accuracy.at_least(NOTICES), because))
    return out


#: an answer, and the numbers behind it
Found = tuple[Answer, str]


def _padding(evidence: Evidence) -> Found:
    effects = {label: evidence.change(label) for label in ("pad same", "pad other", "pad foreign")}
    return together(*(effect.at_most(GAIN) for effect in effects.values())), _shown(effects)


def _order(evidence: Evidence) -> Found:
    # the segments of swap and shuffle are jittered; jitter alone is what they are compared with
    still = "jitter" if "jitter" in evidence.values else ""
    effects = {label: evidence.change(label, still) for label in ("swap", "shuffle")}
    return together(effects["swap"].below(0.0), effects["shuffle"].at_most(-COST)), _shown(effects)


def _peak(evidence: Evidence) -> Found:
    means = {label: float(values.mean()) for label, values in evidence.values.items() if label[:2] == "m="}
    top = max(("m=1", "m=2"), key=lambda label: means[label])
    effects = {label: evidence.change(label, top) for label in ("m=0.1", "m=0.5", "m=10")}
    return together(*(effect.below(0.0) for effect in effects.values())), f"from {top}: {_shown(effects)}"


def _costs(label: str, limit: float) -> Callable[[Evidence], Found]:
    def check(evidence: Evidence) -> Found:
        effect = evidence.change(label)
        return effect.at_most(-limit) if limit else effect.below(0.0), _shown({label: effect})

    return check


def _wrong_story(evidence: Evidence) -> Found:
    wins = evidence.wins()
    because = f"right captions win in {100 * wins.value:.0f} % [{100 * wins.low:.0f}, {100 * wins.high:.0f}]"
    return wins.at_least(WINS), f"{because} of the documents"


def _shown(effects: dict[str, Effect]) -> str:
    return ", ".join(f"{label} {effect}" for label, effect in effects.items())


CHECKS: list[tuple[str, tuple[str, ...], Callable[[Evidence], Found]]] = [
    ("does not reward padding", ("pad same", "pad other", "pad foreign"), _padding),
    ("notices order", ("swap", "shuffle"), _order),
    ("peaks at the right number", ("m=1", "m=10"), _peak),
    ("does not reward repetition", ("repeat",), _costs("repeat", 0.0)),
    ("notices what is missing", ("drop",), _costs("drop", COST)),
    ("notices missing words", ("truncate",), _costs("truncate", COST)),
    ("notices the wrong story", ("exchange",), _wrong_story),
]


# Properties that any metric should have, and that a judge has to show: length, order of references, twice.


def consistency_verdicts(
    corpus: Corpus, run: Run, *, metrics: Sequence[MetricLike], most: int = ATTACKED
) -> list[Verdict]:
    """On at most `most` documents, drawn by the seed."""
    (few,), references = fewer_documents([corpus], run.references, most, run.context.seed)
    small = run.against(references)
    known = _longer_evidence(few, small, metrics)
    return [
        *_length(known),
        *_reference_order(few, small, metrics, known),
        *(
            Verdict(found.metric, TWICE, *_twice(found, known[found.metric]))
            for found in self_agreement([few], small, metrics=metrics, resamples=0)
            if found.metric in known
        ),
    ]


def _longer_evidence(corpus: Corpus, run: Run, metrics: Sequence[MetricLike]) -> dict[str, Evidence]:
    """Of the metrics that say what is better: right, wrong and longer captions."""
    if len(corpus) < 2:
        return {}
    foreign = apply(["exchange"], corpus, Scene.of(run), seed=run.context.seed)
    trials = [Trial("original", lambda repeat: corpus), Trial("exchange", lambda repeat: foreign)]
    trials += [Trial(label, partial(_longer, corpus, foreign, make)) for label, make in LONGER.items()]
    result = run_trials("length", trials, corpus, run, metrics)
    found = {metric: result.evidence(metric) for metric in result.documents}
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
        answer = together(*(effect.at_most(GAIN) for effect in effects.values()))
        out.append(Verdict(metric, LENGTH, answer, _shown(effects)))
    return out


def _longer(corpus: Corpus, foreign: Corpus, make: Callable[[str, str], str], repeat: int) -> Corpus:
    documents = []
    for document, other in zip(corpus, foreign, strict=True):
        pairs = zip(document.captions, other.captions, strict=True)
        captions = (msgspec.structs.replace(one, text=make(one.text, more.text)) for one, more in pairs)
        documents.append(msgspec.structs.replace(document, captions=tuple(captions)))
    return msgspec.structs.replace(corpus, documents=tuple(documents))


def _reference_order(
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
