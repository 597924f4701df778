"""Copies of a whole database, from either kind into either: backups, and the way back.

A copy is read in one transaction that sees one moment (SQLite's WAL, PostgreSQL's REPEATABLE READ) while
raters go on answering: it holds every answer that was acknowledged before it began."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import sqlalchemy as sa

from . import engines
from .engines import TROUBLE, open_engine, upgrade
from .tables import metadata

#: rows at a time
_PIECE = 1000


def copy(source: str, target: str) -> dict[str, int]:
    """Copy every row into a new, empty database; gives the number of rows by table."""
    upgrade(target)
    reader, writer = open_engine(source, writer=False), open_engine(target, writer=True)
    try:
        snapshot = reader.connect()
        if reader.dialect.name == "postgresql":
            snapshot = snapshot.execution_options(isolation_level="REPEATABLE READ")
        with snapshot, snapshot.begin(), writer.begin() as into:
            found = {table.name: _rows(table, snapshot, into) for table in metadata.sorted_tables}
            if writer.dialect.name == "postgresql":
                _go_on_counting(into)
        return found
    except TROUBLE as error:
        raise engines.of(error) from error
    finally:
        reader.dispose()
        writer.dispose()


def look(path: Path) -> dict[str, int] | None:
    """The number of rows by table of an SQLite file that nobody writes to, without leaving a trace; None
    where the file is not sound."""
    address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    try:
        with contextlib.closing(sqlite3.connect(address, uri=True)) as connection:
            if connection.execute("PRAGMA integrity_check").fetchone() != ("ok",):
                return None
            return {
                name: connection.execute(f"SELECT COUNT(*) FROM {name}").fetchone()[0]  # noqa: S608 (our own)
                for name in metadata.tables
            }
    except sqlite3.Error:
        return None


def one_file(path: Path) -> None:
    """Write what stands in SQLite's log into the file itself, so that it can be carried away alone."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE").close()


def _rows(table: sa.Table, source: sa.Connection, target: sa.Connection) -> int:
    total = 0
    for piece in source.execution_options(yield_per=_PIECE).execute(sa.select(table)).mappings().partitions():
        target.execute(sa.insert(table), [dict(row) for row in piece])
        total += len(piece)
    return total


def _go_on_counting(connection: sa.Connection) -> None:
    """PostgreSQL's counters of ids go on after the largest that was copied."""
    for table in metadata.sorted_tables:
        if [column.name for column in table.primary_key] == ["id"]:
            connection.execute(
                sa.text(
                    f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'),"  # noqa: S608
                    f" COALESCE((SELECT MAX(id) FROM {table.name}), 1))"
                )
            )
