"""What a campaign's database holds beside the work: contents, put in when the campaign is new, more of them
while raters are at work; its raters, who come, are held, hand in their codes, are erased; and how much of the
work is done, for `status` and the dashboard."""

import operator
import secrets
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa

from ...errors import DataError
from .engines import SessionTakenError
from .seats import answered, get_setting, insert, insert_for
from .tables import (
    NOTHING,
    SKIPPED,
    assignment,
    clip,
    correction,
    rater,
    rating,
    seat,
    setting,
    slot,
    ticket,
    viewing,
    work,
    worked_by,
)


class Visitor(NamedTuple):
    """Who comes: the platform's ids, the fingerprint of the token, and where the work is handed in."""

    platform: str
    external: str
    session: str
    mark: str
    pseudonym: str
    submit_to: str = ""


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
    connection.execute(insert_for(connection, rater).values(**names, created_at=now).on_conflict_do_nothing())
    person = connection.execute(
        sa.select(rater.c.id).where(rater.c.platform == who.platform, rater.c.external == who.external)
    ).scalar_one()
    visit = {"fingerprint": who.mark, "rater": person, "session": who.session, "submit_to": who.submit_to}
    return insert(connection, ticket, **visit)


class Content(NamedTuple):
    """Clips (any with path, mime, seconds and bytes), places, HITs and the raters that each HIT gets, and who
    has a personal link.
    """

    clips: Sequence[Any] = ()
    slots: Sequence[dict[str, Any]] = ()
    hits: Sequence[str] = ()
    raters_per_hit: int = 1
    visitors: Sequence[Visitor] = ()


def fill(connection: sa.Connection, campaign_id: str, content: Content, now: float) -> None:
    """Put a new campaign into an empty database."""
    taken = get_setting(connection, "campaign")
    if taken is not None:
        raise DataError(
            f"The database already holds the campaign {taken}.",
            hint="Give each campaign a separate database (--db).",
        )
    connection.execute(
        sa.insert(setting),
        [{"name": "campaign", "value": campaign_id}, {"name": "state", "value": "open"}],
    )
    _put(connection, content, now)


def extend(
    connection: sa.Connection, more: Content, withdrawn: Sequence[tuple[str, int]], now: float
) -> None:
    """Put more into a campaign, and show nothing at the withdrawn places any more. Clips are numbered on, as
    the media of the places are; HITs that are there get seats until each has `raters_per_hit`.
    """
    _put(connection, more, now)
    empty = sa.update(slot).where(slot.c.hit == sa.bindparam("in_hit"), slot.c.position == sa.bindparam("at"))
    if withdrawn:
        rows = [{"in_hit": hit, "at": at} for hit, at in withdrawn]
        connection.execute(empty.values(media="[]", payload=NOTHING), rows)
    note(connection, "revision", str(int(get_setting(connection, "revision") or 0) + 1))


def note(connection: sa.Connection, name: str, value: str | None) -> None:
    """Set a value, or take it away."""
    connection.execute(sa.delete(setting).where(setting.c.name == name))
    if value is not None:
        connection.execute(sa.insert(setting).values(name=name, value=value))


def _put(connection: sa.Connection, content: Content, now: float) -> None:
    if content.clips:
        first = (connection.execute(sa.select(sa.func.max(clip.c.id))).scalar() or 0) + 1
        rows = [{"id": n, **one._asdict()} for n, one in enumerate(content.clips, first)]
        connection.execute(sa.insert(clip), rows)
    if content.slots:
        _insert_all(connection, slot, list(content.slots))
    have = Counter(connection.execute(sa.select(seat.c.hit)).scalars())
    hits = sorted({*have, *content.hits})
    # every HIT gets its first rater before any gets its second
    wanted = [
        {"hit": hit} for turn in range(1, content.raters_per_hit + 1) for hit in hits if have[hit] < turn
    ]
    if wanted:
        connection.execute(sa.insert(seat), wanted)
    for who in content.visitors:
        enter(connection, who, now)


def _insert_all(connection: sa.Connection, table: sa.Table, rows: list[dict[str, Any]]) -> None:
    """Many plain rows, by the driver's own way: a fraction of the work where there are 100,000 of them."""
    names = list(rows[0])
    values = map(operator.itemgetter(*names), rows)
    columns = ", ".join(names)
    if connection.dialect.name == "postgresql":
        driver: Any = connection.connection
        with driver.cursor() as cursor, cursor.copy(f"COPY {table.name} ({columns}) FROM STDIN") as copy:
            for row in values:
                copy.write_row(row)
    else:
        marks = ", ".join("?" * len(names))
        statement = f"INSERT INTO {table.name} ({columns}) VALUES ({marks})"  # noqa: S608 (our own names)
        connection.exec_driver_sql(statement, list(values))


def reset(connection: sa.Connection) -> None:
    """No answers, no work, every seat free and the campaign open."""
    connection.execute(sa.update(seat).values(assignment=None))
    for table in (rating, viewing, correction, assignment):
        connection.execute(sa.delete(table))
    connection.execute(sa.update(setting).where(setting.c.name == "state").values(value="open"))


