"""Connections to the database: the same code for SQLite (in the campaign's folder) and PostgreSQL (by URL).

SQLite runs in WAL mode with synchronous=FULL: a commit that returned has reached the disk. Writers begin with
BEGIN IMMEDIATE, so two processes on one file queue up instead of failing half-way.

A copy of a whole database, from either kind into either (backups, and the way back), is read in one
transaction that sees one moment (SQLite's WAL, PostgreSQL's REPEATABLE READ) while raters go on answering: it
holds every answer that was acknowledged before it began."""

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event

from ...errors import MissingPartError, StorymeterError, UsageError
from .tables import metadata

MIGRATIONS = Path(__file__).parent / "migrations"
#: the newest migration; a test compares it with the folder
HEAD = "0003"
#: what the drivers raise when the database is in trouble
TROUBLE = (sa.exc.OperationalError, sa.exc.InterfaceError, sa.exc.TimeoutError, sa.exc.InternalError)


class Database:
    """A reader's and a writer's engine, and the watch over a file that must not be swapped under them."""

    def __init__(self, url: str) -> None:
        upgrade(url)
        self.reader = open_engine(url, writer=False)
        self.writer = open_engine(url, writer=True)
        name = sa.make_url(url).database
        self._file = Path(name) if self.writer.dialect.name == "sqlite" and name else None
        self._identity = self._look()

    def close(self) -> None:
        self.reader.dispose()
        self.writer.dispose()

    def check(self) -> None:
        """SQLite goes on writing into a file that has been deleted; what is written there is lost."""
        if self._file is not None and self._look() != self._identity:
            raise StoreGoneError(
                f"{self._file.name} was deleted or replaced while the server was running.",
                hint="Stop the server, restore the file (storymeter human restore), and start it again.",
            )

    def _look(self) -> tuple[int, int] | None:
        if self._file is None:
            return None
        try:
            found = self._file.stat()
        except OSError:
            return 0, 0
        return found.st_dev, found.st_ino


def open_engine(url: str, *, writer: bool) -> sa.Engine:
    try:
        parsed = sa.make_url(url)
    except sa.exc.ArgumentError:
        raise UsageError(
            "The database address cannot be read.",
            hint="Write sqlite:///campaign.db or postgresql://user@host/name.",
        ) from None
    if parsed.get_backend_name() == "sqlite":
        return _sqlite(parsed, writer)
    if parsed.get_backend_name() == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
        try:
            return sa.create_engine(
                parsed,
                pool_pre_ping=True,
                pool_size=1 if writer else 8,
                max_overflow=0 if writer else 8,
                connect_args={"connect_timeout": 10},
            )
        except ImportError:
            raise MissingPartError.extra("PostgreSQL", "human") from None
    raise UsageError(
        f"There is no support for {parsed.get_backend_name()} databases.",
        hint="Use sqlite:///… or postgresql://….",
    )


def _sqlite(url: sa.URL, writer: bool) -> sa.Engine:
    engine = sa.create_engine(
        url,
        poolclass=sa.pool.QueuePool,
        pool_size=1 if writer else 8,
        max_overflow=0 if writer else 8,
        connect_args={"check_same_thread": False, "timeout": 10},
    )

    @event.listens_for(engine, "connect")
    def connected(connection: Any, record: Any) -> None:
        connection.isolation_level = None  # transactions begin where we say so, below
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def begun(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writer else "BEGIN")

    return engine


def upgrade(url: str) -> None:
    """Bring the database to the newest form; one that is there already is left as it is."""
    engine = open_engine(url, writer=True)
    try:
        with engine.begin() as connection:
            if _revision(connection) != HEAD:
                _migrate(connection)
    except (sa.exc.DatabaseError, sa.exc.InterfaceError) as error:
        raise store_error(error) from error
    finally:
        engine.dispose()


def _revision(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()


def _migrate(connection: sa.Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


# What can go wrong with the database, one class for each kind. Nothing was acknowledged when one of these
# is raised, and the same request may be sent again.


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


def store_error(error: BaseException) -> StoreError:
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
        raise store_error(error) from error
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
