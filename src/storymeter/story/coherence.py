"""RoViST-C, coherence: does each sentence follow the one before it?  (RoViST, section 3.2, eqs. 4-6.)

    C = mean over neighbouring sentences (A, B) of p(B follows A)

p comes from a sentence-order classifier (`order_net`): trained on human stories, where a swapped pair is the
negative example. A sentence that repeats the one before it has p = 0; final marks are left out, because a
missing one gives the last sentence away; p is calibrated by a temperature. The paper does none of the three:
`repeats=score`, `marks=keep`, `temperature=one` are its reading. A story of one
sentence or none has no pair: it scores 0 and is counted in the part `single`; an empty sentence is left
out.

Models: the embedded one (our top layers on MiniLM; see docs/models/coherence.md for what it can and cannot
tell), a folder that `storymeter train coherence` wrote (`rovist_c(model=runs/albert)`), a Hugging Face
classifier of sentence pairs or a language model (`rovist_c(model=lm)`; both are in
`pretrained`). Scores compare within one data set only."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray
from ..context import Context
from ..join import Task
from ..measure import ENCODER_TRAINING, NOT_STATED, Named, TrainingData, measure, training_of_all
from ..models.checkpoints import need_torch
from ..options import option
from ..progress import Progress, silent
from ..scores import Score, Signature
from .documents import StoryMetric, counted, stories_of
from .order_net import AS_TRAINED, CONFIG, PACKAGED, Reading, load_order_model

BLOCK = 2048


class PairClassifier(Protocol):
    """What coherence asks of a model. `label` names it and its weights in signatures."""

    @property
    def label(self) -> str: ...

    def probabilities(
        self,
        pairs: Sequence[tuple[str, str]],
        *,
        reading: Reading = AS_TRAINED,
        progress: Progress = silent,
    ) -> NDArray[np.float64]:
        """p(B follows A) for every pair (A, B); no bit of it depends on the other pairs."""


@functools.lru_cache(maxsize=2)
def load(path: str = "", device: str = "cpu") -> PairClassifier:
    """The embedded model, one that our training wrote, or a Hugging Face classifier of pairs; loaded once per
    process.
    """
    need_torch("Coherence (rovist_c)")
    if path == "lm" or path.endswith(".gguf"):
        from .pretrained import language_model

        return language_model(path, device)
    from .pretrained import HuggingFacePairs, is_huggingface

    folder = Path(path).expanduser() if path else PACKAGED
    return (
        HuggingFacePairs(folder, device)
        if is_huggingface(folder, CONFIG)
        else load_order_model(folder, device)
    )


def coherence(
    stories: Sequence[Sequence[str]],
    model: PairClassifier,
    progress: Progress = silent,
    *,
    reading: Reading = AS_TRAINED,
) -> list[NDArray[np.float64]]:
    """p of every neighbouring pair, one array per story; each distinct pair is judged once per block of
    stories.
    """
    out: list[NDArray[np.float64]] = []
    for begin in range(0, len(stories), BLOCK):
        block = stories[begin : begin + BLOCK]
        values = model.probabilities(
            [pair for story in block for pair in pairwise(story)],
            reading=reading,
            progress=silent if len(stories) > BLOCK else progress,
        )
        ends = np.cumsum([max(len(story) - 1, 0) for story in block])
        out += [np.asarray(part) for part in np.split(values, ends[:-1])]
        if len(stories) > BLOCK:
            progress("judging neighbouring sentences", begin + len(block), len(stories))
    return out


@measure(
    Named("rovist_c", "a story's coherence: does each sentence follow the one before? (RoViST-C)"),
    papers=("wang2022",),
)
@dataclass(frozen=True)
class Coherence(StoryMetric):
    parts: ClassVar[tuple[str, ...]] = ("value", "weakest", "single")

    model: str = option(
        "", "a folder with a classifier of sentence pairs, or lm: a language model; empty: the packaged one"
    )

    repeats: Literal["zero", "score"] = option(
        "zero", "a sentence that repeats the one before it: 0, or what the model says, as in the paper"
    )
    marks: Literal["strip", "keep"] = option("strip", "final marks of sentences; the paper keeps them")
    temperature: Literal["fitted", "one"] = option(
        "fitted", "temperature of the model: fitted to held-out pairs, or 1 as in the paper"
    )

    @property
    def english(self) -> bool:
        return self.model in ("", "lm")

    @property
    def stand_in(self) -> str:
        return "" if self.model else "minilm"

    @property
    def trained_on(self) -> TrainingData:
        if self.model:
            return TrainingData(NOT_STATED)
        own = TrainingData(
            "stories of VIST, ROCStories and Story Cloze (others than those of the benchmarks)",
            ("vist-edit", "stories-roc", "story-cloze"),
        )
        return training_of_all([ENCODER_TRAINING, own])

    @property
    def reading(self) -> Reading:
        return Reading(self.repeats == "zero", self.marks == "strip", self.temperature == "fitted")

    def document_values(self, task: Task, context: Context) -> FloatArray:
        stories = stories_of(task.candidates)
        model = load(self.model, context.device)
        found = coherence(stories, model, context.progress, reading=self.reading)
        return np.array([[p.mean(), p.min(), 0.0] if len(p) else [0.0, 0.0, 1.0] for p in found]).reshape(
            -1, 3
        )

    def remarks(self, scores: Mapping[str, Score]) -> list[str]:
        lacking = {system: round(score.parts["single"] * score.n) for system, score in scores.items()}
        return counted("Stories of fewer than two sentences count 0 in coherence", lacking, scores)

    def signature(self, context: Context) -> Signature:
        return super().signature(context).add(tok="model", model=load(self.model, context.device).label)


class Links(NamedTuple):
    """p of every neighbouring pair, and which is the weakest link (-1 where there is none)."""

    probabilities: tuple[float, ...]
    weakest: int
    mean: float


def explain(sentences: Sequence[str], model: PairClassifier, reading: Reading = AS_TRAINED) -> Links:
    """Figure 5 of the paper: every link of the story."""
    pairs = list(pairwise(sentences))
    values = model.probabilities(pairs, reading=reading) if pairs else np.empty(0)
    return Links(
        tuple(map(float, values)),
        int(values.argmin()) if len(values) else -1,
        float(values.mean()) if len(values) else 0.0,
    )
