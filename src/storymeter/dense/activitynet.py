"""The ActivityNet Captions score, the "current" score of the SODA papers (Krishna et al., ICCV 2017).

At a threshold t, caption p is compared with every reference g of any annotator that it overlaps enough:

    G(p, t) = {g : IoU(g, p) >= t}
    E(t)    = sum of f(g, p) over p and g in G(p, t)  /  sum of |G(p, t)|          (paper 000, eqs. 2-3)

and a caption with an empty G(p, t) is compared with a string that resembles nothing
(`unmatched=garbage-fixed`: the 2018 script; `garbage-random`: the later ones, here with a seed), or left out
(`ignore`: paper 001, eqs. 3-4). E is made per video; CIDEr has the video's own idf; then averaged over
videos, a missing one counting 0; then over the thresholds. The scripts have no mean of f where a measure has
a value of its own for several pairs: they take corpus BLEU and aggregate METEOR over the video's pairs
(`anet_pairs=pooled`). With `corpus_scorers=corpus` the pairs of all videos are put together instead, and
CIDEr's idf is that of all references.

The caption is always the scorer's hypothesis; the field `orientation` is SODA's.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray, IntArray
from ..context import Context
from ..join import Task
from ..measure import Named, measure
from ..metrics import Metric
from ..options import bound, option
from ..pairs import Meteor, PairScorer
from ..pairs.model import PLAIN_COLUMNS, tokenized_by, value_of
from ..pairs.sentences import Sentences
from ..protocol import PAPER, Protocol
from ..scores import Rows, Signature
from .caption_pairs import CaptionPairs, scorer_fields
from .soda import share
from .tracks import TrackPairs, Tracks, offsets, tracks_of

GARBAGE = "abc123!@#"
LETTERS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", dtype="S1")


#: videos whose statistics are summed in one go: the sum needs them as doubles
VIDEOS_AT_ONCE = 128


class Pairs(NamedTuple):
    """Sentences to compare, as numbers, sorted by video; `offset` says where each video begins."""

    offset: IntArray
    hypotheses: IntArray
    references: IntArray


@measure(
    Named("anet", "ActivityNet: every caption against the references that it overlaps enough"),
    papers=("krishna2017",),
)
@dataclass(frozen=True)
class ActivityNet(Metric):
    scorer: PairScorer = option(Meteor(), "the scorer of sentence pairs")

    protocol: Protocol = bound(PAPER)

    @property
    def _tious(self) -> tuple[float, ...]:
        return self.protocol.tious

    @property
    def _corpus(self) -> bool:
        """Whether the pairs of all videos are put together."""
        return self.protocol.corpus_scorers == "corpus"

    @property
    def _pooled(self) -> bool:
        """Whether the statistics of pairs are summed before they become a value."""
        return self.protocol.anet_pairs == "pooled"

    def _value_of(self, sums: FloatArray) -> FloatArray:
        return value_of(self.scorer, sums) if self._pooled else share(sums[..., 0], sums[..., 1])

    def unshardable_reason(self) -> str:
        if self.protocol.unmatched == "garbage-random" and tokenized_by(self.scorer, "ptb") == "none":
            return "unmatched captions are compared with random letters, drawn for all documents at once"
        return super().unshardable_reason() if self._corpus else ""

    @property
    def columns(self) -> tuple[str, ...]:
        if not self._corpus:
            return (*(f"at_{t:g}" for t in self._tious), "videos")
        columns = self.scorer.traits.pair_columns if self._pooled else PLAIN_COLUMNS
        return tuple(f"at_{t:g}/{column}" for t in self._tious for column in columns)

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        if self._corpus:
            count = len(self._tious)
            values = self._value_of(sums.reshape(*sums.shape[:-1], count, len(self.columns) // count))
        else:
            values = sums[..., :-1] / np.maximum(sums[..., -1:], 1.0)
        return {
            "value": np.asarray(values.mean(axis=-1)),
            **{f"at_{t:g}": np.asarray(values[..., k]) for k, t in enumerate(self._tious)},
        }

    def signature(self, context: Context) -> Signature:
        signature = super().signature(context).add(**scorer_fields(self.scorer, context))
        plain = self._pooled or self.scorer.traits.pair_columns == PLAIN_COLUMNS
        return signature if plain else signature.add(pairs="mean")

    def rows(self, task: Task, context: Context) -> Rows | FloatArray:
        if self.protocol != context.protocol:
            return self.under(context.protocol).rows(task, context)
        captions = CaptionPairs(self.scorer, task, context)
        thresholds = pairs_by_threshold(tracks_of(context, task), captions, self.protocol)
        if self._corpus:
            return np.column_stack([self._sums(pairs, captions) for pairs in thresholds])
        if self.scorer.traits.learns:
            values = self._learnt_per_video(list(thresholds), captions)
        else:
            values = [
                np.where(np.diff(pairs.offset) > 0, self._value_of(self._sums(pairs, captions)), 0.0)
                for pairs in thresholds
            ]
        return np.column_stack([*values, np.ones(len(task))])

    def _sums(self, pairs: Pairs, captions: CaptionPairs) -> FloatArray:
        """(videos, columns): the scorer's statistics, or values and number of pairs, summed over each video's
        pairs; by a scorer that learns from these alone, where all videos are put together."""
        if self._corpus and self.scorer.traits.fits_per_video:
            sizes = np.diff(pairs.offset)
            means = captions.mean_per_group(pairs.offset, pairs.hypotheses, pairs.references)
            return np.column_stack([means * sizes, sizes.astype(np.float64)])
        statistics = (captions.statistics if self._pooled else captions.values)(
            pairs.hypotheses, pairs.references
        )
        out = np.zeros((len(pairs.offset) - 1, statistics.shape[1]))
        there = np.flatnonzero(np.diff(pairs.offset))
        for begin in range(0, len(there), VIDEOS_AT_ONCE):
            some = there[begin : begin + VIDEOS_AT_ONCE]
            first, last = pairs.offset[some[0]], pairs.offset[some[-1] + 1]
            starts = pairs.offset[some] - first
            out[some] = np.add.reduceat(statistics[first:last], starts, axis=0, dtype=np.float64)
        return out

    def _learnt_per_video(self, thresholds: list[Pairs], captions: CaptionPairs) -> list[FloatArray]:
        """The mean of f with what the scorer learns from the video's own pairs; all thresholds in one
        call.
        """
        sizes = np.concatenate([np.diff(pairs.offset) for pairs in thresholds])
        hypotheses, references = (np.concatenate([pairs[k] for pairs in thresholds]) for k in (1, 2))
        return np.split(captions.mean_per_group(offsets(sizes), hypotheses, references), len(thresholds))


def pairs_by_threshold(tracks: Tracks, captions: CaptionPairs, protocol: Protocol) -> Iterator[Pairs]:
    """For each threshold, the pairs that are compared."""
    problems, strict = tracks.merged, protocol.text_tiou == ">"
    candidates, references = (
        side.numbers(captions.sentences) for side in (problems.candidates, problems.references)
    )
    found = problems.pairs_over(min(protocol.tious), strict=strict)
    video = found.problem()
    owner = np.repeat(np.arange(len(problems)), problems.candidate_count)
    garbage = _garbage(len(candidates), captions, protocol)
    together = TokenisedTogether(problems, captions.sentences) if protocol.tokens == "batch" else None
    for t in protocol.tious:
        keep = found.iou > t if strict else found.iou >= t
        candidate, reference = found.candidate[keep].astype(np.int64), found.reference[keep].astype(np.int64)
        of, compared = video[keep], references[reference]
        if garbage is not None:
            lonely = np.ones(len(candidates), dtype=bool)
            lonely[candidate] = False
            alone = np.flatnonzero(lonely)
            more = owner[alone], alone, np.full(len(alone), -1), garbage[alone]
            pairs = [
                np.concatenate(both) for both in zip((of, candidate, reference, compared), more, strict=True)
            ]
            order = np.argsort(pairs[0], kind="stable")
            of, candidate, reference, compared = (column[order] for column in pairs)
        offset = offsets(np.bincount(of, minlength=len(problems)))
        compared_captions = candidates[candidate]
        if together is not None:
            together.read_on(of, offset, candidate, reference, compared_captions, compared)
        yield Pairs(offset, compared_captions, compared)


class TokenisedTogether:
    """The scripts tokenise the pairs of a video in one go, captions and references each in the order caption
    by caption, annotator by annotator; a text that ends in an abbreviation and a dot is read together with
    the one that follows it there (`text.ptb.tokenize_batch`)."""

    def __init__(self, problems: TrackPairs, sentences: Sentences) -> None:
        self.sentences = sentences
        self.sides = (problems.candidates, problems.references)
        self.run_on = [np.isin(side.order, sentences.run_on(side.texts)) for side in self.sides]

    def read_on(
        self,
        video: IntArray,
        offset: IntArray,
        candidate: IntArray,
        reference: IntArray,
        captions: IntArray,
        compared: IntArray,
    ) -> None:
        """Correct the sentences `captions` and `compared` of the pairs where that matters; reference -1 is
        garbage.
        """
        candidates, references = self.sides
        for entries, numbers, side, run_on in zip(
            (candidate, reference), (captions, compared), self.sides, self.run_on, strict=True
        ):
            for k in np.flatnonzero((entries >= 0) & run_on[entries]) if run_on.any() else ():
                pairs = np.arange(offset[video[k]], offset[video[k] + 1])
                written = np.where(reference[pairs] < 0, -1, references.order[reference[pairs]])
                pairs = pairs[np.lexsort((written, candidates.order[candidate[pairs]]))]
                after = pairs[np.flatnonzero(pairs == k)[0] + 1 :]
                if len(after):
                    following = [
                        GARBAGE if entry < 0 else side.texts[side.order[entry]]
                        for entry in entries[after].tolist()
                    ]
                    numbers[k] = self.sentences.number_before(side.texts[side.order[entries[k]]], following)


def _garbage(count: int, captions: CaptionPairs, protocol: Protocol) -> IntArray | None:
    """The sentence that each caption meets when it has no partner, or None where it then meets nothing."""
    if protocol.unmatched == "ignore":
        return None
    if protocol.unmatched == "garbage-fixed":
        return np.full(count, captions.sentences.numbers([GARBAGE])[0])
    random = np.random.default_rng(protocol.garbage_seed)
    lengths = random.integers(10, 21, count)
    letters = LETTERS[random.integers(0, 26, int(lengths.sum()))].tobytes().decode()
    ends = np.cumsum(lengths)
    return captions.sentences.numbers(
        [letters[end - length : end] for end, length in zip(ends.tolist(), lengths.tolist(), strict=True)]
    )
