"""`storymeter show --graphs`: what candidate and references say is there."""

from __future__ import annotations

from collections.abc import Sequence

from ..captions import Corpus
from ..errors import DataError, UsageError
from ..pairs.spice_explain import GraphComparison, compare_graphs
from ._show_video import pick, video_timeline


def graphs_of(
    document: str, system: Corpus, references: Sequence[Corpus], *, metric: str, protocol: str, jobs: int
) -> list[GraphComparison]:
    """One comparison for a caption or a story; for a video one for each caption that `metric` matches with a
    reference.
    """
    if not references:
        raise UsageError(
            "Graphs are shown beside those of the references.", hint="Give them with --references FILE."
        )
    told = pick(document, system).documents[0]
    if system.kind == "dense":
        timeline = video_timeline(document, system, references, metric=metric, protocol=protocol, jobs=jobs)
        found = [
            compare_graphs(
                f"{document} p{link.candidate + 1}, g{link.reference + 1}",
                timeline.captions[link.candidate].text,
                [timeline.references[link.reference].text],
            )
            for link in timeline.links
        ]
        if not found:
            raise DataError(
                f"{metric} matches no caption of {document!r} with a reference.",
                hint="Look at the time axis: leave out --graphs.",
            )
        return found
    against = [
        " ".join(caption.text for caption in other.captions)
        for corpus in references
        for other in corpus
        if other.id == document
    ]
    if not against:
        raise DataError(
            f"No reference speaks of {document!r}.", hint="Check the ids with: storymeter validate"
        )
    return [compare_graphs(document, " ".join(caption.text for caption in told.captions), against)]
