"""The timeline of one video: captions and references in order of time, and which of them were matched."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..captions import Caption, Corpus
from ..scores import Match
from .caption_pairs import VideoLinks


class Event(NamedTuple):
    text: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Timeline:
    video: str
    system: str
    annotator: str
    scorer: str
    duration: float
    references: Sequence[Event]
    captions: Sequence[Event]
    links: Sequence[Match]
    precision: float
    recall: float
    f1: float
    metric: str = "soda_c"

    def side(self, letter: str) -> tuple[Sequence[Event], dict[int, str]]:
        """The references (g) or the captions (p), and the partner of each that has one, by its number."""
        if letter == "g":
            return self.references, {k.reference: f"p{k.candidate + 1}" for k in self.links}
        return self.captions, {k.candidate: f"g{k.reference + 1}" for k in self.links}

    @property
    def headline(self) -> str:
        return (
            f"{self.metric}  P {100 * self.precision:.2f}  R {100 * self.recall:.2f}  F1 {100 * self.f1:.2f}"
        )


def timeline_of(
    found: VideoLinks,
    *,
    system: str,
    annotators: Sequence[Corpus],
    scorer: str,
    metric: str,
    duration: float | None,
) -> Timeline:
    """The links of one video: both sides sorted by start, numbered in that order."""
    names = [corpus.name for corpus in annotators if any(document.id == found.id for document in corpus)]
    annotator = (
        "all annotators merged"
        if found.annotator is None
        else names[found.annotator]
        if found.annotator < len(names)
        else "references"
    )
    references, reference_place = _sorted(found.references)
    captions, caption_place = _sorted(found.candidates)
    links = sorted(
        (
            k._replace(reference=reference_place[k.reference], candidate=caption_place[k.candidate])
            for k in found.links
        ),
        key=lambda k: k.reference,
    )
    latest = max((event.end for event in [*references, *captions]), default=0.0)
    return Timeline(
        found.id,
        system,
        annotator,
        scorer,
        max(duration or 0.0, latest),
        references,
        captions,
        links,
        found.precision,
        found.recall,
        found.f1,
        metric,
    )


def _sorted(captions: Sequence[Caption]) -> tuple[list[Event], dict[int, int]]:
    """Events by start, and where each caption, as read, went."""
    order = sorted(range(len(captions)), key=lambda k: captions[k].start or 0.0)
    return [Event(captions[k].text, captions[k].start or 0.0, captions[k].end or 0.0) for k in order], {
        k: place for place, k in enumerate(order)
    }
