"""The organiser's dashboard: behind a token, by default only on this machine, and every button guarded
against other sites.
"""

from collections.abc import Sequence
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from ..campaign.export import render, styles
from ..campaign.overview import answers_of, overview, ranking
from .context import Context
from .requests import COOKIE, Endpoint, Handler, PageError, address, description, form_body

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


class AdminRoutes:
    """Pages and forms of the dashboard."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.gate, self.store, self.folder = context.gate, context.store, context.folder

    def page(self, template: str, request: Request, **values: Any) -> Response:
        return self.context.page(
            template, for_raters=False, form_token=self.gate.form_token(request), **values
        )

    def if_near(self, handle: Handler) -> Handler:
        """Nobody else learns that there is anything here."""

        async def guarded(request: Request) -> Response:
            if not self.gate.near(request):
                raise PageError(404, "not_found")
            return await handle(request)

        return guarded

    def if_logged_in(self, handle: Handler) -> Handler:
        """Who has not shown the token is asked for it."""

        async def guarded(request: Request) -> Response:
            return (
                await handle(request) if self.gate.inside(request) else RedirectResponse("/admin/login", 303)
            )

        return self.if_near(guarded)

    async def checked_form(self, request: Request) -> dict[str, str]:
        """A form of the dashboard's own, sent by somebody who has shown the token."""
        if not self.gate.inside(request):
            raise PageError(403, "forbidden")
        given = await form_body(request)
        if not self.gate.form_fits(request, given.get("form_token", "")):
            raise PageError(403, "forbidden")
        return given

    async def login(self, request: Request) -> Response:
        return self.page("login.html", request, wrong=False)

    async def enter(self, request: Request) -> Response:
        # the right token always opens: it is too long to be guessed, and who guesses must lock nobody out
        if not self.gate.matches((await form_body(request)).get("token", "").strip()):
            who = "admin " + address(request)
            if self.context.guesses.blocked(who):
                raise PageError(429, "too_many")
            self.context.guesses.count(who)
            return self.page("login.html", request, status=401, wrong=True)
        response = RedirectResponse("/admin", 303)
        response.set_cookie(
            COOKIE,
            self.gate.cookie(),
            max_age=self.gate.HOURS * 3600,
            path="/admin",
            httponly=True,
            samesite="strict",
            secure=request.scope["scheme"] == "https",
        )
        return response

    async def dashboard(self, request: Request) -> Response:
        from ..analysis.quality import FLAGS  # here, because arithmetic is not needed before somebody looks

        seen = await run_in_threadpool(overview, self.folder, self.store)
        asked = "ranking" in request.query_params
        ranked = await run_in_threadpool(ranking, self.folder, self.store) if asked else None
        return self.page(
            "admin.html", request, seen=seen, ranked=ranked, formats=styles(self.folder), meaning=FLAGS
        )

    async def rater(self, request: Request) -> Response:
        name = request.path_params["rater"]
        seen = await run_in_threadpool(overview, self.folder, self.store)
        one = next((row for row in seen["raters"] if row["id"] == name), None)
        if one is None:
            raise PageError(404, "not_found")
        given = await run_in_threadpool(answers_of, self.folder, self.store, name)
        return self.page("admin_rater.html", request, one=one, given=given)

    async def confirm_close(self, request: Request) -> Response:
        return self.page("admin_close.html", request, seen=await run_in_threadpool(self.store.counts))

    async def set_state(self, request: Request) -> Response:
        given = await self.checked_form(request)
        wanted = given.get("state")
        if wanted not in STATES:
            raise PageError(403, "forbidden")
        if wanted == "closed" and given.get("sure") != "yes":
            return RedirectResponse("/admin/close", 303)
        await run_in_threadpool(self.store.set_state(wanted).result)  # type: ignore[arg-type]
        return RedirectResponse("/admin", 303)

    async def hold(self, request: Request) -> Response:
        given, name = await self.checked_form(request), request.path_params["rater"]
        now = self.context.clock.now()
        if given.get("hold") == "yes":
            reason = given.get("reason", "").strip()[:REASON] or "no reason given"
            known = await run_in_threadpool(self.store.hold(name, reason, now).result)
        else:
            known = await run_in_threadpool(self.store.release(name, now + self.context.terms.lease).result)
        if not known:
            raise PageError(404, "not_found")
        return RedirectResponse(f"/admin/rater/{name}", 303)

    async def export(self, request: Request) -> Response:
        style = request.path_params["style"]
        if style not in styles(self.folder):
            raise PageError(404, "not_found")
        text = await run_in_threadpool(render, self.folder, self.store, style)
        suffix = style if style in ("jsonl", "csv") else f"{style}.csv"
        return Response(
            text,
            media_type=TYPES.get(style, "text/csv"),
            headers={"content-disposition": f'attachment; filename="{self.context.campaign.id}.{suffix}"'},
        )

    def endpoints(self) -> list[Endpoint]:
        posted = (303, 401, 403, 413)
        return [
            Endpoint("GET", "/admin", self.if_logged_in(self.dashboard), "The dashboard", replies=(303,)),
            Endpoint("GET", "/admin/login", self.if_near(self.login), "Where the token is asked for"),
            Endpoint(
                "POST", "/admin/login", self.if_near(self.enter), "The token", form=True, replies=posted
            ),
            Endpoint(
                "POST",
                "/admin/state",
                self.if_near(self.set_state),
                "Open, pause, close",
                form=True,
                replies=posted,
            ),
            Endpoint(
                "GET", "/admin/close", self.if_logged_in(self.confirm_close), "Really close?", replies=(303,)
            ),
            Endpoint(
                "GET",
                "/admin/rater/{rater}",
                self.if_logged_in(self.rater),
                "One rater's answers",
                replies=(303,),
            ),
            Endpoint(
                "POST",
                "/admin/rater/{rater}",
                self.if_near(self.hold),
                "Hold a rater's work, or release it",
                form=True,
                replies=posted,
            ),
            Endpoint(
                "GET",
                "/admin/export/{style}",
                self.if_logged_in(self.export),
                "The answers as a file",
                replies=(303,),
            ),
        ]
