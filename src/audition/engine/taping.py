"""The cassette that the environment names, for tests: pytest's plugin sets it, AgentEvaluator reads it."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from audition.errors import SettingsError

if TYPE_CHECKING:
    from audition.llm.cassette import Cassette

RECORD, REPLAY, RECORD_MISSING = "AUDITION_RECORD", "AUDITION_REPLAY", "AUDITION_RECORD_MISSING"
"""The variables: two files, and whether (`1`) what is missing on the second is asked for and recorded."""

SINCE = "AUDITION_RECORD_SINCE"
"""When the tests began (ISO 8601, UTC), which all processes that run some of them are told."""


def cassette_in(environ: Mapping[str, str]) -> "Cassette | None":
    """Open the cassette that the environment names, None when it names none. The caller closes it.

    Raises: SettingsError for variables that contradict each other, or a file that will not do.
    """
    record, replay = environ.get(RECORD), environ.get(REPLAY)
    missing = environ.get(RECORD_MISSING, "0") not in ("", "0")
    if record and replay:
        hint = f"to record what is missing: {REPLAY}=FILE {RECORD_MISSING}=1"
        raise SettingsError(f"{RECORD} and {REPLAY} exclude each other", key=RECORD, hint=hint)
    if missing and not replay:
        raise SettingsError(f"{RECORD_MISSING} goes with {REPLAY}", key=RECORD_MISSING)
    path = record or replay
    if not path:
        return None
    from audition.llm.cassette import Cassette  # most tests need none, nor SQLite for it

    since = environ.get(SINCE)
    begun = datetime.fromisoformat(since) if since else None
    return Cassette(Path(path), "record" if record else "auto" if missing else "replay", since=begun)
