"""What was answered is on the disk: one SQLite file, an answer committed as soon as it is there.

The key of an answer is the hash of all that it may depend on (engine, endpoint, model, prompt and captions
as they were sent, parameters, which sample). With it are kept the mark, the reply, the model as the server
names it, the tokens and the time. A run that was killed, or asked for again, sends only what is not here;
no key of an endpoint ever is."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ..cache import cache_folder
from ..errors import DataError

_TABLE = """
CREATE TABLE IF NOT EXISTS answers (
    key BLOB PRIMARY KEY, mark REAL NOT NULL, expected INTEGER NOT NULL, reply TEXT NOT NULL,
    model TEXT NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, time TEXT NOT NULL
) WITHOUT ROWID
"""
#: how much of a reply is kept
REPLY = 500


class Answer(NamedTuple):
    """`mark` is on the scale; `expected` says whether it is an expected value over token probabilities."""

    mark: float
    expected: bool
    reply: str
    model: str
    tokens_in: int
    tokens_out: int
    time: str


def _folder() -> Path:
    return Path(cache_folder(), "judge")


class Answers:
    """The file of answers; safe for several processes at once, used by one thread at a time."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or _folder() / "answers-1.sqlite"
        with self._said():
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._keep_private()
            self._file = sqlite3.connect(self.path, timeout=60, isolation_level=None, check_same_thread=False)
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=NORMAL")
            self._file.execute(_TABLE)

    def _keep_private(self) -> None:
        """Captions stand in replies: the file is for its owner alone, as are those that SQLite puts beside
        it, which get its rights. Files of earlier versions, and the folder where it is the cache's own, are
        made so.
        """
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        with contextlib.suppress(PermissionError):  # another's file that this user may write to
            for file in (self.path, *(Path(f"{self.path}{end}") for end in ("-wal", "-shm"))):
                if file.exists():
                    file.chmod(0o600)
            if self.path.parent == _folder():
                self.path.parent.chmod(0o700)

    def get(self, key: bytes) -> Answer | None:
        with self._said():
            row = self._file.execute(
                "SELECT mark, expected, reply, model, tokens_in, tokens_out, time FROM answers WHERE key = ?",
                (key,),
            ).fetchone()
        return None if row is None else Answer(row[0], bool(row[1]), *row[2:])

    def put(self, key: bytes, answer: Answer) -> None:
        with self._said():
            self._file.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (key, *answer)
            )

    def close(self) -> None:
        self._file.close()

    @contextmanager
    def _said(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise DataError(
                f"The judge's answers in {self.path} cannot be used: {error}.",
                hint="Move the file away, or set STORYMETER_CACHE to another folder.",
            ) from None
        except OSError as error:
            raise DataError(
                f"The judge's answers cannot be kept in {self.path.parent}: {error.strerror}.",
                hint="Set STORYMETER_CACHE to a folder that you may write to.",
            ) from None
