"""The first tables: runs and results."""

from sqlalchemy import Column, Integer, Text, UniqueConstraint

from audition.store.migrations import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make both tables."""
    op.create_table(
        "runs",
        Column("id", Text, primary_key=True),
        Column("started_at", Text, nullable=False),
        Column("status", Text, nullable=False),
        Column("passed", Integer, nullable=False),
        Column("failed", Integer, nullable=False),
        Column("errors", Integer, nullable=False),
        Column("skipped", Integer, nullable=False),
        Column("total", Integer, nullable=False),
        Column("document", Text, nullable=False),
    )
    op.create_index("ix_runs_started_at", "runs", ["started_at"])
    op.create_table(
        "results",
        Column("position", Integer, primary_key=True),
        Column("run_id", Text, nullable=False),
        Column("eval_name", Text, nullable=False),
        Column("trial", Integer, nullable=False),
        Column("verdict", Text, nullable=False),
        Column("document", Text, nullable=False),
        UniqueConstraint("run_id", "eval_name", "trial", name="results_once"),
    )
    op.create_index("results_in_order", "results", ["run_id", "position"])
