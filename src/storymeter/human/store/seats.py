"""Assigns HITs to raters: tickets (a rater's links), seats (one rater's work on one HIT) and leases (a seat
without answers expires).

A seat is held from the answer on that proves its rater (`Terms.proof`), and answers need watched clips: the
first one where we or the platform signed who the rater is, the fifth where anybody can invent raters.
Before it, a rater has a seat alone only as long as there are others for those who come. Raters who are not
proven share the rest: a newcomer gets the seat whose rater gave the last sign of life longest ago, too; both
go on, and whoever is proven first has it. So workers who do not exist, who only click, or who answer a clip
or three, keep nobody out, however many they are, and where there are as many seats as raters nobody shares
one. A worker who answers as fast and as long as a person is none of these: only a signature tells them apart.

Every function runs inside the caller's transaction. A seat names the one assignment that holds it, so two
raters can never have the same one; on PostgreSQL its row is locked while it is given away, and so is the
rater's while work is claimed. Where two servers meet all the same, unique indexes decide."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from .tables import SKIPPED, WITHDRAWN, assignment, rater, rating, seat, setting, ticket

#: seconds after an answer in which nobody else gets the seat, where the campaign states no others
LEASE = 7200.0
#: seconds that a seat is kept before its first answer: who does not begin does not keep others out
FIRST_LEASE = 180.0
#: the answers that prove a rater where anybody can invent raters (`bench/human_seats.py` tries others)
PROOF = 5
Stage = Literal["welcome", "working", "done", "expired", "wait", "none_left", "paused", "closed", "held"]


class Terms(NamedTuple):
    """On what terms work is given out; times are in seconds."""

    size: int
    practice: int = 0
    hits_per_rater: int = 1
    lease: float = LEASE
    #: how long a seat is kept before the first answer
    first_lease: float = FIRST_LEASE
    #: how many answers prove a rater, who has the seat alone from then on
    proof: int = 1
    #: the order in which the rater with this ticket sees the places of this HIT; none: that of the HIT
    order: Callable[[int, str], Sequence[int] | None] = lambda ticket_id, hit: None
    #: the version of consent and instructions that a rater agrees to
    wording: str | None = None

    def unsigned(self) -> "Terms":
        """The same where anybody can invent raters."""
        return self._replace(proof=PROOF)

    def lease_after(self, answers: int) -> float:
        """How many seconds a seat is kept after so many answers. Where anybody can invent raters each answer
        adds as much as there is before the first one: what keeps seats out of reach costs work in proportion.
        """
        return self.lease if self.proof == 1 else min(self.lease, self.first_lease * (1 + answers))


class RaterProgress(NamedTuple):
    """How far a rater is. `position` is the next place to be answered."""

    stage: Stage
    ticket: int
    rater: int
    assignment: int = 0
    hit: str = ""
    first: int = 0
    size: int = 0
    position: int = 0
    code: str = ""
    #: the rater may take another HIT
    more: bool = False
    #: the places of the HIT in this rater's order
    places: tuple[int, ...] | None = None

    def place(self, position: int) -> int:
        """Where in the HIT (below 0: among the practice items) the item at this position stands."""
        return position if position < 0 or self.places is None else self.places[position]


def progress_of(connection: sa.Connection, ticket_id: int, hits_per_rater: int) -> RaterProgress | None:
    owner = connection.execute(
        sa.select(ticket.c.rater, rater.c.held_at)
        .join(rater, rater.c.id == ticket.c.rater)
        .where(ticket.c.id == ticket_id)
    ).one_or_none()
    if owner is None:
        return None
    state = get_setting(connection, "state")
    row = connection.execute(
        sa.select(assignment)
        .where(assignment.c.ticket == ticket_id)
        .order_by(assignment.c.id.desc())
        .limit(1)
    ).one_or_none()
    if row is None:
        stage: Stage = "held" if owner.held_at is not None else "welcome" if state == "open" else state
        return RaterProgress(stage, ticket_id, owner.rater)
    last = connection.execute(
        sa.select(sa.func.max(rating.c.position)).where(rating.c.assignment == row.id)
    ).scalar()
    here = RaterProgress(
        "working",
        ticket_id,
        owner.rater,
        row.id,
        row.hit,
        row.first,
        row.size,
        row.first if last is None else last + 1,
        places=msgspec.json.decode(row.places, type=tuple[int, ...]) if row.places else None,
    )
    if row.state == "done":
        more = (
            state == "open"
            and owner.held_at is None
            and get_setting(connection, "pilot") is None
            and _turn(connection, owner.rater, hits_per_rater) is not None
            and bool(_free(connection, owner.rater, lock=False))
        )
        return here._replace(stage="done", code=row.code or "", more=more)
    if state == "closed":
        return here._replace(stage="closed")
    if owner.held_at is not None or row.state == "held":
        return here._replace(stage="held")
    return here if row.state == "active" else here._replace(stage="expired")


def claim(
    connection: sa.Connection, ticket_id: int, terms: Terms, now: float, agreed: bool = True
) -> RaterProgress | None:
    """Give this ticket work: what it has already, its own seat again if that is still free, or the next free
    seat; `agreed`: its rater consents now, else only who did so before gets any.
    """
    if connection.dialect.name == "postgresql":  # one claim of a rater at a time, whichever server it came to
        owner = sa.select(ticket.c.rater).where(ticket.c.id == ticket_id).scalar_subquery()
        connection.execute(sa.select(rater.c.id).where(rater.c.id == owner).with_for_update())
    here = progress_of(connection, ticket_id, terms.hits_per_rater)
    if (
        here is None
        or here.stage in ("working", "closed", "paused", "held")
        or (here.stage == "done" and not here.more)
    ):
        return here
    if get_setting(connection, "state") != "open" and here.stage != "expired":
        return here
    mine = ticket.c.id == ticket_id
    if connection.execute(sa.select(ticket.c.consented_at).where(mine)).scalar() is None:
        if not agreed:
            return here
        connection.execute(sa.update(ticket).where(mine).values(consented_at=now))
    full = _pilot_is_full(connection, here.rater) and not (
        expire(connection, now) and not _pilot_is_full(connection, here.rater)
    )
    if full and terms.proof == 1:
        return here._replace(stage="paused")
    turn = _turn(connection, here.rater, terms.hits_per_rater)
    if turn is None:
        return here._replace(stage="none_left")
    if full:  # nobody works on more seats, but invented workers must not fill a pilot
        place = _unproven(connection, here.rater, terms.proof)
        return (
            here._replace(stage="paused")
            if place is None
            else _seat(connection, here, place, turn, terms, now)
        )
    back = terms.lease if terms.proof == 1 else min(terms.lease, terms.first_lease)
    if here.stage == "expired" and _revive(connection, here.assignment, turn, now + back):
        return here._replace(stage="working")
    place = _free(connection, here.rater, lock=True)
    if place is None and expire(connection, now):
        place = _free(connection, here.rater, lock=True)
    if place is None and _free(connection, here.rater, lock=False) is None:
        place = _unproven(connection, here.rater, terms.proof)
    if place is None:
        return here._replace(stage="wait" if _hope(connection, here.rater) else "none_left")
    return _seat(connection, here, place, turn, terms, now)


def _seat(
    connection: sa.Connection, here: RaterProgress, place: Any, turn: int, terms: Terms, now: float
) -> RaterProgress:
    known = connection.execute(
        sa.select(sa.func.count()).select_from(assignment).where(assignment.c.rater == here.rater)
    ).scalar_one()
    first = 0 if known else -terms.practice
    order = terms.order(here.ticket, place.hit)
    number = insert(
        connection,
        assignment,
        ticket=here.ticket,
        rater=here.rater,
        hit=place.hit,
        seat=place.id,
        state="active",
        first=first,
        size=terms.size,
        started_at=now,
        leased_until=now + min(terms.lease, terms.first_lease),
        turn=turn,
        places=None if order is None else msgspec.json.encode(list(order)).decode(),
        wording=terms.wording,
    )
    connection.execute(sa.update(seat).where(seat.c.id == place.id).values(assignment=number))
    places = None if order is None else tuple(order)
    return RaterProgress(
        "working", here.ticket, here.rater, number, place.hit, first, terms.size, first, places=places
    )


def expire(connection: sa.Connection, now: float) -> int:
    """Take back the seats whose lease has run out; the partial work stays. A seat that others share goes to
    the one of them who has answered most."""
    late = sa.update(assignment).where(assignment.c.leased_until < now, assignment.c.state == "active")
    gone = (
        connection.execute(late.values(state="expired", turn=None).returning(assignment.c.id)).scalars().all()
    )
    if gone:
        left = sa.select(seat.c.id).where(seat.c.assignment.in_(gone))
        sharing = (
            sa.select(assignment.c.seat, assignment.c.id)
            .outerjoin(rating, rating.c.assignment == assignment.c.id)
            .where(assignment.c.state == "active", assignment.c.seat.in_(left))
            .group_by(assignment.c.seat, assignment.c.id)
            .order_by(sa.func.count(rating.c.position))
        )
        heirs = {row.seat: row.id for row in connection.execute(sharing)}
        connection.execute(sa.update(seat).where(seat.c.assignment.in_(gone)).values(assignment=None))
        for place, heir in heirs.items():
            connection.execute(sa.update(seat).where(seat.c.id == place).values(assignment=heir))
    return len(gone)


def get_setting(connection: sa.Connection, name: str) -> Any:
    """What the settings say, such as the campaign's state."""
    return connection.execute(sa.select(setting.c.value).where(setting.c.name == name)).scalar()


