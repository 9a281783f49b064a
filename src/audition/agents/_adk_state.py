"""ADK's session state and our three scopes: `user:` is the user's, `app:` the bot's, the rest the conversation's."""

from collections.abc import Mapping
from typing import Any

from audition.agents._json import NotJson, copy_json
from audition.evals import SeedState
from audition.transcript import State

_PREFIXES = {"user:": "user", "app:": "bot"}
_TEMPORARY = "temp:"


def seeded(seed: SeedState) -> dict[str, Any]:
    """Return what is seeded as one object, in ADK's spelling: copies, so that the seed stays as it is."""
    scopes = (("", seed.conversation), ("user:", seed.user), ("app:", seed.bot))
    return {f"{prefix}{key}": plain(value) for prefix, scope in scopes for key, value in (scope or {}).items()}


def scopes_of(state: Mapping[str, Any]) -> State:
    """Return copies of the scopes of a state in ADK's spelling; what ADK itself does not keep is left out."""
    scopes: dict[str, dict[str, object]] = {"bot": {}, "user": {}, "conversation": {}}
    for key, value in state.items():
        prefix, colon, name = key.partition(":")
        if f"{prefix}{colon}" in _PREFIXES:
            scopes[_PREFIXES[f"{prefix}{colon}"]][name] = plain(value)
        elif not key.startswith(_TEMPORARY):
            scopes["conversation"][key] = plain(value)
    return State(**scopes)


def plain(value: Any) -> object:
    """Return a copy as JSON-like data. ADK takes any object: a pydantic model becomes its fields, others their text."""
    try:
        return copy_json(value)
    except NotJson:
        pass
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return str(value)
