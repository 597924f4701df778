"""Clips and pictures, with Range requests. The address names a place of one assignment, never a file."""

from __future__ import annotations

import functools

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, Response

from .context import Context, PageError


def routes(context: Context) -> APIRouter:
    router = APIRouter()
    ids, store = context.ids, context.store
    root = context.clips

    @functools.lru_cache(maxsize=4096)
    def known(assignment: int, hit: str, first: int) -> dict[str, tuple[int, int]]:
        """Every media id of an assignment: (position, number)."""
        table = {}
        practice = store.places("") if first < 0 else []
        for begin, found in ((first, practice[len(practice) + first :] if first < 0 else []), (0, store.places(hit))):
            for offset, place in enumerate(found):
                for number in range(len(place.media)):
                    table[ids.media(assignment, begin + offset, number)] = (begin + offset, number)
        return table

    @router.get("/r/{token}/m/{name}", responses={206: {}, 400: {}, 404: {}, 416: {}, 429: {}, 503: {}, 507: {}}, summary="A clip or picture")
    async def media(request: Request, token: str, name: str) -> Response:
        door = await context.door(request, token)
        work = await context.work(door.ticket)
        if work is None or work.stage != "working":
            raise PageError(404, "not_found")
        table = await run_in_threadpool(known, work.assignment, work.hit, work.first)
        if name not in table:
            raise PageError(404, "not_found")
        position, number = table[name]
        places = await run_in_threadpool(store.places, work.hit if position >= 0 else "")
        shown = places[position].media[number]
        path = (root / shown.path).resolve()
        if not path.is_relative_to(root) or not path.is_file():
            raise PageError(404, "not_found")
        # the usual tags (date and size of the file) would link the two showings of one clip
        headers = {"etag": f'"{name}"', "last-modified": "Thu, 01 Jan 1970 00:00:00 GMT", "cache-control": "private, max-age=3600", "accept-ranges": "bytes"}
        return FileResponse(path, media_type=shown.mime, headers=headers)

    return router
