"""How verbs read the files they are given: the options, and distinct names for the systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from ..captions import Corpus
from ..errors import DataError, UsageError, some
from ..formats.aliases import Role
from ..formats.ids import bare_ids
from ._declare import option, together
from ._options import format_option, jobs_option, say, seed_option


def pairs_of(context: click.Context, parameter: click.Parameter, text: str | None) -> dict[str, str] | None:
    """`rater=worker,score=mark` to a dict; a word alone (`names`) stands for itself. A comma that no `=`
    follows is part of a name."""
    if not text:
        return None
    found: dict[str, str] = {}
    last = ""
    for part in text.split(","):
        key, mark, name = part.partition("=")
        if mark or not last:
            last = key.strip()
            found[last] = name.strip()
        else:
            found[last] += f",{part}"
    return found


_ID_FROM = "storymeter.id_from"


def _columns(context: click.Context, parameter: click.Parameter, text: str | None) -> dict[str, str] | None:
    """`video=clip,text=caption` to {"video": "clip", "text": "caption"}"""
    named = context.meta.get(_ID_FROM) if parameter.name == "columns" else None
    found = {"video": named} if named else {}
    if not text:
        return found or None
    pairs = [part.partition("=") for part in text.split(",")]
    if any(not key.strip() or not name.strip() for key, _, name in pairs):
        raise UsageError(
            f"--columns cannot be {text!r}.", hint="Write it like --columns video=clip,text=caption"
        )
    return {key.strip(): name.strip() for key, _, name in pairs} | found


def _id_from(context: click.Context, parameter: click.Parameter, field: str | None) -> None:
    """Eager, so that `--columns` knows of it."""
    if field:
        context.meta[_ID_FROM] = field


reading_options = together(
    option("--from format", "Format of the files; default: detected from their content.", metavar="FORMAT"),
    option(
        "--id-map",
        "Ids of candidates: strip-v, add-v, strip-ext, sequence, or a file of pairs; several in order.",
        multiple=True,
        metavar="MAP",
    ),
    option(
        "--columns",
        "Fields of candidates: video=clip,text=caption,start=begin; of models' answers: answer=response",
        callback=_columns,
        metavar="PAIRS",
    ),
    option(
        "--id-from",
        "Field of candidates with the id: doc.video_id; short for --columns video=FIELD.",
        callback=_id_from,
        expose_value=False,
        is_eager=True,
        metavar="FIELD",
    ),
    option(
        "--repair", "Swap reversed segments, clip to the video, trim spaces; recorded in the signature.", bool
    ),
    option(
        "--lists",
        "What a list of sentences is: the sentences of a story, or alternatives of one caption.",
        ("story", "alternatives"),
    ),
)
#: of a verb that reads references too
reference_reading_options = together(
    option("--reference-id-map", "Like --id-map, for references.", multiple=True, metavar="MAP"),
    option("--reference-columns", "Like --columns, for references.", callback=_columns, metavar="PAIRS"),
)
#: how the options above are called where files are read
READING = ("format", "id_map", "columns", "repair", "lists", "reference_id_map", "reference_columns")
#: of a verb that scores files and prints a result
result_options = together(
    format_option(), jobs_option, seed_option, reading_options, reference_reading_options
)
unequal_lines_option = option(
    "--unequal-lines",
    "Accept files with numbered lines that differ in length: the last lines of the shorter ones are missing.",
    bool,
)


def options_of(role: Role, reading: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a verb that say how files of this role are read."""
    own = "reference_" if role == "references" else ""
    return {
        "role": role,
        **{key: reading.get(key) for key in ("format", "lists")},
        "repair": bool(reading.get("repair")),
        **{key: reading.get(f"{own}{key}") for key in ("id_map", "columns")},
    }


def read_references(paths: Sequence[str], *, kind: str | None = None, **reading: Any) -> list[Corpus]:
    return [_read(path, kind=kind, **options_of("references", reading)) for path in paths]


def _read(path: str, **options: Any) -> Corpus:
    """A corpus; what was assumed of a file of records is printed in one line."""
    from ..formats import read

    corpus = read(path, **options)
    if assumed := corpus.meta.get("read_as"):
        say(read_line(path, corpus, str(assumed)))
    return corpus


def read_line(path: str, corpus: Corpus, assumed: str) -> str:
    """`read mine.jsonl: id = question_id, caption = text (3 documents)`"""
    number = len(corpus.by_id())
    return f"read {path}: {assumed} ({number:,} document{'' if number == 1 else 's'})"


def same_endings(systems: list[Corpus], references: list[Corpus]) -> tuple[list[Corpus], list[Corpus]]:
    """`bare_ids`, which is said where it changes anything."""
    bare = bare_ids(systems, references)
    if bare[1] is not references:
        say("ids are compared without the folder and ending of their files")
    return bare


def require_equal_lines(corpora: Sequence[Corpus]) -> None:
    """Line-numbered files belong together line by line: one that is longer than another is shifted or cut."""
    counts = {corpus.name: len(corpus) for corpus in corpora if _numbered(corpus)}
    if len(set(counts.values())) > 1:
        listed = some((f"{name} {count:,}" for name, count in counts.items()), limit=6)
        raise DataError(
            f"Files whose lines are numbered must have the same number of lines; these do not: {listed}.",
            hint=(
                "Line 7 of one is compared with line 7 of the other. Put ids at the head of the lines, or"
                " give --unequal-lines if only the last lines of the shorter files are missing."
            ),
        )


def _numbered(corpus: Corpus) -> bool:
    """Are the ids of the documents the numbers of their lines?"""
    return corpus.origin.format == "lines" and corpus.meta.get("file") == {"lines": {"ids": False}}


#: what follows the last dot of these says how a file is written, not who wrote it
_ENDINGS = {"", ".json", ".jsonl", ".csv", ".tsv", ".txt", ".srt", ".vtt", ".gz", ".xz", ".zip", ".en", ".de"}


def read_candidates(paths: Sequence[str], *, kind: str | None = None, **reading: Any) -> list[Corpus]:
    """One corpus per system. Files that differ only behind the last dot are named by what stands there
    (run.en.TEAM is TEAM), files of one name in several folders are told apart by their folder, and what is
    left by a number."""
    corpora = [_read(path, kind=kind, **options_of("candidates", reading)) for path in paths]
    names = [corpus.name for corpus in corpora]
    files = [Path(path) for path in paths]
    beside = [
        [other.suffix for other in files if (other.parent, other.stem) == (path.parent, path.stem)]
        for path in files
    ]
    names = [
        (
            name
            if len(set(endings)) < 2 or name != path.stem
            else path.name
            if path.suffix.lower() in _ENDINGS
            else path.suffix[1:]
        )
        for name, path, endings in zip(names, files, beside, strict=True)
    ]
    names = [
        name if names.count(name) == 1 else f"{Path(path).resolve().parent.name}/{name}"
        for path, name in zip(paths, names, strict=True)
    ]
    names = [
        name if name not in names[:k] else f"{name} ({names[:k].count(name) + 1})"
        for k, name in enumerate(names)
    ]
    return [msgspec.structs.replace(corpus, name=name) for corpus, name in zip(corpora, names, strict=True)]
