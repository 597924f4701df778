"""What the task page asks for: the item at hand, play events, answers. JSON in, JSON out; the clock is the
server's.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ..campaign.record import Folder
from ..lru import LruCache
from ..store import Answer, Outcome, Place, RaterLink, RaterProgress, StoreError, StoreFullError
from .context import Context, Ids, base
from .requests import Endpoint, json_body

Id = Annotated[str, Meta(min_length=1, max_length=64)]
At = Annotated[int, Meta(ge=-100, le=100_000)]
Event = Literal["play", "ended"]
#: seconds in which a rater may go back to the last answer, and in which another one must then arrive
BACK, CORRECTED = 60.0, 150.0
#: the share of a HIT whose clips a rater may report as broken, and how many at least
SKIPS, FEWEST_SKIPS = 0.1, 2


class ItemBody(msgspec.Struct, forbid_unknown_fields=True):
    """Which item a request speaks of."""

    id: Id
    at: At


class AnswerBody(ItemBody):
    answer: dict[str, Any]
    #: play events that did not get through before
    events: Annotated[list[Event], Meta(max_length=8)] = []
    #: what the rater wants the organiser to know
    comment: Annotated[str, Meta(max_length=500)] = ""


class EventBody(ItemBody):
    event: Event


class SkipBody(ItemBody):
    """The clip of this item does not play."""


Body = TypeVar("Body", bound=ItemBody)
_encode = msgspec.json.Encoder().encode
_REFUSALS = (400, 403, 409, 410, 413, 422)


def reply(value: dict[str, Any], status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(_encode(value), status_code=status, media_type="application/json", headers=headers)


def unavailable(error: StoreError) -> Response:
    """Not saved, and said so: the page keeps the answer and sends it again."""
    status = 507 if isinstance(error, StoreFullError) else 503
    return reply({"status": "unavailable", "message": error.message}, status, {"retry-after": "2"})


def watch_seconds(folder: Folder, here: Place) -> float | None:
    """How long the clip must have been playing; None where there is nothing to play."""
    return here.media[0].seconds * folder.campaign.watch if folder.study.plays and here.media else None


def public(
    folder: Folder, ids: Ids, base: str, work: RaterProgress, position: int, here: Place
) -> dict[str, Any]:
    """What a browser gets to know of a place."""
    practice = position < 0
    return {
        "id": ids.slot(work.assignment, position),
        "at": position,
        "practice": practice,
        "n": position - work.first + 1 if practice else position + 1,
        "of": -work.first if practice else work.size,
        "task": folder.campaign.task,
        "media": [
            f"{base}/m/{ids.media(work.assignment, position, number)}" for number in range(len(here.media))
        ],
        "watch": watch_seconds(folder, here) is not None,
        **here.payload,
    }


def routes(context: Context) -> list[Endpoint]:
    campaign, store, study, words = context.campaign, context.store, context.study, context.words
    ids, clock = context.ids, context.clock

    async def place(work: RaterProgress, position: int) -> Place:
        hit = "" if position < 0 else work.hit
        places = store.remembered(hit)
        if places is None:
            places = await run_in_threadpool(store.places, hit)
        return places[work.place(position)]

    paces: LruCache[tuple[str, int], float] = LruCache(100_000)

    def least(work: RaterProgress, position: int, here: Place) -> float:
        """The least time that this place takes to be seen and read; counted once."""
        key = ("" if position < 0 else work.hit, work.place(position))
        known = paces.get(key)
        if known is None:
            seconds = [one.seconds for one in here.media]
            known = paces.put(key, campaign.watch * study.minimum_seconds(here.payload, seconds))
        return known

    async def shown(base: str, work: RaterProgress, position: int) -> dict[str, Any]:
        """The item at a position, or where to go when there is none left. Items that were withdrawn are
        passed over.
        """
        while position < work.size:
            here = await place(work, position)
            if "withdrawn" not in here.payload:
                return public(context.folder, ids, base, work, position, here)
            lease = context.terms.lease
            wanted = Answer(work.assignment, work.ticket, position, "", clock.now(), None, lease=lease)
            outcome = await context.arrivals.of(store.pass_over(wanted))
            if outcome.position <= position:
                break
            position = outcome.position
        return {"go": base}

    async def back(work: RaterProgress) -> float:
        """For how many seconds the rater may still go back to the last answer."""
        last = await run_in_threadpool(store.last_answer, work.assignment)
        return 0.0 if last is None else max(0.0, round(last.received_at + BACK - clock.now(), 1))

    async def working(rater: RaterLink, body: ItemBody) -> RaterProgress | None:
        """The work that this request speaks of; what was remembered is checked against the id, and looked up
        anew if it does not fit.
        """
        for fresh in (False, True):
            work = await context.work(rater.ticket, fresh=fresh)
            if work is None or work.stage != "working":
                return None
            if work.first <= body.at < work.size and ids.is_slot(body.id, work.assignment, body.at):
                return work
        return None

    async def stale(request: Request, rater: RaterLink, why: str = "stale") -> Response:
        work = await context.work(rater.ticket, fresh=True)
        if work is None or work.stage != "working":
            return reply({"status": "gone", "go": base(request)}, 410)
        following = await shown(base(request), work, work.position)
        return reply({"status": "stale", "message": words[why], "next": following}, 409)

    async def current(request: Request) -> Response:
        rater = await context.rater(request)
        work = await context.work(rater.ticket, fresh=True)
        if work is None or work.stage != "working":
            return reply({"status": "gone", "go": base(request)}, 410)
        if work.position < work.size:
            await context.arrivals.of(store.show(work.assignment, work.position, clock.now()))
        following = await shown(base(request), work, work.position)
        return reply({"status": "ok", "next": following, "back": await back(work)})

    async def last(request: Request) -> Response:
        """The last answer and its item, within a minute."""
        rater = await context.rater(request)
        work = await context.work(rater.ticket, fresh=True)
        if work is None or work.stage != "working":
            return reply({"status": "gone", "go": base(request)}, 410)
        found = await run_in_threadpool(store.last_answer, work.assignment)
        here = None if found is None else await place(work, found.position)
        if found is None or here is None or "withdrawn" in here.payload or not await back(work):
            return reply({"status": "late", "message": words["too_late"]}, 409)
        given = msgspec.json.decode(found.answer)
        comment = given.pop("comment", "")
        item = public(context.folder, ids, base(request), work, found.position, here)
        return reply({"status": "ok", "next": {**item, "answer": given, "comment": comment}})

    def posted(
        name: str,
        kind: type[Body],
        handle: Callable[[Request, RaterLink, Body, RaterProgress], Awaitable[Response]],
        summary: str,
    ) -> Endpoint:
        """What the page sends about an item of the work at hand."""
        decoder = msgspec.json.Decoder(kind)

        async def route(request: Request) -> Response:
            rater = await context.rater(request)
            body = await json_body(request, decoder)
            work = await working(rater, body)
            return await (stale(request, rater) if work is None else handle(request, rater, body, work))

        return Endpoint("POST", f"/r/{{token}}/{name}", route, summary, kind, replies=_REFUSALS)

    async def event(request: Request, rater: RaterLink, body: EventBody, work: RaterProgress) -> Response:
        await context.arrivals.of(store.played(work.assignment, body.at, body.event, clock.now()))
        return reply({"status": "ok"})

    def fitting(here: Place, body: AnswerBody) -> str | None:
        """The answer with its comment as it is stored, or None where it does not fit."""
        text = study.validate_answer(here.payload, body.answer)
        if text is None or not body.comment:
            return text
        return msgspec.json.encode({**msgspec.json.decode(text), "comment": body.comment}).decode()

    def misfit() -> Response:
        return reply({"status": "invalid", "message": "This answer does not fit the question."}, 422)

    async def answer(request: Request, rater: RaterLink, body: AnswerBody, work: RaterProgress) -> Response:
        here = await place(work, body.at)
        if "withdrawn" in here.payload:
            return await stale(request, rater, "withdrawn")
        text = fitting(here, body)
        if text is None:
            return misfit()
        wanted = Answer(
            work.assignment,
            rater.ticket,
            body.at,
            text,
            clock.now(),
            watch_seconds(context.folder, here),
            tuple(body.events),
            context.terms.lease,
            least(work, body.at, here),
        )
        outcome = await context.arrivals.of(store.answer(wanted))
        more = {"feedback": feedback(body.at, body.answer)} if body.at < 0 else {"back": BACK}
        return await decided(request, rater, work, outcome, more)

    async def correct(request: Request, rater: RaterLink, body: AnswerBody, work: RaterProgress) -> Response:
        """Another answer in the place of the last one; that one is kept beside it."""
        here = await place(work, body.at)
        text = None if body.at < 0 or "withdrawn" in here.payload else fitting(here, body)
        if text is None:
            return misfit()
        wanted = Answer(work.assignment, rater.ticket, body.at, text, clock.now(), None)
        outcome = await context.arrivals.of(store.correct(wanted, CORRECTED))
        if outcome.status == "late":
            following = await shown(base(request), work, outcome.position)
            return reply({"status": "stale", "message": words["too_late"], "next": following}, 409)
        return await decided(request, rater, work, outcome, {})

    async def skip(request: Request, rater: RaterLink, body: SkipBody, work: RaterProgress) -> Response:
        here = await place(work, body.at)
        if "withdrawn" in here.payload:
            return await stale(request, rater, "withdrawn")
        missing = any(not (context.clips / one.path).is_file() for one in here.media)
        most = work.size if missing else max(FEWEST_SKIPS, int(SKIPS * work.size))
        wanted = Answer(
            work.assignment, rater.ticket, body.at, "", clock.now(), None, (), context.terms.lease
        )
        outcome = await context.arrivals.of(store.skip(wanted, most))
        return await decided(request, rater, work, outcome, {})

    async def decided(
        request: Request, rater: RaterLink, work: RaterProgress, outcome: Outcome, more: dict[str, Any]
    ) -> Response:
        if outcome.status in ("saved", "stored"):
            following = await shown(base(request), work, outcome.position)
            return reply({"status": "saved", "next": following, **more})
        if outcome.status in ("unwatched", "early"):
            said = words[outcome.status].format(seconds=max(1, round(outcome.missing)))
            missing = round(outcome.missing, 1)
            return reply({"status": outcome.status, "missing": missing, "message": said}, 409)
        if outcome.status == "too_many_skips":
            return reply({"status": "refused", "message": words["too_many_skips"]}, 409)
        context.forget(rater.ticket)
        return await stale(request, rater)

    def feedback(position: int, given: dict[str, Any]) -> dict[str, Any]:
        """What a rater hears after a practice item: whether the answer fits, and why."""
        wanted = campaign.practice[position + len(campaign.practice)]
        good = wanted.low <= given["value"] <= wanted.high
        why = wanted.feedback or words["feedback_high" if wanted.high > 50 else "feedback_low"]
        return {"good": good, "text": f"{words['feedback_good']} {why}" if good else why}

    return [
        posted("answer", AnswerBody, answer, "An answer, acknowledged once it is on the disk"),
        posted("correct", AnswerBody, correct, "Another answer in the place of the last one"),
        posted("event", EventBody, event, "The clip was started, or has ended"),
        Endpoint("GET", "/r/{token}/item", current, "The item at hand", replies=(410,)),
        Endpoint("GET", "/r/{token}/last", last, "The last answer, within a minute", replies=(409, 410)),
        posted("skip", SkipBody, skip, "The clip does not play"),
    ]
