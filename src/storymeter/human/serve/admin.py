"""The organiser's dashboard: behind a token, by default only on this machine, and every button guarded
against other sites.
"""

from __future__ import annotations

from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from ..export import FORMATS, render
from ..overview import overview
from .context import Context, PageError
from .security import COOKIE, same_origin

STATES = ("open", "paused", "closed")
TYPES = {"jsonl": "application/x-ndjson", "wmt": "text/tab-separated-values"}
FORM = {"requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": {"type": "object"}}}}}


def routes(context: Context) -> APIRouter:
    router = APIRouter(prefix="/admin", include_in_schema=True)
    gate, store, folder = context.gate, context.store, context.folder

    async def guard(request: Request) -> None:
        """Nobody else learns that there is anything here."""
        if not gate.near(request):
            raise PageError(404, "not_found")

    async def form(request: Request) -> dict[str, str]:
        if not same_origin(request):
            raise PageError(403, "forbidden")
        size = request.headers.get("content-length", "0")
        if not size.isdecimal() or int(size) > 4096:
            raise PageError(403, "forbidden")
        try:
            return {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}
        except ValueError:
            raise PageError(403, "forbidden") from None

    @router.get("", responses={303: {}, 404: {}, 503: {}}, summary="The dashboard")
    async def dashboard(request: Request) -> Response:
        await guard(request)
        if not gate.inside(request):
            return RedirectResponse("/admin/login", 303)
        seen = await run_in_threadpool(overview, folder, store)
        formats = [
            f
            for f in FORMATS
            if f in ("jsonl", "csv")
            or (context.campaign.task == "da" and f in ("wmt", "appraise", context.campaign.platform.name))
        ]
        from ..quality import FLAGS  # here, because arithmetic is not needed before somebody looks

        return context.page(
            "admin.html",
            for_raters=False,
            seen=seen,
            form_token=gate.form_token(request),
            formats=formats,
            states=STATES,
            meaning=FLAGS,
        )

    @router.get("/login", responses={404: {}, 429: {}}, summary="Where the token is asked for")
    async def login(request: Request) -> Response:
        await guard(request)
        return context.page("login.html", for_raters=False, wrong=False)

    @router.post(
        "/login",
        responses={303: {}, 401: {}, 403: {}, 404: {}, 429: {}},
        openapi_extra=FORM,
        summary="The token",
    )
    async def enter(request: Request) -> Response:
        await guard(request)
        who = "admin " + (request.client.host if request.client else "")
        if context.limiter.blocked(who):
            raise PageError(429, "too_many")
        if not gate.matches((await form(request)).get("token", "").strip()):
            context.limiter.failed(who)
            return context.page("login.html", for_raters=False, status=401, wrong=True)
        response = RedirectResponse("/admin", 303)
        response.set_cookie(
            COOKIE,
            gate.cookie(),
            max_age=gate.HOURS * 3600,
            path="/admin",
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return response

    @router.post(
        "/state",
        responses={303: {}, 401: {}, 403: {}, 404: {}, 503: {}},
        openapi_extra=FORM,
        summary="Open, pause, close",
    )
    async def state(request: Request) -> Response:
        await guard(request)
        fields = await form(request)
        if not gate.inside(request) or not gate.form_fits(request, fields.get("form_token", "")):
            raise PageError(403, "forbidden")
        if fields.get("state") not in STATES:
            raise PageError(403, "forbidden")
        await run_in_threadpool(store.set_state(fields["state"]).result)
        return RedirectResponse("/admin", 303)

    @router.get("/export/{style}", responses={303: {}, 404: {}, 503: {}}, summary="The answers as a file")
    async def export(request: Request, style: str) -> Response:
        await guard(request)
        if not gate.inside(request):
            return RedirectResponse("/admin/login", 303)
        if (
            style not in FORMATS
            or (style in ("mturk", "prolific") and style != context.campaign.platform.name)
            or (context.campaign.task != "da" and style not in ("jsonl", "csv"))
        ):
            raise PageError(404, "not_found")
        text = await run_in_threadpool(render, folder, store, style)
        suffix = style if style in ("jsonl", "csv") else f"{style}.csv"
        return Response(
            text,
            media_type=TYPES.get(style, "text/csv"),
            headers={"content-disposition": f'attachment; filename="{context.campaign.id}.{suffix}"'},
        )

    return router
