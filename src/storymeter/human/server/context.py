"""The parts that all handlers of requests share: store, pages, clock, and public ids.

A browser knows a place by a random-looking id, made from the signing key. It holds no system, no kind, no
pair, no file name; the two showings of one clip have different addresses."""

import asyncio
import base64
import hashlib
import hmac
import time
from collections import deque
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ..campaign import texts
from ..campaign.export import MTURK_FRAMES, MTURK_HOSTS
from ..campaign.record import Campaign, Folder, Secrets, fingerprint
from ..campaign.request import drawn
from ..store import LruCache, RaterLink, RaterProgress, Store, Terms
from .requests import AdminGate, Limiter, PageError, address, policy
from .signatures import Signatures
from .words import words


class Clock:
    """Seconds since 1970 that neither jump nor run backwards, whatever happens to the time of day."""

    def __init__(self) -> None:
        self._start = time.time() - time.monotonic()

    def now(self) -> float:
        return self._start + time.monotonic()


T = TypeVar("T")


class Completions:
    """Results of the store, whose writer is a thread, for waiting requests: `asyncio.wrap_future` for many
    futures at once. The event loop is woken once for a transaction, not once for each answer."""

    def __init__(self) -> None:
        self._ready: deque[tuple[asyncio.Future[Any], Future[Any]]] = deque()

    def of(self, future: Future[T]) -> asyncio.Future[T]:
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[T] = loop.create_future()

        def arrived(done: Future[T]) -> None:
            self._ready.append((waiting, done))
            if len(self._ready) == 1:  # else the loop has been woken, and has not come to the end of them yet
                loop.call_soon_threadsafe(self._deliver)

        future.add_done_callback(arrived)
        return waiting

    def _deliver(self) -> None:
        while self._ready:
            waiting, done = self._ready.popleft()
            if waiting.done():  # nobody waits any more
                continue
            error = done.exception()
            if error is not None:
                waiting.set_exception(error)
            else:
                waiting.set_result(done.result())


class Ids:
    """Public ids of places and media: they can be checked, but neither guessed nor linked.

    72 bits of BLAKE2b with a key of their own: several are made for every answer, and OpenSSL's HMAC takes
    ten times as long."""

    def __init__(self, secrets: Secrets) -> None:
        self._key = secrets.sign("ids")

    def slot(self, assignment: int, position: int) -> str:
        return self._id(f"slot {assignment} {position}")

    def media(self, assignment: int, position: int, number: int) -> str:
        return self._id(f"media {assignment} {position} {number}")

    def is_slot(self, text: str, assignment: int, position: int) -> bool:
        return hmac.compare_digest(text.encode(), self.slot(assignment, position).encode())

    def _id(self, what: str) -> str:
        mark = hashlib.blake2b(what.encode(), key=self._key, digest_size=9).digest()
        return base64.urlsafe_b64encode(mark).decode()


# What all routes share: the campaign, its store, the words, the templates, and who is who.


HERE = Path(__file__).parent
#: new raters from one address in ten minutes, and seats that it may take
NEWCOMERS = 30


def base(request: Request) -> str:
    """The address of the rater whose link this request came by."""
    return f"/r/{request.path_params['token']}"


