"""Why a story scored as it did: its links, its repetitions and what its nouns were grounded in, as plain
records.

`StoryExplainer` explains with the very metrics that scored: their models, idf and other options, so that its
numbers equal the scores to the last bit. `explain_story` does so for one story. What cannot be said is left
out, with a note: links need the optional part `neural`, grounding also needs pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..captions import Document
from ..context import Context
from ..errors import MissingPartError, UsageError
from ..join import Coverage, Task
from ..metrics import Metric
from ..registry import metric as get_metric
from ..scores import Score
from . import coherence, redundancy
from .coherence import Coherence, Links
from .documents import sentences_of
from .grounding import Grounded, Grounding, per_noun, scaled
from .redundancy import Redundancy, Repetition
from .rovist import Rovist


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
    import io

    from ..models.media import Pictures, open_picture

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