def _turn(connection: sa.Connection, rater_id: int, hits_per_rater: int) -> int | None:
    """The first of a rater's turns that is not taken; None where all are."""
    query = sa.select(assignment.c.turn).where(assignment.c.rater == rater_id, assignment.c.turn.is_not(None))
    taken = set(connection.execute(query).scalars())
    return next((turn for turn in range(1, hits_per_rater + 1) if turn not in taken), None)


def _pilot_is_full(connection: sa.Connection, rater_id: int) -> bool:
    """Whether a pilot is under way in which others have taken all places."""
    places = get_setting(connection, "pilot")
    if places is None:
        return False
    taken = sa.select(sa.func.count(assignment.c.seat.distinct())).where(
        assignment.c.state.in_(("active", "done", "held")), assignment.c.rater != rater_id
    )
    return bool(connection.execute(taken).scalar_one() >= int(places))


def _free(connection: sa.Connection, rater_id: int, *, lock: bool) -> Any:
    mine = sa.select(assignment.c.hit).where(assignment.c.rater == rater_id)
    query = sa.select(seat.c.id, seat.c.hit).where(seat.c.assignment.is_(None), seat.c.hit.not_in(mine))
    query = query.order_by(seat.c.id).limit(1)
    if lock and connection.dialect.name == "postgresql":
        query = query.with_for_update(skip_locked=True)
    return connection.execute(query).one_or_none()


