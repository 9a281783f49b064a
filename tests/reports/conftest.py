"""A run in which everything happens that a report may have to say."""

from dataclasses import replace

import pytest

from audition.results import CheckResult, Run, TrialResult, Verdict
from audition.transcript import Exchange, Reply, State, ToolCall, Transcript, Trouble, Usage, WorkflowEvent

HOSTILE = "ok\x1b[2J\x00 \u202egnihton ]]> <b>&amp;</b>\n✓ forged (0.0 s)\n\ud800"


def check(kind: str, verdict: Verdict, **more: object) -> CheckResult:
    """Return the result of a check; `kind` is `category.check`."""
    category, _, words = kind.partition(".")
    return CheckResult(category=category, check=words, verdict=verdict, **more)


GREETING = TrialResult(
    eval_name="greeting",
    verdict=Verdict.PASS,
    type="capability",
    tags=("smoke",),
    checks=(check('response.contains: "hello"', Verdict.PASS, turn=0, where="evals/greeting.eval.yaml:5:9"),),
    transcript=Transcript(exchanges=(Exchange(user="hi", replies=(Reply(text="hello"),), response_ms=204.5),)),
    duration_ms=312.4,
    started_at="2026-01-02T03:04:05.678+00:00",
)

REFUND = TrialResult(
    eval_name="refund asks for the order",
    verdict=Verdict.FAIL,
    type="regression",
    checks=(
        check(
            'response.contains: "order number"',
            Verdict.FAIL,
            turn=0,
            expected='contains "order number"',
            actual="Sure.\nAnything else?",
            where="evals/refund.eval.yaml:7:11",
        ),
        check('tools.not_called: "refund"', Verdict.PASS, turn=0, where="evals/refund.eval.yaml:8:11"),
        check(
            'response.llm_judge: "is polite"',
            Verdict.FAIL,
            turn=1,
            expected="a grade of at least 3",
            actual="grade 2",
            reason="curt",
            where="evals/refund.eval.yaml:12:11",
            score=2,
        ),
        check("state.bot.refunds: equals 0", Verdict.FAIL, expected="0", actual="1", reason="it changed"),
    ),
    transcript=Transcript(
        baseline=State(bot={"refunds": 0}),
        exchanges=(
            Exchange(
                user="I want\nmy money back",
                replies=(Reply(text="Sure."), Reply(text="Anything else?")),
                tool_calls=(
                    ToolCall(name="lookup", arguments={"id": 7}, result={"found": True}),
                    ToolCall(name="pay", error="no funds", malformed='{"to":'),
                ),
                workflows=(WorkflowEvent(name="refund", status="entered", input={"id": 7}),),
                state=State(bot={"refunds": 1}),
                response_ms=1034.0,
                usage=Usage(calls=2, input_tokens=310, output_tokens=25),
            ),
            Exchange(event={"type": "paid", "amount": 5.5}),
        ),
    ),
    duration_ms=2_041.0,
    started_at="2026-01-02T03:04:06+00:00",
)

CRASH = TrialResult(
    eval_name="crash",
    verdict=Verdict.ERROR,
    error="connection refused",
    checks=(
        check("agent.finishes the turn", Verdict.ERROR, turn=1, reason="connection refused"),
        check("response.matches: \\d+", Verdict.ERROR, turn=1, reason="the turn did not finish: connection refused"),
        check("response.a reply", Verdict.ERROR, turn=2, reason="turn 2 did not finish"),
    ),
    transcript=Transcript(
        exchanges=(
            Exchange(user="one", replies=(Reply(text="1"),)),
            Exchange(
                user="two",
                trouble=Trouble(message="connection refused", by_agent=False, detail="Traceback:\n  line 1"),
            ),
        )
    ),
    duration_ms=15.0,
    started_at="2026-01-02T03:04:08+00:00",
)

UNJUDGED = TrialResult(
    eval_name="unjudged",
    verdict=Verdict.SKIP,
    checks=(check('response.llm_judge: "is kind"', Verdict.SKIP, turn=0, reason="judging is switched off"),),
    transcript=Transcript(exchanges=(Exchange(user="hello", replies=(Reply(text="hi"),)),)),
    duration_ms=3.0,
)

HOSTILES = TrialResult(
    eval_name="evil\n✓ name <x>",
    verdict=Verdict.FAIL,
    checks=(check("response.equals: x", Verdict.FAIL, turn=0, actual=HOSTILE, reason=HOSTILE),),
    transcript=Transcript(exchanges=(Exchange(user=HOSTILE, replies=(Reply(text=HOSTILE),)),)),
)


@pytest.fixture
def results() -> tuple[TrialResult, ...]:
    return (GREETING, replace(GREETING, trial=2, verdict=Verdict.FAIL, checks=()), REFUND, CRASH, UNJUDGED, HOSTILES)


@pytest.fixture
def run() -> Run:
    return Run(
        id="019b7c0d1e2f0123456789abcd",
        started_at="2026-01-02T03:04:05.000+00:00",
        agent="http:http://user:s3cret@127.0.0.1:9000/chat?api_key=s3cret",
        judge="openai:gpt-4o",
        status="completed",
        passed=1,
        failed=3,
        errors=1,
        skipped=1,
        total=7,
        duration_ms=2_391.6,
        paths=("evals",),
        faults=("evals/broken.eval.yaml:3:5: unknown key 'asert'; did you mean 'assert'?",),
        warnings=("evals/old.eval.yaml: 'idleTimeout' is very long",),
    )


@pytest.fixture
def clean_run(run: Run) -> Run:
    """A run without anything wrong but one eval that passed."""
    return replace(run, failed=0, errors=0, skipped=0, total=1, faults=(), warnings=())


@pytest.fixture
def greeting() -> TrialResult:
    return GREETING


@pytest.fixture
def hostile() -> TrialResult:
    return HOSTILES
