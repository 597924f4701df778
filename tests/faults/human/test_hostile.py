"""A hostile crowd, against the real server: endless bodies, half-sent heads, invented workers, two servers on
one database, a database that vanishes. Each of these once worked."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import human_kit
import pytest
import sqlalchemy as sa
from human_kit import Folder, Platform, assignment, seat, start

from storymeter.human.rehearsal import browser
from storymeter.human.server import app

#: more than any body may have, less than a busy machine minds
MEGABYTES = 60


def memory(pid: int) -> float:
    """Resident megabytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    raise AssertionError("no such process")


def served(home: Path, clips: Path) -> Iterator[tuple[Any, str, Folder]]:
    folder = human_kit.small_campaign(home / "study", clips, hits=2, watch=0.0)
    with pytest.MonkeyPatch.context() as patch:  # what the server writes can be read
        patch.setattr(tempfile, "TemporaryFile", lambda: (home / "said").open("w+b"))
        process, url = start(folder.path)
    yield process, url, folder
    if process.poll() is None:
        process.kill()
    process.wait()


@pytest.fixture
def server(tmp_path: Path, clips: Path) -> Iterator[tuple[Any, str, Folder]]:
    yield from served(tmp_path, clips)


@pytest.fixture(scope="module")
def lasting(
    tmp_path_factory: pytest.TempPathFactory, clips: Path
) -> Iterator[tuple[Any, str, Folder, float]]:
    """A server that has to bear one attack after the other, and its memory before the first."""
    for process, url, folder in served(tmp_path_factory.mktemp("lasting"), clips):
        yield process, url, folder, memory(process.pid)


def line(url: str) -> socket.socket:
    host, _, port = url.removeprefix("http://").partition(":")
    return socket.create_connection((host, int(port)), timeout=30)


@pytest.mark.parametrize("path", ["/r/{token}/answer", "/admin/login"])
def test_a_body_without_length_is_cut_off(lasting: tuple[Any, str, Folder, float], path: str) -> None:
    process, url, folder, before = lasting
    token = folder.links()[0].rpartition("/")[2]
    with line(url) as wire:
        head = (
            f"POST {path.format(token=token)} HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding:"
            " chunked\r\n\r\n"
        )
        wire.sendall(head.encode())
        piece = b"10000\r\n" + b"a=1&" * 0x4000 + b"\r\n"
        with contextlib.suppress(OSError):  # the server hangs up long before the end
            for _ in range(MEGABYTES * 16):
                wire.sendall(piece)
        with contextlib.suppress(OSError):
            assert wire.recv(12) in (b"HTTP/1.1 413", b"")
    assert memory(process.pid) - before < 25
    assert httpx.get(url + folder.links()[0]).status_code == 200


