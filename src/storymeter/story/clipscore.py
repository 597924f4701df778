"""CLIPScore and RefCLIPScore: how near are caption and picture in the space of a CLIP?  (Hessel et al., EMNLP
2021, equations of section 3.)

    CLIP-S(c, v)        = w · max(cos(c, v), 0),   w = 2.5
    RefCLIP-S(c, R, v)  = H-Mean(CLIP-S(c, v), max(max over r in R of cos(c, r), 0))

c, r and v are the model's vectors of candidate, reference and picture. As in the paper, *A photo depicts*
stands before candidates and references; `prompt=` says another text, `prompt=none` leaves it out. The
harmonic mean is 0 where either side is 0, and so is the score of a blank caption.

A document's value is the mean over its captions, the corpus value the mean over documents. What a caption is
compared with is said in `documents`. Several pictures of one caption, and the frames of a video, become one
vector: the mean of theirs, scaled to length one (the paper has one picture). The references of a caption are,
in each reference document, the captions of the same picture where captions name theirs, those whose segment
overlaps with its own where they are timed, else all; references are read one by one, never joined.

A document without pictures (`missing=skip`) scores 0 and is counted in the part `no_pictures`."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import ClassVar

import numpy as np

from .. import __version__
from ..arrays import Float32, FloatArray
from ..captions import Caption, Document
from ..context import Context
from ..errors import UsageError
from ..join import Task
from ..measure import NOT_STATED, Named, TrainingData, measure
from ..models.clip import PICTURES, load_clip
from ..models.media import frames_at, open_picture
from ..models.packages import sha256_of
from ..models.vectors import KeptVectors
from ..options import option
from ..progress import Progress, silent
from ..scores import Signature
from .documents import Missing, StoryMetric, View, Views, Visuals

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


#: texts encoded between two writes to the cache
CHUNK = 2048


class Sight:
    """A CLIP and the folders that a run looks at, for all metrics that ask the same model: vectors of
    pictures, frames and texts, each worked out once.

    They are kept on the disk by content: a picture by the hash of its file, a frame by that of its video and
    its time, a text by itself; one cache file per model and release (`models.vectors` says where, and how to
    switch it off)."""

    def __init__(self, context: Context, model: str) -> None:
        self.clip = load_clip(model, context.device)
        self.visuals = Visuals(context.images, context.videos)
        made_by = hashlib.sha256(f"{__version__} {self.clip.identity}".encode()).hexdigest()
        self._kept = KeptVectors(f"clip-{made_by[:16]}.sqlite", self.clip.width)
        self._digests: dict[Path, str] = {}

    def look(self, views: Iterable[View], progress: Progress = silent) -> None:
        """Works out the vectors of these, as far as they are not known."""
        pictures: dict[Path, None] = {}
        films: dict[Path, set[float]] = {}
        for view in views:
            if view.times:
                films.setdefault(view.path, set()).update(view.times)
            else:
                pictures[view.path] = None
        paths = list(pictures)
        for begin in range(0, len(paths), PICTURES):
            part = paths[begin : begin + PICTURES]
            self._kept.remember(
                {self._name(path): path for path in part},
                lambda wanted: self.clip.pictures(open_picture(path, whole=True) for path in wanted),
            )
            progress("encoding pictures", begin + len(part), len(paths))
        for done, (path, wanted) in enumerate(films.items(), 1):
            named = {self._name(path, time): time for time in sorted(wanted)}
            self._kept.remember(named, partial(self._see_frames, path))
            progress("encoding videos", done, len(films))

    def of_views(self, views: Views) -> Float32:
        """(pictures and frames of all, width); after `look`."""
        return self._kept.named(
            self._name(view.path, time) for view in views for time in (view.times or (None,))
        )

    def texts(self, texts: Sequence[str]) -> Float32:
        """(texts, width)"""
        new = [text for text in dict.fromkeys(texts) if f"text {text}" not in self._kept]
        self.clip.warn_of_cut(new)
        for begin in range(0, len(new), CHUNK):
            part = {f"text {text}": text for text in new[begin : begin + CHUNK]}
            self._kept.remember(part, self.clip.texts)
        return self._kept.named(f"text {text}" for text in texts)

    def _see_frames(self, path: Path, times: Sequence[float]) -> Float32:
        return self.clip.pictures(frames_at(path, times))

    def _name(self, path: Path, time: float | None = None) -> str:
        if path not in self._digests:
            self._digests[path] = sha256_of(path)
        return f"picture {self._digests[path]}" if time is None else f"frame {self._digests[path]} {time:.6f}"


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
        metric = self.declaration.names[0].word
        if not self.model:
            raise UsageError(
                f"{metric} needs a model of pictures and texts, and none comes with Storymeter.",
                hint=f"Name the folder of a CLIP on this machine: {metric}(model=FOLDER).",
            )
        if context.images is None and context.videos is None:
            raise UsageError(
                f"{metric} needs pictures or videos, and none were given.",
                hint="Give their folder: --images FOLDER or --videos FOLDER (images=, videos= in Python).",
            )
        return context.per_run(Sight, self.model)

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
