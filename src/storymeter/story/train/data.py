"""Human stories to learn order from: readers for the files people have, told apart by their content.

- VIST references by album (`{album: [story, …]}`) and the original VIST SIS release (`annotations` of
  `original_text`);
- ROCStories CSV (`storyid, storytitle, sentence1 … sentence5`);
- Story Cloze CSV or TSV (four sentences, two endings, the right one): the right ending closes the story;
- plain text, one story a line.

A story's `group` is what a split must never cut: its album, or itself.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import random
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ...errors import DataError, some
from ...progress import Progress, silent
from ...text.placeholders import fill
from ...text.sentences import split_sentences
from ...text.words import words
from ..order_net import plain


class Story(NamedTuple):
    group: str
    sentences: tuple[str, ...]
    source: str


def read_stories(path: str | Path) -> list[Story]:
    """Every story of a file, in its order."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.", hint="Check the path.") from None
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path} is not UTF-8 text (byte {error.start:,}).", hint="Convert it: iconv -t utf-8"
        ) from None
    stories = [
        Story(f"{path.name}:{group}", tuple(sentences), path.name)
        for group, sentences in _stories(text, path)
        if len(sentences) > 1
    ]
    if not stories:
        raise DataError(
            f"{path} holds no story of two sentences or more.",
            hint=(
                "Readable: VIST references or SIS (JSON), ROCStories (CSV), Story Cloze (CSV, TSV), text with"
                " a story a line."
            ),
        )
    return stories


def _stories(text: str, path: Path) -> Iterator[tuple[str, list[str]]]:
    if path.suffix == ".json" or text.lstrip()[:1] == "{":
        try:
            content = json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            raise DataError(f"{path} is not JSON: {error}", hint="It may be truncated.") from None
        yield from _vist(content, path)
        return
    header = text.partition("\n")[0]
    names = {name.strip().strip('"').lower() for name in header.replace("\t", ",").split(",")}
    if {"sentence1", "sentence5"} <= names:
        yield from _table(
            text, path, "\t" if "\t" in header else ",", [f"sentence{k}" for k in range(1, 6)], None
        )
    elif {"inputsentence1", "answerrightending"} <= names:
        yield from _table(
            text,
            path,
            "\t" if "\t" in header else ",",
            [f"inputsentence{k}" for k in range(1, 5)],
            "answerrightending",
        )
    else:
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                yield (
                    str(number),
                    split_sentences(line.split(" ||| ")[1] if line.count(" ||| ") == 2 else line),
                )


def _vist(content: Any, path: Path) -> Iterator[tuple[str, list[str]]]:
    if isinstance(content, dict) and isinstance(content.get("annotations"), list):
        parts: dict[str, list[tuple[int, str, str]]] = {}
        for annotation in content["annotations"]:
            part = annotation[0] if isinstance(annotation, list) and annotation else annotation
            try:
                text = str(part.get("original_text") or part["text"])
                parts.setdefault(str(part["story_id"]), []).append(
                    (int(part["worker_arranged_photo_order"]), text, str(part["album_id"]))
                )
            except (AttributeError, KeyError, TypeError, ValueError):
                raise DataError(
                    f"{path}: an annotation lacks story_id, album_id, worker_arranged_photo_order or its"
                    " text.",
                    hint="Give the story-in-sequence file of VIST (train.story-in-sequence.json).",
                ) from None
        for told in parts.values():
            told.sort(key=lambda part: part[0])
            yield told[0][2], [text for _, text, _ in told]
    elif isinstance(content, dict) and all(isinstance(stories, str | list) for stories in content.values()):
        for album, stories in content.items():
            for story in [stories] if isinstance(stories, str) else stories:
                if isinstance(story, list) and all(isinstance(sentence, str) for sentence in story):
                    yield album, story
                elif isinstance(story, str):
                    yield album, split_sentences(story)
                else:
                    raise DataError(
                        f"{path}: a story of {album!r} is neither a text nor a list of sentences.",
                        hint="See docs/stories.md for the shapes.",
                    )
    else:
        raise DataError(
            f"{path}: this JSON is neither VIST references by album nor VIST SIS.",
            hint="See docs/stories.md for the shapes.",
        )


