"""Answers that are never lost: the database of a campaign, on SQLite or PostgreSQL, behind one class.

Reads run where they are called. Writes go through one writer and return futures that are done once the
transaction is durable. No connection leaves this package, and what can go wrong has a class for each kind
(`engines`)."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import Future
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import msgspec

from ...errors import DataError, MissingPartError

try:
    import sqlalchemy as sa
except ImportError:
    raise MissingPartError.extra("Human studies", "human") from None

from . import answers, contents, seats
from .answers import Answer, LastAnswer, Outcome
from .contents import Visitor
from .engines import TROUBLE, Database, SessionTakenError, StoreError, StoreFullError, store_error
from .seats import RaterProgress, Terms
from .tables import assignment, clip, correction, rater, rating, setting, slot, ticket, work, worked_by
from .writer import Writer

__all__ = [
    "Answer",
    "LruCache",
    "Media",
    "Outcome",
    "Place",
    "RaterLink",
    "RaterProgress",
    "SessionTakenError",
    "Store",
    "StoreError",
    "StoreFullError",
    "Terms",
    "Visitor",
]
T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Media(NamedTuple):
    path: str
    mime: str
    seconds: float
    bytes: int = 0


class Place(NamedTuple):
    """What one position of a HIT shows."""

    media: tuple[Media, ...]
    payload: dict[str, Any]


class RaterLink(NamedTuple):
    """A known link: its ticket, and where its rater came from."""

    ticket: int
    platform: str
    external: str
    pseudonym: str
    session: str
    submit_to: str


class Store:
    def __init__(self, url: str) -> None:
        self._database = Database(url)
        self._writer = Writer(self._database, answers.settle)
        self._places: LruCache[str, list[Place]] = LruCache(1024)

    def close(self) -> None:
        self._writer.close()
        self._database.close()

    def _read(self, question: Callable[[sa.Connection], T]) -> T:
        self._database.check()
        try:
            with self._database.reader.connect() as connection:
                return question(connection)
        except (*TROUBLE, sa.exc.DatabaseError) as error:
            raise store_error(error) from error

    # --- the campaign itself ---

    def fill(
        self,
        campaign_id: str,
        clips: Sequence[Media],
        slots: Iterable[dict[str, Any]],
        hits: Sequence[str],
        raters_per_hit: int,
        visitors: Sequence[Visitor] = (),
        now: float = 0.0,
    ) -> None:
        """Put a new campaign in, with the raters who have personal links, whole or not at all."""
        content = contents.Content(clips, list(slots), hits, raters_per_hit, visitors)
        self._writer.submit(lambda c: contents.fill(c, campaign_id, content, now)).result()

    def extend(
        self, more: contents.Content, withdrawn: Sequence[tuple[str, int]] = (), now: float = 0.0
    ) -> None:
        """Put more into the campaign (clips, HITs, raters for all HITs, links), and show these places to
        nobody from now on, whole or not at all. What was answered there stays.
        """
        self._writer.submit(lambda c: contents.extend(c, more, withdrawn, now)).result()

    def revision(self) -> int:
        """How often the campaign was extended."""
        return int(self._read(lambda c: seats.get_setting(c, "revision")) or 0)

    def set(self, name: str, value: str | None) -> None:
        """Note a value by name, or forget it."""
        self._writer.submit(lambda c: contents.note(c, name, value)).result()

    def get(self, name: str) -> str | None:
        found = self._read(lambda c: seats.get_setting(c, name))
        return None if found is None else str(found)

    def forget_places(self) -> None:
        """Read anew what the places of the HITs show."""
        self._places = LruCache(1024)

    def check(self, campaign_id: str) -> None:
        found = self._read(lambda c: seats.get_setting(c, "campaign"))
        if found != campaign_id:
            raise DataError(
                f"The database belongs to {'campaign ' + found if found else 'no campaign'}, not to"
                f" {campaign_id}.",
                hint="Check the address in secrets.json.",
            )

    def state(self) -> str:
        return str(self._read(lambda c: seats.get_setting(c, "state")))

    def set_state(self, state: Literal["open", "paused", "closed"]) -> Future[Any]:
        change = sa.update(setting).where(setting.c.name == "state").values(value=state)
        return self._writer.submit(lambda c: c.execute(change).rowcount)

    def clips(self) -> list[Media]:
        """Every clip and picture of the campaign."""
        query = sa.select(clip.c.path, clip.c.mime, clip.c.seconds, clip.c.bytes).order_by(clip.c.id)
        return self._read(lambda c: [Media(*row) for row in c.execute(query)])

    def remembered(self, hit: str) -> list[Place] | None:
        """What `places` would give, if that needs no look into the database."""
        return self._places.get(hit)

    def places(self, hit: str) -> list[Place]:
        """What the places of a HIT show, in order; read once and remembered."""
        known = self._places.get(hit)
        if known is None:
            known = self._places.put(hit, self._read(lambda c: _places(c, hit)))
        return known

    # --- raters ---

    def link_of(self, mark: str) -> RaterLink | None:
        """Who stands behind a link, by the fingerprint of its token."""
        query = (
            sa.select(
                ticket.c.id,
                rater.c.platform,
                rater.c.external,
                rater.c.pseudonym,
                ticket.c.session,
                ticket.c.submit_to,
            )
            .join(rater, rater.c.id == ticket.c.rater)
            .where(ticket.c.fingerprint == mark)
        )
        return self._read(lambda c: next((RaterLink(*row) for row in c.execute(query)), None))

    def enter(self, who: Visitor, now: float) -> Future[int]:
        """The ticket of a visit; `SessionTakenError` where the session is another rater's."""
        return self._writer.submit(lambda c: contents.enter(c, who, now))

    def progress_of(self, ticket_id: int, hits_per_rater: int) -> RaterProgress | None:
        return self._read(lambda c: seats.progress_of(c, ticket_id, hits_per_rater))

    def claim(
        self, ticket_id: int, terms: Terms, now: float, *, agreed: bool = True
    ) -> Future[RaterProgress | None]:
        """A seat for this link: the one it has, or the next free one; `agreed`: its rater consents now, else
        only who did so before gets one.
        """
        return self._writer.submit(lambda c: seats.claim(c, ticket_id, terms, now, agreed))

    def expire(self, now: float) -> Future[int]:
        """Take back seats whose lease has run out; how many there were."""
        return self._writer.submit(lambda c: seats.expire(c, now))

    def hold(self, pseudonym: str, reason: str, now: float) -> Future[bool]:
        """No more work for this rater until `release`; nothing is deleted."""
        return self._writer.submit(lambda c: contents.hold(c, pseudonym, reason, now))

    def release(self, pseudonym: str, until: float) -> Future[bool]:
        return self._writer.submit(lambda c: contents.hold(c, pseudonym, None, until))

    def erase(self, name: str, stand_in: str, now: float) -> Future[int]:
        """Delete the answers of a rater and what the rater is known by; how many there were (-1: unknown)."""
        return self._writer.submit(lambda c: contents.erase(c, name, stand_in, now))

    def reset(self) -> Future[None]:
        """Forget every answer: for a copy that nobody's work depends on."""
        return self._writer.submit(contents.reset)

    # --- the work ---

    def show(self, assignment_id: int, position: int, now: float) -> Future[None]:
        """The page was shown (again): the time of this place counts from here, and its clip may be played
        anew.
        """
        return self._writer.submit(lambda c: answers.see(c, assignment_id, position, "shown", now))

    def played(
        self, assignment_id: int, position: int, what: Literal["play", "ended"], now: float
    ) -> Future[None]:
        return self._writer.submit(lambda c: answers.see(c, assignment_id, position, what, now))

    def answer(self, request: Answer) -> Future[Outcome]:
        return self._writer.answer(request)

    def skip(self, request: Answer, most: int) -> Future[Outcome]:
        """The clip of this place does not play; at most so many times per assignment."""
        return self._writer.submit(lambda c: answers.skip(c, request, most))

    def pass_over(self, request: Answer) -> Future[Outcome]:
        """The item of this place was withdrawn."""
        return self._writer.submit(lambda c: answers.pass_over(c, request))

    def correct(self, request: Answer, window: float) -> Future[Outcome]:
        """Another answer in the place of the latest one, within so many seconds."""
        return self._writer.submit(lambda c: answers.correct(c, request, window))

    def last_answer(self, assignment_id: int) -> LastAnswer | None:
        return self._read(lambda c: answers.last_answer(c, assignment_id))

    def use_code(self, code: str, now: float) -> Future[dict[str, Any] | None]:
        """Who earned a completion code; from now on it counts as used."""
        return self._writer.submit(lambda c: contents.use_code(c, code, now))

    # --- what came of it ---

    def counts(self) -> dict[str, int]:
        return self._read(contents.counts)

    def raters(self) -> list[dict[str, Any]]:
        return self._read(contents.raters)

    def people(self) -> int:
        """How many raters the campaign has or had, with those who were erased or have not come."""
        return self._read(
            lambda c: int(c.execute(sa.select(sa.func.count()).select_from(rater)).scalar_one())
        )

    def skipped(self) -> dict[str, int]:
        """How often raters reported that a clip did not play, by its file."""
        return self._read(contents.skipped)

    def stored(self, assignment_id: int, position: int) -> str | None:
        query = sa.select(rating.c.answer).where(
            rating.c.assignment == assignment_id, rating.c.position == position
        )
        return self._read(lambda c: c.execute(query).scalar())

    def answers(self) -> list[Any]:
        """Every answer that counts (no practice), with its assignment and rater, in the order of the work."""
        query = (
            sa.select(rating, *worked_by, rater.c.held_reason)
            .add_columns(*(assignment.c[name] for name in ("hit", "places", "state", "code", "wording")))
            .add_columns(
                sa.select(sa.func.count())
                .where(
                    correction.c.assignment == rating.c.assignment, correction.c.position == rating.c.position
                )
                .scalar_subquery()
                .label("corrections")
            )
            .select_from(work.join(rating, assignment.c.id == rating.c.assignment))
            .where(rating.c.position >= 0)
            .order_by(rating.c.assignment, rating.c.position)
        )
        return self._read(lambda c: list(c.execute(query)))


