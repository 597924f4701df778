"""Clips and pictures, with Range requests. The address names a place of one assignment, never a file."""

from __future__ import annotations

import asyncio

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.types import Message, Receive, Scope, Send

from ..lru import LruCache
from ..store import Media, RaterProgress
from .context import Context
from .requests import Endpoint, PageError

#: seconds in which a piece of a clip must be taken
STALLED = 60.0


class ClipResponse(FileResponse):
    """A file that is not kept open for somebody who does not take it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            await asyncio.wait_for(send(message), STALLED)

        try:
            await super().__call__(scope, receive, sending)
        except asyncio.TimeoutError:
            return


def routes(context: Context) -> list[Endpoint]:
    ids, store = context.ids, context.store
    root = context.clips
    tables: LruCache[int, dict[str, Media]] = LruCache(4096)

    def look_up(work: RaterProgress) -> dict[str, Media]:
        """Every media id of an assignment, and the file behind it; remembered, for a clip is asked for in
        several pieces.
        """
        practice, places = store.places("") if work.first < 0 else [], store.places(work.hit)
        return tables.put(
            work.assignment,
            {
                ids.media(work.assignment, position, number): one
                for position in range(work.first, work.size)
                for number, one in enumerate(
                    (practice if position < 0 else places)[work.place(position)].media
                )
            },
        )

    async def media(request: Request) -> Response:
        rater = await context.rater(request)
        work = await context.work(rater.ticket)
        if work is None or work.stage != "working":
            raise PageError(404, "not_found")
        name = request.path_params["name"]
        table = tables.get(work.assignment)
        if table is None:
            table = await run_in_threadpool(look_up, work)
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
        return ClipResponse(path, media_type=shown.mime, headers=headers)

    return [Endpoint("GET", "/r/{token}/m/{name}", media, "A clip or picture", replies=(206, 400, 416))]
