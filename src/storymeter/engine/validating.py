"""Files before they are scored: all problems of each, how systems and references fit together, and the
command that scores them."""

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from ..captions import Corpus, Origin
from ..errors import DataError, MissingPartError, StorymeterError, first_few, many
from ..formats import Reading, examine
from ..formats.aliases import Role
from ..formats.ids import bare_ids
from ..formats.problems import Problem, Severity
from ..join import REFERENCE_FORMATS, join
from ..progress import Progress, silent
from .suitability import far_ends
from .systems import FOUND, Layout

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
        severity: Severity = "error" if candidates else "warning"
        reading.problems.extend(
            Problem(severity, "repeated-id", repr(id), message, file=reading.path, id=id) for id in twice
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
