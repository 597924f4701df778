"""What the task page asks for: the item at hand, play events, answers. JSON in, JSON out; the clock is the
server's.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any, Literal

import msgspec
from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from ..store import Place, StoreError, answers, seats
from .context import Context, Door, PageError
from .security import same_origin
from .tasks import checked, feedback, item, watch_seconds

LIMIT = 16_384
_ID = {"type": "string", "minLength": 1, "maxLength": 64}
_AT = {"type": "integer", "minimum": -100, "maximum": 100_000}


class AnswerBody(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    at: int
    answer: dict[str, Any]
    #: play events that did not get through before
    events: list[Literal["play", "ended"]] = []


class EventBody(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    at: int
    event: Literal["play", "ended"]


_ANSWER = msgspec.json.Decoder(AnswerBody)
_EVENT = msgspec.json.Decoder(EventBody)
_encode = msgspec.json.Encoder().encode


def reply(value: dict[str, Any], status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(_encode(value), status_code=status, media_type="application/json", headers=headers)


def unavailable(error: StoreError) -> Response:
    """Not saved, and said so: the page keeps the answer and sends it again."""
    return reply(
        {"status": "unavailable", "message": error.message}, 507 if error.full else 503, {"retry-after": "2"}
    )


def routes(context: Context) -> APIRouter:
    router = APIRouter()
    campaign, store, ids, words = context.campaign, context.store, context.ids, context.words
    lease = campaign.lease_minutes * 60

    async def places(hit: str) -> list[Place]:
        known = store.remembered(hit)
        return known if known is not None else await run_in_threadpool(store.places, hit)

    async def place(work: seats.Standing, position: int) -> Place:
        if position < 0:
            return (await places(""))[position]
        return (await places(work.hit))[position]

    async def shown(token: str, work: seats.Standing, position: int) -> dict[str, Any]:
        """The item at a position, or where to go when there is none left."""
        if position >= work.size:
            return {"go": f"/r/{token}"}
        return item(
            campaign,
            ids,
            f"/r/{token}",
            work.assignment,
            work.first,
            work.size,
            position,
            await place(work, position),
        )

    async def working(door: Door, body: AnswerBody | EventBody) -> seats.Standing | None:
        """The work that this request speaks of; what was remembered is checked against the id, and looked up
        anew if it does not fit.
        """
        for fresh in (False, True):
            work = await context.work(door.ticket, fresh=fresh)
            if work is None or work.stage != "working":
                return None
            if work.first <= body.at < work.size and ids.is_slot(body.id, work.assignment, body.at):
                return work
        return None

    async def stale(token: str, door: Door) -> Response:
        work = await context.work(door.ticket, fresh=True)
        if work is None or work.stage != "working":
            return reply({"status": "gone", "go": f"/r/{token}"}, 410)
        return reply(
            {"status": "stale", "message": words["stale"], "next": await shown(token, work, work.position)},
            409,
        )

    @router.get(
        "/r/{token}/item", responses={404: {}, 410: {}, 429: {}, 503: {}, 507: {}}, summary="The item at hand"
    )
    async def current(request: Request, token: str) -> Response:
        door = await context.door(request, token)
        work = await context.work(door.ticket, fresh=True)
        if work is None or work.stage != "working":
            return reply({"status": "gone", "go": f"/r/{token}"}, 410)
        if work.position < work.size:
            now = time.time()
            await asyncio.wrap_future(
                store.write(lambda c: seats.show(c, work.assignment, work.position, now))
            )
        return reply({"status": "ok", "next": await shown(token, work, work.position)})

    @router.post(
        "/r/{token}/event",
        responses={400: {}, 403: {}, 404: {}, 409: {}, 410: {}, 413: {}, 422: {}, 429: {}, 503: {}, 507: {}},
        summary="The clip was started, or has ended",
        openapi_extra=_body(
            {"id": _ID, "at": _AT, "event": {"enum": ["play", "ended"]}}, ["id", "at", "event"]
        ),
    )
    async def event(request: Request, token: str) -> Response:
        door = await context.door(request, token)
        body = await read(request, _EVENT)
        work = await working(door, body)
        if work is None:
            return await stale(token, door)
        now = time.time()
        await asyncio.wrap_future(
            store.write(lambda c: seats.played(c, work.assignment, body.at, body.event, now))
        )
        return reply({"status": "ok"})

    @router.post(
        "/r/{token}/answer",
        responses={400: {}, 403: {}, 404: {}, 409: {}, 410: {}, 413: {}, 422: {}, 429: {}, 503: {}, 507: {}},
        summary="An answer, acknowledged once it is on the disk",
        openapi_extra=_body(
            {
                "id": _ID,
                "at": _AT,
                "answer": {"type": "object"},
                "events": {"type": "array", "items": {"enum": ["play", "ended"]}, "maxItems": 8},
            },
            ["id", "at", "answer"],
        ),
    )
    async def answer(request: Request, token: str) -> Response:
        door = await context.door(request, token)
        body = await read(request, _ANSWER)
        work = await working(door, body)
        if work is None:
            return await stale(token, door)
        here = await place(work, body.at)
        text = checked(campaign, here, body.answer)
        if text is None:
            return reply({"status": "invalid", "message": "This answer does not fit the question."}, 422)
        wanted = answers.Answer(
            work.assignment,
            door.ticket,
            body.at,
            text,
            time.time(),
            watch_seconds(campaign, here),
            tuple(body.events),
            lease,
        )
        outcome = await asyncio.wrap_future(store.answer(wanted))
        if outcome.status in ("saved", "stored"):
            out: dict[str, Any] = {"status": "saved", "next": await shown(token, work, outcome.position)}
            if body.at < 0:
                out["feedback"] = feedback(campaign, words, body.at + len(campaign.practice), text)
            return reply(out)
        if outcome.status == "unwatched":
            return reply(
                {
                    "status": "unwatched",
                    "missing": round(outcome.missing, 1),
                    "message": words["unwatched"].format(seconds=max(1, round(outcome.missing))),
                },
                409,
            )
        context.forget(door.ticket)
        return await stale(token, door)

    async def read(request: Request, decoder: Any) -> Any:
        if not same_origin(request):
            raise PageError(403, "forbidden")
        size = request.headers.get("content-length", "0")
        raw = await request.body() if size.isdecimal() and int(size) <= LIMIT else b"x" * (LIMIT + 1)
        if len(raw) > LIMIT:
            raise RefusedError(413, "The request is too large.")
        try:
            return decoder.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise RefusedError(422, "The request cannot be read.") from None

    return router


class RefusedError(Exception):
    """A request that no page of ours sends."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


def _body(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}
