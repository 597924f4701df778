"""The store: migrations that give the tables the code speaks of, one group's failure is nobody else's, one
rating per place.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
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


UNSIGNED = Terms(size=40, lease=7200).unsigned()


class Crowd:
    """Raters whom nobody signed, on HITs of 40 places, at times of their own."""

    def __init__(self, store: Store, seats: int) -> None:
        self.store = store
        store.fill("crowd", [], [], [f"h{k:02d}" for k in range(seats)], 1)
        self.works: dict[str, RaterProgress] = {}
        self.given: dict[int, int] = {}

    def come(self, name: str, now: float) -> str:
        ticket = self.store.enter(Visitor("prolific", name, name, name, name), now).result()
        work = self.store.claim(ticket, UNSIGNED, now).result()
        assert work is not None
        self.works[name] = work
        return work.stage

    def answer(self, name: str, now: float, times: int = 1, skip: bool = False) -> str:
        work = self.works[name]
        for _ in range(times):
            place = self.given.get(work.assignment, 0)
            lease = UNSIGNED.lease_after(place + 1)
            given = Answer(
                work.assignment, work.ticket, place, "{}", now, None, (), lease, 0.0, UNSIGNED.proof
            )
            status = (self.store.skip(given, 9) if skip else self.store.answer(given)).result().status
            if status != "saved":
                return status
            self.given[work.assignment] = place + 1
        return "saved"


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Store]:
    with contextlib.closing(Store(f"sqlite:///{tmp_path / 'crowd.db'}")) as store:
        yield store


@pytest.mark.parametrize("items", [1, 3])
def test_a_flood_of_invented_workers_keeps_nobody_waiting(empty: Store, items: int) -> None:
    """Twenty workers answer a clip or three on twenty seats and stop; then twenty honest raters come, and
    each has a seat from the first moment to the end."""
    crowd = Crowd(empty, 20)
    for k in range(20):
        assert crowd.come(f"bot{k}", 0) == "working" and crowd.answer(f"bot{k}", 10 + k, items) == "saved"
    for k in range(20):
        now = 60.0 + 20 * k
        assert crowd.come(f"r{k}", now) == "working"
        assert crowd.answer(f"r{k}", now + 30, UNSIGNED.proof) == "saved"
    assert len({crowd.works[f"r{k}"].hit for k in range(20)}) == 20, "a HIT each"
    for k in range(20):
        assert crowd.answer(f"bot{k}", 500) == "gone", "the seat is the honest rater's"
        assert crowd.answer(f"r{k}", 600, 10) == "saved"
    assert empty.counts()["ratings"] == 20 * (items + 15), "what was answered is kept"


def test_as_many_raters_as_seats_share_none(empty: Store) -> None:
    crowd = Crowd(empty, 20)
    assert {crowd.come(f"r{k}", 0) for k in range(20)} == {"working"}
    assert len({work.hit for work in crowd.works.values()}) == 20
    assert {crowd.answer(f"r{k}", 100, 40) for k in range(20)} == {"saved"}
    assert empty.counts()["done"] == 20


def test_whoever_is_proven_first_has_the_seat(empty: Store) -> None:
    crowd = Crowd(empty, 10)
    for k in range(10):
        crowd.come(f"r{k}", 0)
        crowd.answer(f"r{k}", 10 + k, UNSIGNED.proof if k < 5 else 1)
    assert [crowd.come(f"s{k}", 60 + k) for k in range(5)] == ["working"] * 5
    shared = [crowd.works[f"s{k}"].hit for k in range(5)]
    assert shared == [crowd.works[f"r{k}"].hit for k in range(5, 10)], "the longest silent first"
    assert crowd.answer("r5", 70, 3) == crowd.answer("s0", 70, 4) == "saved", "both go on"
    assert crowd.answer("r5", 80) == "saved" and crowd.answer("s0", 81) == "gone", "proven first"
    assert crowd.come("s0", 82) == "working" and crowd.works["s0"].hit != shared[0], "another HIT"


def test_skips_prove_nobody(empty: Store) -> None:
    crowd = Crowd(empty, 1)
    crowd.come("bot", 0)
    assert crowd.answer("bot", 5, 5, skip=True) == crowd.answer("bot", 6, 4) == "saved"
    assert crowd.come("honest", 10) == "working" and crowd.answer("honest", 20, 5) == "saved"
    assert crowd.answer("bot", 30) == "gone"


def test_a_shared_seat_whose_rater_leaves_stays_with_the_other(empty: Store) -> None:
    crowd = Crowd(empty, 1)
    crowd.come("first", 0)
    crowd.answer("first", 10, 2)
    assert crowd.come("second", 20) == "working"
    assert crowd.answer("first", 150) == "saved"
    assert empty.expire(250).result() == 1, "the second one has not answered for three minutes"
    assert crowd.answer("first", 260) == "saved" and empty.counts()["active"] == 1
    assert crowd.answer("first", 270) == "saved" and crowd.come("third", 280) == "wait", "proven"


def test_what_keeps_a_seat_costs_work_in_proportion(empty: Store) -> None:
    assert [UNSIGNED.lease_after(n) / 60 for n in (0, 1, 5, 10, 100)] == [3, 6, 18, 33, 120]
    crowd = Crowd(empty, 1)
    crowd.come("bot", 0)
    crowd.answer("bot", 10, 5)
    empty.expire(1091).result()
    ticket = crowd.works["bot"].ticket
    again = empty.claim(ticket, UNSIGNED, 1100).result()
    assert again is not None and again.stage == "working"
    assert empty.expire(1100 + 181).result() == 1, "who comes back has three minutes to answer"


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
