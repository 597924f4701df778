"""Requests of a simulated rater: replies in pieces, connections that break, answers that come late."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import SimpleNamespace

import pytest

from storymeter.errors import StorymeterError
from storymeter.human.rehearsal import BROKEN, Bot, Visitor, browser

REPLIES = {
    "plain": b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX-Way: a\r\nX-Way: b\r\n\r\nword",
    "chunked": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nwo\r\n2\r\nrd\r\n0\r\n\r\n",
    "moved": b"HTTP/1.1 303 See Other\r\nLocation: /r/x\r\nContent-Length: 0\r\n\r\n",
    "last": b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
    "cut": b"HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\nhalf",
    "noise": b"what do you want?\r\n\r\n",
    "silent": b"",
}


class Server:
    """Answers `/NAME` with `REPLIES[NAME]`; keeps what it was asked, and on which connection."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, bytes]] = []
        self.connections = 0

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        number = self.connections
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0] or 0)
                self.asked.append((number, head + await reader.readexactly(length)))
                name = head.split()[1].decode().strip("/")
                # in pieces, as a network may bring it
                for byte in REPLIES[name]:
                    writer.write(bytes([byte]))
                    await writer.drain()
                if name in ("cut", "noise"):
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def visit(work: Callable[[Visitor], Awaitable[None]], port: int | None = None) -> Server:
    async def whole() -> Server:
        server = Server()
        listening = await asyncio.start_server(server.talk, "127.0.0.1", 0)
        own = listening.sockets[0].getsockname()[1]
        async with browser(f"http://127.0.0.1:{port or own}") as client:
            bot = Bot("honest", SimpleNamespace(model=None), "1")
            await work(Visitor(client, "", bot, patience=0.1))
        listening.close()
        return server

    return asyncio.run(whole())


def test_replies() -> None:
    async def work(visitor: Visitor) -> None:
        for path, status, text in (("plain", 200, "word"), ("chunked", 200, "word"), ("moved", 303, "")):
            reply = await visitor.request("POST", f"/{path}", {"é": 1})
            assert (reply.status, reply.text) == (status, text)
        assert reply.location == "/r/x"
        for _ in range(2):
            assert (await visitor.request("GET", "/last")).text == "ok"
        for path in ("cut", "noise"):
            with pytest.raises(BROKEN):
                await visitor.request("GET", f"/{path}")
        assert (await visitor.request("GET", "/plain")).text == "word"

    server = visit(work)
    # a connection is used until a side ends it
    assert [number for number, _ in server.asked] == [1, 1, 1, 1, 2, 3, 4, 5]
    head, _, body = server.asked[0][1].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /plain HTTP/1.1\r\nHost: ") and body == '{"é":1}'.encode()


def test_a_late_answer_is_given_to_nobody() -> None:
    async def work(visitor: Visitor) -> None:
        assert (await visitor.request("GET", "/plain")).text == "word"
        with pytest.raises(BROKEN):
            await visitor.request("GET", "/silent", seconds=0.05)
        assert (await visitor.request("GET", "/moved")).status == 303

    assert [number for number, _ in visit(work).asked] == [1, 1, 2]


def test_nobody_listens() -> None:
    async def work(visitor: Visitor) -> None:
        with pytest.raises(StorymeterError, match="has not answered /plain"):
            await visitor.call("GET", "/plain")

    assert visit(work, port=1).asked == []
