"""The service's log: one JSON object a line on stderr, without secrets, bodies and tokens."""

import json
import logging
import re
import sys
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Final, TextIO

from audition.text import without_credentials

MASK = "***"

_LONGEST = 20_000
"""Characters of a message or traceback that are kept: whole payloads do not belong here."""

_QUERY: Final = re.compile(r"(?<=[\w/])\?[^\s\"']+=[^\s\"']*")
_CHATTY = ("uvicorn.access", "httpx", "httpx2", "alembic", "google_adk")
"""Loggers of others that tell of every request, or advise on code that nobody here can change."""

_KNOWN_FIELDS: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


class JsonLines(logging.Formatter):
    """Writes a record as JSON: `at` (UTC), `level`, `logger`, `message`, what `extra=` gave, and a traceback.

    `secrets` are values that must not be shown, wherever they come from.
    """

    def __init__(self, secrets: Collection[str] = ()) -> None:
        super().__init__()
        # The longest first: one secret may be part of another.
        self._secrets = sorted((secret for secret in secrets if secret), key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        """Return a record on one line."""
        line: dict[str, object] = {
            "at": f"{datetime.fromtimestamp(record.created, UTC):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self.masked(record.getMessage()),
        }
        line |= {name: self._shown(value) for name, value in vars(record).items() if name not in _KNOWN_FIELDS}
        if record.exc_info:
            line["traceback"] = self.masked(self.formatException(record.exc_info))
        return json.dumps(line, default=str)

    def masked(self, text: str) -> str:
        """Return text without secrets, by their values and by what stands before them, and not too much of it."""
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        text = text[:_LONGEST]
        return without_credentials(_QUERY.sub(f"?{MASK}", text))

    def _shown(self, value: object) -> object:
        if isinstance(value, int | float | bool) or value is None:
            return value
        return self.masked(str(value))


def configure(*, secrets: Collection[str] = (), stream: TextIO | None = None, level: int = logging.INFO) -> None:
    """Send all logs of this process to `stream` (None: stderr), uvicorn's too; start it with `log_config=None`."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines(secrets))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in _CHATTY:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))
