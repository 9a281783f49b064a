"""Re-scoring: stored transcripts judged anew, without the agent."""

import asyncio
from dataclasses import replace
from typing import Never

import pytest

from audition.engine.plan import Defaults
from audition.engine.rescore import rescore
from audition.evals import Check, Eval, Scenario, Turn
from audition.judges.fixed import Fixed
from audition.results import TrialResult, Verdict
from audition.scoring.rule import Question
from audition.transcript import Exchange, Reply, Transcript, Trouble

pytestmark = pytest.mark.anyio

SPOKEN = Transcript(exchanges=(Exchange(user="ping", replies=(Reply(text="pong"),)),), observes=("replies", "timing"))
STORED = TrialResult(eval_name="one", verdict=Verdict.FAIL, transcript=SPOKEN, duration_ms=5.0, trial=2)


def an_eval(*checks: Check, says: str = "ping") -> Eval:
    """Return the eval as it is today."""
    return Eval(name="one", turns=(Turn(user=says, checks=checks),))


async def rescored(stored: TrialResult, *evals: Eval, judge: Fixed | None = None) -> TrialResult:
    """Return a stored result judged by the evals of today."""
    by_name = {one.name: one for one in evals}
    (result,) = [result async for result in rescore([stored], by_name, judge, defaults=Defaults())]
    return result


async def test_a_stored_conversation_is_judged_by_the_checks_of_today() -> None:
    result = await rescored(STORED, an_eval(Check(category="response", spec={"contains": "pong"})))

    assert (result.verdict, result.trial, result.transcript) == (Verdict.PASS, 2, SPOKEN)


async def test_a_judge_may_be_asked_anew() -> None:
    result = await rescored(STORED, an_eval(Check(category="response", spec={"llm_judge": "nice"})), judge=Fixed(1))

    assert result.verdict is Verdict.FAIL


async def test_an_eval_that_is_gone_is_an_error_and_not_an_old_verdict() -> None:
    result = await rescored(STORED)

    assert (result.verdict, result.error) == (Verdict.ERROR, "there is no eval of this name any more")


@pytest.mark.parametrize(
    "today",
    [
        an_eval(says="pang"),
        replace(an_eval(), turns=(*an_eval().turns, Turn(user="more"))),
        replace(an_eval(), turns=()),
    ],
    ids=["another text", "more turns", "no turns"],
)
async def test_an_eval_with_other_turns_has_to_be_run_again(today: Eval) -> None:
    result = await rescored(STORED, today)

    assert result.verdict is Verdict.ERROR
    assert str(result.error).endswith("run it again")


async def test_a_check_of_what_nobody_saw_back_then_does_not_pass() -> None:
    result = await rescored(STORED, an_eval(Check(category="tools", spec={"not_called": "delete"})))

    assert result.verdict is Verdict.ERROR
    assert result.error == "the agent could not be observed: it did not show its tools"


async def test_a_conversation_that_was_cut_short_stays_so() -> None:
    crashed = Exchange(user="ping", trouble=Trouble(message="KeyError", by_agent=True))
    stored = replace(STORED, transcript=Transcript(exchanges=(crashed,)))
    today = replace(an_eval(), turns=(*an_eval().turns, Turn(user="more")))

    result = await rescored(stored, today)

    assert (result.verdict, result.error) == (Verdict.FAIL, "KeyError")


HELD = Eval(
    name="one",
    scenario=Scenario(starting_prompt="ping", plan="Ask."),
    outcome=(Check(category="rubric", spec={"about": "response", "rubrics": [{"id": "kind", "text": "It is kind."}]}),),
)


@pytest.mark.parametrize(("kind", "verdict"), [(True, Verdict.PASS), (False, Verdict.FAIL)])
async def test_what_a_simulated_user_said_is_judged_again_as_it_was_said(kind: bool, verdict: Verdict) -> None:
    more = replace(SPOKEN, exchanges=(*SPOKEN.exchanges, Exchange(user="made up", replies=(Reply(text="ok"),))))

    result = await rescored(replace(STORED, transcript=more), HELD, judge=Fixed(kind))

    assert (result.verdict, result.transcript) == (verdict, more)


@pytest.mark.parametrize("transcript", [Transcript(), replace(SPOKEN, exchanges=(Exchange(user="pang"),))])
async def test_a_conversation_that_began_otherwise_is_none_of_this_scenario(transcript: Transcript) -> None:
    result = await rescored(replace(STORED, transcript=transcript), HELD, judge=Fixed(True))

    assert result.verdict is Verdict.ERROR
    assert str(result.error).endswith("run it again")


async def test_a_simulated_conversation_that_could_not_be_opened_stays_so() -> None:
    refused = Transcript(trouble=Trouble(message="connection refused", by_agent=False))

    result = await rescored(replace(STORED, transcript=refused), HELD, judge=Fixed(True))

    assert (result.verdict, result.error) == (Verdict.ERROR, "connection refused")


async def test_the_limit_of_an_eval_holds_for_judging_it_anew() -> None:
    class Stuck(Fixed):
        async def grade(self, question: Question) -> Never:
            await asyncio.Event().wait()
            raise AssertionError

    one = an_eval(Check(category="response", spec={"llm_judge": "nice"}))
    stream = rescore([STORED], {"one": one}, Stuck(5), defaults=Defaults(timeout_s=0.02))

    (result,) = [result async for result in stream]

    assert result.verdict is Verdict.ERROR
    assert "judging did not end in the time" in (result.error or "")
