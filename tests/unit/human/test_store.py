"""The store: migrations that give the tables the code speaks of, one group's failure is nobody else's, one
rating per place.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from human_kit import Answer, Media, RaterProgress, Store, Terms, Visitor

from storymeter.errors import DataError, UsageError
from storymeter.human.store import Outcome, StoreError
from storymeter.human.store.answers import settle
from storymeter.human.store.engines import HEAD, MIGRATIONS, open_engine, upgrade
from storymeter.human.store.tables import metadata


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(f"sqlite:///{tmp_path / 'test.db'}")
    slots = [
        {"hit": hit, "position": k, "media": "[1]", "payload": '{"caption":"x"}'}
        for hit in ("h1", "h2")
        for k in range(4)
    ]
    store.fill("camp", [Media("a.webm", "video/webm", 2.0, 10)], slots, ["h1", "h2"], 1)
    return store


def seat(store: Store, name: str, *, now: float | None = None) -> RaterProgress:
    ticket = store.enter(Visitor("local", name, "", name, name), 1.0).result()
    work = store.claim(ticket, Terms(size=4, lease=60), now or time.time()).result()
    assert work is not None
    return work


def test_migrations_make_the_tables_of_the_code(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'm.db'}"
    upgrade(url)
    upgrade(url)
    engine = open_engine(url, writer=False)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        assert (
            connection.execute(sa.text("PRAGMA journal_mode")).scalar() == "wal"
            and connection.execute(sa.text("PRAGMA synchronous")).scalar() == 2
        )
    engine.dispose()
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_current_head() == HEAD


def test_a_database_holds_one_campaign(store: Store) -> None:
    with pytest.raises(DataError, match="already holds"):
        store.fill("other", [], [{"hit": "h", "position": 0, "media": "[]", "payload": "{}"}], ["h"], 1)
    with pytest.raises(DataError, match="belongs to"):
        store.check("other")


@pytest.mark.parametrize("url", ["mysql://x/y", "not a url"])
def test_unknown_databases(url: str) -> None:
    with pytest.raises(UsageError):
        open_engine(url, writer=True)


@pytest.mark.parametrize("content", [b"not a database at all" * 300, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_of_answers_is_said_to_be_one_and_left_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "campaign.db").write_bytes(content)
    with pytest.raises(StoreError, match="is damaged"):
        Store(f"sqlite:///{tmp_path / 'campaign.db'}")
    assert (tmp_path / "campaign.db").read_bytes() == content


def test_no_postgresql_is_a_clear_error() -> None:
    with pytest.raises(StoreError, match="does not answer"):
        Store("postgresql://storymeter@127.0.0.1:1/nothing")


def test_many_threads_one_answer(store: Store) -> None:
    """Forty threads send forty different values for the same place: one is saved, and all hear of it."""
    work = seat(store, "r1")
    outcomes: list[Outcome] = []

    def send(value: int) -> None:
        outcomes.append(
            store.answer(
                Answer(work.assignment, work.ticket, 0, f'{{"value":{value}}}', time.time(), None)
            ).result()
        )

    threads = [threading.Thread(target=send, args=(k,)) for k in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(o.status for o in outcomes) == ["saved", *["stale"] * 39]
    assert store.counts()["ratings"] == 1


def test_many_threads_one_seat_each(store: Store) -> None:
    """Twenty raters ask at once for two seats, and answer at once: two of them keep one."""
    found: list[RaterProgress] = []
    outcomes: list[Outcome] = []

    def come(number: int) -> None:
        work = seat(store, f"r{number}")
        found.append(work)
        if work.stage == "working":
            given = Answer(work.assignment, work.ticket, 0, '{"value":1}', time.time(), None)
            outcomes.append(store.answer(given).result())

    threads = [threading.Thread(target=come, args=(k,)) for k in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {w.stage for w in found} <= {"wait", "working"}
    assert [o.status for o in outcomes].count("saved") == 2 and store.counts()["ratings"] == 2
    assert {o.status for o in outcomes} <= {"saved", "gone"} and store.counts()["active"] == 2


def test_answers_of_one_group_leave_a_seat_with_one_rater(store: Store) -> None:
    """Three raters on one seat answer in one transaction, the one who came last first."""
    works = [seat(store, f"r{k}") for k in range(6)]
    mine = [work for work in works if work.hit == "h1"]
    assert len(mine) == 3
    group = [Answer(w.assignment, w.ticket, k, "{}", time.time(), None) for w in mine[::-1] for k in (0, 1)]
    outcomes = store._writer.submit(lambda c: settle(c, group)).result()
    assert [o.status for o in outcomes] == ["saved", "saved", *["gone", "stale"] * 2]
    counts = store.counts()
    assert counts["active"] == 1 and counts["expired"] == 2 and counts["ratings"] == 2


def test_a_report_of_a_broken_clip_holds_no_seat(store: Store) -> None:
    works = [seat(store, f"r{k}") for k in range(3)]
    first, third = works[0], works[2]
    assert first.hit == third.hit
    broken = Answer(first.assignment, first.ticket, 0, "", time.time(), None)
    assert store.skip(broken, 2).result().status == "saved"
    assert (
        store.answer(broken._replace(assignment=third.assignment, ticket=third.ticket, answer="{}"))
        .result()
        .status
        == "saved"
    )
    assert store.answer(broken._replace(position=1, answer="{}")).result().status == "gone"


def test_one_bad_operation_spoils_nobody_elses(store: Store) -> None:
    work = seat(store, "r1")
    block = threading.Event()
    store._writer.submit(lambda c: block.wait(5))  # while this one is served, the others gather in one group
    bad = store._writer.submit(lambda c: c.execute(sa.text("SELECT * FROM nothing")))
    good = store.answer(Answer(work.assignment, work.ticket, 0, '{"value":1}', time.time(), None))
    block.set()
    assert good.result(5).status == "saved"
    with pytest.raises(StoreError):
        bad.result(5)


def test_answers_of_another_ticket_are_not_taken(store: Store) -> None:
    work = seat(store, "r1")
    assert (
        store.answer(Answer(work.assignment, work.ticket + 1, 0, "{}", time.time(), None)).result().status
        == "gone"
    )


def test_leases_are_renewed_by_answers(store: Store) -> None:
    work = seat(store, "r1", now=1000.0)
    for position, now in enumerate((1020.0, 1070.0, 1110.0)):
        store.expire(now).result()
        assert (
            store.answer(Answer(work.assignment, work.ticket, position, "{}", now, None, lease=60))
            .result()
            .status
            == "saved"
        )
    assert store.expire(1171.0).result() == 1


def test_codes_count_once(store: Store) -> None:
    work = seat(store, "r1")
    for position in range(4):
        store.answer(Answer(work.assignment, work.ticket, position, "{}", time.time(), None)).result()
    here = store.progress_of(work.ticket, 1)
    assert here is not None and here.stage == "done" and len(here.code) == 11
    first = store.use_code(here.code, 5.0).result()
    again = store.use_code(here.code, 6.0).result()
    assert (
        first is not None
        and again is not None
        and first["code_used_at"] is None
        and again["code_used_at"] == 5.0
    )
    assert store.use_code("AAAAA-AAAAA", 6.0).result() is None


def test_a_closed_store_says_so(store: Store) -> None:
    store.close()
    with pytest.raises(StoreError, match="shutting down"):
        store.expire(0.0).result()
