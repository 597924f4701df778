"""The application: `create_app(folder)` puts routes, headers and error pages together."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

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

    # the documentation pages of FastAPI load scripts from elsewhere, so there are none; the description itself stays
    app = FastAPI(title="Storymeter human study", version=__version__, docs_url=None, redoc_url=None, lifespan=lifespan)
    for module in (pages, items, media, admin):
        app.include_router(module.routes(context))
    app.mount("/static", _Static(directory=HERE / "static"), name="static")
    app.add_middleware(Headers)
    _errors(app, context)
    return app


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


def _errors(app: FastAPI, context: Context) -> None:
    """Errors that help: a page for people, JSON for the task page."""

    def wants_json(request: Request) -> bool:
        return request.url.path.endswith(("/item", "/event", "/answer"))

    def say(request: Request, status: int, name: str) -> Response:
        if wants_json(request):
            return items.reply({"status": "error", "message": context.words[f"{name}_text"]}, status)
        return context.message(status, name, for_raters=not request.url.path.startswith("/admin"))

    @app.exception_handler(PageError)
    async def problem(request: Request, error: PageError) -> Response:
        return say(request, error.status, error.name)

    @app.exception_handler(items.RefusedError)
    async def refused(request: Request, error: items.RefusedError) -> Response:
        return items.reply({"status": "invalid", "message": error.message}, error.status)

    @app.exception_handler(StoreError)
    async def unavailable(request: Request, error: StoreError) -> Response:
        if wants_json(request):
            return items.unavailable(error)
        return context.message(507 if error.full else 503, "unavailable")

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        response = say(request, error.status_code, "not_found" if error.status_code == 404 else "forbidden")
        response.headers.update(error.headers or {})
        return response