def _unproven(connection: sa.Connection, rater_id: int, proof: int) -> Any:
    """A seat whose rater is not proven: the one whose rater gave the last sign of life longest ago."""
    mine = sa.select(assignment.c.hit).where(assignment.c.rater == rater_id)
    last = sa.select(sa.func.max(rating.c.received_at)).where(rating.c.assignment == assignment.c.id)
    query = (
        sa.select(seat.c.id, seat.c.hit, seat.c.assignment)
        .join(assignment, assignment.c.id == seat.c.assignment)
        .where(assignment.c.state == "active", seat.c.hit.not_in(mine))
        .where(~answered(assignment.c.id, proof))
        .order_by(sa.func.coalesce(last.scalar_subquery(), assignment.c.started_at), seat.c.id)
        .limit(1)
    )
    if connection.dialect.name == "postgresql":
        query = query.with_for_update(of=(seat, assignment), skip_locked=True)
    found = connection.execute(query).one_or_none()
    if found is None or connection.execute(sa.select(answered(found.assignment, proof))).scalar():
        return None  # PostgreSQL: answered on another server while the rows were being locked
    return found


def answered(assignment_id: Any, least: int = 1) -> Any:
    """Whether an assignment has so many answers, of practice or not; a report of a broken clip is none."""
    given = sa.select(rating.c.position).where(
        rating.c.assignment == assignment_id, rating.c.answer.not_in((SKIPPED, WITHDRAWN))
    )
    return given.offset(least - 1).limit(1).exists()


