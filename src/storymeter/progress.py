"""What long work says while it is under way."""

from __future__ import annotations

from collections.abc import Callable

#: called as progress(what, done, total); `what` may end in a tab and a remark that changes: tokens a second
Progress = Callable[[str, int, int], None]
#: called with a sentence that a person should read: what was assumed of a file, where something was saved
Note = Callable[[str], None]


def silent(what: str, done: int, total: int) -> None:
    """The progress of a library call: none."""


def unsaid(text: str) -> None:
    """The notes of a library call: none."""
