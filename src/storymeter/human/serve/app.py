"""The application: `create_app(folder)` puts routes, headers and error pages together."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable

from fastapi import FastAPI, Request
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from ... import __version__
from ..campaign import Folder
from ..store import Store, StoreError, seats
from . import admin, items, media, pages
from .context import HERE, Context, PageError
from .security import Headers


def create_app(folder: Folder, *, store: Store | None = None, admin_anywhere: bool = False) -> FastAPI:
    own = store or Store(folder.database)
    own.check(folder.campaign.id)
    context = Context(folder, own, admin_anywhere=admin_anywhere)

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        sweeper = asyncio.create_task(_sweep(own))
        try:
            yield
        finally:
            sweeper.cancel()
            own.close()

    # the documentation pages of FastAPI load scripts from elsewhere, so there are none; the description
    # itself stays
    app = Study(
        title="Storymeter human study", version=__version__, docs_url=None, redoc_url=None, lifespan=lifespan
    )
    work = items.routes(context)
    for router in (pages.routes(context), work, media.routes(context), admin.routes(context)):
        app.include_router(router)
    app.mount("/static", _Static(directory=HERE / "static"), name="static")
    app.add_middleware(Headers)
    explain = _explainer(context)
    for kind in (PageError, items.RefusedError, StoreError, HTTPException):
        app.add_exception_handler(kind, explain)
    app.lane = {
        route.path.rpartition("/")[2]: route.endpoint
        for route in work.routes
        if isinstance(route, APIRoute) and "POST" in (route.methods or ())
    }
    app.explain = explain
    return app


class Study(FastAPI):
    """FastAPI with a fast lane: the two requests that make up nearly all of the load (play events and
    answers) go straight to the functions that serve them, past routing and dependency solving, which cost
    more than the answers themselves."""

    lane: dict[str, Callable[[Request, str], Awaitable[Response]]]
    explain: Callable[[Request, Exception], Awaitable[Response]]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "POST":
            parts = scope["path"].split("/")
            if len(parts) == 4 and parts[1] == "r" and parts[3] in self.lane:
                request = Request(scope, receive)
                try:
                    response = await self.lane[parts[3]](request, parts[2])
                except (PageError, items.RefusedError, StoreError) as error:
                    response = await self.explain(request, error)
                await Headers(response)(scope, receive, send)
                return
        await super().__call__(scope, receive, send)


async def _sweep(store: Store, every: float = 30.0) -> None:
    """Seats whose lease ran out go back to the pool even when nobody knocks."""
    while True:
        await asyncio.sleep(every)
        now = time.time()
        with contextlib.suppress(StoreError):
            await asyncio.wrap_future(store.write(lambda c, now=now: seats.expire(c, now)))  # type: ignore[misc]


class _Static(StaticFiles):
    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers["cache-control"] = "public, max-age=300"
        return response


def _explainer(context: Context) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Errors that help: a page for people, JSON for the task page."""

    async def explain(request: Request, error: Exception) -> Response:
        wants_json = request.url.path.endswith(("/item", "/event", "/answer"))
        if isinstance(error, items.RefusedError):
            return items.reply({"status": "invalid", "message": error.message}, error.status)
        if isinstance(error, StoreError):
            return (
                items.unavailable(error)
                if wants_json
                else context.message(507 if error.full else 503, "unavailable")
            )
        headers: dict[str, str] = getattr(error, "headers", None) or {}
        if isinstance(error, PageError):
            status, name = error.status, error.name
        else:
            status = getattr(error, "status_code", 500)
            name = "not_found" if status == 404 else "forbidden"
        if wants_json:
            return items.reply({"status": "error", "message": context.words[f"{name}_text"]}, status, headers)
        response = context.message(status, name, for_raters=not request.url.path.startswith("/admin"))
        response.headers.update(headers)
        return response

    return explain
