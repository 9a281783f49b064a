"""The secrets in tools: they are never shown, and a tool that comes back as it was shown keeps them."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from audition.documents.located import Path

_SECRET = re.compile(r"authorization|cookie|passw|secret|token|credential|api[-_]?key|access[-_]?key", re.IGNORECASE)
_ALL_SECRET = frozenset({"headers", "env"})
"""What is under these keys is secret, whatever it is called."""

_NO_SECRET = frozenset({"parameters", "in", "results", "result", "description", "name", "kind"})
"""What is under these keys is for models to read, and so is a whole OpenAPI `document` (it may be a URL, too)."""

_IN_QUERY = re.compile(r"([?&][^=&#]*(?:key|token|secret|passw|sig|auth)[^=&#]*=)([^&#]+)", re.IGNORECASE)
_USER = re.compile(r"(?<=://)[^/?#\s]*@")
_MASK = "***"
_LONG = 12
"""The last characters of a secret are shown only when it is at least as long."""

_NOT_KEPT = "this is the mask of a secret that is not kept for a tool of this name; write the secret itself"

_Change = Callable[[str, Path, bool], str]
"""Returns what stands in place of a text; it is told where the text stands, and whether all of it is secret."""


def shown_tools(tools: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return tools as they may be shown: of each secret no more than its last four characters."""
    return [_changed(tool, (), False, lambda text, _, secret: _shown(text, secret=secret)) for tool in tools]


def with_kept_secrets(
    tools: Sequence[Mapping[str, Any]], kept: Sequence[Mapping[str, Any]]
) -> tuple[list[Any], list[tuple[str, str]]]:
    """Return tools with each mask of a secret replaced by the secret, taken from the kept tool of the same name.

    The second part says which masks stand for nothing that is kept: JSON pointers from the list, and messages.
    """
    by_name = {tool.get("name"): _texts(tool) for tool in kept}
    faults: list[tuple[str, str]] = []

    def restored(index: int, tool: Mapping[str, Any]) -> Any:
        known = by_name.get(tool.get("name"), {}) if isinstance(tool.get("name"), str) else {}

        def change(text: str, path: Path, secret: bool) -> str:
            before = known.get(path)
            if before is not None and text == _shown(before, secret=secret):
                return before
            if _is_mask(text, secret=secret):
                faults.append((_pointer((index, *path)), _NOT_KEPT))
            return text

        return _changed(tool, (), False, change)

    return [restored(index, tool) for index, tool in enumerate(tools)], faults


def _changed(value: Any, path: Path, secret: bool, change: _Change) -> Any:
    if isinstance(value, str):
        return change(value, path, secret)
    if isinstance(value, Mapping):
        return {
            key: inner
            if key in _NO_SECRET or (key == "document" and not isinstance(inner, str))
            else _changed(inner, (*path, key), secret or key in _ALL_SECRET or bool(_SECRET.search(key)), change)
            for key, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [_changed(inner, (*path, index), secret, change) for index, inner in enumerate(value)]
    return value


def _texts(tool: Mapping[str, Any]) -> Mapping[Path, str]:
    found: dict[Path, str] = {}

    def note(text: str, path: Path, _secret: bool) -> str:
        found[path] = text
        return text

    _changed(tool, (), False, note)
    return found


def _shown(text: str, *, secret: bool) -> str:
    if secret:
        return _MASK + text[-4:] if len(text) >= _LONG else _MASK
    return _IN_QUERY.sub(rf"\1{_MASK}", _USER.sub(f"{_MASK}@", text)) if "://" in text else text


def _is_mask(text: str, *, secret: bool) -> bool:
    return text.startswith(_MASK) if secret else f"://{_MASK}@" in text or f"={_MASK}" in text


def _pointer(path: Path) -> str:
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)
