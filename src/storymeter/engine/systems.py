"""Files of systems and references: read as corpora, named and fitted to each other; and examined before they
are scored: all problems of each, how they fit together, and the command that scores them."""

import os
import re
import shlex
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec

from ..captions import Corpus, Origin
from ..errors import (
    DataError,
    MissingPartError,
    StorymeterError,
    StorymeterWarning,
    UsageError,
    first_few,
    many,
)
from ..formats import Problem, Reading, examine, read
from ..formats.aliases import Role
from ..formats.ids import bare_ids
from ..join import REFERENCE_FORMATS, join
from ..metrics import Metric
from ..progress import Note, Progress, silent, unsaid
from .sharded.inputs import is_sharded
from .suitability import far_ends, tells_stories

#: names of files that are training runs of the system that their folder is named after
_SEED = re.compile(r"seed[-_]?\d+", re.IGNORECASE)
#: what follows the last dot of these says how a file is written, not who wrote it
_ENDINGS = {"", ".json", ".jsonl", ".csv", ".tsv", ".txt", ".srt", ".vtt", ".gz", ".xz", ".zip", ".en", ".de"}


@dataclass(frozen=True, slots=True)
class Layout:
    """How files are read; each field as the option of that name of `storymeter score`.

    format: name of the format; None: found from the content (`--from`).
    id_map: rules for ids of candidates, or a file of pairs.
    columns: fields of candidates by their roles: `{"video": "clip", "text": "caption"}`.
    repair: swaps reversed segments, clips captions to the video; recorded in the signature.
    lists: what a list of sentences is: `story` or `alternatives`.
    reference_id_map, reference_columns: the same of references.
    """

    format: str | None = None
    id_map: Sequence[str] = ()
    columns: Mapping[str, str] | None = None
    repair: bool = False
    lists: str | None = None
    reference_id_map: Sequence[str] = ()
    reference_columns: Mapping[str, str] | None = None

    def options(self, role: Role) -> dict[str, object]:
        """What `formats.read` is given for files of this role."""
        theirs = role == "references"
        return {
            "role": role,
            "format": self.format,
            "lists": self.lists,
            "repair": self.repair,
            "id_map": self.reference_id_map if theirs else self.id_map,
            "columns": self.reference_columns if theirs else self.columns,
        }


#: files whose formats and fields are found from their content
FOUND = Layout()


def read_systems(
    candidates: Sequence[str],
    references: Sequence[str] = (),
    *,
    layout: Layout = FOUND,
    metrics: Iterable[Metric] = (),
    images: str | None = None,
    stories: bool = False,
    progress: Progress = silent,
    note: Note = unsaid,
) -> tuple[list[Corpus], list[Corpus]]:
    """Systems and references. Lists of sentences are stories where a story metric is asked for, or pictures
    are given, and those of references where they are stories in a system."""
    paths = [*candidates, *references]
    if paths.count("-") > 1:
        raise UsageError("stdin (-) can be read only once.", hint="Give the other files by name.")
    kind = "story" if stories or images is not None or tells_stories(metrics) else None
    systems, against = list[Corpus](), list[Corpus]()
    for done, path in enumerate(paths):
        progress("reading the files", done, len(paths))
        if done < len(candidates):
            systems.append(_read(path, "candidates", layout, kind, note))
            continue
        told = any(corpus.meta.get("kind") == "story" and corpus.captions > len(corpus) for corpus in systems)
        against.append(_read(path, "references", layout, "story" if told else kind, note))
    progress("reading the files", len(paths), len(paths))
    systems = named_apart(systems, candidates)
    bare = bare_ids(systems, against)
    if bare[1] is not against:
        note("ids are compared without the folder and ending of their files")
    return bare


def _read(path: str, role: Role, layout: Layout, kind: str | None, note: Note) -> Corpus:
    """A corpus; what was assumed of a file of records is noted in one line."""
    corpus = read(path, kind=kind, **layout.options(role))  # type: ignore[arg-type]
    if line := read_line(path, corpus):
        note(line)
    return corpus


def read_line(path: str, corpus: Corpus) -> str:
    """`read mine.jsonl: id = question_id, caption = text (3 documents)`; nothing where nothing was
    assumed.
    """
    if not (assumed := corpus.meta.get("read_as")):
        return ""
    number = len(corpus.by_id())
    return f"read {path}: {assumed} ({number:,} document{'' if number == 1 else 's'})"


def require_equal_lines(corpora: Sequence[Corpus]) -> None:
    """Line-numbered files belong together line by line: one that is longer than another is shifted or cut."""
    counts = {corpus.name: len(corpus) for corpus in corpora if _numbered(corpus)}
    if len(set(counts.values())) > 1:
        listed = first_few((f"{name} {count:,}" for name, count in counts.items()), limit=6)
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


