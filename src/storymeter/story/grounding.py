"""RoViST-VG, visual grounding: are the things a story names in its pictures?  (RoViST, section 3.1, eqs.
    1-3.)

    best(t)  = max over all regions r of all pictures of the story of cos(vector(t), vector(r))
    idf(t)   = log(N / (1 + df(t)))           N stories, df(t) of them name t (`nouns`)
    S        = log Σ_t exp(idf(t) · best(t))   over the nouns of every sentence, each once per sentence
    scaled   = 2 / (1 + exp(-S / 2)) - 1
    per_noun = mean over the nouns t of best(t)

S grows with the logarithm of the number of nouns, as the paper warns: n nouns that resemble nothing give log
n. `per_noun` (`pooling=mean` makes it the value) does not; it is the mean over the stories that have nouns
and pictures. S is no share: with one noun of negative similarity it is below 0. A story without nouns or
without pictures scores 0 and is counted in the parts `no_nouns` and `no_pictures`. `missing=error` stops at
pictures that are not there, `missing=skip` goes on without them.

Models: the embedded one (`spaces`; not the paper's), a folder that `storymeter train grounding` wrote
(`rovist_vg(model=runs/vg)`), or a local Hugging Face model of pictures and texts, such as CLIP
(`pretrained`). Regions: `regions=grid`, a table of boxes, or the folder of a detector (`regions`)."""

import hashlib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from ..arrays import Float32, FloatArray
from ..captions import Document
from ..context import Context
from ..errors import DataError, StorymeterWarning, UsageError, first_few, many
from ..join import Task
from ..measure import ENCODER_TRAINING, NOT_STATED, Named, TrainingData, measure, training_of_all
from ..models.media import Pictures, open_picture
from ..models.vectors import KeptVectors
from ..options import option
from ..scores import Score, Signature, short_hash
from .documents import Missing, StoryMetric, counted
from .nouns import SOURCES, fixed_frequencies, frequencies, knows_wordnet, story_nouns
from .regions import Box, JointSpace, Regions, regions
from .spaces import load_space

Pooling = Literal["lse", "mean"]
Mentions = Literal["sentence", "all"]


class PictureStore:
    """Vectors and boxes of every picture looked at, each once; the vectors lie in a temporary file, so memory
    stays flat.

    With the cache on (`models.vectors`), a region is encoded once on this machine, whatever its picture is
    called: it is known by the hash of the file, all boxes of the picture and its own, in one cache file per
    model and release."""

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

    def check_boxes(self) -> None:
        """A warning where a table has no boxes for some pictures, and an error where it has none for all."""
        lacking = sorted(getattr(self.where, "unlisted", set()) & self._seen.keys())
        if not lacking:
            return
        said = f"{self.where.label} has no boxes for {len(lacking):,} of {many(len(self._seen), 'image')}"
        if len(lacking) == len(self._seen):
            hint = "Name images in the table as the stories or the files do, with or without suffix."
            raise DataError(f"{said}: {first_few(lacking)}", hint=hint)
        warnings.warn(
            f"{said}, whose only region is the whole image: {first_few(lacking)}.",
            StorymeterWarning,
            stacklevel=3,
        )

    def _look(self, name: str) -> None:
        path = self.pictures.find(name)
        if path is None:
            raise KeyError(name)
        image = open_picture(path)
        boxes = (*self.where.boxes(name, image, _size(path)), *self.space.more_boxes(image))
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        # the last bits of a vector depend on the regions that it is made with: a picture's are one batch
        batch = short_hash(list(map(str, boxes)))
        regions = [f"{digest} {batch} {box}" for box in boxes]
        self._kept.remember(
            dict(zip(regions, boxes, strict=True)),
            lambda wanted: self.space.regions([box.crop(image) for box in wanted], wanted),
        )
        self._seen[name] = regions, boxes


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


class StoryGrounding(NamedTuple):
    """A story's nouns per sentence, the regions that show them best, and the pictures that are there."""

    nouns: list[tuple[str, ...]]
    found: list[Grounded]
    pictures: list[str]


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
    idf: Callable[[str], float] | None,
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
            1.0 if idf is None else idf(noun),
        )
        for k, (noun, number) in enumerate(told)
    ]


@dataclass(frozen=True)
class RegionMetric(StoryMetric):
    """Nouns beside the regions of pictures, in one space."""

    _own = True
    model: str = option("", "a folder with a model of pictures and texts; empty: the packaged one")
    regions: str = option("grid", "grid, a table of boxes, or the folder of a detector")

    english: ClassVar[bool] = True  # the tagger of nouns is

    @property
    def stand_in(self) -> str:
        return "" if self.model else "efficientnet"

    @property
    def trained_on(self) -> TrainingData:
        if self.model or self.regions != "grid":
            return TrainingData(NOT_STATED)
        return training_of_all([TrainingData("regions: classes of ImageNet"), ENCODER_TRAINING])

    def store(self, context: Context) -> PictureStore:
        """Vectors of the pictures of the run, for all metrics that look at them in the same way."""
        if context.images is None:
            raise UsageError(
                f"{self.name} needs pictures, and none were given.",
                hint="Give their folder: --images FOLDER (images= in Python).",
            )
        return context.per_run(_pictures_of, context.images, self.model, self.regions)

    def signature(self, context: Context) -> Signature:
        store = self.store(context)
        model, regions = store.space.label, store.where.label
        nouns = None if knows_wordnet() else "without-wordnet"  # some words are then nouns that were none
        return super().signature(context).add(tok="hanta", nouns=nouns, model=model, regions=regions)


