"""What the task page asks for: the item at hand, play events, answers. JSON in, JSON out; the clock is the
server's.
"""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ..campaign.record import Folder
from ..store import Answer, LruCache, Outcome, Place, RaterLink, RaterProgress, StoreError, StoreFullError
from .context import Context, Ids, base
from .requests import Endpoint, GoneError, json_body

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


class ItemRoutes:
    """Requests of the task page: items, answers, corrections and skips."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.study, self.words = context.study, context.words
        self.store, self.ids, self.clock = context.store, context.ids, context.clock
        self.minimums: LruCache[tuple[str, int], float] = LruCache(100_000)

    async def place(self, work: RaterProgress, position: int) -> Place:
        hit = "" if position < 0 else work.hit
        places = self.store.remembered(hit)
        if places is None:
            places = await run_in_threadpool(self.store.places, hit)
        return places[work.place(position)]

    def minimum_seconds(self, work: RaterProgress, position: int, here: Place) -> float:
        """The least time that this place takes to be seen and read; counted once."""
        key = ("" if position < 0 else work.hit, work.place(position))
        known = self.minimums.get(key)
        if known is None:
            seconds = [one.seconds for one in here.media]
            known = self.minimums.put(
                key, self.context.campaign.watch * self.study.minimum_seconds(here.payload, seconds)
            )
        return known

    def to_store(
        self,
        work: RaterProgress,
        position: int,
        text: str = "",
        watch: float | None = None,
        events: tuple[str, ...] = (),
        least: float = 0.0,
    ) -> Answer:
        """An answer (none yet) at this position."""
        terms, now = self.context.terms, self.clock.now()
        lease = terms.lease_after(position - work.first + 1)
        return Answer(
            work.assignment, work.ticket, position, text, now, watch, events, lease, least, terms.proof
        )

    async def next_item(self, base: str, work: RaterProgress, position: int) -> dict[str, Any]:
        """The item at a position, or where to go when there is none left. Items that were withdrawn are
        passed over.
        """
        while position < work.size:
            here = await self.place(work, position)
            if "withdrawn" not in here.payload:
                return public(self.context.folder, self.ids, base, work, position, here)
            wanted = self.to_store(work, position)
            outcome = await self.context.completions.of(self.store.pass_over(wanted))
            if outcome.position <= position:
                break
            position = outcome.position
        return {"go": base}

    async def seconds_left(self, work: RaterProgress) -> float:
        """For how many seconds the rater may still go back to the last answer."""
        last = await run_in_threadpool(self.store.last_answer, work.assignment)
        return 0.0 if last is None else max(0.0, round(last.received_at + BACK - self.clock.now(), 1))

    async def work_of(self, rater: RaterLink, body: ItemBody) -> RaterProgress | None:
        """The work that this request speaks of; what was remembered is checked against the id, and looked up
        anew if it does not fit.
        """
        for fresh in (False, True):
            work = await self.context.work(rater.ticket, fresh=fresh)
            if work is None or work.stage != "working":
                return None
            if work.first <= body.at < work.size and self.ids.is_slot(body.id, work.assignment, body.at):
                return work
        return None

    async def at_hand(self, request: Request, rater: RaterLink) -> RaterProgress:
        """The rater's work as it is now."""
        work = await self.context.work(rater.ticket, fresh=True)
        if work is None or work.stage != "working":
            raise GoneError(base(request))
        return work

    async def stale_reply(self, request: Request, rater: RaterLink, why: str = "stale") -> Response:
        work = await self.at_hand(request, rater)
        following = await self.next_item(base(request), work, work.position)
        return reply({"status": "stale", "message": self.words[why], "next": following}, 409)

    async def current(self, request: Request) -> Response:
        rater = await self.context.rater(request)
        work = await self.at_hand(request, rater)
        if work.position < work.size:
            await self.context.completions.of(
                self.store.show(work.assignment, work.position, self.clock.now())
            )
        following = await self.next_item(base(request), work, work.position)
        return reply({"status": "ok", "next": following, "back": await self.seconds_left(work)})

    async def last(self, request: Request) -> Response:
        """The last answer and its item, within a minute."""
        rater = await self.context.rater(request)
        work = await self.at_hand(request, rater)
        found = await run_in_threadpool(self.store.last_answer, work.assignment)
        here = None if found is None else await self.place(work, found.position)
        if found is None or here is None or "withdrawn" in here.payload or not await self.seconds_left(work):
            return reply({"status": "late", "message": self.words["too_late"]}, 409)
        given = msgspec.json.decode(found.answer)
        comment = given.pop("comment", "")
        item = public(self.context.folder, self.ids, base(request), work, found.position, here)
        return reply({"status": "ok", "next": {**item, "answer": given, "comment": comment}})

    def post(
        self,
        name: str,
        kind: type[Body],
        handle: Callable[[Request, RaterLink, Body, RaterProgress], Awaitable[Response]],
        summary: str,
    ) -> Endpoint:
        """What the page sends about an item of the work at hand."""
        decoder = msgspec.json.Decoder(kind)

        async def route(request: Request) -> Response:
            rater = await self.context.rater(request)
            body = await json_body(request, decoder)
            work = await self.work_of(rater, body)
            return await (
                self.stale_reply(request, rater) if work is None else handle(request, rater, body, work)
            )

        return Endpoint("POST", f"/r/{{token}}/{name}", route, summary, kind, replies=_REFUSALS, json=True)

    async def event(
        self, request: Request, rater: RaterLink, body: EventBody, work: RaterProgress
    ) -> Response:
        await self.context.completions.of(
            self.store.played(work.assignment, body.at, body.event, self.clock.now())
        )
        return reply({"status": "ok"})

    def stored_text(self, here: Place, body: AnswerBody) -> str | None:
        """The answer with its comment as it is stored, or None where it does not fit."""
        text = self.study.validate_answer(here.payload, body.answer)
        if text is None or not body.comment:
            return text
        return msgspec.json.encode({**msgspec.json.decode(text), "comment": body.comment}).decode()

    def invalid_reply(self) -> Response:
        return reply({"status": "invalid", "message": "This answer does not fit the question."}, 422)

    async def answer(
        self, request: Request, rater: RaterLink, body: AnswerBody, work: RaterProgress
    ) -> Response:
        here = await self.place(work, body.at)
        if "withdrawn" in here.payload:
            return await self.stale_reply(request, rater, "withdrawn")
        text = self.stored_text(here, body)
        if text is None:
            return self.invalid_reply()
        wanted = self.to_store(
            work,
            body.at,
            text,
            watch_seconds(self.context.folder, here),
            tuple(body.events),
            self.minimum_seconds(work, body.at, here),
        )
        outcome = await self.context.completions.of(self.store.answer(wanted))
        more = {"feedback": self.feedback(body.at, body.answer)} if body.at < 0 else {"back": BACK}
        return await self.outcome_reply(request, rater, work, outcome, more)

    async def correct(
        self, request: Request, rater: RaterLink, body: AnswerBody, work: RaterProgress
    ) -> Response:
        """Another answer in the place of the last one; that one is kept beside it."""
        here = await self.place(work, body.at)
        text = None if body.at < 0 or "withdrawn" in here.payload else self.stored_text(here, body)
        if text is None:
            return self.invalid_reply()
        wanted = self.to_store(work, body.at, text)
        outcome = await self.context.completions.of(self.store.correct(wanted, CORRECTED))
        if outcome.status == "late":
            following = await self.next_item(base(request), work, outcome.position)
            return reply({"status": "stale", "message": self.words["too_late"], "next": following}, 409)
        return await self.outcome_reply(request, rater, work, outcome, {})

    async def skip(self, request: Request, rater: RaterLink, body: SkipBody, work: RaterProgress) -> Response:
        here = await self.place(work, body.at)
        if "withdrawn" in here.payload:
            return await self.stale_reply(request, rater, "withdrawn")
        missing = any(not (self.context.clips / one.path).is_file() for one in here.media)
        every = missing or self.context.campaign.preview
        most = work.size - work.first if every else max(FEWEST_SKIPS, int(SKIPS * work.size))
        outcome = await self.context.completions.of(self.store.skip(self.to_store(work, body.at), most))
        return await self.outcome_reply(request, rater, work, outcome, {})

    async def outcome_reply(
        self, request: Request, rater: RaterLink, work: RaterProgress, outcome: Outcome, more: dict[str, Any]
    ) -> Response:
        if outcome.status in ("saved", "stored"):
            following = await self.next_item(base(request), work, outcome.position)
            return reply({"status": "saved", "next": following, **more})
        if outcome.status in ("unwatched", "early"):
            said = self.words[outcome.status].format(seconds=max(1, round(outcome.missing)))
            missing = round(outcome.missing, 1)
            return reply({"status": outcome.status, "missing": missing, "message": said}, 409)
        if outcome.status == "too_many_skips":
            return reply({"status": "refused", "message": self.words["too_many_skips"]}, 409)
        self.context.forget(rater.ticket)
        return await self.stale_reply(request, rater)

    def feedback(self, position: int, given: dict[str, Any]) -> dict[str, Any]:
        """What a rater hears after a practice item: whether the answer fits, and why."""
        practice = self.context.campaign.practice
        wanted = practice[position + len(practice)]
        good = wanted.low <= given["value"] <= wanted.high
        why = wanted.feedback or self.words["feedback_high" if wanted.high > 50 else "feedback_low"]
        return {"good": good, "text": f"{self.words['feedback_good']} {why}" if good else why}

    def endpoints(self) -> list[Endpoint]:
        return [
            self.post("answer", AnswerBody, self.answer, "An answer, acknowledged once it is on the disk"),
            self.post("correct", AnswerBody, self.correct, "Another answer in the place of the last one"),
            self.post("event", EventBody, self.event, "The clip was started, or has ended"),
            Endpoint("GET", "/r/{token}/item", self.current, "The item at hand", replies=(410,), json=True),
            Endpoint(
                "GET",
                "/r/{token}/last",
                self.last,
                "The last answer, within a minute",
                replies=(409, 410),
                json=True,
            ),
            self.post("skip", SkipBody, self.skip, "The clip does not play"),
        ]