def named_apart(corpora: Sequence[Corpus], paths: Sequence[str]) -> list[Corpus]:
    """Systems with different names. Files that differ only behind the last dot are named by what stands there
    (run.en.TEAM is TEAM), files of one name in several folders are told apart by their folder, and what is
    left by a number."""
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


def with_seeds(
    candidates: Sequence[str], systems: Mapping[str, Sequence[str]]
) -> tuple[list[str], dict[str, tuple[int, ...]]]:
    """All files, and which of them (by number) are the training runs of one system: files called seed1,
    seed2 … in one folder, and those of `systems`."""
    paths, groups = list(candidates), dict[str, tuple[int, ...]]()
    folders: dict[Path, list[int]] = {}
    for k, path in enumerate(paths):
        if _SEED.fullmatch(Path(path).name.partition(".")[0]) and not is_saved(path):
            folders.setdefault(Path(path).resolve().parent, []).append(k)
    for folder, members in folders.items():
        if len(members) > 1:
            groups[folder.name] = tuple(members)
    for name, listed in systems.items():
        if name in groups:
            raise UsageError(f"Two systems are called {name!r}.", hint="Name each system once.")
        groups[name] = tuple(range(len(paths), len(paths) + len(listed)))
        paths += listed
    if not paths:
        raise UsageError("There is nothing to score.", hint="Give CANDIDATES (files), or --system NAME=FILE.")
    return paths, groups


def named_seeds(
    systems: Sequence[Corpus], groups: Mapping[str, tuple[int, ...]]
) -> tuple[list[Corpus], dict[str, tuple[str, ...]]]:
    """The corpora with the name of their system before their own, and which belong together."""
    named = list(systems)
    for name, members in groups.items():
        own = [systems[k].name.rpartition("/")[2] for k in members]
        for k, label in zip(members, own, strict=True):
            label = label if own.count(label) == 1 else f"{label} ({k + 1})"
            named[k] = msgspec.structs.replace(
                systems[k], name=name if len(members) == 1 else f"{name}/{label}"
            )
        if any(systems[j].documents == systems[k].documents for j, k in combinations(members, 2)):
            warnings.warn(
                f"{name}: two of its training runs have the same captions, so that the noise of training is"
                " underestimated.",
                StorymeterWarning,
                stacklevel=2,
            )
    seeds = {name: tuple(named[k].name for k in members) for name, members in groups.items()}
    return named, {name: members for name, members in seeds.items() if len(members) > 1}


def is_saved(path: str) -> bool:
    """Whether this is a saved run: a file by its ending, or the folder of a run in shards."""
    folder = Path(path)
    return path.endswith(".smr") or (folder / "run.smr").is_file() or (folder / "work" / "job").is_file()


def in_shards(candidates: Sequence[str], references: Sequence[str]) -> bool:
    """Whether all of the inputs are patterns or folders of shards; a file and a pattern do not go
    together."""
    given = {text: is_sharded(text) for text in (*candidates, *references)}
    if any(given.values()) and not all(given.values()):
        other = next(text for text, sharded in given.items() if not sharded)
        raise UsageError(
            f"{other} is one file, and the others are corpora in shards.",
            hint="Give it as a pattern or a folder too: .parquet or .jsonl (storymeter convert writes both).",
        )
    return any(given.values())


#: formats in which several documents of one id are the rule
_ALTERNATIVES = REFERENCE_FORMATS | {"vitt", "plain", "jsonl"}


@dataclass(frozen=True, slots=True)
class Fit:
    """How a file of candidates and the references go together; what `score` would refuse them for."""

    path: str
    line: str
    complaint: str = ""
    matched: int = 0
    missing: int = 0
    extra: int = 0


@dataclass(frozen=True, slots=True)
class Validation:
    """What was found of files: a `Reading` of each, and how they fit together where references were given."""

    candidates: Sequence[Reading]
    references: Sequence[Reading]
    fits: Sequence[Fit] = ()
    #: the command that scores them; "" without references
    command: str = ""

    @property
    def readings(self) -> list[Reading]:
        return [*self.candidates, *self.references]

    @property
    def errors(self) -> list[Problem]:
        return [problem for reading in self.readings for problem in reading.errors]

    @property
    def fine(self) -> bool:
        """Whether there are warnings at most."""
        return not self.errors and not any(fit.complaint for fit in self.fits)

    @property
    def swapped(self) -> bool:
        """Whether all errors are reversed segments, which `--repair` swaps."""
        return bool(self.errors) and all(problem.code == "reversed" for problem in self.errors)