@measure(
    Named("rovist_vg", "a story's grounding: are the things it names in its pictures? (RoViST-VG)"),
    papers=("wang2022",),
)
@dataclass(frozen=True)
class Grounding(RegionMetric):
    parts: ClassVar[tuple[str, ...]] = (
        "value",
        "per_noun",
        "nouns",
        "scaled",
        "no_nouns",
        "no_pictures",
        "grounded",
    )
    shown_parts: ClassVar[tuple[str, ...]] = ("per_noun", "nouns")

    idf: str = option(
        "vist",
        "stories that the rarity of nouns is counted over: vist (packaged), references, corpus (the file"
        " scored, as in the paper), a file of stories, or none",
    )
    missing: Missing = option("error", "missing pictures: stop, or continue without them")
    scaled: bool = option(False, "whether the value is scaled to 0 … 1 (eq. 3)")
    pooling: Pooling = option("lse", "lse: eq. 2, which grows with the number of nouns; mean: per noun")
    mentions: Mentions = option("sentence", "whether a noun counts once per sentence or each time it stands")

    def _check_options(self) -> None:
        if self.scaled and self.pooling == "mean":
            raise UsageError("scaled=true is for pooling=lse.", hint="Leave one of the two out.")

    @property
    def compares_documents(self) -> bool:
        return self.idf == "corpus"

    def unshardable_reason(self) -> str:
        return "idf is counted over all stories" if self.idf in ("corpus", "references") else ""

    def document_values(self, task: Task, context: Context) -> FloatArray:
        store = self.store(context)
        store.pictures.check(task.candidates, missing=self.missing)
        out = np.zeros((len(task), len(self.parts)))
        for k, (story, found, names) in enumerate(self.grounded(task, context)):
            score, nouns = self.pooled(found), sum(map(len, story))
            value = scaled(score) if self.scaled else score
            out[k] = [value, per_noun(found), nouns, scaled(score), not nouns, not names, bool(found)]
            context.progress("looking at pictures", k + 1, len(task))
        store.check_boxes()
        return out

    def grounded(
        self, task: Task, context: Context, documents: Sequence[Document] | None = None
    ) -> Iterator[StoryGrounding]:
        """The nouns of each story of the task, or of some of them, and where its pictures show them."""
        store = self.store(context)
        documents = task.candidates if documents is None else documents
        stories = story_nouns(documents, context.progress, repeated=self.mentions == "all")
        rarity = frequencies(context, task, self.idf)
        vectors = noun_vectors(stories, store.space)
        for document, story in zip(documents, stories, strict=True):
            names = store.pictures.present(document)
            found = ground(story, names, store, vectors, rarity.idf if rarity else None)
            yield StoryGrounding(story, found, names)

    def pooled(self, found: Sequence[Grounded]) -> float:
        """Eq. 2."""
        return log_sum_exp(np.array([item.idf * item.similarity for item in found]))

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        values = super().combine(sums)
        grounded = np.maximum(sums[..., self.parts.index("grounded")], 1.0)
        values["per_noun"] = sums[..., self.parts.index("per_noun")] / grounded
        if self.pooling == "mean":
            values["value"] = values["per_noun"]
        return values

    def remarks(self, scores: Mapping[str, Score]) -> list[str]:
        def of(part: str) -> dict[str, int]:
            return {system: round(score.parts[part] * score.n) for system, score in scores.items()}

        return [
            *_unequal_nouns(scores),
            *counted("Stories without any picture count 0 in grounding", of("no_pictures"), scores),
            *counted("Stories without nouns count 0 in grounding", of("no_nouns"), scores),
        ]

    def signature(self, context: Context) -> Signature:
        fixed = fixed_frequencies(self.idf)
        source = self.idf if self.idf in SOURCES else "file"
        own = super().signature(context).add(idf=source, stories=fixed.label if fixed else None)
        return own.add(missing=self.missing, scaled=self.scaled, pooling=self.pooling, mentions=self.mentions)

    def corpus_fields(self, task: Task, context: Context) -> dict[str, object]:
        """How many stories idf was counted over, and a hash of the counts."""
        found = frequencies(context, task, self.idf)
        return {"stories": found.label} if found else {}


def per_noun(found: Sequence[Grounded]) -> float:
    """The mean similarity of a story's nouns with the regions that show them best; 0 without nouns."""
    return float(np.mean([item.similarity for item in found])) if found else 0.0


def _unequal_nouns(scores: Mapping[str, Score]) -> list[str]:
    told = {system: 1.0 - score.parts["no_nouns"] for system, score in scores.items()}
    counts = {s: score.parts["nouns"] / told[s] if told[s] > 0 else 0.0 for s, score in scores.items()}
    low, high = min(counts, key=counts.__getitem__), max(counts, key=counts.__getitem__)
    if counts[high] <= 1.1 * counts[low]:
        return []
    return [
        f"{high} has {counts[high]:.1f} nouns a story and {low} {counts[low]:.1f}: rovist_vg grows with the"
        " number of nouns, whether pictures show them or not; per_noun does not."
    ]


def noun_vectors(stories: Sequence[Sequence[Sequence[str]]], space: JointSpace) -> dict[str, Float32]:
    """The vector of a noun is the same to the last bit, whatever other nouns there are."""
    distinct = sorted({noun for story in stories for sentence in story for noun in sentence})
    return dict(zip(distinct, space.nouns(distinct), strict=True)) if distinct else {}
