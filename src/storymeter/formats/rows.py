"""Rows under a head that names start, end and caption, in a text: `| Start | End | Caption |`, `start,end,…`

>>> rows = Rows.headed("| Start | End | Caption |")
>>> rows.record("| 0:00 | 0:12 | A dog runs. |")
{'Start': '0:00', 'End': '0:12', 'Caption': 'A dog runs.'}
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass

from .items import END, SPAN, START, TEXT, plain

_RULE = re.compile(r"[\s|:+-]*-[\s|:+-]*")


@dataclass(frozen=True, slots=True)
class Rows:
    delimiter: str
    head: tuple[str, ...]

    @classmethod
    def headed(cls, line: str) -> Rows | None:
        """The rows that follow, where the line is such a head."""
        for delimiter in ("|", "\t", ",", ";"):
            if delimiter in line:
                cells = _cells(line, delimiter)
                names = {plain(cell) for cell in cells}
                timed = names & SPAN or (names & START and names & END)
                if (
                    timed
                    and names & {*TEXT, *(f"{word}s" for word in TEXT)}
                    and len(set(cells)) == len(cells)
                ):
                    return cls(delimiter, tuple(cells))
        return None

    def is_rule(self, line: str) -> bool:
        return self.delimiter == "|" and _RULE.fullmatch(line) is not None

    def record(self, line: str) -> dict[str, str] | None:
        """The cells by name; None where the line has not as many as the head."""
        if self.delimiter not in line:
            return None
        cells = _cells(line, self.delimiter)
        return dict(zip(self.head, cells, strict=True)) if len(cells) == len(self.head) else None


def _cells(line: str, delimiter: str) -> list[str]:
    if delimiter == "|":
        return [cell.strip(" *`\t") for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
    return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter, skipinitialspace=True))]
