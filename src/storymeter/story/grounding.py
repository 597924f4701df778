"""RoViST-VG, visual grounding: are the things a story names in its pictures?  (RoViST, section 3.1, eqs.
    1-3.)

    best(t)  = max over all regions r of all pictures of the story of cos(vector(t), vector(r))
    idf(t)   = log(N / (1 + df(t)))           N stories, df(t) of them name t
    S        = log Σ_t exp(idf(t) · best(t))   over the nouns of every sentence, each once per sentence
    scaled   = 2 / (1 + exp(-S / 2)) - 1

The stories of the corpus that is scored give N and df (`idf=corpus`); with a handful of stories that means
nothing, so use `idf=none` there, which is idf = 1. A story without nouns or without pictures scores 0 and is
counted in the parts `no_nouns` and `no_pictures`. `missing=error` stops at pictures that are not there,
`missing=skip` goes on without them.

Models: the embedded one (`spaces`; not the paper's), a folder that `storymeter train grounding` wrote
(`rovist_vg(model=runs/vg)`), or a local Hugging Face model of pictures and texts, such as CLIP
(`huggingface_spaces`). Regions: `regions=grid`, a table of boxes, or the folder of a detector (`regions`)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from ..arrays import Float32, FloatArray
from ..captions import Document
from ..errors import UsageError
from ..join import Task
from ..measure import Named, measure
from ..models.media import Pictures, open_picture
from ..models.vectors import KeptVectors
from ..options import option
from ..progress import Progress, silent
from ..scores import Signature, short_hash
from .documents import Missing, StoryMetric, sentences_of
from .regions import Box, JointSpace, Regions, regions
from .spaces import load_space

if TYPE_CHECKING:
    from ..context import Context

Idf = Literal["corpus", "none"]


class PictureStore:
    """Vectors and boxes of every picture looked at, each once; the vectors lie in a temporary file, so memory
    stays flat.

    With the cache on (`models.vectors`), a region is encoded once on this machine, whatever its picture is
    called: it is known by the hash of the file and its box, in one cache file per model and release."""

    def __init__(self, pictures: Pictures, where: Regions, space: JointSpace) -> None:
        self.pictures, self.where, self.space = pictures, where, space
        made_by = hashlib.sha256(f"{__version__} {space.label}".encode()).hexdigest()
        self._kept = KeptVectors(f"regions-{made_by[:16]}.sqlite", space.width)
        self._seen: dict[str, tuple[list[str], tuple[Box, ...]]] = {}

    def get(self, name: str) -> tuple[Float32, tuple[Box, ...]]:
        """(regions, width) vectors and the boxes of a picture that is there."""
        if name not in self._seen:
            self._look(name)
        regions, boxes = self._seen[name]
        return self._kept.named(regions), boxes

    def _look(self, name: str) -> None:
        path = self.pictures.find(name)
        if path is None:
            raise KeyError(name)
        image = open_picture(path)
        boxes = (*self.where.boxes(name, image, _size(path)), *self.space.more_boxes(image))
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        regions = [f"{digest} {box}" for box in boxes]
        self._kept.remember(
            dict(zip(regions, boxes, strict=True)),
            lambda wanted: self.space.regions([box.crop(image) for box in wanted], wanted),
        )
        self._seen[name] = regions, boxes


def pictures_of(context: Context, model: str, regions: str, metric: str) -> PictureStore:
    """Vectors of the pictures of the run, for all metrics that look at them in the same way."""
    if context.images is None:
        raise UsageError(
            f"{metric} needs pictures, and none were given.",
            hint="Give their folder: --images FOLDER (images= in Python).",
        )
    return context.per_run(_pictures_of, context.images, model, regions)


def _pictures_of(context: Context, images: str, model: str, where: str) -> PictureStore:
    return PictureStore(Pictures(images), regions(where, context.device), load_space(model, context.device))


def _size(path: Any) -> tuple[int, int]:
    """Width and height of the upright file, without decoding it."""
    from PIL import Image

    with Image.open(path) as image:
        turned = image.getexif().get(0x0112, 1) in (5, 6, 7, 8)
        return (image.height, image.width) if turned else (image.width, image.height)


class Grounded(NamedTuple):
    """One noun, where it was told, its best region (picture, box), how alike they are, and its idf."""

    noun: str
    sentence: int
    image: str
    box: Box
    similarity: float
    idf: float


def inverse_frequency(stories: Sequence[Sequence[Sequence[str]]]) -> dict[str, float]:
    """Noun -> log(N / (1 + df)) over stories given as nouns per sentence (eq. 1)."""
    counts = story_frequency(stories)
    return {noun: float(np.log(len(stories) / (1 + count))) for noun, count in counts.items()}


def story_frequency(stories: Sequence[Sequence[Sequence[str]]]) -> dict[str, int]:
    """Noun -> the number of stories that name it."""
    return Counter(noun for story in stories for noun in {noun for sentence in story for noun in sentence})


def log_sum_exp(values: NDArray[np.float64]) -> float:
    """log Σ exp(v), 0 for none."""
    if len(values) == 0:
        return 0.0
    top = float(values.max())
    return top + float(np.log(np.exp(values - top).sum()))


def scaled(score: float) -> float:
    """Eq. 3: 0 … 1 for scores from 0 up."""
    return 2.0 / (1.0 + float(np.exp(-0.5 * score))) - 1.0


def ground(
    story: Sequence[Sequence[str]],
    names: Sequence[str],
    store: PictureStore,
    vectors: dict[str, Float32],
    idf: dict[str, float] | None,
) -> list[Grounded]:
    """Each noun with the region that shows it best, whatever the picture; empty without nouns or pictures."""
    told = [(noun, number) for number, sentence in enumerate(story) for noun in sentence]
    if not told or not names:
        return []
    looked = [(name, *store.get(name)) for name in names]
    everything = np.concatenate([found for _, found, _ in looked])
    where = [(name, box) for name, _, boxes in looked for box in boxes]
    alike = np.stack([vectors[noun] for noun, _ in told]) @ everything.T
    best = alike.argmax(1)
    return [
        Grounded(
            noun,
            number,
            where[best[k]][0],
            where[best[k]][1],
            float(alike[k, best[k]]),
            1.0 if idf is None else idf[noun],
        )
        for k, (noun, number) in enumerate(told)
    ]


@dataclass(frozen=True)
class RegionMetric(StoryMetric):
    """Nouns beside the regions of pictures, in one space."""

    model: str = option("", "a folder with a model of pictures and texts; empty: the packaged one")
    regions: str = option("grid", "grid, a table of boxes, or the folder of a detector")

    def store(self, context: Context) -> PictureStore:
        return pictures_of(context, self.model, self.regions, self.name)

    def signature(self, context: Context) -> Signature:
        store = self.store(context)
        model, regions = store.space.label, store.where.label
        return super().signature(context).add(tok="hanta", model=model, regions=regions)


@measure(
    Named("rovist_vg", "a story's grounding: are the things it names in its pictures? (RoViST-VG)"),
    papers=("wang2022",),
)
@dataclass(frozen=True)
class VisualGrounding(RegionMetric):
    parts: ClassVar[tuple[str, ...]] = ("value", "scaled", "nouns", "no_nouns", "no_pictures")

    idf: Idf = option("corpus", "rarity of nouns in the stories scored, or none")
    missing: Missing = option("error", "missing pictures: stop, or continue without them")
    scaled: bool = option(False, "whether the value is scaled to 0 … 1 (eq. 3)")

    def unshardable_reason(self) -> str:
        return "the rarity of nouns is counted in all stories" if self.idf == "corpus" else ""

    def document_values(self, task: Task, context: Context) -> FloatArray:
        store = self.store(context)
        if self.missing == "error":
            store.pictures.check(task.candidates)
        stories = story_nouns(task.candidates, context.progress)
        idf = inverse_frequency(stories) if self.idf == "corpus" else None
        vectors = noun_vectors(stories, store.space)
        out = np.zeros((len(stories), len(self.parts)))
        for k, (document, story) in enumerate(zip(task.candidates, stories, strict=True)):
            names = store.pictures.present(document)
            found = ground(story, names, store, vectors, idf)
            score = log_sum_exp(np.array([item.idf * item.similarity for item in found]))
            count = sum(map(len, story))
            out[k] = [scaled(score) if self.scaled else score, scaled(score), count, not count, not names]
            context.progress("looking at pictures", k + 1, len(stories))
        return out

    def signature(self, context: Context) -> Signature:
        return super().signature(context).add(idf=self.idf, missing=self.missing, scaled=self.scaled)

    def corpus_fields(self, task: Task, context: Context) -> dict[str, object]:
        """How many stories the rarity of nouns was counted over, and a hash of the counts."""
        if self.idf == "none":
            return {}
        counts = story_frequency(story_nouns(task.candidates, context.progress))
        return {"stories": f"{len(task)}#{short_hash(sorted(counts.items()))}"}


def story_nouns(documents: Sequence[Document], progress: Progress = silent) -> list[list[tuple[str, ...]]]:
    """Per story and sentence its nouns."""
    from .nouns import nouns

    out = []
    for k, document in enumerate(documents):
        out.append(nouns(sentences_of(document)))
        progress("finding nouns", k + 1, len(documents))
    return out


def noun_vectors(stories: Sequence[Sequence[Sequence[str]]], space: JointSpace) -> dict[str, Float32]:
    distinct = sorted({noun for story in stories for sentence in story for noun in sentence})
    return dict(zip(distinct, space.phrases(distinct), strict=True)) if distinct else {}
