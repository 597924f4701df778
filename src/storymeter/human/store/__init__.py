"""Answers that are never lost: the database of a campaign, on SQLite or PostgreSQL, behind one small
class.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple, TypeVar

import msgspec

from ...errors import DataError, MissingPartError

try:
    import sqlalchemy as sa
except ImportError:
    raise MissingPartError.extra("Human studies", "human") from None

from . import answers, seats
from .desk import Desk
from .engines import StoreError, open_engine, upgrade
from .tables import assignment, clip, rater, rating, seat, setting, slot, ticket

__all__ = ["Media", "Place", "Store", "StoreError"]
T = TypeVar("T")


class Media(NamedTuple):
    path: str
    mime: str
    seconds: float


class Place(NamedTuple):
    """What one position of a HIT shows."""

    media: tuple[Media, ...]
    payload: dict[str, Any]


class Store:
    """Reads run where they are called; writes go through the desk and return futures."""

    def __init__(self, url: str) -> None:
        upgrade(url)
        self.reader = open_engine(url, writer=False)
        self.writer = open_engine(url, writer=True)
        self.desk = Desk(self.writer, answers.settle)
        self._places: OrderedDict[str, list[Place]] = OrderedDict()

    def close(self) -> None:
        self.desk.close()
        self.reader.dispose()
        self.writer.dispose()

    def read(self, question: Callable[[sa.Connection], T]) -> T:
        try:
            with self.reader.connect() as connection:
                return question(connection)
        except (sa.exc.DatabaseError, sa.exc.InterfaceError, sa.exc.TimeoutError) as error:
            raise StoreError.of(error) from error

    def write(self, operation: Callable[[sa.Connection], T]) -> Future[T]:
        return self.desk.submit(operation)

    # --- the campaign itself ---

    def fill(
        self,
        campaign_id: str,
        clips: Sequence[Media],
        sizes: Sequence[int],
        slots: Iterable[dict[str, Any]],
        hits: Sequence[str],
        raters_per_hit: int,
    ) -> None:
        """Put a new campaign in, whole or not at all."""
        rows = list(slots)

        def put(connection: sa.Connection) -> None:
            taken = connection.execute(
                sa.select(setting.c.value).where(setting.c.name == "campaign")
            ).scalar()
            if taken is not None:
                raise DataError(
                    f"The database already holds the campaign {taken}.",
                    hint="Give each campaign a database of its own (--db).",
                )
            connection.execute(
                sa.insert(setting),
                [{"name": "campaign", "value": campaign_id}, {"name": "state", "value": "open"}],
            )
            if clips:
                connection.execute(
                    sa.insert(clip),
                    [
                        {"id": n, "path": c.path, "mime": c.mime, "seconds": c.seconds, "bytes": size}
                        for n, (c, size) in enumerate(zip(clips, sizes, strict=True), 1)
                    ],
                )
            connection.execute(sa.insert(slot), rows)
            # every HIT gets its first rater before any gets its second
            connection.execute(sa.insert(seat), [{"hit": hit} for _ in range(raters_per_hit) for hit in hits])

        self.write(put).result()

    def check(self, campaign_id: str) -> None:
        found = self.read(
            lambda c: c.execute(sa.select(setting.c.value).where(setting.c.name == "campaign")).scalar()
        )
        if found != campaign_id:
            raise DataError(
                f"The database belongs to {'campaign ' + found if found else 'no campaign'}, not to"
                f" {campaign_id}.",
                hint="Check the address in secrets.json.",
            )

    def state(self) -> str:
        return str(self.read(seats._state))

    def set_state(self, state: str) -> Future[Any]:
        return self.write(
            lambda c: (
                c.execute(sa.update(setting).where(setting.c.name == "state").values(value=state)).rowcount
            )
        )

    def remembered(self, hit: str) -> list[Place] | None:
        """What `places` would give, if that needs no look into the database."""
        return self._places.get(hit)

    def places(self, hit: str) -> list[Place]:
        """What the places of a HIT show, in order; read once and remembered."""
        known = self._places.get(hit)
        if known is None:
            known = self.read(lambda c: _places(c, hit))
            self._places[hit] = known
            while len(self._places) > 1024:
                self._places.popitem(last=False)
        return known

    # --- raters ---

    def ticket(self, mark: str) -> int | None:
        return self.read(
            lambda c: c.execute(sa.select(ticket.c.id).where(ticket.c.fingerprint == mark)).scalar()
        )

    def visitor(self, ticket_id: int) -> Any:
        """Platform, platform ids and the address to hand in to, of a ticket."""
        query = sa.select(
            rater.c.platform, rater.c.external, rater.c.pseudonym, ticket.c.session, ticket.c.submit_to
        ).join(rater, rater.c.id == ticket.c.rater)
        return self.read(lambda c: c.execute(query.where(ticket.c.id == ticket_id)).one())

    def standing(self, ticket_id: int, hits_per_rater: int) -> seats.Standing | None:
        return self.read(lambda c: seats.standing(c, ticket_id, hits_per_rater))

    def answer(self, request: answers.Answer) -> Future[answers.Outcome]:
        return self.desk.answer(request)

    def stored(self, assignment_id: int, position: int) -> str | None:
        return self.read(
            lambda c: c.execute(
                sa.select(rating.c.answer).where(
                    rating.c.assignment == assignment_id, rating.c.position == position
                )
            ).scalar()
        )

    def everything(self) -> list[Any]:
        """Every answer that counts (no practice), with its assignment and rater, in the order of the work."""
        query = (
            sa.select(
                rating,
                assignment.c.hit,
                assignment.c.state,
                assignment.c.finished_at,
                assignment.c.started_at,
                assignment.c.code,
                rater.c.pseudonym,
                rater.c.platform,
                rater.c.external,
                ticket.c.session,
            )
            .join(assignment, assignment.c.id == rating.c.assignment)
            .join(rater, rater.c.id == assignment.c.rater)
            .join(ticket, ticket.c.id == assignment.c.ticket)
            .where(rating.c.position >= 0)
            .order_by(rating.c.assignment, rating.c.position)
        )
        return self.read(lambda c: list(c.execute(query)))


def _places(connection: sa.Connection, hit: str) -> list[Place]:
    clips = {}
    rows = connection.execute(
        sa.select(slot.c.media, slot.c.payload).where(slot.c.hit == hit).order_by(slot.c.position)
    ).all()
    wanted = {number for row in rows for number in msgspec.json.decode(row.media)}
    if wanted:
        query = sa.select(clip.c.id, clip.c.path, clip.c.mime, clip.c.seconds).where(clip.c.id.in_(wanted))
        clips = {row.id: Media(row.path, row.mime, row.seconds) for row in connection.execute(query)}
    return [
        Place(tuple(clips[n] for n in msgspec.json.decode(row.media)), msgspec.json.decode(row.payload))
        for row in rows
    ]


def now() -> float:
    return time.time()
