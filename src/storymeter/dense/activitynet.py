"""The ActivityNet Captions score, the "current" score of the SODA papers (Krishna et al., ICCV 2017).

At a threshold t, caption p is compared with every reference g of any annotator that it overlaps enough:

    G(p, t) = {g : IoU(g, p) >= t}
    E(t)    = sum of f(g, p) over p and g in G(p, t)  /  sum of |G(p, t)|          (paper 000, eqs. 2-3)

and a caption with an empty G(p, t) is compared with a string that resembles nothing
(`unmatched=garbage-fixed`: the 2018 script; `garbage-random`: the later ones, here with a seed), or left out
(`ignore`: paper 001, eqs. 3-4). E is made per video, as the scripts do: corpus BLEU and aggregate METEOR over
the video's pairs, CIDEr with the video's own idf, otherwise the mean of f; then averaged over videos, a
missing one counting 0; then over the thresholds. With `corpus_scorers=corpus` the pairs of all videos are put
together instead, and CIDEr's idf is that of all references.

The caption is always the scorer's hypothesis; the field `orientation` is SODA's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..join import Task
from ..metric import FloatArray, Metric, Setting
from ..pairs.base import IntArray, PairScorer
from ..pairs.table import Sentences, statistics_width
from ..protocol import TIOUS, Protocol
from ..signature import Signature
from .scoring import Words, default_scorer, learns, offsets, scorer_fields
from .tracks import Problems, Tracks

GARBAGE = "abc123!@#"
LETTERS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", dtype="S1")


class Pairs(NamedTuple):
    """Sentences to compare, as numbers, sorted by video; `offset` says where each video begins."""

    offset: IntArray
    hypotheses: IntArray
    references: IntArray


class ActivityNet(Metric):
    def __init__(self, scorer: PairScorer | None = None) -> None:
        self._given = scorer
        self._tious: tuple[float, ...] = TIOUS
        self._corpus = False

    @property
    def scorer(self) -> PairScorer:
        return self._given or default_scorer()

    @property
    def name(self) -> str:
        return f"anet(scorer={self._given.name})" if self._given is not None else "anet"

    def under(self, protocol: Protocol) -> ActivityNet:
        bound = ActivityNet(self._given)
        bound._tious = protocol.tious
        bound._corpus = protocol.corpus_scorers == "corpus"
        return bound

    @property
    def columns(self) -> tuple[str, ...]:
        if not self._corpus:
            return (*(f"at_{t:g}" for t in self._tious), "videos")
        return tuple(f"at_{t:g}/{k}" for t in self._tious for k in range(statistics_width(self.scorer)))

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        if self._corpus:
            split = sums.reshape(*sums.shape[:-1], len(self._tious), -1)
            values = self.scorer.combine(split)
        else:
            values = sums[..., :-1] / np.maximum(sums[..., -1:], 1.0)
        return {
            "value": np.asarray(values.mean(axis=-1)),
            **{f"at_{t:g}": np.asarray(values[..., k]) for k, t in enumerate(self._tious)},
        }

    def signature(self, setting: Setting) -> Signature:
        return super().signature(setting).add(**scorer_fields(self.scorer))

    def rows(self, task: Task, setting: Setting) -> FloatArray:
        words = Words(self.scorer, task, setting)
        thresholds = list(pairs_by_threshold(Tracks.shared(task, setting), words, setting.protocol))
        if self._corpus:
            return np.column_stack([sums_per_video(pairs, words) for pairs in thresholds])
        if learns(self.scorer):
            values = self._learnt_per_video(thresholds, words)
        else:
            values = [
                np.where(np.diff(pairs.offset) > 0, self.scorer.combine(sums_per_video(pairs, words)), 0.0)
                for pairs in thresholds
            ]
        return np.column_stack([*values, np.ones(len(task))])

    def _learnt_per_video(self, thresholds: list[Pairs], words: Words) -> list[FloatArray]:
        """The mean of f with what the scorer learns from the video's own pairs; all thresholds in one
        call.
        """
        sizes = np.concatenate([np.diff(pairs.offset) for pairs in thresholds])
        hypotheses, references = (np.concatenate([pairs[k] for pairs in thresholds]) for k in (1, 2))
        return np.split(words.mean_per_group(offsets(sizes), hypotheses, references), len(thresholds))


def pairs_by_threshold(tracks: Tracks, words: Words, protocol: Protocol) -> Iterator[Pairs]:
    """For each threshold, the pairs that are compared."""
    problems, strict = tracks.merged, protocol.text_tiou == ">"
    candidates, references = (
        side.numbers(words.sentences) for side in (problems.candidates, problems.references)
    )
    found = problems.pairs_over(min(protocol.tious), strict=strict)
    video = found.problem()
    owner = np.repeat(np.arange(len(problems)), problems.candidate_count)
    garbage = _garbage(len(candidates), words, protocol)
    batch = Batch(problems, words.sentences) if protocol.tokens == "batch" else None
    for t in protocol.tious:
        keep = found.iou > t if strict else found.iou >= t
        candidate, reference, of = (
            found.candidate[keep].astype(np.int64),
            found.reference[keep].astype(np.int64),
            video[keep],
        )
        compared = references[reference]
        if garbage is not None:
            lonely = np.ones(len(candidates), dtype=bool)
            lonely[candidate] = False
            alone = np.flatnonzero(lonely)
            of, candidate = np.concatenate([of, owner[alone]]), np.concatenate([candidate, alone])
            reference, compared = (
                np.concatenate([reference, np.full(len(alone), -1)]),
                np.concatenate([compared, garbage[alone]]),
            )
            order = np.argsort(of, kind="stable")
            of, candidate, reference, compared = (
                of[order],
                candidate[order],
                reference[order],
                compared[order],
            )
        offset = offsets(np.bincount(of, minlength=len(problems)))
        told = candidates[candidate]
        if batch is not None:
            batch.peek(of, offset, candidate, reference, told, compared)
        yield Pairs(offset, told, compared)


class Batch:
    """The scripts tokenise the pairs of a video in one go, captions and references each in the order caption
    by caption, annotator by annotator; a text that ends in a letter and a dot is read together with the one
    that follows it there."""

    def __init__(self, problems: Problems, sentences: Sentences) -> None:
        self.sentences = sentences
        self.sides = (problems.candidates, problems.references)
        self.peeking = [np.isin(side.order, sentences.peeking(side.texts)) for side in self.sides]

    def peek(
        self,
        video: IntArray,
        offset: IntArray,
        candidate: IntArray,
        reference: IntArray,
        told: IntArray,
        compared: IntArray,
    ) -> None:
        """Correct the sentences `told` and `compared` of the pairs where that matters; reference -1 is
        garbage.
        """
        candidates, references = self.sides
        for entries, numbers, side, peeking in zip(
            (candidate, reference), (told, compared), self.sides, self.peeking, strict=True
        ):
            for k in np.flatnonzero((entries >= 0) & peeking[entries]) if peeking.any() else ():
                pairs = np.arange(offset[video[k]], offset[video[k] + 1])
                written = np.where(reference[pairs] < 0, -1, references.order[reference[pairs]])
                pairs = pairs[np.lexsort((written, candidates.order[candidate[pairs]]))]
                after = pairs[np.flatnonzero(pairs == k)[0] + 1 :]
                if len(after):
                    following = (
                        GARBAGE if entries[after[0]] < 0 else side.texts[side.order[entries[after[0]]]]
                    )
                    numbers[k] = self.sentences.number_before(side.texts[side.order[entries[k]]], following)


def _garbage(count: int, words: Words, protocol: Protocol) -> IntArray | None:
    """The sentence that each caption meets when it has no partner, or None where it then meets nothing."""
    if protocol.unmatched == "ignore":
        return None
    if protocol.unmatched == "garbage-fixed":
        return np.full(count, words.sentences.numbers([GARBAGE])[0])
    random = np.random.default_rng(protocol.garbage_seed)
    lengths = random.integers(10, 21, count)
    letters = LETTERS[random.integers(0, 26, int(lengths.sum()))].tobytes().decode()
    ends = np.cumsum(lengths)
    return words.sentences.numbers(
        [letters[end - length : end] for end, length in zip(ends.tolist(), lengths.tolist(), strict=True)]
    )


def sums_per_video(pairs: Pairs, words: Words) -> FloatArray:
    """(videos, columns): the scorer's statistics, summed over each video's pairs."""
    statistics = words.statistics(pairs.hypotheses, pairs.references)
    out = np.zeros((len(pairs.offset) - 1, statistics.shape[1]))
    there = np.flatnonzero(np.diff(pairs.offset))
    if len(there):
        out[there] = np.add.reduceat(statistics, pairs.offset[:-1][there], axis=0, dtype=np.float64)
    return out
