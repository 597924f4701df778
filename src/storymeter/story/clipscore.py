"""CLIPScore and RefCLIPScore: how near are caption and picture in the space of a CLIP?  (Hessel et al., EMNLP
2021, equations of section 3.)

    CLIP-S(c, v)        = w · max(cos(c, v), 0),   w = 2.5
    RefCLIP-S(c, R, v)  = H-Mean(CLIP-S(c, v), max(max over r in R of cos(c, r), 0))

c, r and v are the model's vectors of candidate, reference and picture. As in the paper, *A photo depicts*
stands before candidates and references; `prompt=` says another text, `prompt=none` leaves it out. The
harmonic mean is 0 where either side is 0, and so is the score of a blank caption.

A document's value is the mean over its captions, the corpus value the mean over documents. What a caption is
compared with is said in `views`. Several pictures of one caption, and the frames of a video, become one
vector: the mean of theirs, scaled to length one (the paper has one picture). The references of a caption are,
in each reference document, the captions of the same picture where captions name theirs, those whose segment
overlaps with its own where they are timed, else all; references are read one by one, never joined.

A document without pictures (`missing=skip`) scores 0 and is counted in the part `no_pictures`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..arrays import Float32, FloatArray
from ..captions import Caption, Document
from ..join import Task
from ..measure import NOT_STATED, Named, TrainingData, measure
from ..options import option
from ..scores import Signature
from .clip_vectors import Sight, sight_of
from .documents import Missing, StoryMetric, Views

if TYPE_CHECKING:
    from ..context import Context

WEIGHT = 2.5


def clip_score(cosine: float) -> float:
    """CLIP-S.

    >>> clip_score(0.3), clip_score(-0.1)
    (0.75, 0.0)
    """
    return WEIGHT * max(cosine, 0.0)


def harmonic_mean(a: float, b: float) -> float:
    return 2 * a * b / (a + b) if a > 0 and b > 0 else 0.0


def references_of(caption: Caption, references: Sequence[Document]) -> list[str]:
    """The reference captions that one caption is compared with, blank ones left out."""
    found = []
    for document in references:
        same: Sequence[Caption] = document.captions
        if caption.image and any(other.image for other in same):
            same = [other for other in same if other.image == caption.image]
        elif caption.timed and any(other.timed for other in same):
            same = [other for other in same if _overlap(caption, other)]
        found += [other.text for other in same if other.text.strip()]
    return list(dict.fromkeys(found))


def _overlap(a: Caption, b: Caption) -> bool:
    if a.start is None or a.end is None or b.start is None or b.end is None:
        return False
    return min(a.end, b.end) > max(a.start, b.start)


def texts_of(documents: Iterable[Document]) -> list[str]:
    """Their captions, blank ones left out."""
    return [caption.text for each in documents for caption in each.captions if caption.text.strip()]


def joined(vectors: Float32) -> FloatArray:
    """One vector for several: their mean, scaled to length one."""
    mean = vectors.astype(np.float64).mean(axis=0)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-12))


def _shown(task: Task, sight: Sight) -> list[Document]:
    """The candidates; one that names no picture is about those that its references name."""
    pictures = sight.visuals.pictures
    if pictures is None:
        return list(task.candidates)
    out = []
    for candidate, references in zip(task.candidates, task.references, strict=True):
        known = pictures.shown([candidate, *references])
        out.append(
            candidate
            if known is candidate
            else Document(candidate.id, candidate.captions, meta={"photo_sequence": pictures.of(known)})
        )
    return out


@dataclass(frozen=True)
class ClipMetric(StoryMetric):
    """Captions beside pictures or frames, in the space of a CLIP."""

    _own = True
    model: str = option("", "the folder of a CLIP: config.json, tokenizer, safetensors")
    frames: int = option(16, "how many frames of a video are used", low=1, high=4096)

    @property
    def trained_on(self) -> TrainingData:
        return TrainingData(NOT_STATED)  # the folder of a CLIP does not say

    def sight(self, context: Context) -> Sight:
        return sight_of(context, self.model, self.declaration.names[0].word)

    def views(self, task: Task, sight: Sight, context: Context, missing: Missing) -> list[list[Views]]:
        """What each caption of each document is compared with, its vectors worked out."""
        views = sight.visuals.views(
            _shown(task, sight), frames=self.frames, missing=missing, metric=self.declaration.names[0].word
        )
        sight.look((view for document in views for caption in document for view in caption), context.progress)
        return views

    def signature(self, context: Context) -> Signature:
        frames = self.frames if context.videos is not None else None
        return super().signature(context).add(tok="none", model=self.sight(context).clip.label, frames=frames)


@measure(
    Named("clipscore", "similarity of caption and picture in the space of a CLIP (CLIPScore)"),
    papers=("hessel2021",),
)
@dataclass(frozen=True)
class ClipScore(ClipMetric):
    parts: ClassVar[tuple[str, ...]] = ("value", "no_pictures")

    prompt: str = option("A photo depicts", "text put before every caption; none: no text")
    missing: Missing = option("error", "missing pictures or videos: stop, or continue without them")

    def document_values(self, task: Task, context: Context) -> FloatArray:
        sight = self.sight(context)
        views = self.views(task, sight, context, self.missing)
        sight.texts([self._asked(text) for text in self._texts(task)])  # in batches, and known from here on
        out = np.zeros((len(task), len(self.parts)))
        for k, (document, shown) in enumerate(zip(task.candidates, views, strict=True)):
            if document.captions:
                rows = [
                    self._caption(caption, own, task.references[k], sight)
                    for caption, own in zip(document.captions, shown, strict=True)
                ]
                out[k, :-1] = np.mean(rows, axis=0)
            out[k, -1] = not any(shown)
        return out

    def _texts(self, task: Task) -> list[str]:
        return texts_of(task.candidates)

    def _caption(
        self, caption: Caption, views: Views, references: Sequence[Document], sight: Sight
    ) -> list[float]:
        return [self._near(caption, views, sight)]

    def _near(self, caption: Caption, views: Views, sight: Sight) -> float:
        if not views or not caption.text.strip():
            return 0.0
        text = sight.texts([self._asked(caption.text)])[0].astype(np.float64)
        return clip_score(float(text @ joined(sight.of_views(views))))

    def _asked(self, text: str) -> str:
        return text if self.prompt == "none" else f"{self.prompt} {text}"

    def signature(self, context: Context) -> Signature:
        return super().signature(context).add(prompt=self.prompt.replace(" ", "-"), missing=self.missing)


@measure(
    Named("refclipscore", "CLIPScore combined with the similarity to the best reference (RefCLIPScore)"),
    papers=("hessel2021",),
)
@dataclass(frozen=True)
class RefClipScore(ClipScore):
    needs_references: ClassVar[bool] = True
    parts: ClassVar[tuple[str, ...]] = ("value", "clipscore", "best_reference", "no_pictures")

    def _texts(self, task: Task) -> list[str]:
        return texts_of(chain(task.candidates, *task.references))

    def _caption(
        self, caption: Caption, views: Views, references: Sequence[Document], sight: Sight
    ) -> list[float]:
        near, best = self._near(caption, views, sight), 0.0
        listed = references_of(caption, references)
        if listed and caption.text.strip():
            vectors = sight.texts([self._asked(text) for text in (caption.text, *listed)]).astype(np.float64)
            best = max(float((vectors[1:] @ vectors[0]).max()), 0.0)
        return [harmonic_mean(near, best), near, best]
