"""Cassettes: the calls of language models, recorded in a file and played back without a connection.

A recording belongs to a trial and to a request; the n-th identical request of a trial gets its n-th recording. Which
trial a call belongs to is said around the trial: see `trial`. What several trials share (a judge that remembers) is
asked within `of_no_trial`, or whichever trial came first would own it.
"""

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, Self

from audition.errors import ModelError, SettingsError
from audition.llm import Around, Completion, JsonSchema, LanguageModel, Message, ToolDefinition, ToolRequest
from audition.llm._requests import Disguise, canonical, difference, nearest_request
from audition.llm.trial import current_trial
from audition.providers import Provider
from audition.transcript import Usage

Mode = Literal["record", "replay", "auto"]
"""`record` asks every time and writes; `replay` only reads; `auto` replays what is there and records what is not."""

_SCHEMA = 1
_TABLE = """
CREATE TABLE IF NOT EXISTS recordings (
    trial TEXT NOT NULL, request_hash TEXT NOT NULL, nth INTEGER NOT NULL,
    request TEXT NOT NULL, answer TEXT NOT NULL, recorded_at TEXT NOT NULL,
    PRIMARY KEY (trial, request_hash, nth)
)
"""
_WRITE = """
INSERT INTO recordings VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (trial, request_hash, nth) DO UPDATE
SET request = excluded.request, answer = excluded.answer, recorded_at = excluded.recorded_at
WHERE trial <> '' OR recorded_at <= ?
"""
"""Writes a recording; of what several trials share, the first of a session stays."""

_PATIENCE_S = 30.0
"""How long a process waits while others write."""

_COMPARED = 40
"""How many recorded requests a missing one is compared with."""

_LASTING = frozenset({400, 413, 422})
"""Statuses by which an endpoint refuses this very request, and will again; others speak of keys, quotas and luck."""


