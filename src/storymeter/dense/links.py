"""One video as it was matched: its captions, the reference track, and the pairs behind its score.

The numbers are those of the score (`Score.alignment`): the annotator shown is the one that counts (the best
F1), and the products add up to the total of variant c."""

from __future__ import annotations

from dataclasses import dataclass

from ..captions import Caption, Document
from ..errors import UsageError
from ..score import Match, Score


@dataclass(frozen=True, slots=True)
class VideoLinks:
    """One video: the reference track (as read), the annotator whose track it is (None: merged), and the
    matched pairs.
    """

    id: str
    annotator: int | None
    references: tuple[Caption, ...]
    candidates: tuple[Caption, ...]
    links: tuple[Match, ...]
    precision: float
    recall: float
    f1: float


def video_links(score: Score, candidate: Document, references: tuple[Document, ...]) -> VideoLinks:
    """The document of a scored system, beside its references as they were scored."""
    alignment = score.alignment
    if alignment is None or score.rows is None:
        raise UsageError(
            f"{score.metric} has no matching to show.",
            hint="Show soda_c, soda_b or soda_d, with any scorer; soda_a matches once per threshold.",
        )
    place = alignment.place(candidate.id)
    annotator = int(alignment.annotator[place])
    tracks = references if annotator < 0 else references[annotator : annotator + 1]
    return VideoLinks(
        candidate.id,
        None if annotator < 0 else annotator,
        tuple(caption for document in tracks for caption in document.captions),
        candidate.captions,
        alignment[candidate.id],
        *score.rows[place, :3].tolist(),
    )
