"""What a Botpress message says, as text. Source: Botpress chat API, message payloads."""

import json
from collections.abc import Callable, Iterable, Mapping

Payload = Mapping[str, object]


def rendered(payload: Payload) -> str:
    """Return the text of a message of any type: what a person reads, and the address of what they would see or hear.

    A payload of a type that is not known is told by its `text`, else as JSON: it is a message all the same.
    """
    render = _RENDERERS.get(str(payload.get("type")))
    text = render(payload) if render else _text(payload.get("text"))
    return text or json.dumps(payload, ensure_ascii=False, default=str)


def _text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _of(key: str) -> Callable[[Payload], str]:
    return lambda payload: _text(payload.get(key))


def _lines(parts: Iterable[str]) -> str:
    return "\n".join(part for part in parts if part)


def _items(payload: Payload, key: str) -> list[Payload]:
    items = payload.get(key)
    return [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []


def _options(payload: Payload) -> str:
    options = [f"{_text(one.get('label'))} ({_text(one.get('value'))})" for one in _items(payload, "options")]
    return _lines([_text(payload.get("text")), *options])


def _card(payload: Payload) -> str:
    actions = [_text(action.get("label")) for action in _items(payload, "actions")]
    return _lines([_text(payload.get("title")), _text(payload.get("subtitle")), *actions])


def _carousel(payload: Payload) -> str:
    return "\n\n".join(_card(card) for card in _items(payload, "items"))


def _file(payload: Payload) -> str:
    return _text(payload.get("title")) or _text(payload.get("fileUrl"))


def _location(payload: Payload) -> str:
    place = f"{_text(payload.get('latitude'))},{_text(payload.get('longitude'))}"
    return _lines([_text(payload.get("title")), _text(payload.get("address")), place])


def _bloc(payload: Payload) -> str:
    return _lines(rendered(item) for item in _items(payload, "items"))


_RENDERERS: Mapping[str, Callable[[Payload], str]] = {
    "text": _of("text"),
    "markdown": _of("markdown"),
    "image": _of("imageUrl"),
    "audio": _of("audioUrl"),
    "video": _of("videoUrl"),
    "file": _file,
    "location": _location,
    "card": _card,
    "carousel": _carousel,
    "choice": _options,
    "dropdown": _options,
    "bloc": _bloc,
}
