"""The rater's way: instructions and consent, the task, thanks. Whatever page is asked for, the one that fits
is shown. Clips and pictures come with Range requests; their address names a place of one assignment, never a
file.
"""

import asyncio
import functools
from collections.abc import Callable, Mapping

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.types import Message, Receive, Scope, Send

from ..campaign.export import Visit, mturk_visit, prolific_return, prolific_visit
from ..campaign.organise import pseudonym
from ..campaign.record import fingerprint
from ..store import LruCache, Media, RaterLink, RaterProgress, SessionTakenError, Visitor
from .context import Context, base
from .requests import Endpoint, PageError, address, same_origin

#: seconds after which a waiting page looks again
LOOK_AGAIN = 20
Read = Callable[[Mapping[str, str]], Visit | None]


class RaterRoutes:
    """Pages of raters and of those who arrive from a platform."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.store, self.words = context.store, context.words
        self.count = context.campaign.hit_size

    async def home(self, request: Request) -> Response:
        return self.context.message(200, "home")

    async def arrive(self, request: Request) -> Response:
        rater = await self.context.rater(request)
        work = await self.context.work(rater.ticket, fresh=True)
        if work is None:
            raise PageError(404, "unknown_link")
        return self.page_of_stage(base(request), rater, work)

    async def task(self, request: Request) -> Response:
        rater = await self.context.rater(request)
        work = await self.context.work(rater.ticket, fresh=True)
        if work is None or work.stage != "working":
            return RedirectResponse(base(request), 303)
        return self.context.page("task.html", rater=rater, base=base(request), count=self.count)

    async def begin(self, request: Request) -> Response:
        rater = await self.context.rater(request)
        if not same_origin(request):
            raise PageError(403, "forbidden")
        work = await self.claim(rater)
        if work is not None and work.stage == "wait":
            return RedirectResponse(f"{base(request)}/wait", 303)
        return self.claimed(request, rater, work)

    async def wait(self, request: Request) -> Response:
        """All places are taken, but not all are done: look again every now and then."""
        rater = await self.context.rater(request)
        work = await self.context.work(rater.ticket, fresh=True)
        if work is None or work.stage not in ("welcome", "expired"):
            return RedirectResponse(base(request), 303)
        work = await self.claim(rater, agreed=False)
        if work is None or work.stage != "wait":
            return self.claimed(request, rater, work)
        button = (f"{base(request)}/begin", self.words["wait_button"])
        return self.context.message(200, "wait", rater=rater, button=button, refresh=LOOK_AGAIN)

    async def claim(self, rater: RaterLink, *, agreed: bool = True) -> RaterProgress | None:
        terms, now = self.context.terms, self.context.clock.now()
        work = await self.context.completions.of(self.store.claim(rater.ticket, terms, now, agreed=agreed))
        self.context.forget(rater.ticket)
        return work

    def claimed(self, request: Request, rater: RaterLink, work: RaterProgress | None) -> Response:
        # a pilot that is full says that it is paused to those who come new
        if work is not None and work.stage in ("none_left", "paused"):
            return self.context.message(200, work.stage, rater=rater)
        return RedirectResponse(f"{base(request)}/task", 303)

    def page_of_stage(self, link: str, rater: RaterLink, work: RaterProgress) -> Response:
        if work.stage == "working":
            return RedirectResponse(f"{link}/task", 303)
        if work.stage == "welcome":
            return self.context.page("welcome.html", rater=rater, base=link, count=self.count, preview=False)
        if work.stage == "done":
            home = prolific_return(self.context.campaign) if rater.platform == "prolific" else ""
            return self.context.page(
                "done.html", rater=rater, base=link, work=work, visitor=rater, home=home, count=self.count
            )
        button = (f"{link}/begin", self.words["expired_button"]) if work.stage == "expired" else None
        return self.context.message(200, work.stage, rater=rater, button=button)

    async def visit(self, request: Request, platform: str, read: Read) -> Response:
        if self.context.campaign.platform.name != platform:
            raise PageError(404, "not_found")
        who = address(request)
        found, fresh, signatures = read(request.query_params), True, self.context.signatures
        if signatures is not None:
            found, fresh = signatures.visit(request.query_params) or (None, False)
        if found is not None and found.preview:
            return self.context.page("welcome.html", base="", count=self.count, preview=True)
        if signatures is not None and found is not None:  # the platform vouches for each: no limit
            who = ""
        if who and self.context.newcomers.blocked(who):
            raise PageError(429, "too_many")
        if found is None:
            self.context.newcomers.count(who)
            raise PageError(400, "bad_visit") if signatures is None else PageError(403, "unsigned")
        token = self.context.folder.secrets.token(platform, found.external, found.session)
        if await run_in_threadpool(self.store.link_of, fingerprint(token)) is None:
            if not fresh:
                raise PageError(403, "unsigned")
            self.context.newcomers.count(who)
            visitor = Visitor(
                platform,
                found.external,
                found.session,
                fingerprint(token),
                pseudonym(self.context.folder, platform, found.external),
                found.submit_to,
            )
            try:
                await self.context.completions.of(self.store.enter(visitor, self.context.clock.now()))
            except SessionTakenError:
                raise PageError(409, "session_taken") from None
        return RedirectResponse(f"/r/{token}", 303)

    def endpoints(self) -> list[Endpoint]:
        mturk = functools.partial(self.visit, platform="mturk", read=mturk_visit)
        prolific = functools.partial(self.visit, platform="prolific", read=prolific_visit)
        visits = (303, 400, 403, 409)
        return [
            Endpoint("GET", "/", self.home, "For those who come without a link"),
            Endpoint("GET", "/r/{token}", self.arrive, "A rater's personal link", replies=(303,)),
            Endpoint("GET", "/r/{token}/task", self.task, "The task page", replies=(303,)),
            Endpoint("GET", "/r/{token}/wait", self.wait, "Until a place is free", replies=(303,)),
            Endpoint(
                "POST",
                "/r/{token}/begin",
                self.begin,
                "Consent given (or more work wanted): take a seat",
                form=True,
                replies=(303, 403),
            ),
            Endpoint("GET", "/mturk", mturk, "Mechanical Turk's ExternalQuestion", replies=visits),
            Endpoint("GET", "/prolific", prolific, "Prolific's study address", replies=visits),
        ]


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
