"""Assigns HITs to raters: tickets (a rater's links), seats (one rater's work on one HIT) and leases (a seat
without answers expires).

A seat is held from the first answer on, which needs a watched clip. Before it, a rater has a seat alone only
as long as there are others for those who come: then the one that was given out longest ago and has no answer
is given to the next rater, too, and belongs to whoever answers first. So workers who do not exist, or only
click, keep nobody out, however many they are.

Every function runs inside the caller's transaction. A seat names the one assignment that holds it, so two
raters can never have the same one; on PostgreSQL its row is locked while it is given away, and so is the
rater's while work is claimed. Where two servers meet all the same, unique indexes decide."""

from collections.abc import Callable, Container, Sequence
from typing import Any, Literal, NamedTuple

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from .engines import SessionTakenError
from .tables import (
    SKIPPED,
    WITHDRAWN,
    assignment,
    rater,
    rating,
    seat,
    setting,
    ticket,
    viewing,
    work,
    worked_by,
)

#: seconds after an answer in which nobody else gets the seat, where the campaign states no others
LEASE = 7200.0
#: seconds that a seat is kept before its first answer: who does not begin does not keep others out
FIRST_LEASE = 180.0
Stage = Literal["welcome", "working", "done", "expired", "wait", "none_left", "paused", "closed", "held"]


class Visitor(NamedTuple):
    """Who comes: the platform's ids, the fingerprint of the token, and where the work is handed in."""

    platform: str
    external: str
    session: str
    mark: str
    pseudonym: str
    submit_to: str = ""


class Terms(NamedTuple):
    """On what terms work is given out; times are in seconds."""

    size: int
    practice: int = 0
    hits_per_rater: int = 1
    lease: float = LEASE
    #: how long a seat is kept before the first answer
    first_lease: float = FIRST_LEASE
    #: the order in which the rater with this ticket sees the places of this HIT; none: that of the HIT
    order: Callable[[int, str], Sequence[int] | None] = lambda ticket_id, hit: None
    #: the version of consent and instructions that a rater agrees to
    wording: str | None = None


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


def enter(connection: sa.Connection, who: Visitor, now: float) -> int:
    """The ticket of this visit, made at the first visit; two visits at once get the same."""
    found = connection.execute(sa.select(ticket.c.id).where(ticket.c.fingerprint == who.mark)).scalar()
    if found is not None:
        return int(found)
    if who.session:
        owner = connection.execute(
            sa.select(rater.c.external)
            .join(ticket, ticket.c.rater == rater.c.id)
            .where(ticket.c.session == who.session)
        ).scalar()
        if owner is not None and owner != who.external:
            raise SessionTakenError(
                "This session belongs to another rater.", hint="Open the task again from the platform."
            )
    names = {"platform": who.platform, "external": who.external, "pseudonym": who.pseudonym}
    connection.execute(
        _insert_for(connection, rater).values(**names, created_at=now).on_conflict_do_nothing()
    )
    person = connection.execute(
        sa.select(rater.c.id).where(rater.c.platform == who.platform, rater.c.external == who.external)
    ).scalar_one()
    visit = {"fingerprint": who.mark, "rater": person, "session": who.session, "submit_to": who.submit_to}
    return _insert(connection, ticket, **visit)


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


