"""Ids of one file in the words of another: `strip-v`, `add-v`, `strip-ext`, `sequence`, or a file of pairs;
several maps are applied one after the other.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from ..captions import Corpus, Document
from ..errors import DataError, UsageError
from .checks import Check
from .datasets import sequence_id
from .field_values import stem

_RULES: dict[str, Callable[[Document], str]] = {
    "strip-v": lambda document: document.id.removeprefix("v_"),
    "add-v": lambda document: document.id if document.id.startswith("v_") else f"v_{document.id}",
    "strip-ext": lambda document: os.path.splitext(document.id)[0],  # noqa: PTH122 - an id is no path
    "sequence": sequence_id,
}


@dataclass(frozen=True, slots=True)
class IdMap:
    """Renamings of documents, in order. Two ids that become one are an error: nothing is merged by
    accident.
    """

    renamings: tuple[Callable[[Document], str], ...] = ()

    @classmethod
    def parse(cls, texts: str | Sequence[str] | None) -> IdMap:
        """One map or several; a text may name several rules with commas between them."""
        listed = [texts] if isinstance(texts, str) else list(texts or ())
        names = [
            name
            for text in listed
            for name in (text.split(",") if all(part in _RULES for part in text.split(",")) else [text])
        ]
        return cls(tuple(_renaming(name) for name in names if name))

    def apply(self, documents: tuple[Document, ...], check: Check) -> tuple[Document, ...]:
        if not self.renamings:
            return documents
        came_from: dict[str, str] = {}
        out = []
        for document in documents:
            renamed = document
            for rename in self.renamings:
                renamed = msgspec.structs.replace(renamed, id=rename(renamed))
            before = came_from.setdefault(renamed.id, document.id)
            if before != document.id and sequence_id not in self.renamings:
                check.error(
                    "id-collision",
                    "the id map gives two documents the same id",
                    (renamed.id,),
                    detail=f"{before} and {document.id}",
                    id=renamed.id,
                )
            out.append(renamed)
        return tuple(out)


def _renaming(name: str) -> Callable[[Document], str]:
    if name in _RULES:
        return _RULES[name]
    if not Path(name).is_file():
        raise UsageError(
            f"--id-map {name!r} is neither a rule nor a file.",
            hint=f"Rules: {', '.join(_RULES)}. A file holds a JSON object or two columns: old id, new id.",
        )
    table = _pairs(Path(name))
    return lambda document: table.get(document.id, document.id)


def _pairs(path: Path) -> dict[str, str]:
    try:
        data = path.read_bytes()
        if data.lstrip()[:1] == b"{":
            return msgspec.json.decode(data, type=dict[str, str])
        text = data.decode("utf-8-sig")
        rows = list(csv.reader(text.splitlines(), delimiter="\t" if "\t" in text else ","))
        wrong = next((i for i, row in enumerate(rows, 1) if row and len(row) != 2), None)
    except (OSError, ValueError, csv.Error, msgspec.DecodeError) as error:
        raise DataError(
            f"The id map {path} cannot be read: {error}.",
            hint="It holds a JSON object {old: new} or two columns.",
        ) from None
    if wrong:
        raise DataError(
            f"Line {wrong:,} of the id map {path} does not have two columns.",
            hint="Each line holds: old id, new id.",
        )
    return {row[0]: row[1] for row in rows if row}


def bare_ids(systems: list[Corpus], references: list[Corpus]) -> tuple[list[Corpus], list[Corpus]]:
    """Ids without the folder and ending of a media file, where one side of a comparison has them, the other
    has not, and one of the files is of records, whose ids lose them; the same lists where nothing changes."""
    given = {document.id for corpus in systems for document in corpus}
    plain = {stem(id) for id in given}
    records = any(corpus.origin.format == "records" for corpus in (*systems, *references))
    sets = [{document.id for document in corpus} for corpus in references]
    if not records or not any(ids and not ids & given and plain & {stem(i) for i in ids} for ids in sets):
        return systems, references

    def bare(corpus: Corpus) -> Corpus:
        renamed = (msgspec.structs.replace(document, id=stem(document.id)) for document in corpus)
        return msgspec.structs.replace(corpus, documents=tuple(renamed))

    return [bare(corpus) for corpus in systems], [bare(corpus) for corpus in references]
