"""httpx on the shortest way: to a server of this machine, without names, proxies, TLS or HTTP/2.

A rehearsal asks its own server thousands of times, and httpx's usual way of doing so costs several times what
the server's answer does. Here a request is written at once and its response comes whole. A connection is used
again when its response is complete, and closed when anything goes wrong or nobody waits any more."""

from __future__ import annotations

import asyncio
import ipaddress
from typing import Any

import httptools
import httpx


class Direct(httpx.AsyncBaseTransport):
    """For the GET and POST requests of one client."""

    def __init__(self) -> None:
        self._idle: list[_Line] = []

    @staticmethod
    def leads_to(url: str) -> bool:
        """Whether this is an address of this machine, without TLS.

        >>> [Direct.leads_to(f"{url}:80/a") for url in ("http://127.0.0.1", "https://127.0.0.1", "http://a.b")]
        [True, False, False]
        """
        parts = httpx.URL(url)
        try:
            return parts.scheme == "http" and ipaddress.ip_address(parts.host).is_loopback
        except ValueError:
            return False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        limits: dict[str, float | None] = request.extensions.get("timeout", {})
        url, method = request.url, request.method.encode()
        head = [
            method + b" " + url.raw_path + b" HTTP/1.1",
            *(b"%s: %s" % pair for pair in request.headers.raw),
        ]
        message = b"\r\n".join([*head, b"", await request.aread()])
        line = await self._line(url, limits.get("connect"))
        try:
            response = await asyncio.wait_for(line.ask(message), limits.get("read"))
        except asyncio.TimeoutError:
            raise httpx.ReadTimeout("No answer in time.", request=request) from None
        finally:
            line.rest()
        self._idle.append(line)
        return response

    async def _line(self, url: httpx.URL, limit: float | None) -> _Line:
        while self._idle:
            line = self._idle.pop()
            if not line.transport.is_closing():
                return line
        loop = asyncio.get_running_loop()
        try:
            connecting = loop.create_connection(_Line, url.host, url.port or 80)
            return (await asyncio.wait_for(connecting, limit))[1]
        except asyncio.TimeoutError:
            raise httpx.ConnectTimeout("No connection in time.") from None
        except (OSError, OverflowError) as error:  # a port past 65535
            raise httpx.ConnectError(str(error)) from None

    async def aclose(self) -> None:
        while self._idle:
            self._idle.pop().transport.close()


class _Line(asyncio.Protocol):
    """One connection."""

    transport: asyncio.Transport
    _reply: asyncio.Future[httpx.Response] | None = None

    def ask(self, message: bytes) -> asyncio.Future[httpx.Response]:
        self._parser = httptools.HttpResponseParser(self)
        self._headers: list[tuple[bytes, bytes]] = []
        self._body: list[bytes] = []
        self._reply = asyncio.get_running_loop().create_future()
        if self.transport.is_closing():
            self._fail(httpx.WriteError("The server closed the connection."))
        else:
            self.transport.write(message)
        return self._reply

    def rest(self) -> None:
        """Nobody waits now: a connection whose response is not complete would give it to the next request."""
        reply, self._reply = self._reply, None
        if reply is None or not reply.done() or reply.cancelled() or reply.exception():
            self.transport.abort()

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        if self._reply is None:  # nobody asked
            self.transport.abort()
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            self._fail(httpx.RemoteProtocolError(str(error)))
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._fail(httpx.ReadError(str(exc or "The server closed the connection.")))

    def _fail(self, error: httpx.TransportError) -> None:
        if self._reply is not None and not self._reply.done():
            self._reply.set_exception(error)

    # called by the parser
    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers.append((name, value))

    def on_body(self, body: bytes) -> None:
        self._body.append(body)

    def on_message_complete(self) -> None:
        if not self._parser.should_keep_alive():
            self.transport.close()
        if self._reply is not None and not self._reply.done():
            status = self._parser.get_status_code()
            content = b"".join(self._body)
            self._reply.set_result(httpx.Response(status, headers=self._headers, content=content))