def hold(connection: sa.Connection, pseudonym: str, reason: str | None, at: float) -> bool:
    """No more work for this rater from `at` on; seats and answers stay as they are. Without a reason the
    rater is released, and has until `at` for the work at hand.
    """
    held = reason is not None
    person = connection.execute(
        sa.update(rater)
        .where(rater.c.pseudonym == pseudonym)
        .values(held_at=at if held else None, held_reason=reason)
        .returning(rater.c.id)
    ).scalar()
    if person is not None:
        theirs = sa.update(assignment).where(assignment.c.rater == person)
        if held:
            change = theirs.where(assignment.c.state == "active").values(state="held")
        else:
            change = theirs.where(assignment.c.state == "held").values(state="active", leased_until=at)
        connection.execute(change)
    return person is not None


def erase(connection: sa.Connection, name: str, stand_in: str, now: float) -> int:
    """Delete what a rater (pseudonym, or id on the platform) answered and is known by; how many answers there
    were, or -1 where nobody has that name. The seats become free; what was finished stays counted as paid."""
    who = sa.or_(rater.c.pseudonym == name, rater.c.external == name)
    person = connection.execute(sa.select(rater.c.id).where(who)).scalar()
    if person is None:
        return -1
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete = ON")  # nothing stays readable in the file
    theirs = sa.select(assignment.c.id).where(assignment.c.rater == person)
    count = connection.execute(sa.delete(rating).where(rating.c.assignment.in_(theirs))).rowcount
    for table in (viewing, correction):
        connection.execute(sa.delete(table).where(table.c.assignment.in_(theirs)))
    connection.execute(sa.update(seat).where(seat.c.assignment.in_(theirs)).values(assignment=None))
    nothing = {"turn": None, "code": None, "code_used_at": None, "places": None}
    connection.execute(
        sa.update(assignment).where(assignment.c.rater == person).values(state="erased", **nothing)
    )
    for row in connection.execute(sa.select(ticket.c.id).where(ticket.c.rater == person)).all():
        blank = {"fingerprint": secrets.token_hex(32), "session": "", "submit_to": ""}
        connection.execute(sa.update(ticket).where(ticket.c.id == row.id).values(**blank))
    connection.execute(
        sa.update(rater)
        .where(rater.c.id == person)
        .values(external=stand_in, pseudonym=stand_in, held_at=now, held_reason="erased")
    )
    return count


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


def counts(connection: sa.Connection) -> dict[str, int]:
    states = {
        row.state: row[1]
        for row in connection.execute(
            sa.select(assignment.c.state, sa.func.count()).group_by(assignment.c.state)
        )
    }
    # work that a rater had finished before being erased was paid
    gone = sa.select(sa.func.count()).where(
        assignment.c.state == "erased", assignment.c.finished_at.is_not(None)
    )
    erased = sa.select(sa.func.count()).where(rater.c.external.startswith("erased-"))
    given = sa.select(sa.func.count()).select_from(rating).where(rating.c.position >= 0)
    # who has not answered yet holds no seat, and two who share one hold one
    held = sa.select(sa.func.count(assignment.c.seat.distinct()))
    held = held.where(assignment.c.state == "active", answered(assignment.c.id))
    return {
        "seats": connection.execute(sa.select(sa.func.count()).select_from(seat)).scalar_one(),
        "ratings": connection.execute(given).scalar_one(),
        "paid": states.get("done", 0) + connection.execute(gone).scalar_one(),
        "erased": connection.execute(erased).scalar_one(),
        **{state: states.get(state, 0) for state in ("done", "expired", "held")},
        "active": connection.execute(held).scalar_one(),
    }


def raters(connection: sa.Connection) -> list[dict[str, Any]]:
    """Raters who have begun, with the states of their assignments and the time of their last answer."""
    who = (rater.c.pseudonym, rater.c.held_reason)
    what = (assignment.c.id, assignment.c.state, assignment.c.started_at)
    rows = connection.execute(
        sa.select(*who, *what, sa.func.max(rating.c.received_at).label("last"))
        .join(assignment, assignment.c.rater == rater.c.id)
        .outerjoin(rating, rating.c.assignment == assignment.c.id)
        .where(assignment.c.state != "erased")
        .group_by(*who, *what)
        .order_by(assignment.c.id)
    )
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        one = found.setdefault(
            row.pseudonym,
            {
                "id": row.pseudonym,
                "done": 0,
                "active": 0,
                "expired": 0,
                "held": 0,
                "last": 0.0,
                "reason": row.held_reason,
            },
        )
        one[row.state] += 1
        one["last"] = max(one["last"], row.last or row.started_at)
    return list(found.values())


def skipped(connection: sa.Connection) -> dict[str, int]:
    """How often raters reported that a clip did not play, by its file."""
    rows = connection.execute(
        sa.select(assignment.c.hit, assignment.c.places, rating.c.position)
        .join(assignment, assignment.c.id == rating.c.assignment)
        .where(rating.c.answer == SKIPPED)
    ).all()
    if not rows:
        return {}
    names = {row.id: row.path for row in connection.execute(sa.select(clip.c.id, clip.c.path))}
    found: dict[str, int] = {}
    for row in rows:
        practice = row.position < 0
        places = msgspec.json.decode(row.places) if row.places and not practice else None
        where = slot.c.hit == ("" if practice else row.hit)
        place = places[row.position] if places else row.position
        media = connection.execute(sa.select(slot.c.media).where(where, slot.c.position == place)).scalar()
        for number in msgspec.json.decode(media or "[]"):
            found[names[number]] = found.get(names[number], 0) + 1
    return found
