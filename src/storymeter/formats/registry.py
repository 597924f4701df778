"""The one list of formats, and files written in them. The list drives `--from` and `--to`, recognition, and
the page docs/formats.md; a file is written whole or not at all, and what its format cannot carry is named."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from ..captions import Corpus, Document
from ..errors import DataError, UsageError, first_few, suggest
from ..files import atomic
from .activitynet import Ids, Reference, Submission
from .base import FIELDS, Format, Source
from .checks import Check
from .datasets import Annotations, Challenge, Results, Sis, TimeChat, YouCook2
from .line_formats import JsonLines, Lines, Plain
from .prose import Prose
from .records import Records
from .subtitles import Srt, VidChapters, Vitt, WebVtt, YouTube
from .tables import Csv, Parquet, Tsv

#: in the order in which contents are tried: the most telling shapes first
FORMATS: dict[str, Format] = {
    f.name: f
    for f in (
        Prose(),  # before JSON: `[0, 12] a dog` begins like a list
        JsonLines(),
        Vitt(),
        Submission(),
        YouCook2(),
        Challenge(),
        Sis(),
        Annotations(),
        Results(),
        Reference(),
        VidChapters(),
        TimeChat(),
        Plain(),
        Ids(),
        Parquet(),
        WebVtt(),
        Srt(),
        Tsv(),
        Csv(),
        YouTube(),
        Lines(),
    )
}

#: reads records of any names; it is tried where no format above fits, and cannot be written
RECORDS = Records()

_SHOWN = {
    "documents": "many documents",
    "several": "many captions each",
    "alternatives": "alternatives",
    "times": "times",
    "duration": "durations",
    "images": "images",
    "meta": "other keys of captions",
    "about": "other keys of documents",
}


def rows() -> list[list[str]]:
    """The formats as `storymeter info --formats` and docs/formats.md show them: name, what it is, a sample,
    what it carries.
    """
    return [
        [
            f.name,
            f.title,
            f.shape,
            (
                ", ".join(words for field, words in _SHOWN.items() if field in f.carries)
                if "captions" in f.carries
                else "ids alone"
            ),
        ]
        for f in FORMATS.values()
    ]


def get(name: str) -> Format:
    if name == RECORDS.name:
        return RECORDS
    try:
        return FORMATS[name]
    except KeyError:
        raise UsageError(f"There is no format {name!r}.", hint=suggest(name, FORMATS)) from None


def regular(
    source: Source, chosen: Format | None, check: Check
) -> tuple[Format, tuple[Document, ...]] | None:
    """The format and the documents of a JSON file whose shape is regular (`Format.regular`)."""
    if source.is_json and not source.is_json_lines and not source.columns and source.sound:
        for format in (chosen,) if chosen else FORMATS.values():
            found = format.regular(source, check)
            if found is not None:
                return format, found
    return None


def sniff(source: Source) -> Format | None:
    """By content first, then by suffix; None where nothing fits. JSON always tells by its content, whatever
    the ending.
    """
    found = next((f for f in FORMATS.values() if f.sniff(source)), None)
    if found or source.is_json or source.suffix == ".json":
        return found
    return next((f for f in FORMATS.values() if source.suffix in f.suffixes), None)


#: without these the meaning is gone, so nothing is written; the others are left out and named
_VITAL = ("documents", "several", "alternatives", "untimed", "open")


def write(corpus: Corpus, path: str | os.PathLike[str], *, format: str | None = None) -> list[str]:
    """Write a corpus; `-` is stdout. Returns what the format could not carry (`other keys`, `durations`), in
    words.

    Without `format` the suffix decides (stdout: JSON Lines); `.json` means the format that the corpus was
    read from.

    corpus: what is written.
    path: the file; `-` is stdout.
    format: the name of the format; default: by the suffix.
    """
    path = os.fspath(path)
    target = get(format) if format else _target_of(corpus, path)
    used = _used(corpus)
    lacking = [name for name in FIELDS if name in used and name not in target.carries]
    for name in lacking:
        if name in _VITAL:
            raise DataError(
                f"The format {target.name!r} cannot hold {FIELDS[name]}, and {corpus.name!r} has them"
                f" ({first_few(used[name], limit=3)}).",
                hint=(
                    f"Formats that can: {', '.join(f.name for f in FORMATS.values() if name in f.carries)}."
                ),
            )
    try:
        if path == "-":
            for chunk in target.write(corpus):
                sys.stdout.buffer.write(chunk)
            sys.stdout.buffer.flush()
        else:
            if Path(path).is_dir():
                raise UsageError(f"{path} is a folder, not a file.", hint="Name the file to write.")
            with atomic(path) as file:
                for chunk in target.write(corpus):
                    file.write(chunk)
    except UnicodeEncodeError:  # captions and ids are checked when they are read, other keys are not
        raise DataError(
            f"Another key of {corpus.name!r} holds half of a character (a lone surrogate), which no file can"
            " hold.",
            hint="Correct it in the program that wrote the file.",
        ) from None
    rounded = [f"fractions of {target.tick:g} s"] if target.tick and _finer(corpus, target.tick) else []
    left_out = [FIELDS[name] for name in lacking] + rounded + _own_keys(corpus, target)
    return left_out + (_changed(corpus, target) if target.textual else [])


def _changed(corpus: Corpus, target: Format) -> list[str]:
    """What reading the file again does not give back of the captions' texts."""
    check = Check(corpus.name)
    source = Source("written", b"".join(target.write(corpus)), check)
    many = "documents" in target.carries  # otherwise the file's name is the id
    before, after = (
        _texts(corpus, many),
        _texts(target.read(source, check), many) if source.data.strip() else {},
    )
    lost: list[str] = []
    blanks: list[str] = []
    texts: list[str] = []
    for id, written in before.items():
        read = after.get(id, [])
        if len(read) != len(written):
            bare = len([text for text in written if text.strip()]) == len([t for t in read if t.strip()])
            (lost if bare else texts).append(id)
        elif [text.split() for text in read] != [text.split() for text in written]:
            texts.append(id)
        elif read != written:
            blanks.append(id)
    return [
        f"{what} ({first_few(ids, limit=3)})" if many else what
        for what, ids in (
            ("captions without text", lost),
            ("blanks and line ends inside captions as they were", blanks),
            ("the exact text of captions", texts),
        )
        if ids
    ]


