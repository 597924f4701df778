"""The database itself decides how many seats a rater has; orders per rater; raters on hold."""

from collections import Counter

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("rater", sa.Column("held_at", sa.Double(), nullable=True))
    op.add_column("rater", sa.Column("held_reason", sa.Text(), nullable=True))
    op.add_column("assignment", sa.Column("turn", sa.Integer(), nullable=True))
    op.add_column("assignment", sa.Column("places", sa.Text(), nullable=True))
    connection = op.get_bind()
    _number_turns(connection)
    _one_rater_per_session(connection)
    # a link that two servers gave two seats keeps the newer one
    connection.execute(
        sa.text(
            "UPDATE assignment SET state = 'expired', turn = NULL WHERE state = 'active' AND id NOT IN"
            " (SELECT MAX(id) FROM assignment WHERE state = 'active' GROUP BY ticket)"
        )
    )
    connection.execute(
        sa.text(
            "UPDATE seat SET assignment = NULL WHERE assignment IN"
            " (SELECT id FROM assignment WHERE state = 'expired')"
        )
    )
    op.create_index("uq_assignment_turn", "assignment", ["rater", "turn"], unique=True)
    active, session = sa.text("state = 'active'"), sa.text("session <> ''")
    op.create_index(
        "uq_assignment_active",
        "assignment",
        ["ticket"],
        unique=True,
        sqlite_where=active,
        postgresql_where=active,
    )
    op.create_index(
        "uq_ticket_session",
        "ticket",
        ["session"],
        unique=True,
        sqlite_where=session,
        postgresql_where=session,
    )


def _number_turns(connection: sa.Connection) -> None:
    turns: Counter[int] = Counter()
    found = "SELECT id, rater FROM assignment WHERE state IN ('active', 'done') ORDER BY id"
    for row in connection.execute(sa.text(found)).all():
        turns[row.rater] += 1
        connection.execute(
            sa.text("UPDATE assignment SET turn = :turn WHERE id = :id"),
            {"turn": turns[row.rater], "id": row.id},
        )


def _one_rater_per_session(connection: sa.Connection) -> None:
    """A session id that came with several raters stays with the first; the others' get a mark."""
    seen: set[str] = set()
    found = "SELECT id, session FROM ticket WHERE session <> '' ORDER BY id"
    for row in connection.execute(sa.text(found)).all():
        if row.session in seen:
            connection.execute(
                sa.text("UPDATE ticket SET session = :name WHERE id = :id"),
                {"name": f"{row.session}#{row.id}", "id": row.id},
            )
        seen.add(row.session)
