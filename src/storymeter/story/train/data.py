"""Human stories to learn order from: readers for the files people have, told apart by their content.

- VIST references by album (`{album: [story, …]}`) and the original VIST SIS release (`annotations` of
  `original_text`);
- ROCStories CSV (`storyid, storytitle, sentence1 … sentence5`);
- Story Cloze CSV or TSV (four sentences, two endings, the right one): the right ending closes the story;
- plain text, one story a line;
- any other file of stories that `score` reads: captions of one document are its sentences, and a text alone
  is split into sentences.

A story's `group` is what a split must never cut: its album, or itself.
"""

import csv
import hashlib
import io
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ...errors import DataError
from ...formats import read
from ...formats.tables import several_sentences
from ...text.sentences import fill, split_sentences
from ..order_net import plain


class Story(NamedTuple):
    group: str
    sentences: tuple[str, ...]
    source: str


def read_stories(path: str | Path) -> list[Story]:
    """Every story of a file, in its order.

    path: VIST, ROCStories, Story Cloze, text with a story a line, or any file of stories that is scored.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.", hint="Check the path.") from None
    found = _stories(data, path)
    stories = [
        Story(f"{path.name}:{group}", tuple(sentences), path.name)
        for group, sentences in found
        if len(sentences) > 1
    ]
    if not stories:
        raise DataError(
            f"{path} holds no story of two sentences or more.",
            hint="Readable: VIST, ROCStories, Story Cloze, text with a story a line, and what `storymeter"
            " validate` reads.",
        )
    return stories


def _stories(data: bytes, path: Path) -> Iterable[tuple[str, list[str]]]:
    """(group, sentences) of the shapes above; any other file as `score` reads stories."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if data[:4] in (b"PAR1", b"PK\x03\x04") or data[:2] == b"\x1f\x8b":
            return _of_any_shape(path)
        raise DataError(
            f"{path} is not UTF-8 text (byte {error.start:,}).", hint="Convert it: iconv -t utf-8"
        ) from None
    if path.suffix in (".json", ".jsonl") or text.lstrip()[:1] in ("{", "["):
        try:
            content = msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            content = None
        return _vist(content, path) if _is_vist(content) else _of_any_shape(path)
    header = text.partition("\n")[0]
    names = {name.strip().strip('"').lower() for name in header.replace("\t", ",").split(",")}
    delimiter = "\t" if "\t" in header else ","
    if {"sentence1", "sentence5"} <= names:
        return _table(text, path, delimiter, [f"sentence{k}" for k in range(1, 6)], None)
    if {"inputsentence1", "answerrightending"} <= names:
        columns = [f"inputsentence{k}" for k in range(1, 5)]
        return _table(text, path, delimiter, columns, "answerrightending")
    if path.suffix in (".csv", ".tsv") and not names & {"sentence1", "inputsentence1"}:
        return _of_any_shape(path)
    told = [(str(number), line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    return [
        (number, split_sentences(line.split(" ||| ")[1] if line.count(" ||| ") == 2 else line))
        for number, line in told
    ]


def _is_vist(content: Any) -> bool:
    """The original release, or stories by album."""
    if not isinstance(content, dict) or not content:
        return False
    if isinstance(content.get("annotations"), list):
        first = content["annotations"][:1]
        part = first[0][0] if first and isinstance(first[0], list) and first[0] else (first or [{}])[0]
        return isinstance(part, dict) and "worker_arranged_photo_order" in part
    told = [
        story
        for stories in content.values()
        for story in (stories if isinstance(stories, list) else [stories])
    ]
    if all(isinstance(story, str) for story in told):
        return several_sentences(told)  # else each is a sentence
    return all(isinstance(stories, list) for stories in content.values()) and all(
        isinstance(story, list) and all(isinstance(sentence, str) for sentence in story) for story in told
    )


def _of_any_shape(path: Path) -> Iterator[tuple[str, list[str]]]:
    try:
        corpus = read(path, kind="story", role="references")
    except DataError as error:
        way = f"storymeter convert {path} stories.jsonl --columns video=FIELD,text=FIELD"
        raise DataError(error.message, hint=f"Where the fields have unusual names: {way}") from None
    for document in corpus:
        texts = [caption.text for caption in document.captions]
        yield document.id, split_sentences(texts[0]) if len(texts) == 1 else texts


def _vist(content: Any, path: Path) -> Iterator[tuple[str, list[str]]]:
    if not isinstance(content.get("annotations"), list):
        for album, stories in content.items():
            for story in [stories] if isinstance(stories, str) else stories:
                yield album, split_sentences(story) if isinstance(story, str) else story
        return
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
                f"{path}: an annotation lacks story_id, album_id, worker_arranged_photo_order or its text.",
                hint="Give the story-in-sequence file of VIST (train.story-in-sequence.json).",
            ) from None
    for told in parts.values():
        told.sort(key=lambda part: part[0])
        yield told[0][2], [text for _, text, _ in told]


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