def _texts(documents: Iterable[Document], by_id: bool) -> dict[str, list[str]]:
    texts: dict[str, list[str]] = {}
    for document in documents:
        texts.setdefault(document.id if by_id else "", []).extend(c.text for c in document.captions)
    return texts


def _own_keys(corpus: Corpus, target: Format) -> list[str]:
    """Keys at the top of the file it came from, such as ActivityNet's `version`: only that format and JSON
    Lines keep them.
    """
    kept = corpus.meta.get("file")
    if target.name == "jsonl" or not isinstance(kept, dict):
        return []
    foreign = [
        keys
        for name, keys in kept.items()
        if keys and name != target.name and name in FORMATS and not FORMATS[name].manner
    ]
    return [f"the file's own {first_few(sorted(keys), limit=3)}" for keys in foreign]


def _own_ends(document: Document) -> bool:
    """Does an end say more than the next start, or the end of the video, does?"""
    follow = [*(c.start for c in document.captions[1:]), document.duration]
    return any(
        c.end is not None and c.end != after for c, after in zip(document.captions, follow, strict=False)
    )


def _finer(corpus: Corpus, tick: float) -> bool:
    times = (time for d in corpus for c in d.captions for time in (c.start, c.end) if time is not None)
    return any(abs(time / tick - round(time / tick)) > 1e-6 for time in times)


def _used(corpus: Corpus) -> dict[str, list[str]]:
    """What this corpus makes use of, each with the ids of documents that do."""
    counts: dict[str, int] = {}
    used: dict[str, list[str]] = {}
    for document in corpus:
        counts[document.id] = counts.get(document.id, 0) + 1
        facts = {
            "documents": len(counts) > 1 or counts[document.id] > 1,
            "several": len(document.captions) > 1,
            "alternatives": counts[document.id] > 1,
            "duration": document.duration is not None,
            "captions": bool(document.captions),
            "bounds": len(document.captions) > 1,
            "empty": not document.captions,
            "open": any(c.start is not None and c.end is None for c in document.captions),
            "ends": _own_ends(document),
            "times": any(c.start is not None for c in document.captions),
            "untimed": any(c.start is None for c in document.captions),
            "images": (
                any(c.image is not None for c in document.captions) or "photo_sequence" in document.meta
            ),
            "sequence": (
                document.meta.get("photo_sequence", [c.image for c in document.captions])
                != [c.image for c in document.captions]
            ),
            "meta": any(c.meta for c in document.captions),
            "about": bool(document.meta.keys() - {"photo_sequence", "story_id", "album_id"}),
        }
        for name, true in facts.items():
            if true:
                used.setdefault(name, []).append(document.id)
    return used


def _target_of(corpus: Corpus, path: str) -> Format:
    if path == "-":
        return get("jsonl")
    suffix = Path(path).suffix.lower()
    came_from = corpus.meta.get("origin")
    before = str(came_from.get("format", "")) if isinstance(came_from, dict) else ""
    for name in (corpus.origin.format, before):
        known = FORMATS.get(name)
        if known and suffix in known.suffixes:
            return known
    fits = [f for f in FORMATS.values() if suffix in f.suffixes]
    if len(fits) == 1:
        return fits[0]
    which = f"The suffix {suffix!r} does not say" if suffix else "The name does not say"
    raise UsageError(
        f"{which} which format to write to {path}.",
        hint=f"Give it with --to: {', '.join(f.name for f in fits or FORMATS.values())}.",
    )
