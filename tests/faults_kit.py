"""A crowd at work while the clock jumps, the file system turns read-only, connections crawl and the power
fails: which acknowledged answers are gone afterwards? (bench/human_faults.py)
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import struct
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import human_kit
import msgspec
import sqlalchemy as sa
from human_kit import Layout, Store, assignment, rating, start

from storymeter.errors import StorymeterError
from storymeter.human.campaign.record import fingerprint
from storymeter.human.rehearsal import Bot, Truth, Visitor, browser

SOURCE = Path(__file__).parent / "faults" / "human" / "lying_disk.c"
DAY = 86_400


def compiled(folder: Path) -> Path:
    target = folder / "lying_disk.so"
    command = ["cc", "-O2", "-shared", "-fPIC", "-o", str(target), str(SOURCE), "-ldl"]
    subprocess.run(command, check=True, capture_output=True)
    return target


class BadDay:
    """A campaign, its server, and the faults that it meets."""

    def __init__(
        self,
        home: Path,
        clips: Path,
        *,
        raters: int,
        blocks: int = 2,
        database: str | None = None,
        lies: bool = False,
    ) -> None:
        self.folder = human_kit.campaign(
            home / "study",
            clips,
            items=20,
            layout=Layout(blocks=blocks, system=2),
            hits=raters,
            database=database,
            raters=raters,
        )
        self.raters, self.power = raters, database is None
        self.disk, self.control = home / "disk", home / "control"
        self.disk.mkdir()
        self.control.write_bytes(struct.pack("ll", 0, 0))
        self.settings = {"LD_PRELOAD": str(compiled(home)), "FAULT_CONTROL": str(self.control)}
        self.settings |= {"FAULT_ROOT": str(self.folder.path.resolve())}
        if not lies:  # a disk that lies says that it has synced, and has not
            self.settings["FAULT_DISK"] = str(self.disk)
        self.visitors: list[Visitor] = []
        self.port = 0

    def set(self, *, clock: int = 0, readonly: bool = False) -> None:
        with self.control.open("r+b") as file:
            file.write(struct.pack("ll", clock, int(readonly)))

    def begin(self) -> None:
        os.environ.update(self.settings)
        try:
            for left in range(30, -1, -1):  # PostgreSQL may be reading its log
                try:
                    self.process, self.url = start(self.folder.path, port=self.port, watch=0.0)
                    break
                except StorymeterError:
                    if not left:
                        raise
                    time.sleep(0.5)
        finally:
            for name in self.settings:
                os.environ.pop(name, None)
        self.port = int(self.url.rpartition(":")[2])

    def keep(self) -> None:
        """What is in the campaign's database is on the disk."""
        for path in self.folder.path.glob("campaign.db*"):
            if not path.name.endswith("-shm"):
                shutil.copy(path, self.disk / path.name)

    def power_loss(self) -> None:
        """The server is gone, and of its files what was not synced."""
        self.process.kill()
        self.process.wait()
        if not self.power:  # a process of PostgreSQL is killed: all stop, and the log is read again
            engine = sa.create_engine(self.folder.database.replace("postgresql://", "postgresql+psycopg://"))
            with engine.connect() as connection:
                os.kill(connection.execute(sa.text("SELECT pg_backend_pid()")).scalar_one(), signal.SIGKILL)
                connection.invalidate()
            engine.dispose()
            time.sleep(1)
        else:
            for path in self.folder.path.glob("campaign.db*"):
                path.unlink()
            for path in self.disk.iterdir():
                shutil.copy(path, self.folder.path / path.name)
        self.begin()

    @property
    def acknowledged(self) -> int:
        return sum(len(visitor.tally.saved) for visitor in self.visitors)

    async def work(self, faults: Callable[[BadDay], Any], patience: float) -> None:
        truth = Truth(self.folder.campaign, self.folder.key)
        async with contextlib.AsyncExitStack() as stack:
            for k, link in enumerate(self.folder.links()):
                client = await stack.enter_async_context(browser(self.url))
                bot = Bot("honest", truth, f"{k}")
                self.visitors.append(
                    Visitor(client, link, bot, trouble=0.02, patience=120, think=(0.0, 0.03))
                )

            async def whole(visitor: Visitor) -> None:
                await visitor.arrive()
                while (await visitor.work()).ended != "done":
                    await asyncio.sleep(0.2)

            crowd = asyncio.gather(*map(whole, self.visitors))
            bad = asyncio.ensure_future(faults(self))
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(crowd, patience)
            await bad

    def run(self, faults: Callable[[BadDay], Any], patience: float = 120.0) -> None:
        self.keep()
        self.begin()
        try:
            asyncio.run(self.work(faults, patience))
        finally:
            self.process.kill()
            self.process.wait()

    def lost(self) -> int:
        """Acknowledged answers that are not there as they were acknowledged."""
        url = self.folder.database
        owner = dict(human_kit.rows(url, sa.select(assignment.c.id, assignment.c.ticket)))
        stored: Counter[tuple[int, int, bytes]] = Counter()
        for row in human_kit.rows(url, sa.select(rating.c.assignment, rating.c.position, rating.c.answer)):
            answer = msgspec.json.encode(msgspec.json.decode(row.answer), order="sorted")
            stored[owner[row.assignment], row.position, answer] += 1
        store, gone = Store(url), 0
        try:
            for link, visitor in zip(self.folder.links(), self.visitors, strict=True):
                rater = store.link_of(fingerprint(link.rpartition("/")[2]))
                for position, answer in visitor.tally.saved:
                    key = msgspec.json.encode(answer, order="sorted")
                    gone += rater is None or not stored[rater.ticket, position, key]
        finally:
            store.close()
        return gone


async def loris(url: str, connections: int, until: asyncio.Event) -> None:
    """Connections that send a head byte by byte, or nothing."""
    host, _, port = url.removeprefix("http://").partition(":")

    async def one(number: int) -> None:
        while not until.is_set():
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection(host, int(port))
                for letter in b"GET / HTTP/1.1\r\nhost: x\r\nx-slow: " + b"a" * 100:
                    if number % 2:
                        writer.write(bytes([letter]))
                        await writer.drain()
                    with contextlib.suppress(asyncio.TimeoutError):
                        await asyncio.wait_for(until.wait(), 1.0)
                    if until.is_set():
                        break
                writer.close()
            await asyncio.sleep(0.1)

    await asyncio.gather(*map(one, range(connections)))


async def share(day: BadDay, part: float) -> None:
    """Until this share of all answers is acknowledged."""
    total = day.raters * day.folder.campaign.hit_size
    for _ in range(6000):
        if day.acknowledged >= part * total:
            return
        await asyncio.sleep(0.02)
