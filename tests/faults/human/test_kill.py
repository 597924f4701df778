"""kill -9, double clicks, stale tabs, dropped connections, full disks: every acknowledged rating is there,
once.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import human_kit
import msgspec
import pytest
import sqlalchemy as sa
from human_kit import Folder, Layout, Store, assignment, rating, ratings, seat, start

from storymeter.human.campaign.backup import backup, restore
from storymeter.human.rehearsal import Bot, Truth, Visitor, browser
from storymeter.human.store.engines import look, one_file

RATERS = 50
KILLS = 5


def test_fifty_raters_and_five_kills(tmp_path: Path, clips: Path, database: str | None) -> None:
    """Five rounds of kill -9, on PostgreSQL with two servers that are killed in turns; half-way a backup."""
    folder = human_kit.campaign(
        tmp_path / "study",
        clips,
        items=20,
        layout=Layout(blocks=2, system=2),
        hits=RATERS,
        database=database,
        raters=RATERS,
    )
    links = folder.links()
    truth = Truth(folder.campaign, folder.key)
    servers = [start(folder.path, watch=0.0) for _ in range(1 if database is None else 2)]
    total = RATERS * folder.campaign.hit_size
    before: list[list[tuple[int, dict[str, object]]]] = []

    async def everybody() -> list[Visitor]:
        async with contextlib.AsyncExitStack() as stack:
            urls = [url for _, url in servers]
            clients = [await stack.enter_async_context(browser(urls[k % len(urls)])) for k in range(RATERS)]
            visitors = [
                Visitor(
                    clients[k],
                    link,
                    Bot("honest", truth, f"{k}"),
                    trouble=0.06,
                    patience=120,
                    think=(0.0, 0.03),
                )
                for k, link in enumerate(links)
            ]

            async def whole(visitor: Visitor) -> None:
                await visitor.arrive()
                while (await visitor.work()).ended != "done":
                    pass

            async def killer() -> None:
                for number in range(1, KILLS + 1):
                    while sum(len(v.tally.saved) for v in visitors) < number * total / (KILLS + 1):
                        await asyncio.sleep(0.01)
                    which = number % len(servers)
                    process, url = servers[which]
                    process.send_signal(signal.SIGKILL)
                    process.wait()
                    port = int(url.rpartition(":")[2])
                    servers[which] = await asyncio.to_thread(start, folder.path, port=port, watch=0.0)
                    if number == KILLS // 2:
                        before.extend(list(v.tally.saved) for v in visitors)
                        await asyncio.to_thread(backup, folder, tmp_path / "safe")

            await asyncio.gather(killer(), *(whole(visitor) for visitor in visitors))
            return visitors

    try:
        visitors = asyncio.run(everybody())
    finally:
        for process, _ in servers:
            process.kill()
            process.wait()
    assert sum(v.tally.retries for v in visitors) > KILLS, "the kills were felt"
    check_answers(folder, links, [v.tally.saved for v in visitors])
    # nobody is stuck, and nobody shares a seat
    assert {v.tally.ended for v in visitors} == {"done"}
    assert len({v.tally.code for v in visitors}) == RATERS
    work = human_kit.rows(
        folder.database,
        sa.select(assignment.c.seat, assignment.c.state, assignment.c.rater, assignment.c.hit),
    )
    assert Counter(w.state for w in work) == {"done": RATERS}
    assert max(Counter(w.seat for w in work).values()) == 1
    assert max(Counter((w.rater, w.hit) for w in work).values()) == 1
    assert human_kit.rows(folder.database, sa.select(seat.c.id).where(seat.c.assignment.is_(None))) == []
    store = Store(folder.database)
    assert len(ratings(folder, store)) == total
    store.close()
    # what had been acknowledged when the backup began is in it
    restore(tmp_path / "safe", tmp_path / "again")
    assert sum(map(len, before)) > RATERS
    check_answers(Folder(tmp_path / "again"), links, before)


def check_answers(folder: Folder, links: list[str], saved: list[list[tuple[int, dict[str, object]]]]) -> None:
    """Every acknowledged answer is there, once, as it was acknowledged."""
    rows = human_kit.rows(folder.database, sa.select(rating.c.assignment, rating.c.position, rating.c.answer))
    assert len({(r.assignment, r.position) for r in rows}) == len(rows)
    stored = {(r.assignment, r.position): msgspec.json.decode(r.answer) for r in rows}
    owner = dict(human_kit.rows(folder.database, sa.select(assignment.c.ticket, assignment.c.id)))
    store = Store(folder.database)
    try:
        for link, answers in zip(links, saved, strict=True):
            rater = store.link_of(_mark(link))
            assert rater is not None
            for position, answer in answers:
                assert stored[owner[rater.ticket], position] == answer
    finally:
        store.close()


def _mark(link: str) -> str:
    from storymeter.human.campaign.record import fingerprint

    return fingerprint(link.rpartition("/")[2])


def _fill_until_refused(
    client: httpx.Client, link: str, item: dict[str, object], truth: Truth
) -> tuple[httpx.Response, dict[str, object], list[int]]:
    """Answer until the server says no; gives its refusal, the request and the positions that were
    acknowledged.
    """
    bot = Bot("honest", truth, "x")
    saved = []
    for _ in range(10_000):
        body = {"id": item["id"], "at": item["at"], "answer": bot.answer(item), "events": ["play", "ended"]}
        response = client.post(link + "/answer", json=body)
        if response.status_code != 200:
            return response, body, saved
        saved.append(item["at"])
        item = response.json()["next"]
        if "go" in item:
            break
    raise AssertionError("the disk never became full")


@pytest.fixture
def small_disk(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A disk of a few megabytes."""
    folder = Path(tempfile.mkdtemp(prefix="storymeter-disk-"))
    mounted = (
        os.getuid() == 0
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={request.param},mode=0777", "tmpfs", str(folder)],
            capture_output=True,
            check=False,
        ).returncode
    )
    if not mounted:
        folder.rmdir()
        pytest.skip("a small disk can only be made by root (mount tmpfs)")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)
    folder.rmdir()


