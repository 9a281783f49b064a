"""What we concluded: verdicts, the results of checks and trials, and the run they belong to."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from audition.transcript import Data, Transcript, Usage, total


class Verdict(StrEnum):
    """The four words: it held; it did not hold; we could not tell; somebody chose not to look."""

    PASS = "pass"
    FAIL = "fail"
    ERROR = "error"
    SKIP = "skip"


RunStatus = Literal["pending", "running", "completed", "failed"]
"""`failed` means the run itself could not go on (or was interrupted), not that an eval failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """What one model answered to one question of a check.

    `asked` is what the question was about, in short. The answer is `score` (1..5, or 1 and 0 for yes and no) or
    `answer`, an object; both are None when none could be read, and `reason` says why. `model` is the model's own name
    or our reference to it. `prompt_hash` is the SHA-256 of what the model was told, the random marks left out. `raw` is
    its last reply, word for word. None means not known.
    """

    reason: str
    asked: str = ""
    model: str | None = None
    score: int | None = None
    answer: Data | None = None
    prompt_hash: str | None = None
    usage: Usage | None = None
    raw: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What became of one check.

    `check` is the check in words, without its category; `turn` counts from 0, None for an outcome check. `expected` and
    `actual` are texts for people. `reason` is a sentence, or None when expected and actual say it all. `where` is
    `path:line:column` of the check. `score` is a judge's grade (1..5) or a metric (0..1), None for plain checks;
    `threshold` is what it is held against, and `turn_scores` holds one score per turn, None for a turn without one.
    `note` is a remark for those who ask for details, in one line; it changes no verdict. `votes` are what each model
    answered to each question, in the order in which they were asked. `warning` is what everybody is to know of a check
    that a judge was asked about: that the answer holds text like a verdict. It changes no verdict; None without any.
    """

    category: str
    check: str
    verdict: Verdict
    turn: int | None = None
    expected: str | None = None
    actual: str | None = None
    reason: str | None = None
    where: str | None = None
    score: float | None = None
    threshold: float | None = None
    turn_scores: tuple[float | None, ...] = ()
    judge_usage: Usage | None = None
    note: str | None = None
    votes: tuple[Vote, ...] = ()
    warning: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialResult:
    """One eval, run once. `trial` counts from 1. `error` is why there is no clean verdict, None when there is one.

    `checks` holds those of the turns in order, then those of the outcome (`turn` None). `duration_ms` covers driving
    and judging; `started_at` is ISO 8601 in UTC. `user_usage` is what the model that played the user took, None when
    none was asked or it does not say.
    """

    eval_name: str
    verdict: Verdict
    trial: int = 1
    type: str | None = None
    tags: tuple[str, ...] = ()
    error: str | None = None
    checks: tuple[CheckResult, ...] = ()
    transcript: Transcript = Transcript()
    duration_ms: float = 0.0
    started_at: str = ""
    user_usage: Usage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One suite against one agent. Counts are of trials; `total` is how many were planned.

    `error` is why the run itself did not complete. `faults` are the files that did not load, as text. `warnings` are
    remarks that change no verdict. `agent` and `judge` are references such as `function:shop.bot:reply` and
    `openai:gpt-4o`; `judge` is None when none was used. `paths` are the files and folders that were asked for.
    `agent_usage`, `judge_usage` and `user_usage` (of the model that plays simulated users) are what the trials so far
    took, None when nobody says. `judge_fingerprint` is what the doctor found of this judge, None without a judge, or
    when it has not seen this model with this prompt.
    """

    id: str
    started_at: str
    agent: str
    status: RunStatus = "running"
    judge: str | None = None
    passed: int = 0
    failed: int = 0
    errors: int = 0
    skipped: int = 0
    total: int = 0
    duration_ms: float = 0.0
    error: str | None = None
    paths: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    rescored_from: str | None = None
    agent_usage: Usage | None = None
    judge_usage: Usage | None = None
    judge_fingerprint: str | None = None
    user_usage: Usage | None = None

    @property
    def ran(self) -> int:
        """Return how many trials have a result."""
        return self.passed + self.failed + self.errors + self.skipped


def agent_usage(result: TrialResult) -> Usage | None:
    """Return what the agent's models took in a trial, None when the agent does not say."""
    return _together(exchange.usage for exchange in result.transcript.exchanges)


def judge_usage(result: TrialResult) -> Usage | None:
    """Return what the judge's models took in a trial, None when none was asked or none says."""
    return _together(check.judge_usage for check in result.checks)


def _together(usages: Iterable[Usage | None]) -> Usage | None:
    known = [usage for usage in usages if usage is not None]
    return total(known) if known else None


def roll_up(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict of a whole from its parts: fail beats error beats pass; only skips, or nothing, is error.

    Source: architecture, section 1 (three-valued logic: a known failure makes the conjunction false).
    """
    seen = set(verdicts)
    for verdict in (Verdict.FAIL, Verdict.ERROR, Verdict.PASS):
        if verdict in seen:
            return verdict
    return Verdict.ERROR
