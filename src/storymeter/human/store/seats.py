"""Who sits where: tickets (doors for raters), seats (one rater's work on one HIT) and leases (nobody holds a
seat for ever).

Every function runs inside the caller's transaction. A seat names the one assignment that holds it, so two
raters can never have the same one; on PostgreSQL the row is locked while it is given away."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from .tables import assignment, rater, rating, seat, setting, ticket, viewing

Stage = Literal["welcome", "working", "done", "expired", "none_left", "paused", "closed"]


class Standing(NamedTuple):
    """Where a rater stands. `position` is the next place to be answered."""

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


def enter(
    connection: sa.Connection,
    *,
    platform: str,
    external: str,
    session: str,
    mark: str,
    pseudonym: str,
    submit_to: str,
    now: float,
) -> int:
    """The ticket of this visit, made at the first visit. `mark` is the token's fingerprint."""
    found = connection.execute(sa.select(ticket.c.id).where(ticket.c.fingerprint == mark)).scalar()
    if found is not None:
        return int(found)
    person = connection.execute(
        sa.select(rater.c.id).where(rater.c.platform == platform, rater.c.external == external)
    ).scalar()
    if person is None:
        person = _insert(
            connection, rater, platform=platform, external=external, pseudonym=pseudonym, created_at=now
        )
    return _insert(connection, ticket, fingerprint=mark, rater=person, session=session, submit_to=submit_to)


def standing(connection: sa.Connection, ticket_id: int, hits_per_rater: int) -> Standing | None:
    door = connection.execute(
        sa.select(ticket.c.rater, ticket.c.consented_at).where(ticket.c.id == ticket_id)
    ).one_or_none()
    if door is None:
        return None
    state = _state(connection)
    row = connection.execute(
        sa.select(assignment)
        .where(assignment.c.ticket == ticket_id)
        .order_by(assignment.c.id.desc())
        .limit(1)
    ).one_or_none()
    if row is None:
        return Standing("welcome" if state == "open" else state, ticket_id, door.rater)
    last = connection.execute(
        sa.select(sa.func.max(rating.c.position)).where(rating.c.assignment == row.id)
    ).scalar()
    position = row.first if last is None else last + 1
    here = Standing("working", ticket_id, door.rater, row.id, row.hit, row.first, row.size, position)
    if row.state == "done":
        more = (
            state == "open"
            and _count(connection, door.rater) < hits_per_rater
            and bool(_free(connection, door.rater, lock=False))
        )
        return here._replace(stage="done", code=row.code or "", more=more)
    if state == "closed":
        return here._replace(stage="closed")
    return here if row.state == "active" else here._replace(stage="expired")


def claim(
    connection: sa.Connection,
    ticket_id: int,
    *,
    now: float,
    lease: float,
    size: int,
    practice: int,
    hits_per_rater: int,
) -> Standing | None:
    """Give this ticket work: what it has already, its own seat again if that is still free, or the next free
    seat.
    """
    here = standing(connection, ticket_id, hits_per_rater)
    if (
        here is None
        or here.stage in ("working", "closed", "paused")
        or (here.stage == "done" and not here.more)
    ):
        return here
    if _state(connection) != "open" and here.stage != "expired":
        return here
    connection.execute(
        sa.update(ticket)
        .where(ticket.c.id == ticket_id, ticket.c.consented_at.is_(None))
        .values(consented_at=now)
    )
    if here.stage == "expired" and _revive(connection, here.assignment, now + lease):
        return here._replace(stage="working")
    if _count(connection, here.rater) >= hits_per_rater:
        return here._replace(stage="none_left")
    place = _free(connection, here.rater, lock=True)
    if place is None and expire(connection, now):
        place = _free(connection, here.rater, lock=True)
    if place is None:
        return here._replace(stage="none_left")
    known = connection.execute(
        sa.select(sa.func.count()).select_from(assignment).where(assignment.c.rater == here.rater)
    ).scalar_one()
    first = 0 if known else -practice
    number = _insert(
        connection,
        assignment,
        ticket=ticket_id,
        rater=here.rater,
        hit=place.hit,
        seat=place.id,
        state="active",
        first=first,
        size=size,
        started_at=now,
        leased_until=now + lease,
    )
    connection.execute(sa.update(seat).where(seat.c.id == place.id).values(assignment=number))
    return Standing("working", ticket_id, here.rater, number, place.hit, first, size, first)