def _places(connection: sa.Connection, hit: str) -> list[Place]:
    clips = {}
    rows = connection.execute(
        sa.select(slot.c.media, slot.c.payload).where(slot.c.hit == hit).order_by(slot.c.position)
    ).all()
    wanted = {number for row in rows for number in msgspec.json.decode(row.media)}
    if wanted:
        query = sa.select(clip).where(clip.c.id.in_(wanted))
        clips = {
            row.id: Media(row.path, row.mime, row.seconds, row.bytes) for row in connection.execute(query)
        }
    return [
        Place(tuple(clips[n] for n in msgspec.json.decode(row.media)), msgspec.json.decode(row.payload))
        for row in rows
    ]


class LruCache(Generic[K, V]):
    """At most `most` values; the one that was not asked for longest goes first.

    >>> known = LruCache(2)
    >>> known.put("a", 1), known.put("b", 2), known.get("a"), known.put("c", 3)
    (1, 2, 1, 3)
    >>> known.get("a"), known.get("b")
    (1, None)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        value = self._known.get(key)
        if value is not None:
            try:
                self._known.move_to_end(key)
            except KeyError:  # another thread has just let it go
                return value
        return value

    def put(self, key: K, value: V) -> V:
        self._known[key] = value
        while len(self._known) > self._most:
            self._known.popitem(last=False)
        return value

    def forget(self, key: K) -> None:
        self._known.pop(key, None)
