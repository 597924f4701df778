"""Copies of a whole database, from either kind into either: backups, and the way back.

A copy is read in one transaction that sees one moment (SQLite's WAL, PostgreSQL's REPEATABLE READ) while
raters go on answering: it holds every answer that was acknowledged before it began."""

from __future__ import annotations

import sqlalchemy as sa

from . import errors
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
        raise errors.of(error) from error
    finally:
        reader.dispose()
        writer.dispose()


def count(url: str) -> dict[str, int]:
    """The number of rows by table."""
    reader = open_engine(url, writer=False)
    try:
        with reader.connect() as connection:
            return {
                table.name: connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
                for table in metadata.sorted_tables
            }
    except TROUBLE as error:
        raise errors.of(error) from error
    finally:
        reader.dispose()


def sound(path: str) -> bool:
    """Whether an SQLite file is whole, by its own check."""
    reader = open_engine(f"sqlite:///{path}", writer=False)
    try:
        with reader.connect() as connection:
            return connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    except sa.exc.DatabaseError:
        return False
    finally:
        reader.dispose()


def one_file(path: str) -> None:
    """Write what stands in SQLite's log into the file itself, so that it can be carried away alone."""
    writer = open_engine(f"sqlite:///{path}", writer=True)
    raw = writer.raw_connection()
    try:
        raw.driver_connection.execute("PRAGMA journal_mode=DELETE").close()  # type: ignore[union-attr]
    finally:
        raw.close()
        writer.dispose()


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
                    f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'),"  # noqa: S608 (our own names)
                    f" COALESCE((SELECT MAX(id) FROM {table.name}), 1))"
                )
            )
