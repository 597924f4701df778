"""A rater who withdraws, and copies in which nobody has worked yet."""

from __future__ import annotations

import secrets

import sqlalchemy as sa

from .tables import assignment, correction, rater, rating, seat, setting, ticket, viewing


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
