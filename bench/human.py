"""How many raters can one machine serve?   python bench/human.py [--seconds 8] [--items 10]

(a) 200 simulated raters at once, each thinking one to two seconds between answers, with clips and play
events: every
    answer acknowledged; latency of answers.
(b) the same without thinking: acknowledged durable ratings per second, beside the raw number of single-row
durable
    commits per second that the same database allows in the same run. The two play events travel with the
    answer.
(c) a campaign of 1,000 HITs (100,000 places): time to build; throughput when it is empty and when eight
tenths are full, in turns.

SQLite always; PostgreSQL where its programs are found. The server is the real one, in its own process.
"""

# ruff: noqa: E402  (the tests' helpers have to be found first)
from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests")]

import human_kit
import sqlalchemy as sa

from storymeter.human.campaign.record import Folder
from storymeter.human.server.run import start
from storymeter.human.store import Visitor
from storymeter.human.store.contents import enter
from storymeter.human.store.engines import open_engine
from storymeter.human.store.tables import assignment, rating, seat

RATERS = 200


class Line:
    """A keep-alive connection that costs next to nothing, so that the server is measured and not the
    client.
    """

    def __init__(self, url: str) -> None:
        self.host, _, port = url.removeprefix("http://").partition(":")
        self.port = int(port)

    async def open(self) -> None:
        self.reader, self.writer = await asyncio.open_connection(self.host, self.port)

    async def call(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        self.writer.write(
            f"{method} {path} HTTP/1.1\r\nhost: {self.host}:{self.port}\r\ncontent-type:"
            f" application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode()
            + body
        )
        head = await self.reader.readuntil(b"\r\n\r\n")
        lower = head.lower()
        start = lower.index(b"content-length:") + 15
        length = int(lower[start : lower.index(b"\r\n", start)])
        return int(head[9:12]), await self.reader.readexactly(length) if length else b""


class Rater:
    def __init__(self, url: str, link: str, number: int) -> None:
        self.line, self.link, self.rng = Line(url), link, random.Random(number)
        self.latencies: list[float] = []
        self.refused = 0

    async def begin(self) -> None:
        await self.line.open()
        await self.line.call("POST", self.link + "/begin")
        self.item = json.loads((await self.line.call("GET", self.link + "/item"))[1])["next"]

    async def answer(self, events: bool) -> None:
        body = {
            "id": self.item["id"],
            "at": self.item["at"],
            "answer": {"value": self.rng.randrange(101)},
            "events": ["play", "ended"] if events else [],
        }
        raw = json.dumps(body).encode()
        begin = time.perf_counter()
        status, text = await self.line.call("POST", self.link + "/answer", raw)
        seconds = time.perf_counter() - begin
        if status == 409 and json.loads(text)["status"] == "early":
            await asyncio.sleep(1)  # as the page does: sent again when the time is up
            await self.answer(events)
            return
        self.latencies.append(seconds)
        if status == 200:
            self.item = json.loads(text)["next"]
        else:
            self.refused += 1

    async def thinking(self, items: int) -> None:
        await asyncio.sleep(self.rng.uniform(0, 2))
        for _ in range(items):
            mark = {"id": self.item["id"], "at": self.item["at"]}
            await self.line.call("GET", self.item["media"][0])
            await self.line.call("POST", self.link + "/event", json.dumps({**mark, "event": "play"}).encode())
            await asyncio.sleep(self.rng.uniform(1, 2))
            await self.line.call(
                "POST", self.link + "/event", json.dumps({**mark, "event": "ended"}).encode()
            )
            await self.answer(False)

    async def hurrying(self, until: float) -> int:
        count = 0
        while time.perf_counter() < until and "go" not in self.item:
            await self.answer(True)
            count += 1
        return count


async def seated(url: str, links: list[str]) -> list[Rater]:
    raters = [Rater(url, link, number) for number, link in enumerate(links)]
    for rater in raters:
        await rater.begin()
    return raters


def run(work: object) -> object:
    try:
        import uvloop
    except ImportError:
        return asyncio.run(work)
    return uvloop.run(work)


def with_thinking(url: str, links: list[str], items: int) -> None:
    load = os.getloadavg()[0]

    async def work() -> list[Rater]:
        raters = await seated(url, links)
        await asyncio.gather(*(rater.thinking(items) for rater in raters))
        return raters

    raters: list[Rater] = run(work())
    times = sorted(t for rater in raters for t in rater.latencies)
    refused = sum(rater.refused for rater in raters)
    p99 = times[int(len(times) * 0.99)] * 1000
    print(
        f"  (a) {len(raters)} raters thinking 1-2 s: {len(times) - refused:,} of {len(times):,} answers"
        f" acknowledged; latency p50 {times[len(times) // 2] * 1000:.1f} ms, p99 {p99:.1f} ms (wanted: all,"
        f" p99 < 250 ms): {'ok' if not refused and p99 < 250 else 'MISSED'}; load of this machine before:"
        f" {load:.1f}"
    )


def without_thinking(server: Server, links: list[str], seconds: float) -> tuple[float, float]:
    """Ratings per second, and milliseconds of the server's processor time for each: that, a busy machine does
    not distort.
    """

    async def work() -> tuple[float, float]:
        raters = await seated(server.url, links)
        begin, used = time.perf_counter(), server.processor_time()
        counts = await asyncio.gather(*(rater.hurrying(begin + seconds) for rater in raters))
        assert not any(rater.refused for rater in raters)
        return (
            sum(counts) / (time.perf_counter() - begin),
            (server.processor_time() - used) / sum(counts) * 1000,
        )

    return run(work())


class Server:
    """The real server in its own process."""

    def __init__(self, folder: Folder, watch: float | None = None) -> None:
        self.process, self.url = start(folder.path, watch=watch)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()

    def processor_time(self) -> float:
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return float("nan")
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def raw_commits(database: str, seconds: float) -> float:
    """Single-row durable commits per second: one connection, nothing else in the way."""
    begin, count = time.perf_counter(), 0
    if database.startswith("sqlite"):
        connection = sqlite3.connect(database.removeprefix("sqlite:///"), isolation_level=None)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("CREATE TABLE IF NOT EXISTS raw (a INTEGER PRIMARY KEY, v REAL)")
        while time.perf_counter() - begin < seconds:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO raw (v) VALUES (?)", (1.0,))
            connection.execute("COMMIT")
            count += 1
        connection.execute("DROP TABLE raw")
        connection.close()
        return count / seconds
    import psycopg

    with psycopg.connect(database) as link:
        link.execute("CREATE TABLE IF NOT EXISTS raw (a SERIAL PRIMARY KEY, v REAL)")
        link.commit()
        begin = time.perf_counter()
        while time.perf_counter() - begin < seconds:
            link.execute("INSERT INTO raw (v) VALUES (%s)", (1.0,))
            link.commit()
            count += 1
        link.execute("DROP TABLE raw")
    return count / seconds


def durable(folder: Folder, server: Server, links: list[str], seconds: float) -> None:
    before = raw_commits(folder.database, seconds / 2)
    rate, cost = without_thinking(server, links, seconds)
    raw = (before + raw_commits(folder.database, seconds / 2)) / 2
    print(
        f"  (b) {len(links)} raters without thinking: {rate:,.0f} durable ratings/s ({cost:.2f} ms of the"
        f" server's processor each); raw single-row commits {raw:,.0f}/s; ratio {rate / raw:.0%} (wanted: 30"
        f" %): {'ok' if rate >= 0.3 * raw else 'MISSED'}"
    )


def links_of(folder: Folder) -> list[str]:
    return folder.links()


def big(home: Path, clips: Path, name: object, seconds: float, rounds: int = 4) -> None:
    """Two campaigns of 1,000 HITs, one empty and one eight tenths full, in turns, so that a busy machine
    disturbs both alike.
    """
    took = []
    folders = []
    for what in ("empty", "full"):
        begin = time.perf_counter()
        folders.append(human_kit.campaign(home / what, clips, hits=1000, raters=400, database=name(what)))
        took.append(time.perf_counter() - begin)
    filled = fill(folders[1].database, 800)
    os.sync()
    found: list[list[tuple[float, float]]] = [[], []]
    with Server(folders[0], watch=0.0) as empty, Server(folders[1], watch=0.0) as full:
        for turn in range(rounds):
            for k in (0, 1) if turn % 2 else (1, 0):
                found[k].append(
                    without_thinking(
                        (empty, full)[k], links_of(folders[k])[50 * turn : 50 * turn + 50], seconds
                    )
                )
    (rate, cheap), (slower, dear) = (
        [statistics.median(column) for column in zip(*rows, strict=True)] for rows in found
    )
    print(
        f"  (c) 1,000 HITs (100,000 places) built in {max(took):.1f} s (wanted: < 30 s); {rate:,.0f}"
        f" ratings/s when empty, {slower:,.0f} with {filled:,} ratings and more in it (medians of {rounds}"
        f" turns); processor {cheap:.2f} and {dear:.2f} ms each (wanted: no more than 1.15 times):"
        f" {'ok' if max(took) < 30 and dear < 1.15 * cheap else 'MISSED'}"
    )


def fill(database: str, hits: int) -> int:
    """Answer most of the free seats at once, as if other raters had."""
    query = sa.select(seat.c.id, seat.c.hit).where(seat.c.assignment.is_(None))
    free = human_kit.rows(database, query.order_by(seat.c.id.desc()).limit(hits))

    def put(connection: sa.Connection) -> int:
        now = time.time()
        for number, place in enumerate(free):
            name = f"x{number}"
            ticket = enter(connection, Visitor("local", name, "", name, name), now)
            key = connection.execute(
                sa.insert(assignment).values(
                    ticket=ticket,
                    rater=ticket,
                    hit=place.hit,
                    seat=place.id,
                    state="done",
                    first=0,
                    size=100,
                    started_at=now,
                    leased_until=now,
                    finished_at=now,
                )
            ).inserted_primary_key
            assert key is not None
            connection.execute(sa.update(seat).where(seat.c.id == place.id).values(assignment=key[0]))
            connection.execute(
                sa.insert(rating),
                [
                    {
                        "assignment": key[0],
                        "position": p,
                        "answer": '{"value":50}',
                        "shown_at": now,
                        "received_at": now,
                    }
                    for p in range(100)
                ],
            )
        return connection.execute(sa.select(sa.func.count()).select_from(rating)).scalar_one()

    engine = open_engine(database, writer=True)
    try:
        with engine.begin() as connection:
            return put(connection)
    finally:
        engine.dispose()


def measure(home: Path, clips: Path, make: object, options: argparse.Namespace) -> None:
    name = (lambda what: make(what)) if callable(make) else (lambda what: None)
    folder = human_kit.campaign(
        home / "thinking", clips, hits=RATERS, raters=RATERS, database=name("thinking")
    )
    with Server(folder) as server:
        with_thinking(server.url, links_of(folder), options.items)
    folder = human_kit.campaign(
        home / "hurrying", clips, hits=RATERS, raters=RATERS, database=name("hurrying")
    )
    with Server(folder, watch=0.0) as server:
        durable(folder, server, links_of(folder), options.seconds)
    big(home, clips, name, options.seconds / 4)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--items", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        clips = human_kit.tiny_clips(Path(home) / "clips", [f"clip{k:02d}" for k in range(50)])
        print("SQLite")
        measure(Path(home) / "sqlite", clips, None, options)
        if (human_kit.POSTGRES / "initdb").exists():
            print("PostgreSQL")
            with human_kit.postgres() as database:
                measure(Path(home) / "postgresql", clips, database, options)


if __name__ == "__main__":
    main()
