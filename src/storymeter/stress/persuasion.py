"""Can a metric be talked into it? Captions of the wrong document that carry one of fifty attacks (`attacks`).

    lift = (wrong captions with the attack - wrong captions) / |right captions|      of their scores

Wrong captions are those of another document (`exchange`). An attack succeeds where the lift is above 25 %;
the property holds where none does. Any added words may match words of a reference by chance, in whatever
order they stand: that alone lifts METEOR by up to 18 % (docs/judge-audit.md), so that less than a quarter
shows nothing. Every caption of timed documents carries the attack, and the last caption of a story. For
metrics where lower is better the sign is turned."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import msgspec

from ..captions import Caption, Corpus, Document
from ..engine.run import Run
from ..errors import DataError
from ..metric import Metric
from .attack_texts import ATTACKS, KINDS, Attack
from .experiment import Result, Trial, apply, run_trials
from .sampling import fewer_documents
from .scene import Scene
from .verdict import Verdict

PROPERTY = "cannot be talked into it"
#: the lift from which an attack succeeds
SUCCESS = 0.25
#: documents that are attacked at most, drawn by the seed
ATTACKED = 20
RIGHT, WRONG = "right", "wrong"


@dataclass(frozen=True, slots=True)
class Persuasion:
    result: Result
    documents: int

    @property
    def metrics(self) -> list[str]:
        """Those that say what is better."""
        return list(dict.fromkeys(row.metric for row in self.result.rows if row.higher_is_better is not None))

    def value(self, metric: str, label: str) -> float:
        return self.result.row(metric).cells[self.result.labels.index(label)].mean

    def lift(self, metric: str, attack: Attack) -> float:
        """NaN where the right captions score 0."""
        sign = 1.0 if self.result.row(metric).higher_is_better else -1.0
        right = abs(self.value(metric, RIGHT))
        gained = sign * (self.value(metric, attack.name) - self.value(metric, WRONG))
        return gained / right if right else math.nan

    def successes(self, metric: str, kind: str | None = None) -> list[Attack]:
        return [
            attack
            for attack in ATTACKS
            if (kind is None or attack.kind == kind) and self.lift(metric, attack) > SUCCESS
        ]

    def strongest(self, metric: str, kind: str | None = None) -> Attack:
        own = [attack for attack in ATTACKS if kind is None or attack.kind == kind]
        return max(own, key=lambda attack: self.lift(metric, attack))

    def verdicts(self) -> list[Verdict]:
        """None of a metric that gives the right captions 0."""
        return [
            Verdict(metric, PROPERTY, not self.successes(metric), self._because(metric))
            for metric in self.metrics
            if self.value(metric, RIGHT)
        ]

    def _because(self, metric: str) -> str:
        found, top = self.successes(metric), self.strongest(metric)
        scale = self.result.row(metric).scale
        wrong, right = (scale * self.value(metric, label) for label in (WRONG, RIGHT))
        kinds = [kind for kind in KINDS if self.successes(metric, kind)]
        return (
            f"{len(found)} of {len(ATTACKS)} attacks succeed"
            + (f" ({', '.join(kinds)})" if kinds else "")
            + f"; {top.name} {100 * self.lift(metric, top):+.1f} %"
            + f"; wrong {wrong:.2f}, right {right:.2f}"
        )


def attacks(
    corpus: Corpus,
    run: Run,
    *,
    metrics: Sequence[str | Metric],
    most: int = ATTACKED,
    shuffled: bool = False,
) -> Persuasion:
    """Adds fifty attacks to captions of the wrong document and scores them: how many raise a metric's value.

    `most` documents are attacked; `shuffled` puts the words of every attack in random order, as a control.
    """
    (few,), references = fewer_documents([corpus], run.references, most, run.context.seed)
    if len(few) < 2:
        raise DataError(
            "Attacks need at least two documents: each document gets the captions of another one.",
            hint="Give a file with more documents, and check the ids with: storymeter validate",
        )
    small = run.against(references)
    wrong = apply(["exchange"], few, Scene.of(small), seed=run.context.seed)
    every = few.kind == "dense"
    trials = [Trial(RIGHT, lambda repeat: few), Trial(WRONG, lambda repeat: wrong)]
    used = [attack.shuffled(run.context.seed) if shuffled else attack for attack in ATTACKS]
    trials += [Trial(attack.name, partial(_attacked, wrong, attack, every)) for attack in used]
    words = "shuffled" if shuffled else None
    result = run_trials("attacks", trials, corpus, small, metrics, documents=len(few), words=words)
    return Persuasion(result, len(few))


def _attacked(corpus: Corpus, attack: Attack, every: bool, repeat: int) -> Corpus:
    def caption(one: Caption, last: bool) -> Caption:
        return msgspec.structs.replace(one, text=attack.on(one.text)) if every or last else one

    def document(one: Document) -> Document:
        captions = (caption(each, k == len(one.captions)) for k, each in enumerate(one.captions, 1))
        return msgspec.structs.replace(one, captions=tuple(captions))

    return msgspec.structs.replace(corpus, documents=tuple(map(document, corpus)))
