"""What the fixture `audition` gives: a conversation with an agent, and what must hold of its last turn."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from audition.agents import Agent
from audition.documents.shape import Field, ListOf, Record, read_all
from audition.engine.perform import why
from audition.engine.settle import settle
from audition.errors import AgentError, AuditionError
from audition.evals import Check, Eval, SeedState, Setup, Turn
from audition.judges import Judge
from audition.llm.trial import of_trial
from audition.pytest_plugin._holding import HeldSession
from audition.pytest_plugin._sessions import background_of, project_of
from audition.pytest_plugin._telling import told
from audition.results import CheckResult, TrialResult, Verdict, roll_up
from audition.scoring.checks import CATEGORIES
from audition.scoring.rule import OpenCheck
from audition.scoring.score import Row, score
from audition.text import nearest
from audition.transcript import Exchange, Transcript, Trouble, response_text

_MARK = ("agent", "state", "judge")
_SCOPES = ("bot", "user", "conversation")


def begin(test: pytest.Item) -> "Conversation":
    """Return the conversation of a test, with the agent that its marker names, or else the project's.

    Raises: AuditionError when the marker or the settings are not right.
    """
    given: dict[str, Any] = {}
    for mark in reversed(list(test.iter_markers("audition"))):
        given |= mark.kwargs
    _refuse_others(given, _MARK, "the marker 'audition'")
    state = given.get("state", {})
    _refuse_others(state, _SCOPES, "the state of the marker 'audition'")
    project = project_of(test.config)
    agent, judge = project.agent(given.get("agent")), project.judge(given.get("judge"))
    return Conversation(test, agent, judge, Setup(state=SeedState(**state)))


def _refuse_others(given: Mapping[str, object], known: Sequence[str], what: str) -> None:
    for key in given.keys() - set(known):
        near = nearest(key, known)
        hint = f"did you mean {near!r}?" if near else f"there are: {', '.join(known)}"
        raise AuditionError(f"{what} knows no {key!r}", hint=hint)


class Conversation:
    """One conversation: its first turn opens it, and it is closed when the test ends."""

    def __init__(self, test: pytest.Item, agent: Agent, judge: Judge | None, setup: Setup) -> None:
        self._test, self._agent, self._judge, self._setup = test, agent, judge, setup
        self._project = project_of(test.config)
        self._held: HeldSession | None = None
        self._talks = False
        self._exchanges: list[Exchange] = []

    @property
    def transcript(self) -> Transcript:
        """Return what has happened so far."""
        return Transcript(
            baseline=self._held.baseline if self._held else None,
            exchanges=tuple(self._exchanges),
            observes=tuple(sorted(self._agent.observes)),
        )

    async def say(self, text: str) -> str:
        """Say something and return what the agent answers: its replies, joined by line breaks; empty for silence.

        Raises: AgentError when the agent crashes, is not done in time or cannot be reached.
        """
        __tracebackhide__ = True
        return await self._send(Turn(user=text))

    async def push(self, event: Mapping[str, object]) -> str:
        """Push an event, given by its payload, and return what the agent answers."""
        __tracebackhide__ = True
        return await self._send(Turn(event=event))

    def talk(self, text: str) -> str:
        """Do what `say` does, in a test that is not async.

        Raises: AuditionError in an async test, whose loop it would block.
        """
        __tracebackhide__ = True
        if _in_a_loop():
            raise AuditionError("talk() would block the running loop", hint="write: await audition.say(...)")
        self._talks = True
        try:
            return background_of(self._test.config).run(self.say(text))
        except AuditionError as error:
            raise error.with_traceback(None)  # noqa: B904  # the way through our loop tells nobody anything

    def expect(self, **checks: object) -> None:
        """Check the last turn: for each category one check, or a list of them, as under a turn's `assert` in a file.

        Categories that only an `outcome` has look at the whole conversation.

        Raises: AssertionError when a check does not hold, with what was expected and seen; AuditionError when it is
        wrongly written or cannot be evaluated.
        """
        __tracebackhide__ = True
        results = []
        for row in self._rows(checks, self._project.defaults.judge_pass_threshold):
            if isinstance(row, OpenCheck):
                raise AuditionError("expect() asks no judge", hint="write: await audition.judge('...')")
            results.append(row)
        self._insist(results)

    async def judge(self, criterion: str, *, threshold: int | None = None) -> None:
        """Have the judge grade the last reply from 1 to 5. `threshold` is what passes, None for the project's.

        Raises: AssertionError when the grade is too low, AuditionError when there is none to be had.
        """
        __tracebackhide__ = True
        passing = self._project.defaults.judge_pass_threshold if threshold is None else threshold
        rows = self._rows({"response": {"llm_judge": criterion}}, passing)
        with of_trial(self._test.nodeid, 1):
            settled = await settle(rows, self._judge, judging=self._project.judging)
        self._insist(settled)

    def close(self) -> None:
        """Close the conversation: for the fixture, when the test has ended."""
        if self._held is None or self._held.loop.is_closed():
            return
        if self._talks:
            background_of(self._test.config).run(self._held.end())
        else:
            self._held.loop.call_soon_threadsafe(self._held.cancel)

    async def _send(self, turn: Turn) -> str:
        __tracebackhide__ = True
        if self._held is None:
            idle_s = self._project.defaults.idle_timeout_ms / 1000
            name, test = self._test.name, self._test.nodeid
            self._held = HeldSession(self._agent, self._setup, label=name, test=test, idle_timeout_s=idle_s)
        held = self._held
        if held.loop is asyncio.get_running_loop():
            exchange = await held.send(turn)
        else:  # a fixture that is not async has begun it
            exchange = await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(held.send(turn), held.loop))
        self._exchanges.append(exchange)
        if exchange.trouble:
            raise _raised(exchange.trouble)
        return response_text(exchange)

    def _rows(self, written: Mapping[str, object], threshold: int) -> list[Row]:
        __tracebackhide__ = True
        if not self._exchanges:
            raise AuditionError("there is no turn to check yet", hint="write first: await audition.say('...')")
        checks = _read(written)
        *earlier, last = self._exchanges
        turns = [Turn(user=each.user, event=each.event, response_optional=True) for each in earlier]
        turns.append(
            Turn(
                user=last.user,
                event=last.event,
                response_optional="response" not in written,
                checks=tuple(check for check in checks if _is_about_a_turn(check.category)),
            )
        )
        outcome = tuple(check for check in checks if not _is_about_a_turn(check.category))
        one = Eval(name=self._test.name, turns=tuple(turns), outcome=outcome)
        return score(one, self.transcript, judge_pass_threshold=threshold)

    def _insist(self, results: Sequence[CheckResult]) -> None:
        __tracebackhide__ = True
        if all(result.verdict is Verdict.SKIP for result in results):
            pytest.skip(results[0].reason or "nothing was looked at")
        verdict = roll_up(result.verdict for result in results)
        if verdict is Verdict.PASS:
            return
        text = told(self._result(verdict, tuple(results)))
        raise AssertionError(text) if verdict is Verdict.FAIL else AuditionError(text)

    def _result(self, verdict: Verdict, checks: tuple[CheckResult, ...]) -> TrialResult:
        name, error = self._test.name, why(checks)
        return TrialResult(eval_name=name, verdict=verdict, error=error, checks=checks, transcript=self.transcript)


def _raised(trouble: Trouble) -> AgentError:
    error = AgentError(trouble.message, by_agent=trouble.by_agent)
    if trouble.detail:
        error.add_note(trouble.detail)
    return error


def _in_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _is_about_a_turn(category: str) -> bool:
    return "turn" in CATEGORIES.get(category).PLACES


def _read(written: Mapping[str, object]) -> list[Check]:
    """Return checks as a file would have given them.

    Raises: AuditionError with all that is wrong with them.
    """
    __tracebackhide__ = True
    known = {name: Field(ListOf(CATEGORIES.get(name).CHECK, min_items=1, or_one=True)) for name in CATEGORIES.names()}
    read, faults = read_all(Record("expect()", **known), written)
    if faults:
        raise AuditionError("\n".join(f"{one.message}; {one.hint}" if one.hint else one.message for one in faults))
    if not read or not isinstance(read, dict):
        raise AuditionError("expect() is given nothing to check", hint="write: expect(response={'contains': '...'})")
    return [Check(category=category, spec=spec) for category, specs in read.items() for spec in specs]
