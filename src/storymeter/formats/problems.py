"""Problems of a file: every problem is collected with its place, and repeats are grouped when they are
shown.

A place is a path of keys and indices, printed as JSONPath (`$.results.v_1[3].timestamp`) or, in files of
lines, as `line 12`, `line 12: $.annotations[2]`.

>>> where(("results", "v 1", 3, "timestamp"))
'$.results["v 1"][3].timestamp'
>>> where((Mark("line", 12), "annotations", 2))
'line 12: $.annotations[2]'
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeGuard, TypeVar

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


# What a reader finds wrong with a file, collected with its place: the problems, and the shapes of values.


MISSING: Any = type("Missing", (), {"__repr__": lambda self: "nothing"})()
K = TypeVar("K", str, int)
_LACKS = frozenset(("missing-key", "unequal-lists"))


class ProblemLog:
    """The problems of one file; `detail`, `id` and `index` say which value, document, caption."""

    def __init__(self, file: str = "") -> None:
        self.file = file
        self.problems: list[Problem] = []
        #: where the file breaks off; what is lacking on the way there is the break's fault
        self.broken: Path | None = None
        self._seen: set[tuple[str, str]] = set()
        #: of the document that is being read
        self._id = ""

    def error(self, code: str, message: str, at: Path = (), **about: Any) -> None:
        self._add("error", code, message, at, **about)

    def warn(self, code: str, message: str, at: Path = (), **about: Any) -> None:
        self._add("warning", code, message, at, **about)

    def _add(
        self,
        severity: Severity,
        code: str,
        message: str,
        at: Path,
        *,
        detail: str = "",
        id: str | None = None,
        index: int | None = None,
    ) -> None:
        if code in _LACKS and self.broken is not None and self.broken[: len(at)] == at:
            return
        place = where(at)
        if (code, place) not in self._seen:
            self._seen.add((code, place))
            self.problems.append(Problem(severity, code, place, message, 1, detail, self.file, id, index))

    @property
    def failed(self) -> bool:
        return any(problem.severity == "error" for problem in self.problems)

    def mapping(self, value: Any, at: Path, what: str) -> dict[str, Any]:
        """`value` if it is an object; otherwise reported, and empty."""
        return value if isinstance(value, dict) else self._shape(value, at, what, "an object", {})

    def sequence(self, value: Any, at: Path, what: str) -> list[Any]:
        """`value` if it is a list; otherwise reported, and empty."""
        return value if isinstance(value, list) else self._shape(value, at, what, "a list", [])

    def objects(
        self, found: Iterable[tuple[K, Any]], at: Path, what: str
    ) -> Iterator[tuple[K, dict[str, Any]]]:
        """The entries of a list or an object, with their number or key, that are objects; others are
        reported.
        """
        for key, value in found:
            if type(value) is dict:
                yield key, value
            else:
                self.mapping(value, (*at, key), what)

    def _shape(self, value: Any, at: Path, what: str, wanted: str, empty: Any) -> Any:
        if value is MISSING:
            self.error("missing-key", f"the key {str(at[-1])!r} is missing", at[:-1], id=self._id or None)
        elif at and not isinstance(at[-1], Mark):
            self.error(
                "wrong-type",
                f"{what} must be {wanted}",
                at,
                detail=f"found {named(value)}",
                id=self._id or None,
            )
        else:
            self.error(
                "wrong-top-level",
                f"the file must hold {wanted} at its top",
                at,
                detail=f"found {named(value)}",
            )
        return empty


def others(item: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    """The keys that a format does not know: kept, so that a conversion gives them back."""
    return {key: value for key, value in item.items() if key not in known}


def is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def named(value: Any) -> str:
    """A value as a message shows it: short, with its type.

    >>> named("1.5"), named(None), named([1, 2])
    ("the string '1.5'", 'null', 'a list of 2')
    """
    if value is None or isinstance(value, bool):
        return str(value).lower().replace("none", "null")
    if isinstance(value, str):
        return f"the string {value if len(value) <= 30 else value[:30] + '…'!r}"
    if isinstance(value, list):
        return f"a list of {len(value):,}"
    if isinstance(value, dict):
        return f"an object of {len(value):,} keys"
    if isinstance(value, int) and value.bit_length() > 200:
        return "a huge number"
    return f"the number {value}" if isinstance(value, int | float) else repr(value)
