"""One document looked at: its captions beside the references that they were scored against.

looked = show("v_123", "mine.json", "references.json")        # a Timeline of a video with timed captions
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import msgspec

from ..captions import Corpus, Document
from ..context import Context, Settings
from ..dense.caption_pairs import Timeline, timeline_of, video_links
from ..dense.soda import Soda
from ..errors import DataError, StorymeterError, UsageError, suggest
from ..metrics import Metric
from ..options import parse
from ..pairs.facts import Facts, FactsModel, MarkedCaption, marked_captions
from ..pairs.spice import GraphComparison, compare_graphs
from ..progress import Note, unsaid
from ..registry import metric as get_metric
from ..scores import Score
from ..story.rovist import StoryExplainer, StoryExplanation, StoryParts, explainable, scored_values
from .results import Results
from .run import Run
from .scored_files import load_runs
from .systems import FOUND, Layout, is_saved, read_systems


@dataclass(frozen=True, slots=True)
class Support:
    """One document of one system beside its references."""

    document: str
    system: str
    value: float
    captions: Sequence[MarkedCaption]
    references: Sequence[Document]

    @property
    def headline(self) -> str:
        words = [word for caption in self.captions for word in caption.words if word.kind != "other"]
        lacking = sum(word.unsupported for word in words)
        return f"facts {100 * self.value:.2f}   {lacking:,} of {len(words):,} content words unsupported"


#: what `show` finds
Looked: TypeAlias = Timeline | Support | list[GraphComparison] | StoryExplanation


def show(
    document: str,
    candidates: str | os.PathLike[str],
    references: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    *,
    system: str | None = None,
    metric: str | None = None,
    view: Literal["graphs", "facts"] | None = None,
    layout: Layout = FOUND,
    images: str | None = None,
    device: str = "cpu",
    note: Note = unsaid,
    **settings: Any,
) -> Looked:
    """How one document was scored: the timeline of a video, the scene graphs of a caption, or the links and
    repetitions of a story.

    document: its id.
    candidates: a file of captions, or a saved run.
    references: files of references; a saved run has its own.
    system: of a saved run; default: the first.
    metric: whose matching is shown (soda_b, soda_c, soda_d; default: soda_c, or that of the saved run); of a
        story rovist, rovist_vg, rovist_c or rovist_nr with their options (default: those of the saved run).
    view: `graphs`: scene graphs of any document; `facts`: the words that no reference supports.
    layout: how the files are read.
    images: the folder of the pictures of stories.
    device: where models run: cpu, cuda …
    note: called with each sentence about what was assumed of the files.
    settings: those of `Run`: protocol, tokenizer, jobs.
    """
    listed = [references] if isinstance(references, str | os.PathLike) else list(references)
    paths = [os.fspath(path) for path in listed]
    if view is None and metric == "facts":
        view = "facts"
    path = os.fspath(candidates)
    if is_saved(path):
        looked = OneSystem.of_results(path, paths, system, metric)
    elif system is not None:
        raise UsageError("--system chooses from a saved run.", hint="A file of captions has one system.")
    else:
        asked = [] if metric is None else [get_metric(metric)]
        (corpus,), against = read_systems(
            [path], paths, layout=layout, metrics=asked, images=images, note=note
        )
        looked = OneSystem(corpus, tuple(against), metric or "soda_c", Run(against, **settings), metric)
    if view == "facts":
        return looked.support(document, device)
    if view == "graphs" or looked.corpus.kind == "caption":
        return looked.graphs(document)
    if looked.corpus.kind == "story":
        return looked.story(document, images, device)
    return looked.timeline(document)


@dataclass(frozen=True, slots=True)
class OneSystem:
    """A system beside its references, and what scores a document, or where its score is."""

    corpus: Corpus
    references: tuple[Corpus, ...]
    metric: str
    source: Run | Results
    #: the metric that was named
    named: str | None = None

    @classmethod
    def of_results(
        cls, path: str, references: Sequence[str], system: str | None, metric: str | None
    ) -> OneSystem:
        results = load_runs([path], references)
        if results.in_shards:
            raise DataError(
                f"{path} is a run in shards: it keeps sums, and no captions to show.",
                hint="Show the document from its files: storymeter show ID CANDIDATES --references FILE",
            )
        names = [each.name for each in results.systems]
        if system is not None and system not in names:
            raise UsageError(f"{path} has no system {system!r}.", hint=suggest(system, names))
        chosen = results.system(system or names[0])
        named = metric
        aligned = [score.metric for score in chosen.scores if score.alignment is not None]
        if metric is None:
            metric = "soda_c" if "soda_c" in aligned or not aligned else aligned[0]
        return cls(chosen.candidates, results.references, metric, results, named)

    def document(self, name: str) -> Document:
        known = self.corpus.by_id()
        if name in known:
            return known[name][0]
        near = suggest(name, known)
        if len(known) > 50 and near.startswith("Known:"):
            near = f"It has {len(known):,} documents, such as {next(iter(known))}."
        raise DataError(f"{self.corpus.name!r} has no document {name!r}.", hint=near)

    def against(self, name: str) -> tuple[Document, ...]:
        """Its references, in the order in which they were scored."""
        return tuple(document for corpus in self.references for document in corpus if document.id == name)

    def _beside(self, name: str, needed: str, *, some: bool = False) -> tuple[Document, tuple[Document, ...]]:
        """The document and its references; `needed` says what they are for, `some` that there must be one."""
        if not self.references:
            raise UsageError(needed, hint="Give them with --references FILE.")
        document, against = self.document(name), self.against(name)
        if some and not against:
            hint = "Check the ids with: storymeter validate"
            raise DataError(f"There is no reference for {name!r}.", hint=hint)
        return document, against

    def score(self, name: str) -> Score:
        """The score of that one document by itself, or the run's."""
        if not isinstance(self.source, Run):
            try:
                return self.source[self.corpus.name, self.metric]
            except KeyError:
                known = [score.metric for score in self.source.system(self.corpus.name).scores]
                hint = f"It has {', '.join(known)}."
                raise UsageError(f"The saved run has no scores of {self.metric}.", hint=hint) from None
        metric: Metric = get_metric(self.metric)
        if not isinstance(metric, Soda) or metric.variant == "a":
            hint = "Show soda_c, soda_b or soda_d, with any scorer; soda_a matches once per threshold."
            raise UsageError(f"{self.metric} has no matching to show.", hint=hint)
        one = msgspec.structs.replace(self.corpus, documents=(self.document(name),))
        run = self.source
        run.references = [
            msgspec.structs.replace(corpus, documents=tuple(d for d in corpus if d.id == name))
            for corpus in self.references
        ]
        return run.score(one, self.metric, resamples=0).systems[0].scores[0]

    def support(self, name: str, device: str) -> Support:
        """Its captions with the words that no reference supports."""
        document, against = self._beside(name, "Facts need references.", some=True)
        value, captions = marked_captions(FactsModel(Facts(), Settings(device=device)), document, against)
        return Support(name, self.corpus.name, value, captions, against)

    def timeline(self, name: str) -> Timeline:
        document, against = self._beside(name, "A video is shown beside its references.")
        found = video_links(self.score(name), document, against)
        durations = [each.duration for each in (document, *against) if each.duration]
        annotators = [corpus for corpus in self.references for each in corpus if each.id == name]
        try:
            scorer = getattr(getattr(get_metric(self.metric), "scorer", None), "name", "")
        except StorymeterError:  # of a saved run, which keeps the matching by a scorer that is not installed
            scorer = parse(self.metric).options.get("scorer", "")
        return timeline_of(
            found,
            system=self.corpus.name,
            annotators=annotators,
            scorer=scorer,
            metric=self.metric,
            duration=max(durations, default=None),
        )

    def graphs(self, name: str) -> list[GraphComparison]:
        """One comparison for a caption or a story; for a video one for each caption that is matched."""
        dense = self.corpus.kind == "dense"
        document, against = self._beside(
            name, "Graphs are shown beside those of the references.", some=not dense
        )
        if not dense:
            return [compare_graphs(name, document.text, [each.text for each in against])]
        timeline = self.timeline(name)
        found = [
            compare_graphs(
                f"{name} p{link.candidate + 1}, g{link.reference + 1}",
                timeline.captions[link.candidate].text,
                [timeline.references[link.reference].text],
            )
            for link in timeline.links
        ]
        if not found:
            hint = "Look at the time axis: leave out --graphs."
            raise DataError(f"{self.metric} matches no caption of {name!r} with a reference.", hint=hint)
        return found

    def story(self, name: str, images: str | None, device: str) -> StoryExplanation:
        """By the metrics of the saved run, or by the one that was named."""
        document = self.document(name)
        asked = [] if self.named is None else explainable([self.named])
        if not isinstance(self.source, Run):
            if asked and asked[0] not in self.source.metrics:
                known = ", ".join(score.metric for score in self.source.systems[0].scores)
                raise UsageError(f"The saved run has no scores of {self.named}.", hint=f"It has {known}.")
            return StoryExplanations(self.source, self.corpus.name, images, device, asked).of(document)
        context = Context(**{**self.source.context.settings(), "images": images, "device": device})
        parts = StoryParts.of(asked).or_default()
        explainer = StoryExplainer(self.source.task(self.corpus), context, parts)
        return explainer.explain(document, self.corpus.name)


class StoryExplanations:
    """Of the stories of a system, by the metrics of its run."""

    def __init__(
        self,
        results: Results,
        system: str,
        images: str | None,
        device: str = "cpu",
        metrics: Sequence[Metric] = (),
    ) -> None:
        """`metrics`: some of the run's; default: all. A run without RoViST is explained by the defaults."""
        self.system = results.system(system)
        self.metrics = results.metrics
        wanted = StoryParts.of(metrics or self.metrics)
        run = Run(results.references, **results.conditions.settings)
        context = Context(**{**run.context.settings(), "images": images, "device": device})
        parts = wanted if any(wanted) else wanted.or_default()
        self._explainer = StoryExplainer(run.task(self.system.candidates), context, parts)

    def of(self, document: Document) -> StoryExplanation:
        scored = scored_values(self.metrics, self.system.scores, document.id)
        return self._explainer.explain(document, self.system.name, scored)
