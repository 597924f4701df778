"""Answers that were corrected; the wording that a rater agreed to."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("assignment", sa.Column("wording", sa.String(length=20), nullable=True))
    op.create_table(
        "correction",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("corrected_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment"], ["assignment.id"], name=op.f("fk_correction_assignment_assignment")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_correction")),
    )
    op.create_index(op.f("ix_correction_assignment"), "correction", ["assignment"], unique=False)
