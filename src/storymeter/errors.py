"""Errors that a person can act on: what is wrong, where, how often, and what to do.

Exit codes follow the kind of error: 1 for bad data, 2 for wrong usage.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class StorymeterError(Exception):
    """The parent of every error a user may see. `hint` says what to do about it."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class DataError(StorymeterError):
    """A file or value that cannot be used."""


class UsageError(StorymeterError):
    """A wrong name, option or combination; nothing is wrong with the data."""

    exit_code = 2


class MissingPartError(StorymeterError):
    """An optional part (a package, a data file, a program) is not installed; the hint says how to get it."""

    @classmethod
    def extra(cls, what: str, extra: str) -> MissingPartError:
        return cls(
            f"{what} needs the optional part '{extra}'.",
            hint=f"Install it: pip install 'storymeter[{extra}]'",
        )


class StorymeterWarning(UserWarning):
    """Something that a user should know and that stops nothing."""


def many(number: int, what: str) -> str:
    """A number of things.

    >>> many(1, "document"), many(1200, "document")
    ('1 document', '1,200 documents')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def first_few(items: Iterable[object], *, limit: int = 5) -> str:
    """The first few of many, for a message that has said how many there are.

    >>> first_few(range(7), limit=3)
    '0, 1, 2, …'
    """
    listed: Sequence[object] = list(items)
    head = ", ".join(str(item) for item in listed[:limit])
    return head if len(listed) <= limit else f"{head}, …"


def suggest(name: str, known: Iterable[str]) -> str:
    """`Did you mean 'x'?` where a known name is near, otherwise the list of known names.

    >>> suggest("ROUGE-L", ["meteor", "rouge_l"])
    "Did you mean 'rouge_l'?"
    """
    import difflib

    names = sorted(known)
    alike = {other.lower().replace("-", "_"): other for other in names}
    near = difflib.get_close_matches(name.lower().replace("-", "_"), alike, n=1)
    return f"Did you mean '{alike[near[0]]}'?" if near else f"Known: {', '.join(names)}."
