"""The first form of the database."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "clip",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("mime", sa.String(length=60), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_clip")),
    )
    op.create_table(
        "rater",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("platform", sa.String(length=20), nullable=False),
        sa.Column("external", sa.String(length=200), nullable=False),
        sa.Column("pseudonym", sa.String(length=40), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rater")),
        sa.UniqueConstraint("platform", "external", name=op.f("uq_rater_platform")),
        sa.UniqueConstraint("pseudonym", name=op.f("uq_rater_pseudonym")),
    )
    op.create_table(
        "seat",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("hit", sa.String(length=20), nullable=False),
        sa.Column("assignment", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_seat")),
        sa.UniqueConstraint("assignment", name=op.f("uq_seat_assignment")),
    )
    op.create_index(
        "ix_seat_free",
        "seat",
        ["id"],
        unique=False,
        sqlite_where=sa.text("assignment IS NULL"),
        postgresql_where=sa.text("assignment IS NULL"),
    )
    op.create_table(
        "setting",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_setting")),
    )
    op.create_table(
        "slot",
        sa.Column("hit", sa.String(length=20), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("media", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("hit", "position", name=op.f("pk_slot")),
    )
    op.create_table(
        "ticket",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("rater", sa.Integer(), nullable=False),
        sa.Column("session", sa.String(length=200), nullable=False),
        sa.Column("submit_to", sa.String(length=200), nullable=False),
        sa.Column("consented_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["rater"], ["rater.id"], name=op.f("fk_ticket_rater_rater")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ticket")),
        sa.UniqueConstraint("fingerprint", name=op.f("uq_ticket_fingerprint")),
    )
    op.create_table(
        "assignment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("ticket", sa.Integer(), nullable=False),
        sa.Column("rater", sa.Integer(), nullable=False),
        sa.Column("hit", sa.String(length=20), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.Double(), nullable=False),
        sa.Column("leased_until", sa.Double(), nullable=False),
        sa.Column("finished_at", sa.Double(), nullable=True),
        sa.Column("code", sa.String(length=20), nullable=True),
        sa.Column("code_used_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["rater"], ["rater.id"], name=op.f("fk_assignment_rater_rater")),
        sa.ForeignKeyConstraint(["seat"], ["seat.id"], name=op.f("fk_assignment_seat_seat")),
        sa.ForeignKeyConstraint(["ticket"], ["ticket.id"], name=op.f("fk_assignment_ticket_ticket")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment")),
        sa.UniqueConstraint("code", name=op.f("uq_assignment_code")),
        sa.UniqueConstraint("rater", "hit", name=op.f("uq_assignment_rater")),
    )
    op.create_index(op.f("ix_assignment_leased_until"), "assignment", ["leased_until"], unique=False)
    op.create_index(op.f("ix_assignment_ticket"), "assignment", ["ticket"], unique=False)
    op.create_table(
        "rating",
        sa.Column("assignment", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("shown_at", sa.Double(), nullable=False),
        sa.Column("play_at", sa.Double(), nullable=True),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.Column("received_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment"], ["assignment.id"], name=op.f("fk_rating_assignment_assignment")
        ),
        sa.PrimaryKeyConstraint("assignment", "position", name=op.f("pk_rating")),
    )
    op.create_table(
        "viewing",
        sa.Column("assignment", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("shown_at", sa.Double(), nullable=True),
        sa.Column("play_at", sa.Double(), nullable=True),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["assignment"], ["assignment.id"], name=op.f("fk_viewing_assignment_assignment")
        ),
        sa.PrimaryKeyConstraint("assignment", "position", name=op.f("pk_viewing")),
    )


def downgrade() -> None:
    for name in ("viewing", "rating", "assignment", "ticket", "slot", "setting", "seat", "rater", "clip"):
        op.drop_table(name)
