"""The first tables of the service."""

from audition.store.migrations import op
from audition.store.service.tables import METADATA

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make them all."""
    METADATA.create_all(op.get_bind())
