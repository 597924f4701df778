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
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import DataError
from ...text.sentences import split_sentences


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
