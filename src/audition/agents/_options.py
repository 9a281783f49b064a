"""Options of an agent, as settings give them: read by a shape, all faults at once."""

from collections.abc import Mapping

from audition.documents.shape import Record, read_all
from audition.errors import SettingsError


def read_options(kind: str, shape: Record, options: Mapping[str, object]) -> dict[str, object]:
    """Return the options of an agent of that kind, in the spelling in which the shape declares them.

    Raises: SettingsError with all that is wrong with them.
    """
    read, faults = read_all(shape, options)
    if faults:
        first = faults[0]
        message = "; ".join(fault.message for fault in faults)
        key = ".".join(["agent", *map(str, first.path)])
        raise SettingsError(f"the options of a {kind!r} agent: {message}", key=key, hint=first.hint)
    return read if isinstance(read, dict) else {}
