"""Stories of documents: their sentences in order, and their pictures."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple

from ..captions import Caption, Document
from ..errors import DataError, StorymeterWarning, first_few
from ..metrics import MeanMetric
from ..models.media import Pictures, Videos, even_times, video_seconds
from ..scores import Score
from ..text import sentences


def sentences_of(document: Document, *, like_nltk: bool = False) -> list[str]:
    """One per caption; a document of a single caption is a whole story in one text, and is cut. Blank ones
    are left out.
    """
    texts = [caption.text.strip() for caption in document.captions if caption.text.strip()]
    if len(texts) == 1:
        return sentences.split_sentences(texts[0], like_nltk=like_nltk)
    return texts


def stories_of(documents: Sequence[Document], *, like_nltk: bool = False) -> list[list[str]]:
    """The sentences of each document. A whole corpus of one sentence a story is warned of: measures of how
    sentences follow one another then have nothing to look at.
    """
    stories = [sentences_of(document, like_nltk=like_nltk) for document in documents]
    told = [story for story in stories if story]
    if len(told) > 1 and all(len(story) == 1 for story in told):
        warnings.warn(
            f"All {len(told):,} stories have one sentence each, such as {told[0][0][:60]!r}: metrics that"
            " compare the sentences of a story cannot be computed. Is there a full stop between them, or is"
            " the file one of single captions?",
            StorymeterWarning,
            stacklevel=2,
        )
    return stories


def counted(what: str, numbers: Mapping[str, int], scores: Mapping[str, Score]) -> list[str]:
    """A remark on so many stories of each system, where there are any."""
    said = [f"{number:,} of {scores[system].n:,} of {system}" for system, number in numbers.items() if number]
    return [f"{what}: {', '.join(said)}."] if said else []


# What the measures of stories and pictures have in common.


class StoryMetric(MeanMetric):
    """A model reads every sentence or picture, no references are needed unless a subclass says so, and the
    value is on a scale of its own: tables print it as it is.
    """

    _own = True
    needs_references: ClassVar[bool] = False
    percent: ClassVar[bool] = False
    slow: ClassVar[bool] = True


# What the captions of a document are compared with: pictures, or frames of a video.
#
# - `--images`: a caption that names its picture is compared with that; the captions of a document with as
#   many pictures are compared one by one in their order; else each with all pictures of the document.
# - `--videos`: the video is named by the document's id. A timed caption is compared with frames of its own
#   segment, any other with frames of the whole video (`frames`).
#
# Where both are given, pictures are looked for first.


Missing = Literal["error", "skip"]


class View(NamedTuple):
    """A picture, or a video at some times."""

    path: Path
    times: tuple[float, ...] = ()


#: all that one caption is compared with; empty where nothing is there
Views = tuple[View, ...]


class Visuals:
    """The folders of a run."""

    def __init__(self, images: str | None, videos: str | None) -> None:
        self.pictures = Pictures(images) if images is not None else None
        self.videos = Videos(videos) if videos is not None else None
        self._seconds: dict[Path, float] = {}

    def views(
        self, documents: Sequence[Document], *, frames: int, missing: Missing, metric: str
    ) -> list[list[Views]]:
        """Per document and caption what it is compared with; `missing=error` stops where something is not
        there, and says how many and which.
        """
        named = [self.pictures.of(document) if self.pictures else [] for document in documents]
        films = [
            self.videos.find(document.id) if self.videos and not names else None
            for document, names in zip(documents, named, strict=True)
        ]
        if missing == "error":
            self._check(documents, named, films, metric)
        return [
            [(self._stretch(film, caption, frames),) for caption in document.captions]
            if film is not None
            else [self._shown(own) for own in self._own(document, names)]
            for document, names, film in zip(documents, named, films, strict=True)
        ]

    def _own(self, document: Document, names: Sequence[str]) -> list[Sequence[str]]:
        """Per caption the names of its pictures."""
        if self.pictures and any(caption.image for caption in document.captions):
            called = self.pictures.called
            return [[called(document, c.image)] if c.image else [] for c in document.captions]
        if len(names) == len(document.captions):
            return [[name] for name in names]
        return [names for _ in document.captions]

    def _shown(self, names: Iterable[str]) -> Views:
        paths = [self.pictures.find(name) for name in names] if self.pictures else []
        return tuple(View(path) for path in paths if path is not None)

    def _stretch(self, video: Path, caption: Caption, frames: int) -> View:
        if video not in self._seconds:
            self._seconds[video] = video_seconds(video)
        begin, end = 0.0, self._seconds[video]
        if caption.start is not None and caption.end is not None:
            begin, end = (min(max(second, 0.0), end) for second in (caption.start, caption.end))
        return View(video, tuple(dict.fromkeys(even_times(begin, end, frames))))

    def _check(
        self,
        documents: Sequence[Document],
        named: Sequence[Sequence[str]],
        films: Sequence[Path | None],
        metric: str,
    ) -> None:
        if self.pictures:
            find = self.pictures.find
            lacking = list(dict.fromkeys(name for names in named for name in names if find(name) is None))
            if lacking:
                raise DataError(
                    f"{len(lacking):,} of {len({name for names in named for name in names}):,} images are"
                    f" not in {self.pictures.folder}: {first_few(lacking)}",
                    hint=f"Add them, or continue without them: {metric}(missing=skip).",
                )
        blind = [
            document.id
            for document, names, film in zip(documents, named, films, strict=True)
            if document.captions and not names and film is None
        ]
        if blind:
            places = " or ".join(str(each.folder) for each in (self.pictures, self.videos) if each)
            what = "image" if not self.videos else "video" if not self.pictures else "image or video"
            raise DataError(
                f"{len(blind):,} of {len(documents):,} documents have no {what} in {places}:"
                f" {first_few(blind)}",
                hint=(
                    f"Name the files by the ids of the documents, or continue without them:"
                    f" {metric}(missing=skip)."
                ),
            )
