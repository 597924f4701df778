"""What is wrong with a file: every problem is collected with its place, and repeats are grouped when they are
shown.

A place is a path of keys and indices, printed as JSONPath (`$.results.v_1[3].timestamp`) or, in files of
lines, as `line 12`, `line 12: $.annotations[2]`.

>>> where(("results", "v 1", 3, "timestamp"))
'$.results["v 1"][3].timestamp'
>>> where((Mark("line", 12), "annotations", 2))
'line 12: $.annotations[2]'
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

Severity = Literal["error", "warning"]
_PLAIN = re.compile(r"[A-Za-z_][\w-]*")


class Mark(NamedTuple):
    """A place outside of JSON: `line 12`, `cue 3`, `row 7`, `byte 120`."""

    unit: str
    number: int


Path = tuple[str | int | Mark, ...]


def where(path: Path) -> str:
    marks = [f"{step.unit} {step.number:,}" for step in path if isinstance(step, Mark)]
    keys = [step for step in path if not isinstance(step, Mark)]
    if marks and not keys:
        return ", ".join(marks)
    return f"{', '.join(marks)}: {_jsonpath(keys)}" if marks else _jsonpath(keys)


def _jsonpath(keys: list[str | int]) -> str:
    out = "$"
    for key in keys:
        if isinstance(key, int):
            out += f"[{key}]"
        elif _PLAIN.fullmatch(key):
            out += f".{key}"
        else:
            short = key if len(key) <= 80 else f"{key[:60]}…{key[-10:]}"
            out += f"[{json.dumps(short, ensure_ascii=not short.isprintable())}]"
    return out


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem, or (with `count` > 1) one kind of problem with its first places.

    `message` says what is wrong in words that are the same for every repeat; `detail` shows the value at
    hand."""

    severity: Severity
    code: str
    where: str
    message: str
    count: int = 1
    detail: str = ""
    file: str = ""
    id: str | None = None
    index: int | None = None

    @property
    def text(self) -> str:
        """The message with the value at hand: `the segment ends before it starts (7.5 to 3)`."""
        return f"{self.message} ({self.detail})" if self.detail else self.message

    def __str__(self) -> str:
        return f"{self.severity}: {self.where}: {self.text}"


def group(problems: Iterable[Problem], *, places: int = 5) -> list[Problem]:
    """Repeats folded into one problem each, errors first; `where` names the first few places and counts the
    others.
    """
    kinds: dict[tuple[str, str, str], list[Problem]] = {}
    for problem in problems:
        kinds.setdefault((problem.severity, problem.code, problem.message), []).append(problem)
    folded = [_fold(repeats, places) for repeats in kinds.values()]
    return sorted(folded, key=lambda problem: problem.severity != "error")


def _fold(repeats: list[Problem], places: int) -> Problem:
    first = repeats[0]
    if len(repeats) == 1:
        return first
    named = "; ".join(problem.where for problem in repeats[:places])
    more = f" and {len(repeats) - places:,} more" if len(repeats) > places else ""
    detail = f"first: {first.detail}" if first.detail else ""
    return Problem(
        first.severity,
        first.code,
        named + more,
        first.message,
        sum(p.count for p in repeats),
        detail,
        first.file,
        first.id,
        first.index,
    )


def lines(problems: Iterable[Problem]) -> list[str]:
    """Grouped problems as lines for people: `error: $.v_1[0].timestamp; … and 1,203 more: the segment ends
    before …`.
    """
    return [
        f"{p}" if p.count == 1 else f"{p.severity}: {p.count:,} times: {p.text}: {p.where}"
        for p in group(problems)
    ]
