"""EMScore: caption and video matched as wholes, and words with frames  (Shi et al., CVPR 2022, section 3).

    coarse   = cos(caption, video)                     the video: the mean of its frames' vectors
    P        = Σ_x w(x) max_v cos(x, v) / Σ_x w(x)      x: words of the caption,  v: frames
    R        = Σ_v max_x cos(x, v) / number of frames
    fine     = 2PR / (P + R)
    EMScore(X, V) = (coarse + fine) / 2

Vectors come from a CLIP and have length one: that of a caption is the model's own, those of its words are the
last layer's, projected alike. The tokens that mark both ends of a text are no words. w is 1, or the rarity of
a token (`idf=references`, or `candidates`: the captions scored),

    w(x) = log((M + 1) / (number of captions with x + 1))     over M captions, as BERTScore smooths it

With `references=true`, the best reference X* (see `clipscore` for which captions those are) counts half:

    EMScore(X, V, X*) = (EMScore(X, V) + max over X* of EMScore(X, X*)) / 2

where EMScore(X, X*) takes words and vector of the reference for those of the video, each weighing w in R.
Nothing stands before the captions. A picture counts as a video of one frame.

A document's value is the mean over its captions. Blank captions, captions whose words all weigh nothing (in
their fine part) and documents without pictures score 0; the last are counted in the part `no_pictures`. Which
frames a caption is compared with is said in `documents`."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Float32, FloatArray
from ..captions import Caption, Document
from ..context import Context
from ..join import Task
from ..measure import Named, measure
from ..options import option
from ..scores import Signature, short_hash
from .clipscore import ClipMetric, Sight, joined, references_of, texts_of
from .documents import Missing, Views

#: documents whose words are in memory at once
CHUNK = 256


class Match(NamedTuple):
    """What the parts of the score are called, in their order."""

    value: float
    coarse: float
    fine: float
    fine_precision: float
    fine_recall: float


NOTHING = Match(0.0, 0.0, 0.0, 0.0, 0.0)


class Side(NamedTuple):
    """One side of a comparison: the vector of the whole, those of its words or frames, and their weights."""

    whole: FloatArray
    parts: Float32
    weights: FloatArray


def embedding_match(text: Side, other: Side) -> Match:
    """EMScore(X, V), or EMScore(X, X*)."""
    coarse = float(text.whole @ other.whole)
    alike = text.parts.astype(np.float64) @ other.parts.astype(np.float64).T
    if not alike.size or not text.weights.sum() or not other.weights.sum():
        return Match(coarse / 2, coarse, 0.0, 0.0, 0.0)
    precision = float(text.weights @ alike.max(axis=1) / text.weights.sum())
    recall = float(other.weights @ alike.max(axis=0) / other.weights.sum())
    both = precision + recall
    fine = 2 * precision * recall / both if both else 0.0
    return Match((coarse + fine) / 2, coarse, fine, precision, recall)


class Weights:
    """w of the module; without captions to learn from, every token weighs 1."""

    def __init__(self, captions: Sequence[NDArray[np.int64]] | None) -> None:
        self._size = None if captions is None else len(captions)
        self._frequency = Counter(token for ids in captions or () for token in set(ids.tolist()))

    def of(self, ids: NDArray[np.int64]) -> FloatArray:
        if self._size is None:
            return np.ones(len(ids))
        known = np.array([self._frequency[token] for token in ids.tolist()], dtype=np.float64)
        return np.log((self._size + 1) / (known + 1))


def _sides(texts: Sequence[str], sight: Sight, weights: Weights) -> dict[str, Side]:
    """Captions as sides of a comparison, each distinct one read once."""
    read = list(dict.fromkeys(texts))
    wholes, words = sight.texts(read).astype(np.float64), sight.clip.words(read)
    return {
        text: Side(whole, own.vectors, weights.of(own.ids))
        for text, whole, own in zip(read, wholes, words, strict=True)
    }


@measure(
    Named("emscore", "similarity of caption and video, and of words and frames (EMScore)"),
    papers=("shi2022",),
)
@dataclass(frozen=True)
class EmScore(ClipMetric):
    #: `video` is EMScore(X, V); `best_reference` EMScore(X, X*), 0 unless references count
    parts: ClassVar[tuple[str, ...]] = (*Match._fields, "video", "best_reference", "no_pictures")

    idf: Literal["none", "references", "candidates"] = option(
        "none", "texts whose rare words have more weight"
    )
    references: bool = option(False, "whether the best reference also counts")
    missing: Missing = option("error", "missing pictures or videos: stop, or continue without them")

    @property
    def needs_references(self) -> bool:  # type: ignore[override]
        return self.references or self.idf == "references"

    def document_values(self, task: Task, context: Context) -> FloatArray:
        sight = self.sight(context)
        views = self.views(task, sight, context, self.missing)
        weights = self._weights(task, sight)
        out = np.zeros((len(task), len(self.parts)))
        for begin in range(0, len(task), CHUNK):  # the words of a whole corpus would not fit into memory
            part = range(begin, min(begin + CHUNK, len(task)))
            others = chain.from_iterable(task.references[k] for k in part if self.references)
            captions = texts_of(chain((task.candidates[k] for k in part), others))
            sides = _sides(captions, sight, weights)
            for k in part:
                rows = [
                    self._caption(caption, own, task.references[k], sight, sides)
                    for caption, own in zip(task.candidates[k].captions, views[k], strict=True)
                ]
                out[k, :-1] = np.mean(rows, axis=0) if rows else 0.0
                out[k, -1] = not any(views[k])
            context.progress("matching words and frames", part.stop, len(task))
        return out

    def _weights(self, task: Task, sight: Sight) -> Weights:
        if self.idf == "none":
            return Weights(None)
        return Weights(sight.clip.word_ids(texts_of(self._learnt(task))))

    def _learnt(self, task: Task) -> list[Document]:
        if self.idf == "references":
            return [*chain(*task.references, *task.unscored)]
        return [*task.candidates]

    @property
    def compares_documents(self) -> bool:
        return self.idf == "candidates"

    def unshardable_reason(self) -> str:
        return "" if self.idf == "none" else "the rarity of words is counted in all captions"

    def corpus_fields(self, task: Task, context: Context) -> dict[str, object]:
        if self.idf == "none":
            return {}
        texts = texts_of(self._learnt(task))
        return {"learnt": f"{len(texts)}#{short_hash(sorted(texts))}"}

    def _caption(
        self,
        caption: Caption,
        views: Views,
        references: Sequence[Document],
        sight: Sight,
        sides: dict[str, Side],
    ) -> list[float]:
        """All parts but the last."""
        if not caption.text.strip() or not views:
            return [*NOTHING, 0.0, 0.0]
        frames = sight.of_views(views)
        ours = sides[caption.text]
        video = embedding_match(ours, Side(joined(frames), frames, np.ones(len(frames))))
        if not self.references:
            return [*video, video.value, 0.0]
        matches = [embedding_match(ours, sides[text]).value for text in references_of(caption, references)]
        best = max(matches, default=0.0)
        return [(video.value + best) / 2, *video[1:], video.value, best]

    def signature(self, context: Context) -> Signature:
        return super().signature(context).add(idf=self.idf, missing=self.missing)
