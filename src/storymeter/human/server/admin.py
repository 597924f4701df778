"""The organiser's dashboard: behind a token, by default only on this machine, and every button guarded
against other sites.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from ..campaign.export import render, styles
from ..campaign.overview import answers_of, overview, ranking
from .context import Context
from .requests import Endpoint, Handler, PageError, description, form_body
from .security import COOKIE, address

STATES = ("open", "paused", "closed")
TYPES = {"jsonl": "application/x-ndjson", "wmt": "text/tab-separated-values"}
#: the longest reason for holding a rater's work
REASON = 300


def described(context: Context, endpoints: Sequence[Endpoint]) -> Endpoint:
    """The OpenAPI description of all routes, the dashboard's among them: for who has shown the token."""
    text = description(endpoints)

    async def openapi(request: Request) -> Response:
        if not (context.gate.near(request) and context.gate.inside(request)):
            raise PageError(404, "not_found")
        return JSONResponse(text)

    return Endpoint("GET", "/admin/openapi.json", openapi, "This description")


def routes(context: Context) -> list[Endpoint]:
    gate, store, folder = context.gate, context.store, context.folder

    def page(template: str, request: Request, **values: Any) -> Response:
        return context.page(template, for_raters=False, form_token=gate.form_token(request), **values)

    def near(handle: Handler) -> Handler:
        """Nobody else learns that there is anything here."""

        async def guarded(request: Request) -> Response:
            if not gate.near(request):
                raise PageError(404, "not_found")
            return await handle(request)

        return guarded

    def inside(handle: Handler) -> Handler:
        """Who has not shown the token is asked for it."""

        async def guarded(request: Request) -> Response:
            return await handle(request) if gate.inside(request) else RedirectResponse("/admin/login", 303)

        return near(guarded)

    async def fields(request: Request) -> dict[str, str]:
        """A form of the dashboard's own, sent by somebody who has shown the token."""
        if not gate.inside(request):
            raise PageError(403, "forbidden")
        given = await form_body(request)
        if not gate.form_fits(request, given.get("form_token", "")):
            raise PageError(403, "forbidden")
        return given

    async def login(request: Request) -> Response:
        return page("login.html", request, wrong=False)

    async def enter(request: Request) -> Response:
        # the right token always opens: it is too long to be guessed, and who guesses must lock nobody out
        if not gate.matches((await form_body(request)).get("token", "").strip()):
            who = "admin " + address(request)
            if context.guesses.blocked(who):
                raise PageError(429, "too_many")
            context.guesses.count(who)
            return page("login.html", request, status=401, wrong=True)
        response = RedirectResponse("/admin", 303)
        response.set_cookie(
            COOKIE,
            gate.cookie(),
            max_age=gate.HOURS * 3600,
            path="/admin",
            httponly=True,
            samesite="strict",
            secure=request.scope["scheme"] == "https",
        )
        return response

    async def dashboard(request: Request) -> Response:
        from ..analysis.quality import FLAGS  # here, because arithmetic is not needed before somebody looks

        seen = await run_in_threadpool(overview, folder, store)
        asked = "ranking" in request.query_params
        ranked = await run_in_threadpool(ranking, folder, store) if asked else None
        return page("admin.html", request, seen=seen, ranked=ranked, formats=styles(folder), meaning=FLAGS)

    async def rater(request: Request) -> Response:
        name = request.path_params["rater"]
        seen = await run_in_threadpool(overview, folder, store)
        one = next((row for row in seen["raters"] if row["id"] == name), None)
        if one is None:
            raise PageError(404, "not_found")
        given = await run_in_threadpool(answers_of, folder, store, name)
        return page("admin_rater.html", request, one=one, given=given)

    async def closing(request: Request) -> Response:
        return page("admin_close.html", request, seen=await run_in_threadpool(store.counts))

    async def state(request: Request) -> Response:
        given = await fields(request)
        wanted = given.get("state")
        if wanted not in STATES:
            raise PageError(403, "forbidden")
        if wanted == "closed" and given.get("sure") != "yes":
            return RedirectResponse("/admin/close", 303)
        await run_in_threadpool(store.set_state(wanted).result)  # type: ignore[arg-type]
        return RedirectResponse("/admin", 303)

    async def hold(request: Request) -> Response:
        given, name = await fields(request), request.path_params["rater"]
        now = context.clock.now()
        if given.get("hold") == "yes":
            reason = given.get("reason", "").strip()[:REASON] or "no reason given"
            known = await run_in_threadpool(store.hold(name, reason, now).result)
        else:
            known = await run_in_threadpool(store.release(name, now + context.terms.lease).result)
        if not known:
            raise PageError(404, "not_found")
        return RedirectResponse(f"/admin/rater/{name}", 303)

    async def export(request: Request) -> Response:
        style = request.path_params["style"]
        if style not in styles(folder):
            raise PageError(404, "not_found")
        text = await run_in_threadpool(render, folder, store, style)
        suffix = style if style in ("jsonl", "csv") else f"{style}.csv"
        return Response(
            text,
            media_type=TYPES.get(style, "text/csv"),
            headers={"content-disposition": f'attachment; filename="{context.campaign.id}.{suffix}"'},
        )

    posted = (303, 401, 403, 413)
    return [
        Endpoint("GET", "/admin", inside(dashboard), "The dashboard", replies=(303,)),
        Endpoint("GET", "/admin/login", near(login), "Where the token is asked for"),
        Endpoint("POST", "/admin/login", near(enter), "The token", form=True, replies=posted),
        Endpoint("POST", "/admin/state", near(state), "Open, pause, close", form=True, replies=posted),
        Endpoint("GET", "/admin/close", inside(closing), "Really close?", replies=(303,)),
        Endpoint("GET", "/admin/rater/{rater}", inside(rater), "One rater's answers", replies=(303,)),
        Endpoint(
            "POST",
            "/admin/rater/{rater}",
            near(hold),
            "Hold a rater's work, or release it",
            form=True,
            replies=posted,
        ),
        Endpoint("GET", "/admin/export/{style}", inside(export), "The answers as a file", replies=(303,)),
    ]
