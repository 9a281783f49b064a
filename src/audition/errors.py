"""Every error audition raises on purpose, the places they point at, and the exit codes they lead to.

AuditionError            hint: what to do next, one sentence        exit
├─ LoadError             faults: all faults of all files               2
├─ SettingsError         key: the setting at fault                     2
├─ UnknownName           noun, name, nearest                           2
├─ PlanError             eval_name, check                              2
├─ NothingSelected       (names, tags or types that match no eval)        4
├─ MissingExtra          extra: pip install 'audition[x]'              2
├─ AgentError            by_agent: the agent's doing, or on the way to it (per trial)
├─ ModelError            status: the HTTP status, if there was one; attempts: how many were made (per trial or check)
├─ JudgeError            raw: what the judge said, if anything (per check)
└─ StoreError ─ NotFound · Conflict                                    2
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from audition.results import Vote


class ExitCode(IntEnum):
    """What a finished command tells the shell; when several hold, the first of `PRECEDENCE` wins."""

    PASSED = 0
    FAILED = 1
    ASKED_WRONGLY = 2
    NOT_EVALUATED = 3
    NOTHING_SELECTED = 4
    OUR_FAULT = 70
    INTERRUPTED = 130


PRECEDENCE = (
    ExitCode.INTERRUPTED,
    ExitCode.OUR_FAULT,
    ExitCode.ASKED_WRONGLY,
    ExitCode.FAILED,
    ExitCode.NOT_EVALUATED,
    ExitCode.NOTHING_SELECTED,
    ExitCode.PASSED,
)
"""Exit codes from the most to the least urgent (architecture, section 1)."""


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a file: `path:line:column`, both counted from 1; None means not known."""

    path: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        parts = [self.path]
        if self.line is not None:
            parts.append(str(self.line))
            if self.column is not None:
                parts.append(str(self.column))
        return ":".join(parts)


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a file: what, where, and what to do about it."""

    message: str
    where: Where
    hint: str | None = None

    def __str__(self) -> str:
        advice = f"; {self.hint}" if self.hint else ""
        return f"{self.where}: {self.message}{advice}"


class AuditionError(Exception):
    """The root of every error audition raises on purpose; `hint` says what to do next."""

    exit_code = ExitCode.ASKED_WRONGLY

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  {self.hint}" if self.hint else self.message


class LoadError(AuditionError):
    """Files could not be read as evals; `faults` holds every fault of every file."""

    def __init__(self, faults: Sequence[Fault], *, hint: str | None = None) -> None:
        super().__init__("\n".join(str(fault) for fault in faults), hint=hint)
        self.faults = tuple(faults)


class SettingsError(AuditionError):
    """A setting is unknown, of the wrong kind or out of range; `key` names it."""

    def __init__(self, message: str, *, key: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.key = key


class UnknownName(AuditionError):
    """A name was asked for that nobody offers; `nearest` is the closest one offered, or None."""

    def __init__(self, noun: str, name: str, *, nearest: str | None = None, known: Sequence[str] = ()) -> None:
        guess = f"did you mean {nearest!r}?" if nearest else None
        listing = f"there are: {', '.join(known)}" if known and not nearest else None
        super().__init__(f"no {noun} called {name!r}", hint=guess or listing)
        self.noun, self.name, self.nearest = noun, name, nearest


class PlanError(AuditionError):
    """An eval cannot be run as asked, and that is known before the first message."""

    def __init__(
        self, message: str, *, eval_name: str | None = None, check: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.eval_name, self.check = eval_name, check


class NothingSelected(AuditionError):
    """What was asked for matches no eval; the hint names the near misses."""

    exit_code = ExitCode.NOTHING_SELECTED


class MissingExtra(AuditionError):
    """Something needs a package that is not installed."""

    def __init__(self, extra: str, *, needed_for: str) -> None:
        super().__init__(f"{needed_for} needs a package that is not installed", hint=f"pip install 'audition[{extra}]'")
        self.extra = extra


class AgentError(AuditionError):
    """An agent could not be driven.

    `by_agent` is True when the trouble is the agent's own doing (it crashed, it was silent too long): the trial
    fails. It is False when the trouble lay on the way to it (refused connection, 429, 5xx): the trial is an error.
    `detail` is more text for `-v`, a traceback for instance.
    """

    def __init__(self, message: str, *, by_agent: bool, detail: str | None = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.by_agent, self.detail = by_agent, detail


class ModelError(AuditionError):
    """A language model gave no answer.

    `status` is the last HTTP status, None without one; `attempts` were made, >= 1. `timed_out`: the last attempt took
    longer than it may.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        attempts: int = 1,
        timed_out: bool = False,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.status, self.attempts, self.timed_out = status, attempts, timed_out


class JudgeError(AuditionError):
    """A judge gave no usable grade; `raw` is what it said, if anything, and `votes` what each model answered."""

    def __init__(
        self, message: str, *, raw: str | None = None, hint: str | None = None, votes: "Sequence[Vote]" = ()
    ) -> None:
        super().__init__(message, hint=hint)
        self.raw, self.votes = raw, tuple(votes)


class StoreError(AuditionError):
    """The history could not be read or written."""


class NotFound(StoreError):
    """The history holds nothing of that id."""


class Conflict(StoreError):
    """What is stored does not allow the change asked for."""