def _fill(ballast: Path) -> None:
    """Take whatever room is left."""
    with ballast.open("wb", buffering=0) as file:
        for block in (65536, 4096, 512):
            with contextlib.suppress(OSError):
                while file.write(b"x" * block) == block:
                    pass


@pytest.mark.parametrize("small_disk", ["1m"], indirect=True)
def test_disk_full_on_sqlite(tmp_path: Path, clips: Path, small_disk: Path) -> None:
    disk, server = small_disk, None
    try:
        folder = human_kit.small_campaign(
            tmp_path / "study", clips, hits=2, raters=2, database=f"sqlite:///{disk / 'campaign.db'}"
        )
        links = folder.links()
        server, url = start(folder.path, watch=0.0)
        with httpx.Client(base_url=url, timeout=30) as client:
            client.post(links[0] + "/begin")
            item = client.get(links[0] + "/item").json()["next"]
            ballast = disk / "ballast"
            _fill(ballast)
            refusal, body, saved = _fill_until_refused(
                client, links[0], item, Truth(folder.campaign, folder.key)
            )
            assert refusal.status_code == 507 and "full" in refusal.json()["message"]
            page = client.get(links[0])
            assert page.status_code in (200, 303, 507)
            ballast.unlink()
            for _ in range(100):
                again = client.post(links[0] + "/answer", json=body)
                if again.status_code == 200:
                    break
                time.sleep(0.1)
            assert again.json()["status"] == "saved"
            saved.append(int(str(body["at"])))
        server.kill()
        server.wait()
        kept = human_kit.rows(folder.database, sa.select(rating.c.position).order_by(rating.c.position))
        assert [row.position for row in kept] == saved
        one_file(disk / "campaign.db")
        assert look(disk / "campaign.db") is not None
    finally:
        if server is not None and server.poll() is None:
            server.kill()
            server.wait()


@pytest.mark.needs("postgresql")
@pytest.mark.parametrize("small_disk", ["160m"], indirect=True)
def test_disk_full_on_postgresql(tmp_path: Path, clips: Path, small_disk: Path) -> None:
    disk, server = small_disk, None
    try:
        with human_kit.postgres(data=disk / "pgdata") as database:
            folder = human_kit.small_campaign(
                tmp_path / "study", clips, hits=2, raters=2, database=database("full")
            )
            links = folder.links()
            server, url = start(folder.path, watch=0.0)
            with httpx.Client(base_url=url, timeout=30) as client:
                bot = Bot("honest", Truth(folder.campaign, folder.key), "x")

                def answer(item: Any) -> httpx.Response:
                    said = {"answer": bot.answer(item), "events": ["play", "ended"]}
                    body = {"id": item["id"], "at": item["at"], **said}
                    return client.post(links[0] + "/answer", json=body)

                client.post(links[0] + "/begin")
                item = client.get(links[0] + "/item").json()["next"]
                ballast = disk / "ballast"
                _fill(ballast)
                saved, refused = [], None
                for _ in range(20):
                    response = answer(item)
                    if response.status_code == 200:
                        saved.append(item["at"])
                        item = response.json()["next"]
                        if "go" in item:
                            break
                    else:
                        refused = response
                        break
                if refused is not None:
                    assert refused.status_code in (503, 507) and refused.json()["status"] == "unavailable"
                ballast.unlink()
                while "go" not in item:
                    response = answer(item)
                    if response.status_code == 200:
                        saved.append(item["at"])
                        item = response.json()["next"]
                    else:
                        time.sleep(0.2)
                assert refused is not None, "the disk never became full"
            found = human_kit.rows(folder.database, sa.select(rating.c.position).order_by(rating.c.position))
            kept = [row.position for row in found]
            assert kept == saved == list(range(kept[0], folder.campaign.hit_size))
            server.kill()
            server.wait()
    finally:
        if server is not None and server.poll() is None:
            server.kill()
            server.wait()