class Cassette:
    """A file of recordings. Close it when no more calls are made; it is a context manager.

    Recording a request again replaces its recording, and leaves all others. Several processes may record on one file:
    what trials share (and belongs to none) is recorded once `since` their common beginning, None for now.

    Raises: SettingsError for a file that cannot be written or is no cassette; for `replay`, one that does not exist.
    """

    def __init__(self, path: Path | str, mode: Mode, *, since: datetime | None = None) -> None:
        self.path, self.mode, self.since = Path(path), mode, _moment(since or datetime.now(UTC))
        self._asked: Counter[tuple[str, str]] = Counter()
        try:
            self._rows = self._opened()
        except (sqlite3.Error, OSError) as error:
            raise _unusable(self.path, mode, str(error)) from None

    def around(self, secrets: Sequence[str] = ()) -> Around:
        """Return what puts models on this cassette; `secrets`, and their providers', are masked in what is written."""

        def put(model: LanguageModel, provider: Provider, name: str, parameters: Mapping[str, object]) -> LanguageModel:
            asked = None if self.mode == "replay" else model
            masked = (*secrets, *provider.secrets)
            return Recorded(asked, self, f"{provider.name}:{name}", parameters, secrets=masked)

        return put

    def claim(self, request: str) -> "Place":
        """Return the place of the next recording of a request in the current trial."""
        place = (current_trial(), hashlib.sha256(request.encode()).hexdigest())
        self._asked[place] += 1
        return Place(self, request, *place, self._asked[place])

    def find(self, sql: str, *values: object) -> list[Any]:
        """Return the first column of what a query finds.

        Raises: ModelError when the file cannot be read.
        """
        try:
            return [row[0] for row in self._rows.execute(sql, values)]
        except sqlite3.Error as error:
            raise ModelError(f"the cassette {self.path} cannot be read: {error}") from None

    def write(self, *values: object) -> bool:
        """Keep a recording, and say whether it was kept: another process may have been first.

        Raises: ModelError when the file cannot be written: what is not recorded could not be replayed.
        """
        try:
            return self._rows.execute(_WRITE, (*values, self.since)).rowcount > 0
        except sqlite3.Error as error:
            raise ModelError(f"the cassette {self.path} cannot be written: {error}") from None

    def close(self) -> None:
        """Close the file."""
        self._rows.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _opened(self) -> sqlite3.Connection:
        access = "ro" if self.mode == "replay" else "rwc"
        rows = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?mode={access}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            timeout=_PATIENCE_S,
        )
        try:
            self._prepare(rows)
        except BaseException:
            rows.close()
            raise
        return rows

    def _prepare(self, rows: sqlite3.Connection) -> None:
        rows.execute("PRAGMA synchronous = OFF")  # what a crash of the machine loses can be recorded again
        if self.mode != "replay":
            rows.execute("BEGIN IMMEDIATE")  # another process may be making the tables
        (version,) = rows.execute("PRAGMA user_version").fetchone()
        tables = {name for (name,) in rows.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and (version != _SCHEMA or "recordings" not in tables):
            raise sqlite3.DatabaseError("it is no cassette of this audition")
        if not tables and self.mode != "replay":
            rows.execute(_TABLE)
            rows.execute(f"PRAGMA user_version = {_SCHEMA}")
        elif not tables:
            raise sqlite3.DatabaseError("it holds no recordings")
        if self.mode != "replay":
            rows.execute("COMMIT")


class Place:
    """Where the answer to one request stands on a cassette; `nth` counts the identical ones of its trial from 1."""

    def __init__(self, cassette: Cassette, request: str, trial: str, request_hash: str, nth: int) -> None:
        self._cassette, self._request = cassette, request
        self._trial, self._hash, self._nth = trial, request_hash, nth

    def known(self) -> dict[str, Any] | None:
        """Return the answer that needs no asking, None when there is none: any, unless all is to be recorded anew.

        Raises: ModelError for a recording that is damaged.
        """
        if self._cassette.mode != "record":
            return self.read()
        return None if self._trial else self.read(since=self._cassette.since)  # shared with another process

    def read(self, *, since: str = "") -> dict[str, Any] | None:
        """Return what is recorded here, after a moment of the session; None when nothing is.

        Raises: ModelError for a recording that is damaged.
        """
        sql = "SELECT answer FROM recordings WHERE trial = ? AND request_hash = ? AND nth = ? AND recorded_at > ?"
        for answer in self._cassette.find(sql, self._trial, self._hash, self._nth, since):
            try:
                read = json.loads(answer)
            except (ValueError, TypeError, RecursionError):
                read = None
            if not isinstance(read, dict):
                raise _damaged(self._cassette)
            return read
        return None

    def write(self, answer: object) -> bool:
        """Record an answer here, and say whether it was kept: another process may have been first."""
        now = _moment(datetime.now(UTC))
        return self._cassette.write(self._trial, self._hash, self._nth, self._request, json.dumps(answer), now)

    def missing(self) -> ModelError:
        """Return the error that nothing is recorded here: what is there instead, and what differs."""
        hint = "record it: --record FILE, or --replay FILE --record-missing (under pytest: --audition-record FILE)"
        return ModelError(f"not on the cassette {self._cassette.path}: {self._instead()}", hint=hint)

    def _instead(self) -> str:
        find, trial = self._cassette.find, _told(self._trial)
        times = find("SELECT max(nth) FROM recordings WHERE trial = ? AND request_hash = ?", self._trial, self._hash)[0]
        if times:
            return f"this request was recorded {times}x in {trial}, and is now made for the {_ordinal(self._nth)} time"
        others = find("SELECT DISTINCT trial FROM recordings WHERE request_hash = ? ORDER BY trial LIMIT 4", self._hash)
        if others:
            return f"this request was recorded in {', '.join(map(_told, others))}, but not in {trial}"
        sql = "SELECT DISTINCT request FROM recordings ORDER BY trial = ? DESC, recorded_at DESC LIMIT ?"
        nearest = nearest_request(self._request, find(sql, self._trial, _COMPARED))
        if nearest is None:
            return "it holds no recordings"
        return f"no such request was recorded. The nearest one differs in this:\n{difference(nearest, self._request)}"


class Recorded:
    """A language model whose calls go through a cassette; `model` None: it is never asked.

    `reference` (PROVIDER:MODEL) and `parameters` are part of the request, `secrets` are masked wherever they stand.
    Recorded are answers, and errors by which the endpoint refused this very request (400, 413, 422) or answered with
    what is no completion; not recorded are errors of keys, quotas, connections and time.
    """

    def __init__(
        self,
        model: LanguageModel | None,
        cassette: Cassette,
        reference: str,
        parameters: Mapping[str, object] | None = None,
        *,
        secrets: Sequence[str] = (),
    ) -> None:
        self._model, self._cassette, self._reference = model, cassette, reference
        self._parameters, self._secrets = parameters or {}, secrets

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        tools: Sequence[ToolDefinition] = (),
        timeout_s: float | None = None,
    ) -> Completion:
        """Return the recorded answer, or the model's. A replayed answer has no response time.

        Raises: ModelError as it was recorded, or when nothing is recorded and the model may not be asked.
        """
        disguise = Disguise(messages, self._secrets)
        request = canonical(self._reference, self._parameters, messages, schema, tools, disguise)
        place = self._cassette.claim(request)
        if (recorded := place.known()) is not None:
            return _replayed(recorded, disguise, self._cassette)
        if self._model is None:
            raise place.missing()
        try:
            completion = await self._model.complete(messages, schema=schema, tools=tools, timeout_s=timeout_s)
        except ModelError as error:
            if _lasts(error):
                kept = {"message": error.message, "status": error.status, "attempts": error.attempts}
                place.write(disguise.hide({"error": {**kept, "hint": error.hint}}))
            raise
        if not place.write(disguise.hide({"completion": asdict(completion)})):
            return _replayed(place.read() or {}, disguise, self._cassette)
        return completion


