"""Counts of work done, for `status` and the dashboard."""

from typing import Any

import msgspec
import sqlalchemy as sa

from .seats import answered
from .tables import SKIPPED, assignment, clip, rater, rating, seat, slot


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
    # who has not answered yet holds no seat
    held = sa.select(sa.func.count()).where(assignment.c.state == "active", answered(assignment.c.id))
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