def _table(
    text: str, path: Path, delimiter: str, columns: list[str], answer: str | None
) -> Iterator[tuple[str, list[str]]]:
    quoting: Any = csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL
    try:
        rows = list(csv.DictReader(io.StringIO(text), delimiter=delimiter, quoting=quoting))
    except csv.Error as error:
        raise DataError(
            f"{path} cannot be read as a table: {error}.",
            hint="Look for a quotation mark that is never closed.",
        ) from None
    for number, row in enumerate(rows, 2):
        record = {
            str(key).strip().lower(): (value or "").strip()
            for key, value in row.items()
            if key is not None and not isinstance(value, list)
        }
        sentences = [record.get(column, "") for column in columns]
        if answer is not None:
            sentences.append(record.get(f"randomfifthsentencequiz{record.get(answer, '')}", ""))
        yield str(number), [sentence for sentence in sentences if sentence]


# Pairs of neighbouring sentences out of human stories, without the leaks that make a model look better than
# it is.
#
# Traps, each with its remedy: a story (or its opening sentence) that is also in a held-out file is dropped;
# the split goes by album, since the stories of one album tell the same day; final marks go, because some
# last sentences lack one (`order_net.plain`); placeholders become random names, one draw per story; pairs
# of equal sentences go.


class Pair(NamedTuple):
    """Two neighbours in the order of the story; `place` counts from 0, `last` is the place of the story's
    last pair.
    """

    first: str
    second: str
    place: int
    last: int


class Split(NamedTuple):
    train: list[Pair]
    dev: list[Pair]
    train_stories: list[Story]
    dropped: int

    def sha256(self) -> str:
        """Of all pairs, in their order: what a model says it was trained on."""
        return hashlib.sha256(msgspec.json.encode([self.train, self.dev])).hexdigest()


def opener(story: Story) -> str:
    """What two tellings of one story share: the first sentence without case, marks and names."""
    return "".join(char for char in fill(story.sentences[0]).lower() if char.isalnum())


def without_leaks(stories: Iterable[Story], held_out: Iterable[Story]) -> list[Story]:
    """The stories whose opening sentence opens no held-out story."""
    known = {opener(story) for story in held_out}
    return [story for story in stories if opener(story) not in known]


def pairs_of(story: Story, source: random.Random | None = None, reach: int = 1) -> list[Pair]:
    """The pairs of a story as the model reads them; with `reach` > 1 also sentences so far apart."""
    joined = fill("\n".join(story.sentences), source)  # one draw for the whole story
    sentences = [plain(sentence) for sentence in joined.split("\n")]
    return [
        Pair(sentences[k], sentences[k + gap], k, len(sentences) - 2)
        for gap in range(1, reach + 1)
        for k in range(len(sentences) - gap)
        if sentences[k] and sentences[k + gap] and sentences[k] != sentences[k + gap]
    ]


def split_pairs(
    stories: Sequence[Story], held_out: Sequence[Story], *, dev_share: float, seed: int, reach: int = 1
) -> Split:
    """Training and development pairs; a group is on one side only, chosen by its name and the seed, not by
    its place.
    """
    kept = without_leaks(stories, held_out)
    draw = random.Random(seed)
    train: list[Pair] = []
    dev: list[Pair] = []
    train_stories = []
    for story in kept:
        is_dev = fraction(f"{seed}:{story.group}") < dev_share
        pairs = pairs_of(story, draw, 1 if is_dev else reach)
        (dev if is_dev else train).extend(pairs)
        if not is_dev:
            train_stories.append(story)
    return Split(train, dev, train_stories, len(stories) - len(kept))


