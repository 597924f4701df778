"""The contents of a campaign: put in when it is new, more of it later, while raters are at work, and raters
put on hold or erased."""

import operator
import secrets
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from ...errors import DataError
from .seats import Visitor, enter, get_setting
from .tables import NOTHING, assignment, clip, correction, rater, rating, seat, setting, slot, ticket, viewing


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