def expire(connection: sa.Connection, now: float) -> int:
    """Take back the seats whose lease has run out; the partial work stays."""
    gone = (
        connection.execute(
            sa.select(assignment.c.id).where(assignment.c.leased_until < now, assignment.c.state == "active")
        )
        .scalars()
        .all()
    )
    if gone:
        connection.execute(sa.update(assignment).where(assignment.c.id.in_(gone)).values(state="expired"))
        connection.execute(sa.update(seat).where(seat.c.assignment.in_(gone)).values(assignment=None))
    return len(gone)


def show(connection: sa.Connection, assignment_id: int, position: int, now: float) -> None:
    """The page was shown (again): the time of this place counts from here, and its clip may be played
    anew.
    """
    _upsert(connection, assignment_id, position, {"shown_at": now}, keep=False)


def played(
    connection: sa.Connection, assignment_id: int, position: int, what: Literal["play", "ended"], now: float
) -> None:
    """A play event. The first start and the first end count."""
    _upsert(
        connection, assignment_id, position, {"play_at" if what == "play" else "ended_at": now}, keep=True
    )


def use_code(connection: sa.Connection, code: str, now: float) -> dict[str, Any] | None:
    """Who earned this completion code; the first time it is asked for, it counts as used."""
    row = connection.execute(
        sa.select(
            assignment.c.id,
            assignment.c.hit,
            assignment.c.finished_at,
            assignment.c.code_used_at,
            rater.c.pseudonym,
            rater.c.platform,
            rater.c.external,
            ticket.c.session,
        )
        .join(rater, rater.c.id == assignment.c.rater)
        .join(ticket, ticket.c.id == assignment.c.ticket)
        .where(assignment.c.code == code)
    ).one_or_none()
    if row is None:
        return None
    if row.code_used_at is None:
        connection.execute(sa.update(assignment).where(assignment.c.id == row.id).values(code_used_at=now))
    return dict(row._mapping)


def _state(connection: sa.Connection) -> Any:
    return connection.execute(sa.select(setting.c.value).where(setting.c.name == "state")).scalar_one()


def _count(connection: sa.Connection, rater_id: int) -> int:
    """HITs that this rater has done or is doing."""
    query = (
        sa.select(sa.func.count())
        .select_from(assignment)
        .where(assignment.c.rater == rater_id, assignment.c.state.in_(("done", "active")))
    )
    return int(connection.execute(query).scalar_one())


def _free(connection: sa.Connection, rater_id: int, *, lock: bool) -> Any:
    mine = sa.select(assignment.c.hit).where(assignment.c.rater == rater_id)
    query = (
        sa.select(seat.c.id, seat.c.hit)
        .where(seat.c.assignment.is_(None), seat.c.hit.not_in(mine))
        .order_by(seat.c.id)
        .limit(1)
    )
    if lock and connection.dialect.name == "postgresql":
        query = query.with_for_update(skip_locked=True)
    return connection.execute(query).one_or_none()


def _revive(connection: sa.Connection, assignment_id: int, until: float) -> bool:
    mine = sa.select(assignment.c.seat).where(assignment.c.id == assignment_id).scalar_subquery()
    back = connection.execute(
        sa.update(seat).where(seat.c.id == mine, seat.c.assignment.is_(None)).values(assignment=assignment_id)
    ).rowcount
    if back:
        connection.execute(
            sa.update(assignment)
            .where(assignment.c.id == assignment_id)
            .values(state="active", leased_until=until)
        )
    return bool(back)


def _insert(connection: sa.Connection, table: sa.Table, **values: Any) -> int:
    key = connection.execute(sa.insert(table).values(**values)).inserted_primary_key
    return int(key[0]) if key else 0


def _upsert(
    connection: sa.Connection, assignment_id: int, position: int, values: dict[str, float], *, keep: bool
) -> None:
    build: Any = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    statement = build(viewing).values(assignment=assignment_id, position=position, **values)
    new = {
        name: (
            sa.func.coalesce(viewing.c[name], statement.excluded[name]) if keep else statement.excluded[name]
        )
        for name in values
    }
    connection.execute(
        statement.on_conflict_do_update(index_elements=[viewing.c.assignment, viewing.c.position], set_=new)
    )
