"""RoViST: the sum of grounding, coherence and non-redundancy (RoViST, section 3).

    RoViST     = VG + C + NR
    scaled_sum = VG (scaled, eq. 3) + C + NR

VG has no upper limit while C and NR lie within 0 … 1, so that the sum follows VG almost alone: tables show
the three and their scaled sum before it, and say how strongly each correlates with it over the stories.
`scaled=true` makes the scaled sum the value. Options of the parts go through:
`rovist(idf=none,coherence=runs/albert,grounding=runs/vg)`.

Why a story scored as it did, its links, its repetitions and what its nouns were grounded in, `StoryExplainer`
says as plain records, with the very metrics that scored: their models, idf and other options, so that its
numbers equal the scores to the last bit. `explain_story` does so for one story. What cannot be said is left
out, with a note: links need the optional part `neural`, grounding also needs pictures."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from ..arrays import FloatArray
from ..captions import Document
from ..context import Context
from ..errors import MissingPartError, UsageError
from ..join import Coverage, Task
from ..measure import Named, TrainingData, measure, training_of_all
from ..metrics import Metric
from ..models.media import Pictures, open_picture
from ..options import option
from ..registry import metric as get_metric
from ..scores import Score, Signature
from . import coherence, redundancy
from .coherence import Coherence, Links
from .documents import Missing, StoryMetric, sentences_of
from .grounding import Grounded, Grounding, Mentions, per_noun, scaled
from .redundancy import Jaccard, Redundancy, Repetition

#: below so many stories correlations of parts are not printed
FEW = 10


@measure(Named("rovist", "grounding + coherence + non-redundancy (RoViST)"), papers=("wang2022",))
@dataclass(frozen=True)
class Rovist(StoryMetric):
    parts: ClassVar[tuple[str, ...]] = (
        "value",
        "vg",
        "c",
        "nr",
        "scaled_sum",
        "per_noun",
        "nouns",
        "no_nouns",
        "no_pictures",
        "grounded",
    )
    shown_parts: ClassVar[tuple[str, ...]] = ("vg", "c", "nr", "scaled_sum")

    coherence: str = option("", "model of rovist_c")
    grounding: str = option("", "model of rovist_vg")
    regions: str = option("grid", "regions of rovist_vg")
    idf: str = option("vist", "idf of rovist_vg")
    missing: Missing = option("error", "missing pictures: stop, or continue without them")
    jaccard: Jaccard = option("set", "jaccard of rovist_nr")
    scaled: bool = option(False, "whether grounding is added on its scale of 0 … 1")
    mentions: Mentions = option("sentence", "mentions of rovist_vg")
    repeats: Literal["zero", "score"] = option("zero", "repeats of rovist_c")
    marks: Literal["strip", "keep"] = option("strip", "marks of rovist_c")
    temperature: Literal["fitted", "one"] = option("fitted", "temperature of rovist_c")

    @cached_property
    def seeing(self) -> Grounding:
        return Grounding(
            self.grounding, self.regions, self.idf, self.missing, self.scaled, mentions=self.mentions
        )

    @cached_property
    def linking(self) -> Coherence:
        return Coherence(self.coherence, self.repeats, self.marks, self.temperature)

    @cached_property
    def repeating(self) -> Redundancy:
        return Redundancy(self.jaccard)

    @property
    def members(self) -> tuple[Grounding, Coherence, Redundancy]:
        return self.seeing, self.linking, self.repeating

    english: ClassVar[bool] = True

    @property
    def stand_in(self) -> str:
        return ",".join(part.stand_in for part in self.members if part.stand_in)

    @property
    def trained_on(self) -> TrainingData:
        return training_of_all(member.trained_on for member in self.members)

    @property
    def compares_documents(self) -> bool:
        return self.seeing.compares_documents

    def unshardable_reason(self) -> str:
        return self.seeing.unshardable_reason()

    def document_values(self, task: Task, context: Context) -> FloatArray:
        seen = self.seeing.document_values(task, context)
        part = dict(zip(self.seeing.parts, seen.T, strict=True))
        c = self.linking.document_values(task, context)[:, 0]
        nr = self.repeating.document_values(task, context)[:, 0]
        vg = part["value"]
        sums = [vg + c + nr, vg, c, nr, part["scaled"] + c + nr]
        return np.column_stack([*sums, *(part[name] for name in self.parts[5:])])

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        values = super().combine(sums)
        grounded = np.maximum(sums[..., self.parts.index("grounded")], 1.0)
        values["per_noun"] = sums[..., self.parts.index("per_noun")] / grounded
        return values

    def corpus_fields(self, task: Task, context: Context) -> dict[str, object]:
        return self.seeing.corpus_fields(task, context)

    def signature(self, context: Context) -> Signature:
        seeing, linking = self.seeing.signature(context), self.linking.signature(context)
        own = super().signature(context).add(tok="story", vg=seeing.get("model"))
        shared = {
            key: seeing.get(key) or None
            for key in ("nouns", "regions", "idf", "stories", "missing", "scaled", "mentions")
        }
        return own.add(**shared, c=linking.get("model"), jaccard=self.repeating.jaccard)

    def remarks(self, scores: Mapping[str, Score]) -> list[str]:
        """How strongly the sum follows each of its parts."""
        rows = [score.rows for score in scores.values() if score.rows is not None]
        found = self.seeing.remarks(scores)
        if sum(map(len, rows)) < FEW:
            return found
        columns = dict(zip(self.columns, np.concatenate(rows).T, strict=True))
        told = [
            f"{name.upper()} {np.corrcoef(columns['value'], columns[name])[0, 1]:+.2f}"
            for name in ("vg", "c", "nr")
            if np.ptp(columns[name]) > 0 and np.ptp(columns["value"]) > 0
        ]
        return [
            f"{self.name} is the sum VG + C + NR; over these {len(columns['value']):,} stories it correlates"
            f" with {', '.join(told)}.",
            *found,
        ]


class Sight(NamedTuple):
    """The nouns of a story with the regions that won, and the score they make."""

    nouns: tuple[Grounded, ...]
    score: float
    scaled: float
    pictures: tuple[str, ...]
    per_noun: float = 0.0


class StoryExplanation(NamedTuple):
    id: str
    system: str
    sentences: tuple[str, ...]
    nr: float
    inter: float
    intra: float
    repetitions: tuple[Repetition, ...]
    links: Links | None
    sight: Sight | None
    #: why links or sight are missing, in words
    notes: tuple[str, ...] = ()


class StoryParts(NamedTuple):
    """The metrics behind an explanation; None where a part was not scored."""

    grounding: Grounding | None = None
    coherence: Coherence | None = None
    redundancy: Redundancy | None = None

    @classmethod
    def of(cls, metrics: Sequence[Metric]) -> StoryParts:
        """The first of each kind among the metrics of a run; `rovist` is all three."""
        found: dict[type, Any] = {}
        for metric in metrics:
            for part in metric.members if isinstance(metric, Rovist) else (metric,):
                found.setdefault(type(part), part)
        return cls(found.get(Grounding), found.get(Coherence), found.get(Redundancy))

    def or_default(self) -> StoryParts:
        """With the defaults for what is lacking."""
        return StoryParts(
            self.grounding or Grounding(missing="skip"),
            self.coherence or Coherence(),
            self.redundancy or Redundancy(),
        )


def scored_values(metrics: Sequence[Metric], scores: Sequence[Score], document: str) -> dict[str, float]:
    """`vg`, `c` and `nr` of a story as a run has them."""
    names = {Grounding: "vg", Coherence: "c", Redundancy: "nr"}
    found: dict[str, float] = {}
    for metric, score in zip(metrics, scores, strict=True):
        wanted = ("vg", "c", "nr") if isinstance(metric, Rovist) else (names.get(type(metric), ""),)
        if score.rows is None or document not in score.ids or not wanted[0]:
            continue
        row = dict(zip(score.columns, score.rows[score.ids.index(document)].tolist(), strict=True))
        for name in wanted:
            found.setdefault(name, row[name] if isinstance(metric, Rovist) else row["value"])
    return found


class StoryExplainer:
    """Explains the stories of a task; pictures and models are opened once."""

    def __init__(self, task: Task, context: Context, parts: StoryParts) -> None:
        self.task, self.context, self.parts = task, context, parts

    def explain(
        self, document: Document, system: str = "", scored: Mapping[str, float] | None = None
    ) -> StoryExplanation:
        """`scored`: the values that a run has (`scored_values`); a note says where the models of today give
        others.
        """
        sentences = sentences_of(document)
        notes: list[str] = []
        repeating = self.parts.redundancy or Redundancy()
        nr, inter, intra = repeating.of_sentences(document)
        links = self._links(sentences, notes)
        sight = self._sight(document, notes)
        vg = 0.0 if sight is None else sight.score
        if sight is not None and self.parts.grounding is not None and self.parts.grounding.scaled:
            vg = sight.scaled
        now = {"nr": nr, **({"c": links.mean} if links else {}), **({"vg": vg} if sight else {})}
        for name, value in (scored or {}).items():
            if name in now and abs(now[name] - value) > 1e-9:
                notes.append(
                    f"The run has {name.upper()} {value:.3f} for this story, and its models and pictures now"
                    f" give {now[name]:.3f}: what is shown does not explain that score."
                )
        return StoryExplanation(
            document.id,
            system,
            tuple(sentences),
            nr,
            inter,
            intra,
            tuple(redundancy.explain(sentences, n=repeating.n)),
            links,
            sight,
            tuple(notes),
        )

    def _links(self, sentences: Sequence[str], notes: list[str]) -> Links | None:
        metric = self.parts.coherence
        if metric is None:
            notes.append("Coherence was not scored (rovist_c).")
            return None
        try:
            model = coherence.load(metric.model, self.context.device)
            return coherence.explain(sentences, model, metric.reading)
        except MissingPartError as error:
            notes.append(str(error))
            return None

    def _sight(self, document: Document, notes: list[str]) -> Sight | None:
        metric = self.parts.grounding
        if metric is None:
            notes.append("Grounding was not scored (rovist_vg).")
            return None
        if self.context.images is None:
            notes.append("No pictures were given (--images FOLDER), so grounding is not computed.")
            return None
        try:
            (seen,) = metric.grounded(self.task, self.context, [document])
        except MissingPartError as error:
            notes.append(str(error))
            return None
        lacking = len(metric.store(self.context).pictures.of(document)) - len(seen.pictures)
        if lacking:
            notes.append(f"{lacking} of its pictures are not in {self.context.images}.")
        score = metric.pooled(seen.found)
        return Sight(tuple(seen.found), score, scaled(score), tuple(seen.pictures), per_noun(seen.found))


def explainable(metrics: Sequence[str | Metric]) -> list[Metric]:
    """Metrics that can be explained; an error names one that cannot."""
    made = [get_metric(each) if isinstance(each, str) else each for each in metrics]
    wrong = next((m for m in made if not isinstance(m, Rovist | Grounding | Coherence | Redundancy)), None)
    if wrong is not None:
        raise UsageError(
            f"{wrong.name} has no explanation of a story.",
            hint="Show rovist, rovist_vg, rovist_c or rovist_nr, with any options.",
        )
    return made


def explain_story(
    document: Document,
    *,
    system: str = "",
    metrics: Sequence[str | Metric] = (),
    corpus: Sequence[Document] = (),
    images: str | None = None,
    device: str = "cpu",
) -> StoryExplanation:
    """Why a story scored as it did under the metrics, or under the defaults for what they lack.

    corpus: the stories that were scored with it, which idf=corpus is counted over.
    document: the story.
    system: the name of its system.
    metrics: those that scored it; default: those of RoViST.
    images: the folder of the images.
    device: where models run: cpu, cuda …
    """
    stories = tuple(corpus) or (document,)
    ids = tuple(story.id for story in stories)
    task = Task(system, ids, stories, tuple(() for _ in stories), Coverage(len(stories)))
    parts = StoryParts.of(explainable(metrics)).or_default()
    return StoryExplainer(task, Context(images=images, device=device), parts).explain(document, system)


def crops_of(sight: Sight, images: str, *, side: int = 160) -> dict[int, bytes]:
    """Place of a grounded noun -> its region as a small JPEG; each picture is opened once."""
    pictures = Pictures(images)
    opened = {
        name: open_picture(path) for name in sight.pictures if (path := pictures.find(name)) is not None
    }
    out = {}
    for place, item in enumerate(sight.nouns):
        crop: Any = item.box.crop(opened[item.image])
        crop.thumbnail((side, side))
        buffer = io.BytesIO()
        crop.save(buffer, "JPEG", quality=80)
        out[place] = buffer.getvalue()
    return out
