"""The short way of simulated raters to a server of the same machine gives what httpx's own way does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import httpx
import pytest

from storymeter.human.direct import Direct
from storymeter.human.rehearsal import browsers

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


def visit(name: str, work: Callable[[httpx.AsyncClient], Awaitable[None]]) -> Server:
    async def whole() -> Server:
        server = Server()
        listening = await asyncio.start_server(server.talk, "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        async with browsers(f"http://{name}:{port}")() as client:
            await work(client)
        listening.close()
        return server

    return asyncio.run(whole())


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_both_ways_give_the_same(name: str) -> None:
    async def work(client: httpx.AsyncClient) -> None:
        for path, status, text in (("plain", 200, "word"), ("chunked", 200, "word"), ("moved", 303, "")):
            reply = await client.post(f"/{path}", json={"é": 1})
            assert (reply.status_code, reply.text) == (status, text)
        assert reply.headers["location"] == "/r/x"
        assert (await client.get("/plain")).headers.get_list("x-way") == ["a", "b"]
        for _ in range(2):
            assert (await client.get("/last")).text == "ok"
        for path in ("cut", "noise"):
            with pytest.raises(httpx.TransportError):
                await client.get(f"/{path}")
        assert (await client.get("/plain")).text == "word"

    server = visit(name, work)
    # a connection is used until a side ends it
    assert [number for number, _ in server.asked] == [1, 1, 1, 1, 1, 2, 3, 4, 5]
    head, _, body = server.asked[0][1].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /plain HTTP/1.1\r\nHost: ") and body == '{"é":1}'.encode()


def test_a_late_answer_is_given_to_nobody() -> None:
    async def work(client: httpx.AsyncClient) -> None:
        assert (await client.get("/plain")).text == "word"
        with pytest.raises(httpx.ReadTimeout):
            await client.get("/silent", timeout=0.02)
        assert (await client.get("/moved")).status_code == 303

    assert [number for number, _ in visit("127.0.0.1", work).asked] == [1, 1, 2]


def test_nobody_listens() -> None:
    async def work(client: httpx.AsyncClient) -> None:
        with pytest.raises(httpx.ConnectError):
            await client.get("http://127.0.0.1:1/plain")

    assert visit("127.0.0.1", work).asked == []


def test_only_this_machine_is_reached_directly() -> None:
    assert Direct.leads_to("http://127.0.0.1:8000") and Direct.leads_to("http://[::1]:8000")
    for other in ("https://127.0.0.1", "http://192.0.2.1:80", "http://study.example.org/a"):
        assert not Direct.leads_to(other)
