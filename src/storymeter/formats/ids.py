"""Ids of one file in the words of another: `strip-v`, `add-v`, `strip-ext`, `sequence`, or a file of
pairs.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from ..captions import Document
from ..errors import DataError, UsageError
from .checks import Check
from .vist import sequence_id

_RULES: dict[str, Callable[[Document], str]] = {
    "strip-v": lambda document: document.id.removeprefix("v_"),
    "add-v": lambda document: document.id if document.id.startswith("v_") else f"v_{document.id}",
    "strip-ext": lambda document: os.path.splitext(document.id)[0],  # noqa: PTH122 - an id is no path
    "sequence": sequence_id,
}


@dataclass(frozen=True, slots=True)
class IdMap:
    """A renaming of documents. Two ids that become one are an error: nothing is merged by accident."""

    rename: Callable[[Document], str] | None = None

    @classmethod
    def parse(cls, text: str | None) -> IdMap:
        if not text:
            return cls()
        if text in _RULES:
            return cls(_RULES[text])
        if not Path(text).is_file():
            raise UsageError(
                f"--id-map {text!r} is neither a rule nor a file.",
                hint=(
                    f"Rules: {', '.join(_RULES)}. A file holds a JSON object or two columns: old id, new id."
                ),
            )
        table = _pairs(Path(text))
        return cls(lambda document: table.get(document.id, document.id))

    def apply(self, documents: tuple[Document, ...], check: Check) -> tuple[Document, ...]:
        if self.rename is None:
            return documents
        came_from: dict[str, str] = {}
        out = []
        for document in documents:
            id = self.rename(document)
            if came_from.setdefault(id, document.id) != document.id and self.rename is not sequence_id:
                check.error(
                    "id-collision",
                    "the id map gives two documents the same id",
                    (id,),
                    detail=f"{came_from[id]} and {document.id}",
                    id=id,
                )
            out.append(msgspec.structs.replace(document, id=id))
        return tuple(out)


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
            f"Line {wrong:,} of the id map {path} has not two columns.",
            hint="Each line holds: old id, new id.",
        )
    return {row[0]: row[1] for row in rows if row}
