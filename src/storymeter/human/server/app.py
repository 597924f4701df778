"""The application: `create_app(folder)` puts routes, headers and error pages together."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from ...errors import StorymeterError
from ..campaign.record import Folder
from ..store import Store, StoreError, StoreFullError
from . import admin, items, media, pages
from .context import HERE, Context
from .requests import CutOffError, PageError, RefusedError
from .security import Headers


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
    endpoints = [one for module in (items, media, pages, admin) for one in module.routes(context)]
    endpoints.append(admin.described(context, endpoints))

    explain = _explainer(context)
    kinds = (PageError, RefusedError, CutOffError, StoreError, HTTPException)
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
            await context.arrivals.of(context.store.expire(context.clock.now()))


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


def _explainer(context: Context) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Errors that help: a page for people, JSON for the task page."""

    async def explain(request: Request, error: Exception) -> Response:
        path = request.scope["path"]  # not request.url: a strange Host header cannot be parsed
        wants_json = path.endswith(("/item", "/last", "/event", "/answer", "/correct", "/skip"))
        if isinstance(error, CutOffError):
            return Response(status_code=400)  # nobody hears it
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
