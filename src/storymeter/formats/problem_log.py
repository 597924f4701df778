"""What a reader finds wrong with a file, collected with its place: the problems, and the shapes of values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from .problems import Mark, Path, Problem, Severity, where

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

    def adopt(self, other: ProblemLog) -> None:
        """Take over the problems that another log has collected of the same file."""
        for problem in other.problems:
            if (problem.code, problem.where) not in self._seen:
                self._seen.add((problem.code, problem.where))
                self.problems.append(problem)

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
