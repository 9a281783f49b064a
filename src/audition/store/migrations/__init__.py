"""Brings the tables of a database up to date, step by step; loaded only when their version differs.

A step is a file in `versions/` with `revision`, `down_revision` and `upgrade()`, which works with `op` from here.
"""

from pathlib import Path

from alembic import op
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

__all__ = ["op", "upgrade"]


def upgrade(connection: Connection, *, version_table: str, folder: Path = Path(__file__).parent) -> None:
    """Take all steps that are missing, within the transaction that the caller has begun and alone may commit.

    `folder` is the one whose `versions/` holds the steps.
    """
    steps = ScriptDirectory(str(folder))
    context = MigrationContext.configure(connection, opts={"version_table": version_table})
    with Operations.context(context):
        missing = list(steps.iterate_revisions("head", context.get_current_revision() or "base"))
        for step in reversed(missing):
            step.module.upgrade()
    context.stamp(steps, "head")
