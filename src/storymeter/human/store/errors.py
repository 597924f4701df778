"""What can go wrong with the database, one class for each kind. Nothing was acknowledged when one of these is
raised, and the same request may be sent again."""

from __future__ import annotations

from ...errors import StorymeterError


class StoreError(StorymeterError):
    """The database cannot take or give an answer now."""


class StoreFullError(StoreError):
    """No room left on the database's disk."""


class StoreDamagedError(StoreError):
    """The file is no database, or a broken one."""


class StoreReadOnlyError(StoreError):
    """The database may not be written to."""


class StoreGoneError(StoreError):
    """The file was deleted or replaced while it was in use."""


class SessionTakenError(StoreError):
    """A platform's session or assignment id that belongs to another rater already."""


_SQLITE = {
    "SQLITE_FULL": StoreFullError,
    "SQLITE_NOTADB": StoreDamagedError,
    "SQLITE_CORRUPT": StoreDamagedError,
}
_POSTGRES = {"53100": StoreFullError, "25006": StoreReadOnlyError}
#: Python 3.10 gives SQLite's words only
_WORDS = {
    "disk is full": StoreFullError,
    "no space left": StoreFullError,
    "not a database": StoreDamagedError,
    "malformed": StoreDamagedError,
    "readonly": StoreReadOnlyError,
    "read-only": StoreReadOnlyError,
}
_SAID: dict[type[StoreError], tuple[str, str]] = {
    StoreFullError: (
        "The disk that holds the answers is full.",
        "Free some space; the page sends the answer again automatically.",
    ),
    StoreDamagedError: (
        "The file that holds the answers is damaged.",
        (
            "Restore a backup (storymeter human restore), or recover the readable part: sqlite3 campaign.db"
            " .recover"
        ),
    ),
    StoreReadOnlyError: ("The database cannot be written to.", "Check its permissions and its disk."),
}


def of(error: BaseException) -> StoreError:
    """The kind of a driver's error."""
    cause = getattr(error, "orig", None) or error
    text = str(cause).lower()
    name = str(getattr(cause, "sqlite_errorname", ""))
    kind = (
        _SQLITE.get(name)
        or _POSTGRES.get(str(getattr(cause, "sqlstate", "")))
        or (StoreReadOnlyError if name.startswith("SQLITE_READONLY") else None)
        or next((kind for words, kind in _WORDS.items() if words in text), None)
    )
    if kind is None:
        said = text.splitlines()[0][:200] if text else type(error).__name__
        return StoreError(
            "The database does not answer.",
            hint=f"Check that it runs and that its address is right. Its message: {said}",
        )
    message, hint = _SAID[kind]
    return kind(message, hint=hint)
