"""A database of the first form, with answers in it, is brought to the newest one on SQLite and on PostgreSQL:
nothing is lost, and the tables are those of the code.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from human_kit import Answer, Media, Store

from storymeter.human.store.engines import HEAD, MIGRATIONS, open_engine, upgrade
from storymeter.human.store.tables import metadata


def alembic(url: str, revision: str) -> None:
    engine = open_engine(url, writer=True)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
    engine.dispose()


def contents(url: str) -> dict[str, list[tuple[object, ...]]]:
    engine = open_engine(url, writer=False)
    with engine.connect() as connection:
        found = {
            table.name: sorted(tuple(row) for row in connection.execute(sa.select(table)))
            for table in metadata.sorted_tables
        }
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        assert connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar() == HEAD
    engine.dispose()
    return found


def test_from_the_first_form_with_data(tmp_path: Path, database: str | None) -> None:
    url = database or f"sqlite:///{tmp_path / 'old.db'}"
    scripts = ScriptDirectory(str(MIGRATIONS))
    first = scripts.get_bases()[0]
    alembic(url, first)
    engine = open_engine(url, writer=True)
    with engine.begin() as connection:  # by hand: the code of today speaks of the tables of today
        connection.exec_driver_sql("INSERT INTO setting VALUES ('campaign', 'camp'), ('state', 'open')")
        connection.exec_driver_sql("INSERT INTO clip VALUES (1, 'a.webm', 'video/webm', 2.0, 10)")
        connection.exec_driver_sql(
            "INSERT INTO slot VALUES ('h1', 0, '[1]', '{\"caption\":\"x\"}'), ('h1', 1, '[1]',"
            ' \'{"caption":"y"}\')'
        )
        connection.exec_driver_sql("INSERT INTO seat (id, hit, assignment) VALUES (1, 'h1', 1)")
        connection.exec_driver_sql("INSERT INTO rater VALUES (1, 'local', 'anna', 'p1', 5.0)")
        connection.exec_driver_sql("INSERT INTO ticket VALUES (1, 'mark', 1, '', '', 5.5)")
        connection.exec_driver_sql(
            "INSERT INTO assignment VALUES (1, 1, 1, 'h1', 1, 'active', 0, 2, 6.0, 99999999999.0, NULL, NULL,"
            " NULL)"
        )
        connection.exec_driver_sql("INSERT INTO viewing VALUES (1, 1, 8.0, NULL, NULL)")
        connection.exec_driver_sql("INSERT INTO rating VALUES (1, 0, '{\"value\":61}', 6.0, 6.5, 7.0, 8.0)")
    engine.dispose()
    upgrade(url)
    before = contents(url)
    assert [len(before[name]) for name in ("rating", "slot", "assignment", "viewing")] == [1, 2, 1, 1]
    upgrade(url)  # a second time changes nothing
    assert contents(url) == before
    store = Store(url)
    try:  # and the work goes on where it was left
        here = store.progress_of(1, 1)
        assert (
            here is not None
            and (here.stage, here.position) == ("working", 1)
            and store.stored(1, 0) == '{"value":61}'
        )
        assert store.places("h1")[0].media == (Media("a.webm", "video/webm", 2.0, 10),)
        assert store.answer(Answer(1, 1, 1, '{"value":7}', 9.0, None)).result().status == "saved"
        done = store.progress_of(1, 1)
        assert (
            done is not None and done.stage == "done" and store.use_code(done.code, 10.0).result() is not None
        )
    finally:
        store.close()


@pytest.mark.parametrize("kind", ["heads", "bases"])
def test_migrations_are_one_chain(kind: str) -> None:
    assert len(getattr(ScriptDirectory(str(MIGRATIONS)), f"get_{kind}")()) == 1
