"""A scorer and records small enough to check by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from storymeter import PairScorer, evaluate
from storymeter.arrays import FloatArray
from storymeter.captions import Caption, Corpus, Document
from storymeter.metrics import Metric
from storymeter.scores import Score


class SharedWords(PairScorer):
    """Shared words over the words of the reference: asymmetric like METEOR, and counts how many pairs it was
    asked for.
    """

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    @property
    def name(self) -> str:
        return "shared-words"

    def score_indexed(self, *, jobs: int = 1, **pairs: Any) -> FloatArray:
        ours = [pairs["candidates"][k] for k in pairs["candidate_index"]]
        theirs = [pairs["references"][k] for k in pairs["reference_index"]]
        both = [*zip(ours, theirs, strict=True)]
        self.asked += both
        return np.array([len(set(c.split()) & set(r.split())) / max(1, len(set(r.split()))) for c, r in both])


def corpus(name: str = "mine", **videos: list[tuple[float, float, str]]) -> Corpus:
    return Corpus(
        tuple(
            Document(video, tuple(Caption(text, start, end) for start, end, text in captions))
            for video, captions in videos.items()
        ),
        name,
    )


def score(metric: str | Metric, candidates: Corpus, *references: Corpus, **options: object) -> Score:
    options = {"tokenizer": "whitespace", "resamples": 0, **options}
    return (
        evaluate(candidates=candidates, references=references, metrics=[metric], **options)
        .systems[0]
        .scores[0]
    )