def fraction(text: str) -> float:
    """A number from 0 to below 1 that depends on the text alone."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2.0**64


# Flickr30K Entities (Plummer et al., 2015): which phrase of a caption names which boxes of its picture.
#
#     <folder>/Annotations/<image>.xml    objects: <name>entity id</name> …, <bndbox> or <nobndbox>
#     <folder>/Sentences/<image>.txt      captions: [/EN#<entity id>/<type> the phrase]
#     <images>/<image>.jpg
#
# Stop words leave the phrases; a phrase of nothing else goes. The same phrase on the same box counts once.


_PHRASE = re.compile(r"\[/EN#(\d+)/\S+ ([^\]]+)\]")
_STOP = frozenset(
    [
        "a",
        "an",
        "the",
        "this",
        "that",
        "these",
        "those",
        "some",
        "any",
        "each",
        "every",
        "all",
        "both",
        "another",
        "other",
        "one",
        "two",
        "three",
        "four",
        "five",
        "several",
        "many",
        "few",
        "of",
        "in",
        "on",
        "at",
        "to",
        "with",
        "and",
        "or",
        "his",
        "her",
        "their",
        "its",
        "my",
        "your",
        "our",
        "he",
        "she",
        "it",
        "they",
        "him",
        "them",
        "who",
        "what",
        "which",
        "'s",
        "is",
        "are",
        "was",
        "were",
        "be",
        "being",
        "by",
        "for",
        "from",
        "up",
        "down",
        "out",
        "into",
        "over",
        "under",
        "as",
    ]
)


class Mention(NamedTuple):
    """A phrase and the region (left, top, right, bottom in pixels) it names in an image."""

    image: str
    phrase: str
    box: tuple[int, int, int, int]


def read_mentions(folder: str | Path, progress: Progress = silent) -> list[Mention]:
    folder = Path(folder)
    annotations, sentences = folder / "Annotations", folder / "Sentences"
    if not annotations.is_dir() or not sentences.is_dir():
        raise DataError(
            f"{folder} lacks the folders Annotations and Sentences.",
            hint="Give the unpacked Flickr30K Entities (annotations.zip).",
        )
    files = sorted(annotations.glob("*.xml"))
    found: dict[Mention, None] = {}
    lacking = []
    for number, file in enumerate(files, 1):
        text = sentences / f"{file.stem}.txt"
        if not text.is_file():
            lacking.append(file.stem)
            continue
        boxes = _boxes(file)
        for id, phrase in _PHRASE.findall(text.read_text(encoding="utf-8", errors="replace")):
            kept = " ".join(word for word in words(phrase) if word not in _STOP)
            if kept:
                found.update(dict.fromkeys(Mention(file.stem, kept, box) for box in boxes.get(id, ())))
        progress("reading annotations", number, len(files))
    if lacking:
        raise DataError(
            f"{len(lacking):,} of {len(files):,} images have no sentence file: {some(lacking)}",
            hint="Unpack the whole archive.",
        )
    if not found:
        raise DataError(
            f"{folder} names no phrase with a box.",
            hint="Give the unpacked Flickr30K Entities (annotations.zip).",
        )
    return list(found)


def _boxes(file: Path) -> dict[str, list[tuple[int, int, int, int]]]:
    content = file.read_bytes()
    if (
        b"<!DOCTYPE" in content or b"<!ENTITY" in content
    ):  # entities are how XML attacks; the data set has none
        raise DataError(
            f"{file} declares entities, which Flickr30K Entities never does; it was not read.",
            hint="Unpack the archive again.",
        )
    boxes: dict[str, list[tuple[int, int, int, int]]] = {}
    try:
        # entities were refused above
        for item in ElementTree.fromstring(content).iter("object"):  # noqa: S314
            place = item.find("bndbox")
            if place is None:
                continue
            left, top, right, bottom = (
                int(float(place.findtext(edge) or "nan")) for edge in ("xmin", "ymin", "xmax", "ymax")
            )
            if right > left and bottom > top:
                for name in item.findall("name"):
                    boxes.setdefault((name.text or "").strip(), []).append((left, top, right, bottom))
    except (ElementTree.ParseError, ValueError) as error:
        raise DataError(
            f"{file} cannot be read: {error}", hint="It may be truncated: unpack the archive again."
        ) from None
    return boxes
