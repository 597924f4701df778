"""Candidates meet references by document id, under the protocol's policy; one place owns every id check.

Nothing is dropped silently: `Coverage` counts what was missing, extra and empty, and every report prints it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from .captions import Corpus, Document
from .errors import DataError, UsageError, first_few, many
from .protocol import Protocol


@dataclass(frozen=True, slots=True)
class Coverage:
    """Which ids met. `missing`: referenced but not submitted; `extra`: submitted but not referenced; `empty`:
    scored documents in which one side has no caption at all."""

    matched: int
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    #: how many are missing, extra and empty, where the lists above name only the first of them
    counts: tuple[int, int, int] | None = None

    @property
    def sizes(self) -> tuple[int, int, int]:
        """How many are missing, extra and empty."""
        return self.counts or (len(self.missing), len(self.extra), len(self.empty))


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Documents ready to be scored, ids sorted so that the order of a file never changes a number.

    `candidates[i]` has no captions where the submission lacked the id (protocol `missing=zero`);
    `references[i]` holds one document per annotator who has the id, and is empty in a task without
    references."""

    name: str
    ids: tuple[str, ...]
    candidates: tuple[Document, ...]
    references: tuple[tuple[Document, ...], ...]
    coverage: Coverage
    #: which annotator wrote each document of `references[i]`: with F corpora of references, the j-th document
    #: of this id in corpus k is annotator j * F + k; where nothing is said, the first is 0
    annotators: tuple[tuple[int, ...], ...] = ()
    #: the references of documents that the submission lacks and that are not scored (`missing=skip`): what is
    #: learnt from the references (idf) is learnt from these too, so that it is the same for all systems
    unscored: tuple[tuple[Document, ...], ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    def part(self, chosen: slice) -> Task:
        """Some of its documents."""
        return replace(
            self,
            ids=self.ids[chosen],
            candidates=self.candidates[chosen],
            references=self.references[chosen],
            annotators=self.annotators[chosen],
        )


def join(
    *,
    candidates: Corpus,
    references: Sequence[Corpus] = (),
    protocol: Protocol | None = None,
    part: bool = False,
) -> Task:
    """`part`: the documents are some of a larger corpus, and it is no error if none of them meet."""
    protocol = protocol or Protocol()
    if references:
        _check_roles(candidates, references)
    submitted = _one_each(candidates)
    if not references:
        ids = tuple(sorted(submitted))
        documents = tuple(submitted[i] for i in ids)
        empty = tuple(d.id for d in documents if not d.captions)
        return Task(candidates.name, ids, documents, tuple(() for _ in ids), Coverage(len(ids), empty=empty))

    referenced: dict[str, list[Document]] = {}
    annotators: dict[str, list[int]] = {}
    for k, corpus in enumerate(references):
        alternatives: dict[str, int] = {}
        for document in corpus:
            j = alternatives[document.id] = alternatives.get(document.id, -1) + 1
            referenced.setdefault(document.id, []).append(document)
            annotators.setdefault(document.id, []).append(j * len(references) + k)
    missing = tuple(sorted(i for i in referenced if i not in submitted))
    extra = tuple(sorted(i for i in submitted if i not in referenced))
    matched = len(referenced) - len(missing)
    if not part:
        _check(candidates, references, submitted, referenced, matched)
    if missing and protocol.missing == "error":
        raise DataError(
            f"{len(missing):,} of {len(referenced):,} reference documents are missing from"
            f" {candidates.name!r}: {first_few(missing)}",
            hint="Submit them, or choose a protocol whose field `missing` is zero or skip.",
        )
    if extra and protocol.extra == "error":
        raise DataError(
            f"{len(extra):,} of {len(submitted):,} documents in {candidates.name!r} have no reference:"
            f" {first_few(extra)}",
            hint="Remove them, or choose a protocol whose field `extra` is ignore.",
        )
    keep = referenced if protocol.missing == "zero" else [i for i in referenced if i in submitted]
    ids = tuple(sorted(keep))
    chosen = tuple(submitted.get(i) or Document(i) for i in ids)
    against = tuple(tuple(referenced[i]) for i in ids)
    empty = tuple(
        i
        for i, c, r in zip(ids, chosen, against, strict=True)
        if i in submitted and (not c.captions or not any(d.captions for d in r))
    )
    coverage = Coverage(matched, missing, extra, empty)
    left_out = tuple(tuple(referenced[i]) for i in missing) if protocol.missing == "skip" else ()
    return Task(
        candidates.name,
        ids,
        chosen,
        against,
        coverage,
        tuple(tuple(annotators[i]) for i in ids),
        left_out,
    )


def _one_each(candidates: Corpus) -> dict[str, Document]:
    groups = candidates.by_id()
    if len(groups) == len(candidates):
        return {i: documents[0] for i, documents in groups.items()}
    doubled = sorted(i for i, documents in groups.items() if len(documents) > 1)
    raise DataError(
        f"{candidates.name!r} gives {many(len(doubled), 'document')} more than once: {first_few(doubled)}",
        hint=(
            "A system has one document per id; alternatives for an id belong in --references. If they are the"
            " sentences of one story: --lists story"
        ),
    )


#: formats that only a submission has, and formats that only references have
SUBMISSION_FORMATS = frozenset({"activitynet", "coco-results", "vist-challenge"})
REFERENCE_FORMATS = frozenset({"activitynet-reference", "coco", "vist"})


def _check_roles(candidates: Corpus, references: Sequence[Corpus]) -> None:
    """A submission given as the reference and the reference as the submission still gives a number: recognise
    it by the formats.
    """
    if candidates.origin.format in REFERENCE_FORMATS and all(
        corpus.origin.format in SUBMISSION_FORMATS for corpus in references
    ):
        names = ", ".join(repr(corpus.name) for corpus in references)
        raise UsageError(
            f"Candidates and references are swapped: {candidates.name!r} is a file of references"
            f" ({candidates.origin.format}), and {names} a submission ({references[0].origin.format}).",
            hint="Exchange the two. (A file converted to jsonl can be used as either.)",
        )


#: ways in which ids of the same documents differ, and the maps that make them the same
_ALIKE: tuple[tuple[str, str, Callable[[str], str]], ...] = (
    ("a leading `v_`", "--id-map strip-v (or add-v)", lambda i: i.removeprefix("v_")),
    ("an ending such as .mp4", "--id-map strip-ext", lambda i: PurePath(i).stem),
    (
        "a leading `v_` and an ending such as .mp4",
        "--id-map strip-ext --id-map strip-v",
        lambda i: PurePath(i).stem.removeprefix("v_"),
    ),
)


#: ids that are numbers of rows, as harnesses write them into their logs
_COUNTED = re.compile(r"id = (doc_id|index|idx|question_id|sample_id)\b")


def _check(
    candidates: Corpus,
    references: Sequence[Corpus],
    submitted: dict[str, Document],
    referenced: dict[str, list[Document]],
    matched: int,
) -> None:
    if not submitted:
        raise DataError(
            f"{candidates.name!r} holds no documents.", hint="Check the file with: storymeter validate FILE"
        )
    if matched:
        return
    hint = "Check that both files describe the same documents."
    for difference, maps, simple in _ALIKE:
        if {simple(i) for i in submitted} & {simple(i) for i in referenced}:
            hint = f"The ids differ only by {difference}: use {maps}."
            if all(simple(i) == i for i in submitted):
                hint += " (Those of the references are mapped by --reference-id-map.)"
            break
    counted = _COUNTED.match(str(candidates.meta.get("read_as", "")))
    if counted:
        hint = (
            f"{counted[1]} counts the rows of a data set. Name the field with the id, --id-from FIELD, or"
            f" give a table of both: --id-map FILE, with a row `0,{min(referenced)}` for {counted[1]} 0."
        )
    names = ", ".join(corpus.name for corpus in references)
    raise DataError(
        f"No reference matched: none of the {len(submitted):,} ids of {candidates.name!r} (such as"
        f" {first_few(sorted(submitted), limit=2)}) is among the {len(referenced):,} of {names} (such as"
        f" {first_few(sorted(referenced), limit=2)}).",
        hint=hint,
    )