class Context:
    def __init__(
        self, folder: Folder, store: Store, *, admin_anywhere: bool = False, admin_port: int | None = None
    ) -> None:
        self.folder, self.store, self.study = folder, store, folder.study
        campaign = folder.campaign
        self.clock = Clock()
        self.words: dict[str, Any] = words(campaign.language)
        self.ids = Ids(folder.secrets)
        self.guesses = Limiter()
        self.newcomers = Limiter(NEWCOMERS, 600.0)
        self.completions = Completions()
        self.gate = AdminGate(folder.secrets, anywhere=admin_anywhere, port=admin_port)
        self.clips = folder.clips
        self.terms = Terms(
            size=campaign.hit_size,
            practice=len(campaign.practice),
            hits_per_rater=campaign.hits_per_rater,
            lease=campaign.lease_minutes * 60,
            order=self._order,
            wording=texts.keep(store, wording := texts.shown(folder), campaign.language),
        )
        self.signatures = Signatures(folder) if campaign.platform.keys else None
        if campaign.platform.name != "local" and self.signatures is None:  # anybody can make up ids
            self.terms = self.terms.unsigned()
        #: consent and instructions
        self.texts = {name: Markup(texts.as_html(text)) for name, text in wording.items()}  # noqa: S704
        self._revision = store.revision()
        self.templates = Environment(
            loader=FileSystemLoader(HERE / "templates"),
            autoescape=select_autoescape(default=True, default_for_string=True),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._links: LruCache[str, RaterLink] = LruCache(20_000)
        self._work: LruCache[int, RaterProgress] = LruCache(20_000)

    @property
    def campaign(self) -> Campaign:
        """The campaign as it is now: `follow` reads it again."""
        return self.folder.campaign

    def _order(self, ticket: int, hit: str) -> list[int] | None:
        """Each rater's own order of a HIT; the same again for the same rater, and known to nobody else."""
        lots = drawn(f"order {ticket} {hit}", self.folder.secrets.order_key)
        campaign = self.campaign
        return self.study.order(campaign.hit_size, campaign.layout, lots, campaign.repeat_per_hit)

    def follow(self) -> None:
        """Take over what was added or withdrawn while the server runs (`human extend`)."""
        revision = self.store.revision()
        if revision != self._revision:
            self.folder.read_again()
            self.terms = self.terms._replace(hits_per_rater=self.campaign.hits_per_rater)
            self.store.forget_places()
            self._revision = revision

    # --- who is who ---

    async def rater(self, request: Request) -> RaterLink:
        """Who stands behind the token of this request. Unknown tokens cost the caller something, known ones
        nothing: nobody is kept out because a neighbour guesses.
        """
        token = request.path_params["token"]
        known = self._links.get(token)
        if known is not None:
            return known
        found = await run_in_threadpool(self.store.link_of, fingerprint(token)) if len(token) <= 64 else None
        if found is not None:
            return self._links.put(token, found)
        who = "guess " + address(request)
        blocked = self.guesses.blocked(who)
        self.guesses.count(who)
        raise PageError(429, "too_many") if blocked else PageError(404, "unknown_link")

    async def work(self, ticket: int, *, fresh: bool = False) -> RaterProgress | None:
        """The ticket's present work. Remembered between answers (its `position` then is not the latest);
        `fresh` asks the store.
        """
        known = None if fresh else self._work.get(ticket)
        if known is None:
            known = await run_in_threadpool(self.store.progress_of, ticket, self.campaign.hits_per_rater)
            if known is not None and known.stage == "working":
                self._work.put(ticket, known)
            else:
                self._work.forget(ticket)
        return known

    def forget(self, ticket: int) -> None:
        self._work.forget(ticket)

    # --- pages ---

    def page(
        self,
        template: str,
        *,
        status: int = 200,
        rater: RaterLink | None = None,
        for_raters: bool = True,
        **values: Any,
    ) -> Response:
        text = self.templates.get_template(template).render(
            w=self.words,
            campaign=self.campaign,
            texts=self.texts,
            language=self.campaign.language if for_raters else "en",
            **values,
        )
        return HTMLResponse(text, status_code=status, headers=self._framing(rater) if for_raters else {})

    def _framing(self, rater: RaterLink | None) -> dict[str, str]:
        """Only Mechanical Turk may frame pages, only in a campaign that runs there; and only there is a form
        posted.
        """
        if self.campaign.platform.name != "mturk" or (rater is not None and rater.platform != "mturk"):
            return {}
        hosts = MTURK_HOSTS if rater is not None and rater.submit_to else ()
        forms = " ".join(["'self'", *(f"https://{host}" for host in hosts)])
        return {"content-security-policy": policy(frames=MTURK_FRAMES, forms=forms)}

    def message(
        self,
        status: int,
        name: str,
        *,
        rater: RaterLink | None = None,
        button: tuple[str, str] | None = None,
        for_raters: bool = True,
        refresh: int = 0,
    ) -> Response:
        response = self.page(
            "message.html",
            status=status,
            rater=rater,
            for_raters=for_raters,
            title=self.words[f"{name}_title"],
            text=self.words[f"{name}_text"],
            button=button,
        )
        if refresh:
            response.headers["refresh"] = str(refresh)
        return response
