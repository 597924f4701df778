"""The papers' experiments: how many captions (table 1), in which order (table 3), padded how (section 4), and
at best (table 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..captions import Corpus
from ..engine.run import Run
from ..errors import DataError, UsageError
from ..join import join
from ..metric import Metric
from ..pairs.sentences import sentences_of
from ..pairs.table import pair_table
from .experiment import PAPER_METRICS, Result, Trial, apply, run_trials, transformed
from .scene import Scene

ALL = "all"
DEFAULT_M = ("0.1", "0.5", "1", "2", "10", ALL)


def _transformed(label: str, name: str, corpus: Corpus, run: Run, scene: Scene, repeats: int) -> Trial:
    """`corpus` after one transformation; a value that makes no sense is refused before any work."""
    apply([name], Corpus(()), scene, seed=0)
    return transformed(label, [name], corpus, run, scene, repeats)


def count(
    corpus: Corpus,
    run: Run,
    *,
    m: Sequence[str] = (),
    k: Sequence[str] = (),
    repeats: int = 5,
    metrics: Sequence[str | Metric] = PAPER_METRICS,
) -> Result:
    """Scores when only some captions are kept: `m` times as many as in the reference, or `k` of them; `all`
    keeps every one.

    Table 1 of Fujita et al. (ECCV 2020) by m, table 1 of their forerunner (NLP 2020) by k.
    """
    if m and k:
        raise UsageError(
            "Give either values of m or values of k.", hint="--m .1,.5,1,2,10,all or --k 3,7,15,200"
        )
    if repeats < 1:
        raise UsageError(f"{repeats} repeats are too few.", hint="Use 1 or more; the papers use 5.")
    letter, values = ("k", k) if k else ("m", m or DEFAULT_M)
    scene = Scene.of(run)
    trials = [
        Trial(ALL, lambda repeat: corpus)
        if value == ALL
        else _transformed(f"{letter}={value}", f"sample({letter}={value})", corpus, run, scene, repeats)
        for value in values
    ]
    return run_trials("count", trials, corpus, run, metrics, repeats=repeats)


def order(
    corpus: Corpus,
    run: Run,
    *,
    repeats: int = 5,
    bound: float = 0.7,
    metrics: Sequence[str | Metric] = ("anet(scorer=meteor)", "soda_c"),
    oracle: bool = True,
    reverse: bool = False,
) -> Result:
    """Oracle captions in the right order, with one pair swapped, and shuffled: table 3 of Fujita et al. (ECCV
    2020).

    All columns of a repeat share the same jittered segments, so that only the order differs.
    """
    scene = Scene.of(run)
    base = apply(["oracle"], corpus, scene, seed=run.context.seed) if oracle else corpus
    if not any(document.captions for document in base):
        raise DataError(
            f"No document of {corpus.name!r} has both captions and references.",
            hint="Check the ids with: storymeter validate",
        )
    names = {
        "Correct": "jitter",
        "Swap": "swap",
        "Shuffle": "shuffle",
        **({"Reverse": "reverse"} if reverse else {}),
    }
    trials = [
        transformed(label, [f"{name}(bound={bound})"], base, run, scene, repeats)
        for label, name in names.items()
    ]
    return run_trials("order", trials, corpus, run, metrics, repeats=repeats, bound=bound, oracle=oracle)


def pad(
    corpus: Corpus,
    run: Run,
    *,
    n: Sequence[int] = (20, 50),
    repeats: int = 5,
    metrics: Sequence[str | Metric] = PAPER_METRICS,
) -> Result:
    """The three abuses of section 4: does a metric pay for redundant captions?"""
    scene = Scene.of(run)
    trials = [Trial("original", lambda repeat: corpus)]
    for size in n:
        for kind in ("same", "other", "foreign"):
            name = f"pad(n={size},kind={kind})"
            trials.append(_transformed(f"{kind} {size}", name, corpus, run, scene, repeats))
    return run_trials("pad", trials, corpus, run, metrics, repeats=repeats)


@dataclass(frozen=True, slots=True)
class OracleScore:
    system: str
    meteor: float
    self_bleu: float
    captions: int


def oracle(corpus: Corpus, run: Run) -> OracleScore:
    """Mean METEOR of the oracle captions against the references they were chosen for, and their Self-BLEU:
    table 2.
    """
    from ..pairs.meteor import Meteor
    from .padding import track

    scene = Scene.of(run)
    best = apply(["oracle"], corpus, scene, seed=run.context.seed)
    pairs = [
        (caption.text, reference.text)
        for document, original in zip(best, corpus, strict=True)
        for caption, reference in zip(document.captions, track(original, scene), strict=True)
    ]
    if not pairs:
        raise DataError(
            f"No document of {corpus.name!r} has both captions and references.",
            hint="Check the ids with: storymeter validate",
        )
    context = run.context
    sentences, table = sentences_of(context), pair_table(context, Meteor())
    values = table.values(
        sentences.numbers([a for a, _ in pairs]), sentences.numbers([b for _, b in pairs]), jobs=context.jobs
    )
    (diversity,) = run.score_task(join(candidates=best), "self_bleu")
    return OracleScore(corpus.name, float(values.mean()), diversity.value, len(pairs))
