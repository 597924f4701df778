"""The rater's way: instructions and consent, the task, thanks. Whatever page is asked for, the one that fits
is shown.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from ..campaign import fingerprint
from ..organise import pseudonym
from ..platforms import Visit, mturk_visit, prolific_return, prolific_visit
from ..store import seats
from .context import Context, Door, PageError
from .security import same_origin

FORM = {"requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": {"type": "object"}}}}}
ERRORS: dict[int | str, dict[str, object]] = {404: {}, 429: {}, 503: {}, 507: {}}


def routes(context: Context) -> APIRouter:
    router = APIRouter()
    campaign, store, words = context.campaign, context.store, context.words
    count = campaign.hit_size

    @router.get("/", summary="For those who come without a link")
    async def home() -> Response:
        return context.message(200, "home")

    @router.get("/r/{token}", responses=ERRORS, summary="A rater's personal link")
    async def arrive(request: Request, token: str) -> Response:
        door = await context.door(request, token)
        work = await context.work(door.ticket, fresh=True)
        if work is None:
            raise PageError(404, "unknown_link")
        return _page(token, door, work)

    @router.get("/r/{token}/task", responses=ERRORS, summary="The task page")
    async def task(request: Request, token: str) -> Response:
        door = await context.door(request, token)
        work = await context.work(door.ticket, fresh=True)
        if work is None or work.stage != "working":
            return RedirectResponse(f"/r/{token}", 303)
        return context.page("task.html", door=door, base=f"/r/{token}")

    @router.post(
        "/r/{token}/begin",
        responses={**ERRORS, 303: {}, 403: {}},
        openapi_extra=FORM,
        summary="Consent given (or more work wanted): take a seat",
    )
    async def begin(request: Request, token: str) -> Response:
        door = await context.door(request, token)
        if not same_origin(request):
            raise PageError(403, "forbidden")
        now = time.time()
        work = await asyncio.wrap_future(
            store.write(
                lambda c: seats.claim(
                    c,
                    door.ticket,
                    now=now,
                    lease=campaign.lease_minutes * 60,
                    size=count,
                    practice=len(campaign.practice),
                    hits_per_rater=campaign.hits_per_rater,
                )
            )
        )
        context.forget(door.ticket)
        if work is not None and work.stage == "none_left":
            return context.message(200, "none_left", door=door)
        return RedirectResponse(f"/r/{token}/task", 303)

    def _page(token: str, door: Door, work: seats.Standing) -> Response:
        if work.stage == "working":
            return RedirectResponse(f"/r/{token}/task", 303)
        if work.stage == "welcome":
            return context.page(
                "welcome.html",
                door=door,
                base=f"/r/{token}",
                count=count,
                steps=words[f"instructions_{campaign.task}"],
                preview=False,
            )
        if work.stage == "done":
            home = prolific_return(campaign) if door.platform == "prolific" else ""
            return context.page(
                "done.html", door=door, base=f"/r/{token}", work=work, visitor=door, home=home, count=count
            )
        button = (f"/r/{token}/begin", words["expired_button"]) if work.stage == "expired" else None
        return context.message(200, work.stage, door=door, button=button)

    async def visit(
        request: Request, platform: str, read: Callable[[dict[str, str]], Visit | None]
    ) -> Response:
        if campaign.platform.name != platform:
            raise PageError(404, "not_found")
        who = request.client.host if request.client else ""
        if context.limiter.blocked(who):
            raise PageError(429, "too_many")
        found = read(dict(request.query_params))
        if found is None:
            context.limiter.failed(who)
            raise PageError(400, "bad_visit")
        if found.preview:
            return context.page(
                "welcome.html",
                base="",
                count=count,
                steps=words[f"instructions_{campaign.task}"],
                preview=True,
            )
        token = context.folder.secrets.token(platform, found.external, found.session)
        now = time.time()
        await asyncio.wrap_future(
            store.write(
                lambda c: seats.enter(
                    c,
                    platform=platform,
                    external=found.external,
                    session=found.session,
                    mark=fingerprint(token),
                    pseudonym=pseudonym(context.folder, platform, found.external),
                    submit_to=found.submit_to,
                    now=now,
                )
            )
        )
        return RedirectResponse(f"/r/{token}", 303)

    @router.get(
        "/mturk", responses={**ERRORS, 303: {}, 400: {}}, summary="Mechanical Turk's ExternalQuestion"
    )
    async def mturk(request: Request) -> Response:
        return await visit(request, "mturk", mturk_visit)

    @router.get("/prolific", responses={**ERRORS, 303: {}, 400: {}}, summary="Prolific's study address")
    async def prolific(request: Request) -> Response:
        return await visit(request, "prolific", prolific_visit)

    return router
