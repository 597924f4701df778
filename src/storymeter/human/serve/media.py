"""Clips and pictures, with Range requests. The address names a place of one assignment, never a file."""

from __future__ import annotations

from collections import OrderedDict

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, Response

from ..store import Media
from .context import Context, PageError


def routes(context: Context) -> APIRouter:
    router = APIRouter()
    ids, store = context.ids, context.store
    root = context.clips

    tables: OrderedDict[int, dict[str, Media]] = OrderedDict()

    def look_up(assignment: int, hit: str, first: int) -> dict[str, Media]:
        """Every media id of an assignment, and the file behind it; remembered, for a clip is asked for in
        several pieces.
        """
        places = [*store.places("")[first:], *store.places(hit)] if first < 0 else store.places(hit)
        table = {
            ids.media(assignment, position, number): media
            for position, place in enumerate(places, min(first, 0))
            for number, media in enumerate(place.media)
        }
        tables[assignment] = table
        while len(tables) > 4096:
            tables.popitem(last=False)
        return table

    @router.get(
        "/r/{token}/m/{name}",
        responses={206: {}, 400: {}, 404: {}, 416: {}, 429: {}, 503: {}, 507: {}},
        summary="A clip or picture",
    )
    async def media(request: Request, token: str, name: str) -> Response:
        door = await context.door(request, token)
        work = await context.work(door.ticket)
        if work is None or work.stage != "working":
            raise PageError(404, "not_found")
        table = tables.get(work.assignment)
        if table is None:
            table = await run_in_threadpool(look_up, work.assignment, work.hit, work.first)
        shown = table.get(name)
        if shown is None:
            raise PageError(404, "not_found")
        path = (root / shown.path).resolve()
        if not path.is_relative_to(root) or not path.is_file():
            raise PageError(404, "not_found")
        # the usual tags (date and size of the file) would link the two showings of one clip
        headers = {
            "etag": f'"{name}"',
            "last-modified": "Thu, 01 Jan 1970 00:00:00 GMT",
            "cache-control": "private, max-age=3600",
            "accept-ranges": "bytes",
        }
        return FileResponse(path, media_type=shown.mime, headers=headers)

    return router
