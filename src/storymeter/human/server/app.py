"""The application: `create_app(folder)` puts routes, headers and error pages together.

`Connection` limits how long and how large the head of a request may be, and how many connections may wait:
uvicorn itself waits for ever for a request that never comes. A connection that has no whole head within
`HEAD_SECONDS`, or no whole body within `BODY_SECONDS` after it, is closed, as is one whose head grows past
`HEAD_BYTES`; and when the process runs short of file descriptors, the connection that has been waiting
longest is closed, so that a thousand half-sent requests keep no rater out."""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Container
from typing import Any, ClassVar

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ...errors import StorymeterError
from ..campaign.record import Folder
from ..store import Store, StoreError, StoreFullError
from . import admin, items, pages
from .context import HERE, Context
from .requests import CutOffError, GoneError, Handler, Headers, PageError, RefusedError


def create_app(
    folder: Folder,
    *,
    store: Store | None = None,
    admin_anywhere: bool = False,
    admin_port: int | None = None,
) -> Starlette:
    own = store or Store(folder.database)
    own.check(folder.campaign.id)
    context = Context(folder, own, admin_anywhere=admin_anywhere, admin_port=admin_port)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(_sweep(context)), asyncio.create_task(_follow(context))]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            own.close()

    # the requests that make up nearly all of the load come first
    kinds_of_routes = (items.ItemRoutes, pages.MediaRoutes, pages.RaterRoutes, admin.AdminRoutes)
    endpoints = [one for kind in kinds_of_routes for one in kind(context).endpoints()]
    endpoints.append(admin.described(context, endpoints))

    explain = _explainer(context, {one.handle for one in endpoints if one.json})
    kinds = (PageError, RefusedError, GoneError, CutOffError, StoreError, HTTPException)
    app = Starlette(
        routes=[
            *(one.route for one in endpoints),
            Mount("/static", _Static(directory=HERE / "static"), name="static"),
        ],
        middleware=[Middleware(Headers)],
        exception_handlers=dict.fromkeys(kinds, explain),
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    return app


async def _sweep(context: Context, every: float = 15.0) -> None:
    """Seats whose lease ran out go back to the pool even when nobody asks for one."""
    while True:
        await asyncio.sleep(every)
        with contextlib.suppress(StoreError):
            await context.completions.of(context.store.expire(context.clock.now()))


async def _follow(context: Context, every: float = 1.0) -> None:
    """What the organiser adds or withdraws while raters are at work holds a moment later."""
    while True:
        await asyncio.sleep(every)
        with contextlib.suppress(StorymeterError):
            await run_in_threadpool(context.follow)


class _Static(StaticFiles):
    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers["cache-control"] = "public, max-age=300"
        return response


def _explainer(
    context: Context, in_json: Container[Handler]
) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Errors that help: a page for people, JSON for the task page."""

    async def explain(request: Request, error: Exception) -> Response:
        path = request.scope["path"]  # not request.url: a strange Host header cannot be parsed
        wants_json = request.scope.get("endpoint") in in_json
        if isinstance(error, CutOffError):
            return Response(status_code=400)  # nobody hears it
        if isinstance(error, GoneError):
            return items.reply({"status": "gone", "go": error.go}, 410)
        if isinstance(error, RefusedError):
            return items.reply({"status": "invalid", "message": error.message}, error.status)
        if isinstance(error, StoreError):
            if wants_json:
                return items.unavailable(error)
            return context.message(507 if isinstance(error, StoreFullError) else 503, "unavailable")
        headers: dict[str, str] = getattr(error, "headers", None) or {}
        if isinstance(error, PageError):
            status, name = error.status, error.name
        else:
            status = getattr(error, "status_code", 500)
            name = "not_found" if status == 404 else "forbidden"
        if wants_json:
            return items.reply({"status": "error", "message": context.words[f"{name}_text"]}, status, headers)
        response = context.message(status, name, for_raters=not path.startswith("/admin"))
        response.headers.update(headers)
        return response

    return explain


HEAD_SECONDS = 15.0
HEAD_BYTES = 32_768
TOO_LARGE = "The head of the request is too large."
#: how long a body may take to come
BODY_SECONDS = 15.0
#: file descriptors kept for the database, clips and the rest
RESERVE = 200


class Connection(HttpToolsProtocol):
    #: connections between two requests, or in the middle of a head; the one that waits longest first
    waiting: ClassVar[OrderedDict[Connection, None]] = OrderedDict()
    #: the most connections that may be open at once
    most: ClassVar[int] = 800
    _timer: asyncio.TimerHandle | None = None
    #: bytes of the head that have come, and whether a body is still coming
    _head = 0
    _in_body = False
    _too_large = False

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.waiting[self] = None
        self._timer = self.loop.call_later(HEAD_SECONDS, self._give_up)
        while len(self.connections) > self.most and self.waiting:
            oldest, _ = self.waiting.popitem(last=False)
            oldest.transport.abort()
            self.connections.discard(oldest)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self in self.waiting:
            if self._head > HEAD_BYTES:
                self.send_400_response(TOO_LARGE)
                return
            self._head += len(data)
        super().data_received(data)
        # nearly all requests come in one piece, and cost no timer
        in_head = self._head > 0 and self in self.waiting
        if self._timer is None and (in_head or self._in_body):
            self._timer = self.loop.call_later(HEAD_SECONDS if in_head else BODY_SECONDS, self._give_up)

    def on_headers_complete(self) -> None:
        # several heads, or a whole one, may come in one piece: here each is measured
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if size > HEAD_BYTES:
            self._too_large = True
            raise ValueError(TOO_LARGE)  # httptools stops parsing, and `send_400_response` is called
        self._stop_waiting()
        self._in_body = True
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_body = False
        self._stop_timer()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.transport.is_closing():
            self._head = 0
            self.waiting[self] = None

    def send_400_response(self, msg: str) -> None:
        super().send_400_response(TOO_LARGE if self._too_large else msg)

    def _stop_waiting(self) -> None:
        self.waiting.pop(self, None)
        self._stop_timer()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._timer = None
        if not self.transport.is_closing():
            self.transport.abort()


def make_room() -> None:
    """As many connections as the system allows this process."""
    try:
        import resource
    except ImportError:  # Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    limited = soft not in (resource.RLIM_INFINITY, -1)
    Connection.most = max(50, min(soft - RESERVE, 20_000)) if limited else 20_000
