"""The rater's way: instructions and consent, the task, thanks. Whatever page is asked for, the one that fits
is shown.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..campaign.export import Visit, mturk_visit, prolific_return, prolific_visit
from ..campaign.organise import pseudonym
from ..campaign.record import fingerprint
from ..store import RaterLink, RaterProgress, SessionTakenError, Visitor
from .context import Context, base
from .requests import Endpoint, PageError
from .security import address, same_origin

#: seconds after which a waiting page looks again
LOOK_AGAIN = 20
Read = Callable[[Mapping[str, str]], Visit | None]


def routes(context: Context) -> list[Endpoint]:
    campaign, store, words = context.campaign, context.store, context.words
    count = campaign.hit_size

    async def home(request: Request) -> Response:
        return context.message(200, "home")

    async def arrive(request: Request) -> Response:
        rater = await context.rater(request)
        work = await context.work(rater.ticket, fresh=True)
        if work is None:
            raise PageError(404, "unknown_link")
        return fitting(base(request), rater, work)

    async def task(request: Request) -> Response:
        rater = await context.rater(request)
        work = await context.work(rater.ticket, fresh=True)
        if work is None or work.stage != "working":
            return RedirectResponse(base(request), 303)
        return context.page("task.html", rater=rater, base=base(request), count=count)

    async def begin(request: Request) -> Response:
        rater = await context.rater(request)
        if not same_origin(request):
            raise PageError(403, "forbidden")
        work = await context.arrivals.of(store.claim(rater.ticket, context.terms, context.clock.now()))
        context.forget(rater.ticket)
        if work is not None and work.stage == "wait":
            return RedirectResponse(f"{base(request)}/wait", 303)
        if work is not None and work.stage == "none_left":
            return context.message(200, "none_left", rater=rater)
        if work is not None and work.stage == "paused":  # a pilot that is full says so to those who come new
            return context.message(200, "paused", rater=rater)
        return RedirectResponse(f"{base(request)}/task", 303)

    async def wait(request: Request) -> Response:
        """All places are taken, but not all are done: look again every now and then."""
        rater = await context.rater(request)
        work = await context.work(rater.ticket, fresh=True)
        if work is None or work.stage not in ("welcome", "expired"):
            return RedirectResponse(base(request), 303)
        button = (f"{base(request)}/begin", words["wait_button"])
        return context.message(200, "wait", rater=rater, button=button, refresh=LOOK_AGAIN)

    def fitting(link: str, rater: RaterLink, work: RaterProgress) -> Response:
        if work.stage == "working":
            return RedirectResponse(f"{link}/task", 303)
        if work.stage == "welcome":
            return context.page("welcome.html", rater=rater, base=link, count=count, preview=False)
        if work.stage == "done":
            home = prolific_return(campaign) if rater.platform == "prolific" else ""
            return context.page(
                "done.html", rater=rater, base=link, work=work, visitor=rater, home=home, count=count
            )
        button = (f"{link}/begin", words["expired_button"]) if work.stage == "expired" else None
        return context.message(200, work.stage, rater=rater, button=button)

    async def visit(request: Request, platform: str, read: Read) -> Response:
        if campaign.platform.name != platform:
            raise PageError(404, "not_found")
        who = address(request)
        found = read(request.query_params)
        if found is not None and found.preview:
            return context.page("welcome.html", base="", count=count, preview=True)
        if who and context.newcomers.blocked(who):
            raise PageError(429, "too_many")
        if found is None:
            context.newcomers.count(who)
            raise PageError(400, "bad_visit")
        token = context.folder.secrets.token(platform, found.external, found.session)
        if await run_in_threadpool(store.link_of, fingerprint(token)) is None:
            context.newcomers.count(who)
            visitor = Visitor(
                platform,
                found.external,
                found.session,
                fingerprint(token),
                pseudonym(context.folder, platform, found.external),
                found.submit_to,
            )
            try:
                await context.arrivals.of(store.enter(visitor, context.clock.now()))
            except SessionTakenError:
                raise PageError(409, "session_taken") from None
        return RedirectResponse(f"/r/{token}", 303)

    mturk = functools.partial(visit, platform="mturk", read=mturk_visit)
    prolific = functools.partial(visit, platform="prolific", read=prolific_visit)
    visits = (303, 400, 409)
    return [
        Endpoint("GET", "/", home, "For those who come without a link"),
        Endpoint("GET", "/r/{token}", arrive, "A rater's personal link", replies=(303,)),
        Endpoint("GET", "/r/{token}/task", task, "The task page", replies=(303,)),
        Endpoint("GET", "/r/{token}/wait", wait, "Until a place is free", replies=(303,)),
        Endpoint(
            "POST",
            "/r/{token}/begin",
            begin,
            "Consent given (or more work wanted): take a seat",
            form=True,
            replies=(303, 403),
        ),
        Endpoint("GET", "/mturk", mturk, "Mechanical Turk's ExternalQuestion", replies=visits),
        Endpoint("GET", "/prolific", prolific, "Prolific's study address", replies=visits),
    ]