def test_half_sent_heads_keep_nobody_out(tmp_path: Path, clips: Path) -> None:
    """More connections than the server may have open: those that wait longest make room."""
    folder = human_kit.small_campaign(tmp_path / "study", clips, watch=0.0)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (600, 600));"
        "from storymeter.cli import main; main(sys.argv[1:])"
    )
    words = ["human", "serve", str(folder.path), "--port", str(port), "--quiet"]
    process = subprocess.Popen([sys.executable, "-c", code, *words], stderr=subprocess.PIPE)
    url, wires = f"http://127.0.0.1:{port}", []
    trusted = httpx.create_ssl_context()  # read once for all
    try:
        for _ in range(600):
            with contextlib.suppress(httpx.TransportError):
                httpx.get(url, verify=trusted)
                break
            time.sleep(0.1)
        for _ in range(1100):
            wire = line(url)
            with contextlib.suppress(OSError):
                wire.sendall(b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: ")
            wires.append(wire)
        link = url + folder.links()[0]
        answers = [httpx.get(link, timeout=60, verify=trusted).status_code for _ in range(5)]
        assert answers == [200] * 5
    finally:
        for wire in wires:
            wire.close()
        process.kill()
        process.wait()


def test_heads_that_never_end(lasting: tuple[Any, str, Folder, float]) -> None:
    process, url, _, before = lasting
    with line(url) as wire, contextlib.suppress(OSError):
        wire.sendall(b"GET / HTTP/1.1\r\n")
        for k in range(200_000):
            wire.sendall(b"x-%d: %s\r\n" % (k, b"y" * 200))
    assert memory(process.pid) - before < 25


def test_a_request_that_breaks_off_or_makes_no_sense_is_no_traceback(
    server: tuple[Any, str, Folder], tmp_path: Path
) -> None:
    process, url, folder = server
    link, trusted = folder.links()[0], httpx.create_ssl_context()  # read once for all
    with line(url) as wire:
        wire.sendall(f"POST {link}/answer HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nabc".encode())
    strange = (
        {"origin": "http://["},
        {"host": "["},
        {"host": "a:b:c", "origin": "http://[::"},
        {"host": "\xff"},
    )
    for headers in strange:
        for path in ("/begin", "/answer", ""):
            raw = {name: value.encode("latin-1") for name, value in headers.items()}
            method = "POST" if path else "GET"
            with httpx.Client(verify=trusted) as client:
                reply = client.request(method, url + link + path, headers=raw, content=b"{}")
            assert reply.status_code < 500, (headers, path)
        assert httpx.get(url + "/admin", headers={"host": "["}, verify=trusted).status_code < 500
    process.terminate()
    process.wait(timeout=30)
    said = (tmp_path / "said").read_bytes()
    assert b"Traceback" not in said, said.decode()


def test_a_vanished_database_acknowledges_nothing(server: tuple[Any, str, Folder]) -> None:
    _, url, folder = server
    link = url + folder.links()[0]
    with httpx.Client() as client:
        client.post(link + "/begin")
        item = client.get(link + "/item").json()["next"]
        (folder.path / "campaign.db").rename(folder.path / "elsewhere.db")
        body = {"id": item["id"], "at": item["at"], "answer": {"value": 5}, "events": ["play", "ended"]}
        reply = client.post(link + "/answer", json=body)
        assert reply.status_code == 503 and reply.json()["status"] == "unavailable"
        assert "deleted" in reply.json()["message"]


def study(tmp_path: Path, clips: Path, hits: int, **more: Any) -> Folder:
    """A campaign on Prolific."""
    platform = Platform("prolific", "C")
    settings = {"items": 20, "layout": human_kit.SMALL, "hits": hits, "watch": 0.0, "platform": platform}
    return human_kit.campaign(tmp_path / "study", clips, **settings, **more)


def prolific(number: int, session: int | None = None) -> str:
    """Addresses as Prolific makes them."""
    one = number if session is None else session
    return f"/prolific?PROLIFIC_PID={number:024x}&STUDY_ID={1:024x}&SESSION_ID={one:024x}"


class Worker:
    """Somebody whom the address says Prolific sent."""

    def __init__(self, client: httpx.Client, number: int) -> None:
        self.client = client
        self.link = client.get(prolific(number)).headers["location"]

    def begin(self) -> str:
        return str(self.client.post(self.link + "/begin").headers["location"]).rpartition("/")[2]

    def answer(self, times: int = 1) -> str:
        said = ""
        for _ in range(times):
            item = self.client.get(self.link + "/item").json().get("next")
            if item is None:
                return "gone"
            body = {"id": item["id"], "at": item["at"], "answer": {"value": 5}, "events": ["play", "ended"]}
            said = self.client.post(self.link + "/answer", json=body).json()["status"]
        return said


@pytest.mark.parametrize("items", [1, 3])
def test_a_flood_of_workers_who_answer_a_little_keeps_nobody_waiting(
    tmp_path: Path, clips: Path, database: str | None, items: int
) -> None:
    """All seats have a worker who answered a clip or three; as many honest raters get one each, at once and
    for good, and what the others answered is kept."""
    seats = 8
    folder = study(tmp_path, clips, seats, database=database)
    process, url = start(folder.path)
    try:
        with httpx.Client(base_url=url) as client:
            bots, honest = ([Worker(client, n + k) for k in range(seats)] for n in (100, 200))
            for bot in bots:
                assert (bot.begin(), bot.answer(items)) == ("task", "saved")
            assert {rater.begin() for rater in honest} == {"task"}
            for _ in range(5):  # all at the same pace
                assert {rater.answer() for rater in honest} == {"saved"}
            items_of_bots = [client.get(bot.link + "/item").json()["next"] for bot in bots]
            for bot, item in zip(bots, items_of_bots, strict=True):
                body = {"id": item["id"], "at": item["at"], "answer": {"value": 5}}
                late = client.post(bot.link + "/answer", json={**body, "events": ["play", "ended"]})
                assert late.status_code == 410
                page = client.get(bot.link).text
                assert "somebody else answered first. What you answered is kept." in page
                assert bot.begin() == "wait"
            assert {rater.answer(15) for rater in honest} == {"saved"}
    finally:
        process.kill()
        process.wait()
    given = human_kit.rows(folder.database, sa.select(assignment.c.state))
    assert Counter(row.state for row in given) == {"done": seats, "expired": seats}
    answers = human_kit.rows(folder.database, sa.select(sa.func.count()).select_from(human_kit.rating))
    assert answers[0][0] == seats * (20 + items)


def test_invented_workers_hold_no_seats_and_one_session_serves_one_rater(tmp_path: Path, clips: Path) -> None:
    folder = study(tmp_path, clips, 4)
    process, url = start(folder.path)
    try:
        with httpx.Client(base_url=url) as client:
            assert client.get("/prolific?PROLIFIC_PID=w1&STUDY_ID=s&SESSION_ID=x").status_code == 400
            for number in range(1, 5):
                link = client.get(prolific(number)).headers["location"]
                assert client.post(link + "/begin").headers["location"].endswith("/task")
            assert client.get(prolific(9, session=1)).status_code == 409, "another rater's session"
            link = client.get(prolific(5)).headers["location"]
            assert client.post(link + "/begin").headers["location"].endswith("/task"), "nobody is kept out"
            found = human_kit.rows(folder.database, sa.select(assignment.c.leased_until))
            assert max(row.leased_until for row in found) - time.time() <= 180, "not for two hours"
            for number in range(2, 6):
                assert Worker(client, number).answer() == "saved"
            link = client.get(prolific(6)).headers["location"]
            assert client.post(link + "/begin").headers["location"].endswith("/task"), "one answer keeps none"
            found = human_kit.rows(folder.database, sa.select(assignment.c.leased_until))
            left = max(row.leased_until for row in found) - time.time()
            assert 180 < left <= 360, "the seat is kept the longer the more answers there are"
            assert [Worker(client, number).answer(4) for number in range(2, 6)] == ["saved"] * 4
            link = client.get(prolific(7)).headers["location"]
            assert client.post(link + "/begin").headers["location"].endswith("/wait"), (
                "four have answered five"
            )
            page = client.get(link + "/wait")
            assert page.status_code == 200 and page.headers["refresh"] == "20"
            found = human_kit.rows(folder.database, sa.select(assignment.c.leased_until))
            left = max(row.leased_until for row in found) - time.time()
            assert 900 < left <= 1080, "eighteen minutes for five answers"
    finally:
        process.kill()
        process.wait()


@pytest.mark.needs("postgresql")
def test_two_servers_deal_one_seat_each(
    tmp_path: Path, clips: Path, new_postgres: Callable[[str], str]
) -> None:
    """Forty raters begin on both servers of one PostgreSQL at the same moment, twice each."""
    folder = study(tmp_path, clips, 60, database=new_postgres("two_servers"))
    servers = [start(folder.path) for _ in range(2)]
    try:

        async def crowd() -> list[int]:
            statuses: list[int] = []

            async def one(url: str, number: int) -> None:
                async with browser(url) as client:
                    async with client.get(prolific(number), allow_redirects=False) as visit:
                        statuses.append(visit.status)
                    begin = visit.headers["location"] + "/begin"
                    async with client.post(begin, allow_redirects=False) as begun:
                        statuses.append(begun.status)

            await asyncio.gather(
                *(one(url, number) for number in range(1, 41) for _, url in servers for _ in range(2))
            )
            return statuses

        statuses = asyncio.run(crowd())
        assert len(statuses) == 320 and set(statuses) == {303}
        work = human_kit.rows(folder.database, sa.select(assignment.c.rater, assignment.c.seat))
        assert len(work) == 40 == len({row.seat for row in work})
        assert max(Counter(row.rater for row in work).values()) == 1
        taken = human_kit.rows(folder.database, sa.select(seat.c.id).where(seat.c.assignment.is_not(None)))
        assert len(taken) == 40
    finally:
        for process, _ in servers:
            process.kill()
            process.wait()


def test_the_head_has_to_come_soon() -> None:
    """The limits themselves: nobody may wait for ever, and files stay for the database."""
    assert app.HEAD_SECONDS <= 30 and app.HEAD_BYTES <= 65_536
    app.make_room()
    assert app.Connection.most >= 50


@pytest.mark.parametrize("pieces", [1, 7, 40_000])
def test_a_head_of_40_kilobytes_is_refused(lasting: tuple[Any, str, Folder, float], pieces: int) -> None:
    """Whether it comes whole, in parts or behind another request; half of it is fine."""
    _, url, *_ = lasting
    for size, status in ((40_000, b"400"), (20_000, b"200")):
        head = b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx: " + b"a" * size + b"\r\n\r\n"
        small = b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n" if pieces == 40_000 else b""
        with line(url) as wire:
            step = -(-len(small + head) // (pieces if pieces < 40_000 else 1))
            for at in range(0, len(small + head), step):
                wire.sendall((small + head)[at : at + step])
                time.sleep(0.01)
            found = b""
            wanted = 1 + bool(small)
            with contextlib.suppress(OSError):
                while found.count(b"HTTP/1.1 ") < wanted and (more := wire.recv(65_536)):
                    found += more
            assert found.split(b"HTTP/1.1 ")[-1].startswith(status), found[:300]