def validate(
    candidates: Sequence[str | os.PathLike[str]],
    references: Sequence[str | os.PathLike[str]] = (),
    *,
    layout: Layout = FOUND,
    progress: Progress = silent,
) -> Validation:
    """Examines files as `storymeter validate` does; a file that cannot be opened is a problem like any other.

    candidates: files of systems; without references any files of captions.
    references: files of annotators: says also which documents fit together.
    layout: how the files are read.
    progress: called with what is being done, how much is done, and of how much.
    """
    kind = None
    readings = list[Reading]()
    paths = [os.fspath(path) for path in (*candidates, *references)]
    for number, path in enumerate(paths):
        progress("checking the files", number, len(paths))
        role: Role = "candidates" if number < len(candidates) else "references"
        options = layout.options(role) | ({} if references else {"role": None})
        readings.append(_examined(path, kind=kind, **options))
        corpus = readings[-1].corpus
        if corpus.meta.get("kind") == "story" and corpus.captions > len(corpus):
            kind = "story"
    progress("checking the files", len(paths), len(paths))
    given, against = readings[: len(candidates)], readings[len(candidates) :]
    for each in given:
        _find_repeated_ids(each, candidates=bool(references))
    if not against:
        return Validation(given, against)
    found = Validation(given, against, [_fit(each, against) for each in given])
    return replace(found, command=_command(found, layout))


def _examined(path: str, **options: Any) -> Reading:
    try:
        return examine(path, **options)
    except (DataError, MissingPartError) as error:
        problem = Problem("error", "unreadable", path, str(error).replace("\n", " "), file=path)
        return Reading(path, Corpus((), origin=Origin(path=path)), [problem])


def _find_repeated_ids(reading: Reading, *, candidates: bool) -> None:
    """Ids that occur more than once: references may have them, a system may not."""
    corpus = reading.corpus
    twice = [id for id, documents in corpus.by_id().items() if len(documents) > 1]
    if twice and (candidates or corpus.origin.format not in _ALTERNATIVES):
        message = (
            "several documents have this id: `score` refuses them in a file of candidates; sentences of one"
            " story are read with --lists story"
            if candidates
            else "several documents have this id: `score` takes them as references (-r), not as candidates;"
            " sentences of one story are read with --lists story"
        )
        reading.problems.extend(
            Problem(
                "error" if candidates else "warning",
                "repeated-id",
                repr(id),
                message,
                file=reading.path,
                id=id,
            )
            for id in twice
        )


def _fit(reading: Reading, against: Sequence[Reading]) -> Fit:
    """What `score` would find of the ids; the first complaint it would have."""
    corpus = reading.corpus
    if not corpus.documents or not any(each.corpus.documents for each in against):
        return Fit(reading.path, "nothing to compare", "nothing to compare")
    firsts = {documents[0].id: documents[0] for documents in corpus.by_id().values()}
    once = msgspec.structs.replace(corpus, documents=tuple(firsts.values()))
    (once,), others = bare_ids([once], [each.corpus for each in against])
    try:
        coverage = join(candidates=once, references=others).coverage
    except StorymeterError as error:
        return Fit(reading.path, str(error), str(error))
    missing, extra, _ = coverage.sizes
    if said := far_ends(once, others):
        reading.problems.append(Problem("warning", "far-ends", "all captions", said, file=reading.path))
    line = f"{many(coverage.matched, 'document')} of {coverage.matched + missing:,} references found"
    if missing:
        line += f", {missing:,} missing ({first_few(coverage.missing, limit=3)})"
    if extra:
        line += f", {extra:,} without a reference ({first_few(coverage.extra, limit=3)})"
    kinds = {once.kind} | {each.kind for each in others}
    if "dense" in kinds and len(kinds) > 1:
        line += "; one side has times and the other has none"
    return Fit(reading.path, line, "", coverage.matched, missing, extra)


def _command(found: Validation, layout: Layout) -> str:
    words = [each.path for each in found.candidates]
    for each in found.references:
        words += ["-r", each.path]
    for key, value in (("--from", layout.format), ("--lists", layout.lists)):
        words += [key, value] if value else []
    for key, rules in (("--id-map", layout.id_map), ("--reference-id-map", layout.reference_id_map)):
        for rule in rules:
            words += [key, rule]
    for key, fields in (("--columns", layout.columns), ("--reference-columns", layout.reference_columns)):
        if fields:
            words += [key, ",".join(f"{ours}={theirs}" for ours, theirs in fields.items())]
    words += ["--repair"] if layout.repair or found.swapped else []
    return f"storymeter score {shlex.join(words)}"
