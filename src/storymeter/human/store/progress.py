"""How far the work has come: counts for `status` and the dashboard."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from .tables import assignment, rater, rating, seat


def counts(connection: sa.Connection) -> dict[str, int]:
    states = {
        row.state: row[1]
        for row in connection.execute(
            sa.select(assignment.c.state, sa.func.count()).group_by(assignment.c.state)
        )
    }
    return {
        "seats": connection.execute(sa.select(sa.func.count()).select_from(seat)).scalar_one(),
        "ratings": (
            connection.execute(
                sa.select(sa.func.count()).select_from(rating).where(rating.c.position >= 0)
            ).scalar_one()
        ),
        **{state: states.get(state, 0) for state in ("done", "active", "expired")},
    }


def raters(connection: sa.Connection) -> list[dict[str, Any]]:
    """Raters who have begun, with the states of their assignments and the time of their last answer."""
    rows = connection.execute(
        sa.select(
            rater.c.pseudonym,
            assignment.c.id,
            assignment.c.state,
            sa.func.max(rating.c.received_at).label("last"),
            assignment.c.started_at,
        )
        .join(assignment, assignment.c.rater == rater.c.id)
        .outerjoin(rating, rating.c.assignment == assignment.c.id)
        .group_by(rater.c.pseudonym, assignment.c.id, assignment.c.state, assignment.c.started_at)
        .order_by(assignment.c.id)
    )
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        one = found.setdefault(
            row.pseudonym, {"id": row.pseudonym, "done": 0, "active": 0, "expired": 0, "last": 0.0}
        )
        one[row.state] += 1
        one["last"] = max(one["last"], row.last or row.started_at)
    return list(found.values())