def keep(connection: sa.Connection, row: Any, proof: int, waiting: Mapping[int, int], done: bool) -> bool:
    """An answer of one who shares a seat, or did. False where the seat is another's, who was proven before:
    then the work is over. Whoever is proven by this answer, or `done` with it, has the seat.

    proof: answers that prove a rater.
    waiting: how many answers that are about to be stored each assignment has, with this one.
    """
    locked = connection.dialect.name == "postgresql"  # contests for one seat are decided one after another
    place = sa.select(seat.c.assignment).where(seat.c.id == row.seat)
    holder = connection.execute(place.with_for_update() if locked else place).scalar()
    if holder == row.id:
        return True

    def proven(number: int) -> bool:
        least = proof - waiting.get(number, 0)
        return least <= 0 or bool(connection.execute(sa.select(answered(number, least))).scalar())

    over = sa.update(assignment).values(state="expired", turn=None)
    if holder is not None:
        at = sa.select(assignment.c.state).where(assignment.c.id == holder)
        state = connection.execute(at.with_for_update() if locked else at).scalar()
        if state == "done" or proven(holder):
            connection.execute(over.where(assignment.c.id == row.id))
            return False
        if not done and not proven(row.id):
            return True
        connection.execute(over.where(assignment.c.id == holder, assignment.c.state == "active"))
    connection.execute(sa.update(seat).where(seat.c.id == row.seat).values(assignment=row.id))
    return True


def _hope(connection: sa.Connection, rater_id: int) -> bool:
    """Whether a seat that somebody has now could come free for this rater."""
    mine = sa.select(assignment.c.hit).where(assignment.c.rater == rater_id)
    lost = sa.select(assignment.c.seat).where(assignment.c.rater == rater_id, assignment.c.state == "expired")
    busy = sa.select(seat.c.id).join(assignment, assignment.c.id == seat.c.assignment)
    busy = busy.where(assignment.c.state == "active", sa.or_(seat.c.hit.not_in(mine), seat.c.id.in_(lost)))
    return connection.execute(busy.limit(1)).scalar() is not None


def _revive(connection: sa.Connection, assignment_id: int, turn: int, until: float) -> bool:
    mine = sa.select(assignment.c.seat).where(assignment.c.id == assignment_id).scalar_subquery()
    back = connection.execute(
        sa.update(seat).where(seat.c.id == mine, seat.c.assignment.is_(None)).values(assignment=assignment_id)
    ).rowcount
    if back:
        connection.execute(
            sa.update(assignment)
            .where(assignment.c.id == assignment_id)
            .values(state="active", leased_until=until, turn=turn)
        )
    return bool(back)


def insert(connection: sa.Connection, table: sa.Table, **values: Any) -> int:
    key = connection.execute(sa.insert(table).values(**values)).inserted_primary_key
    return int(key[0]) if key else 0


def insert_for(connection: sa.Connection, table: sa.Table) -> Any:
    """An insert that may say what happens on a conflict."""
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)