def claim(connection: sa.Connection, ticket_id: int, terms: Terms, now: float) -> RaterProgress | None:
    """Give this ticket work: what it has already, its own seat again if that is still free, or the next free
    seat.
    """
    if connection.dialect.name == "postgresql":  # one claim of a rater at a time, whichever server it came to
        mine = sa.select(ticket.c.rater).where(ticket.c.id == ticket_id).scalar_subquery()
        connection.execute(sa.select(rater.c.id).where(rater.c.id == mine).with_for_update())
    here = progress_of(connection, ticket_id, terms.hits_per_rater)
    if (
        here is None
        or here.stage in ("working", "closed", "paused", "held")
        or (here.stage == "done" and not here.more)
    ):
        return here
    if get_setting(connection, "state") != "open" and here.stage != "expired":
        return here
    connection.execute(
        sa.update(ticket)
        .where(ticket.c.id == ticket_id, ticket.c.consented_at.is_(None))
        .values(consented_at=now)
    )
    if _pilot_is_full(connection, here.rater) and not (
        expire(connection, now) and not _pilot_is_full(connection, here.rater)
    ):
        return here._replace(stage="paused")
    turn = _turn(connection, here.rater, terms.hits_per_rater)
    if turn is None:
        return here._replace(stage="none_left")
    if here.stage == "expired" and _revive(connection, here.assignment, turn, now + terms.lease):
        return here._replace(stage="working")
    place = _free(connection, here.rater, lock=True)
    if place is None and expire(connection, now):
        place = _free(connection, here.rater, lock=True)
    if place is None and _free(connection, here.rater, lock=False) is None:
        place = _unheld(connection, here.rater)
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
    number = _insert(
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
    """Take back the seats whose lease has run out; the partial work stays."""
    late = sa.update(assignment).where(assignment.c.leased_until < now, assignment.c.state == "active")
    gone = (
        connection.execute(late.values(state="expired", turn=None).returning(assignment.c.id)).scalars().all()
    )
    if gone:
        connection.execute(sa.update(seat).where(seat.c.assignment.in_(gone)).values(assignment=None))
    return len(gone)


def use_code(connection: sa.Connection, code: str, now: float) -> dict[str, Any] | None:
    """Who earned this completion code; the first time it is asked for, it counts as used."""
    row = connection.execute(
        sa.select(*(assignment.c[name] for name in ("id", "hit", "finished_at", "code_used_at")), *worked_by)
        .select_from(work)
        .where(assignment.c.code == code)
    ).one_or_none()
    if row is None:
        return None
    if row.code_used_at is None:
        connection.execute(sa.update(assignment).where(assignment.c.id == row.id).values(code_used_at=now))
    return dict(row._mapping)


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
    taken = sa.select(sa.func.count(assignment.c.rater.distinct())).where(
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


def _unheld(connection: sa.Connection, rater_id: int) -> Any:
    """A seat that was given out, longest ago, to somebody who has not answered yet."""
    mine = sa.select(assignment.c.hit).where(assignment.c.rater == rater_id)
    query = (
        sa.select(seat.c.id, seat.c.hit, seat.c.assignment)
        .join(assignment, assignment.c.id == seat.c.assignment)
        .where(assignment.c.state == "active", seat.c.hit.not_in(mine), ~answered(assignment.c.id))
        .order_by(assignment.c.leased_until, seat.c.id)
        .limit(1)
    )
    if connection.dialect.name == "postgresql":
        query = query.with_for_update(of=assignment, skip_locked=True)
    found = connection.execute(query).one_or_none()
    if found is None or connection.execute(sa.select(answered(found.assignment))).scalar():
        return None  # PostgreSQL: answered on another server while the row was being locked
    return found


def answered(assignment_id: Any) -> Any:
    """Whether an assignment has an answer, of practice or not; a report of a broken clip is none."""
    return sa.exists().where(
        rating.c.assignment == assignment_id, rating.c.answer.not_in((SKIPPED, WITHDRAWN))
    )


def keep(connection: sa.Connection, row: Any, rivals: Container[int]) -> bool:
    """Make the seat of this assignment its own, now that it has an answer. False if it belongs to another who
    has answered (or is among the `rivals`, whose answers are about to be stored): then the work is over.
    """
    holder = connection.execute(sa.select(seat.c.assignment).where(seat.c.id == row.seat)).scalar()
    if holder == row.id:
        return True
    if holder is not None:
        query = sa.select(assignment.c.state).where(assignment.c.id == holder)
        if connection.dialect.name == "postgresql":
            query = query.with_for_update()
        state = connection.execute(query).scalar()
        free = state == "active" and holder not in rivals
        free = free and not connection.execute(sa.select(answered(holder))).scalar()
        loser = holder if free else row.id
        connection.execute(
            sa.update(assignment).where(assignment.c.id == loser).values(state="expired", turn=None)
        )
        if not free:
            return False
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


def _insert(connection: sa.Connection, table: sa.Table, **values: Any) -> int:
    key = connection.execute(sa.insert(table).values(**values)).inserted_primary_key
    return int(key[0]) if key else 0


def _insert_for(connection: sa.Connection, table: sa.Table) -> Any:
    """An insert that may say what happens on a conflict."""
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)


def see(
    connection: sa.Connection,
    assignment_id: int,
    position: int,
    what: Literal["shown", "play", "ended"],
    now: float,
) -> None:
    """What happened at a place. Of showings the last one counts; of starts and ends of its clip the first,
    unless it lies in the future: then a clock was set back.
    """
    column = f"{what}_at"
    insert = _insert_for(connection, viewing)
    statement = insert.values(assignment=assignment_id, position=position, **{column: now})
    old, new = viewing.c[column], statement.excluded[column]
    value = new if what == "shown" else sa.case((old <= new, old), else_=new)
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=[viewing.c.assignment, viewing.c.position], set_={column: value}
        )
    )
