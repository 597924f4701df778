"""What `storymeter show` looks at: one system beside its references, from files or from a saved run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from ..captions import Corpus, Document
from ..engine.scored_files import load_runs
from ..engine.systems import is_saved
from ..errors import DataError, UsageError, closest
from ..metrics import Metric
from ..progress import silent
from ..registry import metric as get_metric
from ..report.story_page import story_page, terminal
from ..scores import Score
from ..story.explain import crops_of, explain_story
from ._scoring import make_run, read_both

if TYPE_CHECKING:
    from ..engine.results import Results
    from ..engine.run import Run
    from ..pairs.spice import GraphComparison
    from ..report.facts_graphs import Support
    from ..report.timeline import Timeline


@dataclass(frozen=True, slots=True)
class Shown:
    corpus: Corpus
    references: tuple[Corpus, ...]
    metric: str
    #: what scores a document, or where its score is
    source: Run | Results

    @classmethod
    def of(
        cls,
        path: str,
        references: Sequence[str],
        system: str | None,
        metric: str | None,
        options: Mapping[str, Any],
    ) -> Shown:
        if is_saved(path):
            return cls._of_results(path, references, system, metric)
        if system is not None:
            raise UsageError("--system chooses from a saved run.", hint="A file of captions has one system.")
        (corpus,), against = read_both([path], references, options)
        return cls(corpus, tuple(against), metric or "soda_c", make_run(against, silent, options))

    @classmethod
    def _of_results(
        cls, path: str, references: Sequence[str], system: str | None, metric: str | None
    ) -> Shown:
        results = load_runs([path], references)
        if results.in_shards:
            raise DataError(
                f"{path} is a run in shards: it keeps sums, and no captions to show.",
                hint="Show the document from its files: storymeter show ID CANDIDATES --references FILE",
            )
        names = [each.name for each in results.systems]
        if system is not None and system not in names:
            raise UsageError(f"{path} has no system {system!r}.", hint=closest(system, names))
        chosen = results.system(system or names[0])
        aligned = [score.metric for score in chosen.scores if score.alignment is not None]
        if metric is None:
            metric = "soda_c" if "soda_c" in aligned or not aligned else aligned[0]
        return cls(chosen.candidates, results.references, metric, results)

    def document(self, name: str) -> Document:
        known = self.corpus.by_id()
        if name in known:
            return known[name][0]
        near = closest(name, known)
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
        from ..engine.run import Run

        if not isinstance(self.source, Run):
            try:
                return self.source[self.corpus.name, self.metric]
            except KeyError:
                known = [score.metric for score in self.source.system(self.corpus.name).scores]
                hint = f"It has {', '.join(known)}."
                raise UsageError(f"The saved run has no scores of {self.metric}.", hint=hint) from None
        from ..dense.soda import Soda

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
        from ..pairs.facts import Facts, marked_captions
        from ..report.facts_graphs import Support

        document, against = self._beside(name, "Facts need references.", some=True)
        value, captions = marked_captions(Facts().bind(device=device), document, against)
        return Support(name, self.corpus.name, value, captions, against)

    def timeline(self, name: str) -> Timeline:
        from ..dense.caption_pairs import video_links
        from ..report.timeline import timeline_of

        document, against = self._beside(name, "A video is shown beside its references.")
        found = video_links(self.score(name), document, against)
        durations = [each.duration for each in (document, *against) if each.duration]
        annotators = [corpus for corpus in self.references for each in corpus if each.id == name]
        scorer = getattr(get_metric(self.metric), "scorer", None)
        return timeline_of(
            found,
            system=self.corpus.name,
            annotators=annotators,
            scorer="" if scorer is None else scorer.name,
            metric=self.metric,
            duration=max(durations, default=None),
        )

    def graphs(self, name: str) -> list[GraphComparison]:
        """One comparison for a caption or a story; for a video one for each caption that is matched."""
        from ..pairs.spice import compare_graphs

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


# The story part of `storymeter show`.


def show_story(
    document: str,
    system: Corpus,
    *,
    images: str | None = None,
    device: str = "cpu",
    width: int = 120,
    with_page: bool = False,
) -> tuple[str, str]:
    """(text for the terminal, HTML page or ''). The other stories of the file give the idf."""
    found = system.by_id().get(document)
    if not found:
        raise DataError(
            f"{system.name!r} has no document {document!r}.", hint=closest(document, system.by_id())
        )
    story = explain_story(found[0], system=system.name, corpus=system.documents, images=images, device=device)
    page = ""
    if with_page:
        crops = crops_of(story.sight, images) if story.sight is not None and images is not None else {}
        page = story_page(story, crops)
    return terminal(story, width), page
