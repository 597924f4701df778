"""Clips and pictures, with Range requests. The address names a place of one assignment, never a file."""

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


class MediaRoutes:
    """Clips and pictures of the work at hand."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.ids, self.store = context.ids, context.store
        self.root = context.clips
        self.tables: LruCache[int, dict[str, Media]] = LruCache(4096)

    def look_up(self, work: RaterProgress) -> dict[str, Media]:
        """Every media id of an assignment, and the file behind it; remembered, for a clip is asked for in
        several pieces.
        """
        practice, places = self.store.places("") if work.first < 0 else [], self.store.places(work.hit)
        return self.tables.put(
            work.assignment,
            {
                self.ids.media(work.assignment, position, number): one
                for position in range(work.first, work.size)
                for number, one in enumerate(
                    (practice if position < 0 else places)[work.place(position)].media
                )
            },
        )

    async def clip(self, request: Request) -> Response:
        rater = await self.context.rater(request)
        work = await self.context.work(rater.ticket)
        if work is None or work.stage != "working":
            raise PageError(404, "not_found")
        name = request.path_params["name"]
        table = self.tables.get(work.assignment)
        if table is None:
            table = await run_in_threadpool(self.look_up, work)
        shown = table.get(name)
        if shown is None:
            raise PageError(404, "not_found")
        path = (self.root / shown.path).resolve()
        if not path.is_relative_to(self.root) or not path.is_file():
            raise PageError(404, "not_found")
        # the usual tags (date and size of the file) would link the two showings of one clip
        headers = {
            "etag": f'"{name}"',
            "last-modified": "Thu, 01 Jan 1970 00:00:00 GMT",
            "cache-control": "private, max-age=3600",
            "accept-ranges": "bytes",
        }
        return ClipResponse(path, media_type=shown.mime, headers=headers)

    def endpoints(self) -> list[Endpoint]:
        return [
            Endpoint("GET", "/r/{token}/m/{name}", self.clip, "A clip or picture", replies=(206, 400, 416))
        ]


def routes(context: Context) -> list[Endpoint]:
    return MediaRoutes(context).endpoints()
