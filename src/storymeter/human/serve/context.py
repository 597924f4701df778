"""What all routes share: the campaign, its store, the words, the templates, and who is who."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ..campaign import Folder, fingerprint
from ..platforms import MTURK_FRAMES
from ..store import Store, seats
from .security import AdminGate, Limiter, policy
from .tasks import Ids
from .words import words

HERE = Path(__file__).parent


class Door(NamedTuple):
    """A known token: the ticket behind it, and where its rater came from."""

    ticket: int
    platform: str
    external: str
    session: str
    submit_to: str


class PageError(Exception):
    """An answer that is an error page: `name` picks its words from the catalogue."""

    def __init__(self, status: int, name: str) -> None:
        super().__init__(name)
        self.status, self.name = status, name


class Context:
    def __init__(self, folder: Folder, store: Store, *, admin_anywhere: bool = False) -> None:
        self.folder, self.store = folder, store
        self.campaign = folder.campaign
        self.words: dict[str, Any] = words(self.campaign.language)
        self.ids = Ids(folder.secrets)
        self.limiter = Limiter()
        self.gate = AdminGate(folder.secrets, anywhere=admin_anywhere)
        self.clips = folder.clips
        self.templates = Environment(
            loader=FileSystemLoader(HERE / "templates"),
            autoescape=select_autoescape(default=True, default_for_string=True),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._doors: OrderedDict[str, Door] = OrderedDict()
        self._work: OrderedDict[int, seats.Standing] = OrderedDict()

    # --- who is who ---

    async def door(self, request: Request, token: str) -> Door:
        """The ticket behind a token. Unknown tokens cost the caller something; known ones are remembered."""
        known = self._doors.get(token)
        if known is not None:
            return known
        who = request.client.host if request.client else ""
        if self.limiter.blocked(who):
            raise PageError(429, "too_many")
        found = await run_in_threadpool(self._find, token)
        if found is None:
            self.limiter.failed(who)
            raise PageError(404, "unknown_link")
        _remember(self._doors, token, found)
        return found

    def _find(self, token: str) -> Door | None:
        ticket = self.store.ticket(fingerprint(token)) if len(token) <= 64 else None
        if ticket is None:
            return None
        visitor = self.store.visitor(ticket)
        return Door(ticket, visitor.platform, visitor.external, visitor.session, visitor.submit_to)

    async def work(self, ticket: int, *, fresh: bool = False) -> seats.Standing | None:
        """The ticket's present work. Remembered between answers (its `position` then is not the latest);
        `fresh` asks the store.
        """
        known = None if fresh else self._work.get(ticket)
        if known is None:
            known = await run_in_threadpool(self.store.standing, ticket, self.campaign.hits_per_rater)
            if known is not None and known.stage == "working":
                _remember(self._work, ticket, known)
            else:
                self._work.pop(ticket, None)
        return known

    def forget(self, ticket: int) -> None:
        self._work.pop(ticket, None)

    # --- pages ---

    def page(
        self,
        template: str,
        *,
        status: int = 200,
        door: Door | None = None,
        for_raters: bool = True,
        **values: Any,
    ) -> Response:
        text = self.templates.get_template(template).render(
            w=self.words, campaign=self.campaign, language=self.campaign.language, **values
        )
        headers = {"content-security-policy": self.framing(door)} if for_raters and self._framed(door) else {}
        return HTMLResponse(text, status_code=status, headers=headers)

    def _framed(self, door: Door | None) -> bool:
        return self.campaign.platform.name == "mturk" and (door is None or door.platform == "mturk")

    def framing(self, door: Door | None) -> str:
        """Only Mechanical Turk may frame pages, only in a campaign that runs there; and only there is a form
        posted.
        """
        target = "'self' " + " ".join(
            f"https://{host}" for host in ("www.mturk.com", "workersandbox.mturk.com")
        )
        return policy(frames=MTURK_FRAMES, forms=target if door is not None and door.submit_to else "'self'")

    def message(
        self,
        status: int,
        name: str,
        *,
        door: Door | None = None,
        button: tuple[str, str] | None = None,
        for_raters: bool = True,
    ) -> Response:
        return self.page(
            "message.html",
            status=status,
            door=door,
            for_raters=for_raters,
            title=self.words[f"{name}_title"],
            text=self.words[f"{name}_text"],
            button=button,
        )


def _remember(table: OrderedDict[Any, Any], key: Any, value: Any) -> None:
    table[key] = value
    while len(table) > 20_000:
        table.popitem(last=False)
