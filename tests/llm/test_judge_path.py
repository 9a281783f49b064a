"""The whole way to a judge over a faulty line: every case has its row, none is judged on half an answer."""

import asyncio
import gzip
import json
import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from audition.agents.function import FunctionAgent
from audition.engine.perform import perform
from audition.engine.plan import Defaults, plan
from audition.evals import Check, Eval, Turn
from audition.judges.llm import LlmJudge
from audition.llm.openai_compatible import ChatCompletions
from audition.llm.transport import Transport
from audition.providers import Provider
from audition.results import TrialResult, Verdict

pytestmark = pytest.mark.anyio

CASES = 200
LIMIT_S = 5
_NUMBER = re.compile(rb"reply of case (\d+)")

Judged = Callable[..., Any]


def answer(number: int, finish_reason: str = "stop", cut: int | None = None) -> bytes:
    """Return a completion: grade 5 for an even case and 1 for an odd one, cut after so many letters."""
    said = json.dumps({"reason": f"of case {number}", "score": 1 if number % 2 else 5})
    choice = {"index": 0, "message": {"role": "assistant", "content": said[:cut]}, "finish_reason": finish_reason}
    return json.dumps({"model": "tiny", "choices": [choice]}).encode()


@pytest.fixture
def judged(server, monkeypatch) -> Judged:
    """Run all cases with a judge at a server that does what `behaves(case, attempt)` says; waits take no time."""

    async def no_wait(_seconds: float) -> None:
        await asyncio.sleep(0)

    monkeypatch.setattr("audition.llm._endpoint.Transport", partial(Transport, sleep=no_wait))

    async def run(
        behaves: Callable[[int, int], Any], *, limit_s: float = LIMIT_S, eval_limit_s: float | None = None
    ) -> dict[str, TrialResult]:
        attempts: Counter[int] = Counter()

        async def behave(writer: asyncio.StreamWriter) -> None:
            number = int(_NUMBER.findall(server.requests[-1][2])[-1])
            attempts[number] += 1
            await behaves(number, attempts[number])(writer)

        server.will(behave)
        check = Check(category="response", spec={"llm_judge": "is right"})
        evals = [
            Eval(name=f"{number}", turns=(Turn(user=f"case {number}", checks=(check,)),)) for number in range(CASES)
        ]
        agent = FunctionAgent(lambda turn, _session: f"reply of {turn.user}")
        provider = Provider(name="local", base_url=f"{server.url}/v1", attempts=3, timeout_s=limit_s)
        judge = LlmJudge(ChatCompletions(provider, "tiny", {}))
        trials = plan(evals, Defaults(timeout_s=eval_limit_s), agent.observes)
        results = [one async for one in perform(trials, agent, judge, at_once=50)]
        assert len(server.requests) <= 6 * CASES
        assert len(results) == CASES
        return {one.eval_name: one for one in results}

    return run


def meant(number: int) -> Verdict:
    """Return the verdict that the judge means for a case."""
    return Verdict.FAIL if number % 2 else Verdict.PASS


async def test_trouble_that_passes_changes_no_verdict(server, judged):
    whole = [
        server.answer(429, b"slow down", Retry_After="20"),
        server.answer(503, b"<html>busy</html>", Retry_After="1"),
        server.answer(500, b"oops"),
        server.answer(502, b""),
        server.reset,
        server.raw(b""),
        server.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n" + answer(0)),
        server.raw(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd"),
        server.answer(200, answer(0, "length")),
        server.answer(200, answer(0, cut=20)),
    ]

    results = await judged(
        lambda number, attempt: whole[number % len(whole)] if attempt == 1 else server.answer(200, answer(number))
    )

    assert {name: one.verdict for name, one in results.items()} == {str(n): meant(n) for n in range(CASES)}


async def test_trouble_that_stays_is_an_error_and_never_half_an_answer(server, judged):
    zipped = gzip.compress(answer(0))
    faults = [
        server.answer(429, b"slow down", Retry_After="1"),
        server.answer(500, answer(0)),
        server.reset,
        server.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n" + answer(0)),
        server.raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n" + answer(0)),
        server.answer(200, b"<html><body>Please log in</body></html>", Content_Type="text/html"),
        server.answer(200, b"garbage" + zipped, Content_Encoding="gzip"),
        server.answer(200, zipped[: len(zipped) // 2], Content_Encoding="gzip"),
        server.answer(200, answer(0, "length")),
        server.answer(200, answer(0, "content_filter")),
        server.answer(200, answer(0, cut=-1)),
        server.answer(200, b'{"choices": []}'),
        server.answer(200, b""),
        server.answer(204, b""),
        server.answer(302, b"", Location="http://127.0.0.1:9/"),
        server.answer(401, answer(0)),
    ]

    results = await judged(
        lambda number, _: server.answer(200, answer(number)) if number % 4 == 0 else faults[number // 4 % len(faults)]
    )

    expected = {str(n): meant(n) if n % 4 == 0 else Verdict.ERROR for n in range(CASES)}
    assert {name: one.verdict for name, one in results.items()} == expected
    assert [one for one in results.values() if one.verdict is Verdict.ERROR and not one.error] == []


async def test_a_line_that_drips_or_never_ends_holds_up_no_other_case(server, judged):
    slow = {0: server.drip, 50: server.silent, 100: server.endless, 150: server.zip_bomb(50_000_000)}

    results = await judged(lambda number, _: slow.get(number) or server.answer(200, answer(number)))

    expected = {str(n): Verdict.ERROR if n in slow else meant(n) for n in range(CASES)}
    assert {name: one.verdict for name, one in results.items()} == expected


async def test_the_limit_of_an_eval_ends_it_whatever_the_judges_server_does(server, judged):
    for_ever = {0: server.drip, 50: server.silent, 100: server.endless}

    async with asyncio.timeout(60):  # without a limit that holds, nothing here would ever end
        results = await judged(
            lambda number, _: for_ever.get(number) or server.answer(200, answer(number)),
            limit_s=3600,
            eval_limit_s=5,
        )

    expected = {str(n): Verdict.ERROR if n in for_ever else meant(n) for n in range(CASES)}
    assert {name: one.verdict for name, one in results.items()} == expected
    assert "judging did not end in the time that the eval may take" in results["0"].error