def _lasts(error: ModelError) -> bool:
    """Say whether an error is an answer to the request, rather than something on the way to one."""
    status = error.status
    return status is not None and not error.timed_out and (status in _LASTING or 200 <= status < 300)


def _replayed(recorded: Mapping[str, Any], disguise: Disguise, cassette: Cassette) -> Completion:
    """Return a recorded completion.

    Raises: ModelError when an error was recorded, or what is no completion.
    """
    try:
        if (error := recorded.get("error")) is not None:
            raise ModelError(**{**error, "message": disguise.show(error["message"])})
        kept = recorded["completion"]
        return Completion(
            text=disguise.show(kept["text"]),
            tool_requests=tuple(
                ToolRequest(id=one["id"], name=one["name"], arguments=disguise.show(one["arguments"]))
                for one in kept["tool_requests"]
            ),
            finish_reason=kept["finish_reason"],
            usage=Usage(**kept["usage"]),
            model=kept["model"],
            replayed=True,
        )
    except (TypeError, KeyError, AttributeError):
        raise _damaged(cassette) from None


def _damaged(cassette: Cassette) -> ModelError:
    return ModelError(f"a recording of the cassette {cassette.path} is damaged", hint="record it again")


def _unusable(path: Path, mode: Mode, problem: str) -> SettingsError:
    if mode == "replay" and not path.exists():
        hint = f"record one first: audition run --record {path}"
        return SettingsError(f"there is no cassette {path}", key="cassette", hint=hint)
    return SettingsError(f"the cassette {path} cannot be used: {problem}", key="cassette", hint="name another file")


def _moment(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds")


def _told(trial: str) -> str:
    return repr(trial) if trial else "no trial"


def _ordinal(number: int) -> str:
    return f"{number}{'th' if 10 <= number % 100 <= 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
