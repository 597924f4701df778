"""What does a metric reward? Every damage, every metric, and a verdict per property with the numbers behind
it.

For timed captions:
    does not reward padding       none of the three kinds of redundant captions raises the score by more than
                                  1 %
    notices order                 shuffling the sentences costs at least 10 %, and swapping one pair costs
                                  something
    peaks at the right number     among samples of a system padded to 60 captions a video, the best score is
                                  at m = 1 or 2, and
                                  m = 10 costs at least 20 % of it
    notices what is missing       leaving out half of the captions costs at least 10 %
    notices the wrong video       the sentences of another video cost at least 20 %
    notices a wrong detail        where one detail that the references tell is changed (`minimal_pairs`:
                                  object,
                                  action, colour, number, negation, subject and object exchanged), the true
                                  caption scores higher in at least 85 % of the pairs, kinds weighing alike
For stories and single captions, as far as they apply: order, repetition (a sentence said twice costs
something), missing words (half of each sentence), the wrong story. Misspellings and synonyms are measured
beside them, without a verdict: opinions differ.

For every metric, whatever the documents (`persuasion`, `consistency`):
    cannot be talked into it      none of fifty attacks raises wrong captions by more than 25 % of what right
                                  ones score
    does not reward length        longer captions that say no more gain at most 1 %
    does not depend on the order of references
    says the same twice           a judge is asked anew

Change = damaged / original - 1; for metrics where lower is better the sign is turned, so that a cost is
always negative."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..captions import Corpus
from ..engine.run import Run
from ..errors import StorymeterError
from ..metrics import Metric
from .changes import Scene
from .consistency import steady
from .experiment import Cell, Result, Trial, Verdict, run_trials, transformed
from .persuasion import Persuasion
from .persuasion import attacks as run_attacks
from .wrong_details import NOTICES, details

PADDED = 60
#: pairs of each kind of wrong detail, and how few in all say nothing
PAIRS, FEWEST = 25, 20


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
    metrics: Sequence[str | Metric],
    repeats: int = 3,
) -> Audit:
    """Scores damaged versions of `corpus` by every metric and gives a verdict for each property.

    `run` holds the references and settings; each damage that draws at random is repeated `repeats` times.
    """
    scene = Scene.of(run)
    damages = {"dense": DENSE, "story": STORY, "caption": CAPTION}[corpus.kind]
    if not run.references:
        damages = {label: names for label, names in damages.items() if "sample(m" not in names[-1]}
    trials = [Trial("original", lambda repeat: corpus)]
    trials += [transformed(label, names, corpus, run, scene, repeats) for label, names in damages.items()]
    result = run_trials("audit", trials, corpus, run, metrics, repeats=repeats)
    asked = dict.fromkeys(row.metric for row in result.rows)
    attacks = run_attacks(corpus, run, metrics=metrics) if len(corpus) > 1 else None
    others = [
        *_wrong_details(corpus, run, metrics),
        *(attacks.verdicts() if attacks else []),
        *steady(corpus, run, metrics=metrics),
    ]
    verdicts = [
        verdict
        for metric in asked
        for verdict in (*_verdicts(metric, result), *(one for one in others if one.metric == metric))
    ]
    return Audit(result, tuple(verdicts), attacks)


def _wrong_details(corpus: Corpus, run: Run, metrics: Sequence[str | Metric]) -> list[Verdict]:
    """None where the references tell too few of the candidates' details to say anything."""
    if not run.references:
        return []
    try:
        found = details(corpus, run, metrics=metrics, most=PAIRS, skip_missing=True)
    except StorymeterError:  # nothing to change, or no tagger
        return []
    if len(found.pairs) < FEWEST:
        return []
    out = []
    for metric in dict.fromkeys(one.metric for one in found.results):
        shares = found.accuracy(metric)
        last = list(shares)[-1]
        because = ", ".join(f"{kind} {100 * share:.0f} %" for kind, share in shares.items())
        out.append(Verdict(metric, "notices a wrong detail", shares[last] >= NOTICES, because))
    return out


def _verdicts(metric: str, result: Result) -> list[Verdict]:
    sign = -1.0 if result.row(metric).higher_is_better is False else 1.0
    cells = dict(zip(result.labels, result.row(metric).cells, strict=True))

    def cost(label: str, against: str = "original") -> float:
        base = cells[against].mean
        return sign * (cells[label].mean / base - 1) if base else 0.0

    def said(*labels: str, against: str = "original") -> str:
        return ", ".join(f"{label} {100 * cost(label, against):+.1f} %" for label in labels)

    # the segments of swap and shuffle are jittered; jitter alone is what they are compared with
    still = "jitter" if "jitter" in cells else "original"
    checks: list[tuple[str, tuple[str, ...], Callable[[], tuple[bool, str]]]] = [
        (
            "does not reward padding",
            ("pad same", "pad other", "pad foreign"),
            lambda: (
                max(cost("pad same"), cost("pad other"), cost("pad foreign")) <= 0.01,
                said("pad same", "pad other", "pad foreign"),
            ),
        ),
        (
            "notices order",
            ("swap", "shuffle"),
            lambda: (
                cost("shuffle", still) <= -0.10 and cost("swap", still) < 0,
                said("swap", "shuffle", against=still),
            ),
        ),
        ("peaks at the right number", ("m=1", "m=10"), lambda: _peak(cells, sign)),
        ("does not reward repetition", ("repeat",), lambda: (cost("repeat") < 0, said("repeat"))),
        ("notices what is missing", ("drop",), lambda: (cost("drop") <= -0.10, said("drop"))),
        ("notices missing words", ("truncate",), lambda: (cost("truncate") <= -0.10, said("truncate"))),
        ("notices the wrong story", ("exchange",), lambda: (cost("exchange") <= -0.20, said("exchange"))),
    ]
    return [
        Verdict(metric, name, *check())
        for name, needed, check in checks
        if all(label in cells for label in needed)
    ]


def _peak(cells: dict[str, Cell], sign: float) -> tuple[bool, str]:
    means = {label: sign * cell.mean for label, cell in cells.items() if label.startswith("m=")}
    top = max(means, key=lambda label: means[label])
    loss = 1 - means["m=10"] / means[top] if means[top] else 0.0
    return top in ("m=1", "m=2") and loss >= 0.20, f"best at {top}; m=10 costs {100 * loss:.1f} % of it"
