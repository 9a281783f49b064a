"""A Botpress bot through the whole engine: each kind of check passes and fails for the right reason; every fault."""

import json
import logging
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.botpress import Act, Double, Fault, Flow

from audition.agents import Surroundings, open_agent
from audition.agents._botpress_options import read_botpress_options
from audition.agents._botpress_payloads import rendered
from audition.agents._botpress_workflows import awaited
from audition.agents.botpress import BotpressAgent
from audition.engine.perform import perform
from audition.engine.plan import Defaults, plan
from audition.errors import AgentError, PlanError, SettingsError
from audition.evals import Check, SeedState, Setup, ToolMock, Turn, WorkflowTrigger
from audition.formats.eval_dict import read_evals
from audition.judges.fixed import Fixed
from audition.llm.transport import Transport
from audition.results import CheckResult, TrialResult
from audition.transcript import Exchange, Usage

pytestmark = pytest.mark.anyio

LONG_S = 30.0
WINDOWS = {"settle_ms": 5, "quiet_ms": 20, "silence_window_ms": 20, "poll_ms": 1}
SHORT = {"idleTimeout": 250}
GREETING = {"hello": Act(say=["Hi there"])}


async def no_wait(seconds: float) -> None:
    """Wait for nothing."""


def everything(double: Double) -> dict[str, object]:
    """Return the options with which everything is seen."""
    return {"dev_server": double.url, **state_only(double)}


def state_only(double: Double) -> dict[str, object]:
    """Return the options with which the chat and the cloud API are used."""
    return {"token_env": "BP_TOKEN", "bot_id": double.bot_id, "workspace_id": "space-1", "api_url": double.url}


def botpress(double: Double, options: Mapping[str, object]) -> BotpressAgent:
    """Return the double's bot as an agent that waits for nothing between its attempts."""
    secrets = {"BP_TOKEN": double.token, "CHAT_KEY": "the encryption key", "WRONG": "wr0ng-secret"}
    chosen = read_botpress_options(double.chat_url, WINDOWS | options, Surroundings(secrets=secrets))
    transport = Transport(timeout_s=LONG_S, attempts=2, sleep=no_wait)
    return BotpressAgent(chosen, transport=transport, new_id=lambda: "ada")


@asynccontextmanager
async def talking_to(double: Double, options: Mapping[str, object] | None = None) -> AsyncIterator[BotpressAgent]:
    """Serve a double and offer its bot with everything to be seen, or with other options."""
    async with double.serving():
        agent = botpress(double, everything(double) if options is None else options)
        yield agent
        await agent.close()


def checked(eval: dict[str, Any]) -> dict[str, Any]:
    """Return an eval that asserts something, whatever it asserted before."""
    turns = eval["conversation"]
    if "outcome" in eval or any({"assert", "expectSilence"} & turn.keys() for turn in turns):
        return eval
    return {**eval, "conversation": [{**turn, "assert": {"response": [{"matches": "."}]}} for turn in turns]}


async def tried(agent: BotpressAgent, *evals: dict[str, Any]) -> list[TrialResult]:
    """Return what becomes of evals, run one after the other by the engine."""
    reading = read_evals([{"name": f"eval {n}", **checked(one)} for n, one in enumerate(evals)], "test")
    assert reading.faults == ()
    trials = plan(reading.evals, Defaults(), agent.observes)
    judge = Fixed({"greets the customer": 5, "names a price": 2})
    return [result async for result in perform(trials, agent, judge, at_once=agent.at_once)]


async def asked(agent: BotpressAgent, text: str, checks: Mapping[str, object]) -> list[CheckResult]:
    """Return the results of a turn's checks."""
    (result,) = await tried(agent, {"conversation": [{"user": text, "assert": checks}]})
    return list(result.checks)


async def said(agent: BotpressAgent, *turns: Turn, idle_timeout_s: float = LONG_S) -> list[Exchange]:
    """Return the exchanges of one session."""
    async with agent.open(Setup(), trial="trial") as session:
        return [await session.send(turn, idle_timeout_s=idle_timeout_s) for turn in turns]


def reasons(result: TrialResult) -> str:
    """Return all reasons of a result."""
    return "\n".join(check.reason or "" for check in result.checks)


BUSY = Act(
    say=["Ticket TKT-104 created", "Anything else?"],
    tools=[
        {"name": "lookupUser", "input": '{"id": 7}', "output": '{"name": "Ada"}', "status": "success"},
        {"name": "createTicket", "input": '{"priority": "high", "tags": ["vip"]}', "output": "ok", "status": "success"},
    ],
    models=[{"ai.model": "m", "ai.input_tokens": 100, "ai.output_tokens": 20, "ai.cost": 0.25}] * 2,
    state={"conversation": {"topic": "support", "count": 3}, "bot": {"ticketCount": 3}, "user": {"plan": "pro"}},
    flows=[
        Flow(name="onboarding", input={"step": 1}),
        Flow(name="broken", final="failed"),
        Flow(name="long", final=None),
    ],
    took_ms=1000,
)

CATEGORIES = [
    ("response", {"contains": "ticket"}, {"contains": "refund"}),
    ("response", {"not_contains": "error"}, {"not_contains": "TKT"}),
    ("response", {"matches": r"TKT-\d{3}"}, {"matches": r"TKT-\d{4}"}),
    ("response", {"contains": "created\nAnything"}, {"contains": "created Anything"}),
    ("response", {"llm_judge": "greets the customer"}, {"llm_judge": "names a price"}),
    ("tools", {"called": "createTicket"}, {"called": "deleteTicket"}),
    (
        "tools",
        {"called": "createTicket", "params": {"priority": {"equals": "high"}, "tags": {"contains": "vip"}}},
        {"called": "createTicket", "params": {"priority": {"equals": "low"}}},
    ),
    ("tools", {"not_called": "deleteTicket"}, {"not_called": "lookupUser"}),
    ("tools", {"call_order": ["lookupUser", "createTicket"]}, {"call_order": ["createTicket", "lookupUser"]}),
    ("state", {"path": "conversation.topic", "equals": "support"}, {"path": "conversation.topic", "equals": "sales"}),
    ("state", {"path": "conversation.topic", "changed": True}, {"path": "user.plan", "changed": False}),
    ("state", {"path": "bot.ticketCount", "equals": 3}, {"path": "bot.ticketCount", "gte": 4}),
    ("workflow", {"name": "onboarding", "entered": True}, {"name": "offboarding", "entered": True}),
    ("workflow", {"name": "onboarding", "completed": True}, {"name": "broken", "completed": True}),
    ("workflow", {"name": "long", "completed": False}, {"name": "onboarding", "completed": False}),
    (
        "workflow",
        {"name": "onboarding", "input": {"step": {"equals": 1}}},
        {"name": "onboarding", "input": {"step": {"equals": 2}}},
    ),
    ("timing", {"response_time": {"lte": 5000}}, {"response_time": {"lte": 100}}),
    ("timing", {"response_time": {"gte": 1000}}, {"response_time": {"gte": 5000}}),
]


@pytest.mark.parametrize(("category", "holds", "fails"), CATEGORIES, ids=[f"{c} {h}" for c, h, _ in CATEGORIES])
async def test_each_kind_of_check_passes_and_fails_for_the_right_reason(
    category: str, holds: dict[str, Any], fails: dict[str, Any]
) -> None:
    async with talking_to(Double({"open a ticket": BUSY})) as agent:
        (result,) = await tried(
            agent,
            {
                "conversation": [{"user": "open a ticket", "assert": {category: [holds, fails]}}],
                "options": SHORT,
            },
        )

    assert [(check.category, check.verdict) for check in result.checks] == [(category, "pass"), (category, "fail")]


async def test_setup_state_and_workflow_go_together() -> None:
    flows = {"reminderFlow": Flow(name="reminderFlow", after_polls=2)}
    async with talking_to(Double({"Thanks": Act()}, flows=flows)) as agent:
        (result,) = await tried(
            agent,
            {
                "setup": {
                    "state": {"bot": {"sleepDurationMs": 3000}, "user": {"plan": "pro"}},
                    "workflow": {"trigger": "reminderFlow", "input": {"userId": "u1"}},
                },
                "conversation": [
                    {
                        "user": "Thanks",
                        "expectSilence": True,
                        "assert": {
                            "state": [{"path": "bot.sleepDurationMs", "changed": False}],
                            "workflow": [{"name": "reminderFlow", "entered": True, "completed": True}],
                        },
                    }
                ],
                "outcome": {
                    "state": [{"path": "user.plan", "equals": "pro"}],
                    "workflow": [{"name": "reminderFlow", "completed": True}],
                },
            },
        )

    assert result.verdict == "pass"
    assert [check.category for check in result.checks] == ["response", "state", "workflow", "state", "workflow"]


async def test_state_is_seeded_as_the_runtime_reads_it() -> None:
    double = Double(GREETING)
    seed = SeedState(bot={"a": 1}, user={"b": 2}, conversation={"c": 3})
    async with talking_to(double) as agent, agent.open(Setup(state=seed), trial="trial"):
        pass

    posted = [(path, body) for method, path, _, body in double.requests if method == "POST" and "/states/" in path]
    user, conversation = next(iter(double.users)), next(iter(double.conversations))
    place = {"location": {"type": "state"}}
    assert posted[:3] == [
        ("/v1/chat/states/bot/bot-1/botState", {"payload": {"value": {"a": 1}, **place}}),
        (f"/v1/chat/states/user/{user}/userState", {"payload": {"value": {"b": 2}, **place}}),
        (f"/v1/chat/states/conversation/{conversation}/state", {"payload": {"value": {"c": 3}, **place}}),
    ]


SILENT = {"conversation": [{"user": "shh", "expectSilence": True}]}
SILENT_EVENT = {"conversation": [{"event": {"payload": {"kind": "ping"}}, "expectSilence": True}]}
MODES = pytest.mark.parametrize("traced", [True, False], ids=["traced", "chat only"])


@MODES
@pytest.mark.parametrize("eval", [SILENT, SILENT_EVENT], ids=["user", "event"])
async def test_silence_is_a_pass_and_a_reply_to_it_a_fail(traced: bool, eval: dict[str, Any]) -> None:
    quiet, loud = Act(), Act(say=["I cannot be quiet"])
    for act, verdict in ((quiet, "pass"), (loud, "fail")):
        double = Double({"shh": act, "event:ping": act})
        async with talking_to(double, None if traced else {}) as agent:
            (result,) = await tried(agent, eval)

        (check,) = result.checks
        assert (check.check, check.verdict) == ("silence", verdict)


@MODES
async def test_what_is_said_late_is_told_of_the_silent_turn_and_is_no_reply_to_the_next(traced: bool) -> None:
    double = Double({"shh": Act(late=["sorry, here I am"]), **GREETING})
    async with talking_to(double, None if traced else {}) as agent:
        (result,) = await tried(
            agent,
            {
                "conversation": [
                    *SILENT["conversation"],
                    {"user": "hello", "assert": {"response": [{"contains": "Hi"}]}},
                ]
            },
        )

    assert result.verdict == "fail"
    assert "turn 1 was to stay silent, and the bot said after it: 'sorry, here I am'" in reasons(result)


@MODES
async def test_what_is_said_after_a_last_silent_turn_fails_it(traced: bool) -> None:
    double = Double({"shh": Act()})

    async def hold(agent: BotpressAgent) -> None:
        async with agent.open(Setup(), trial="trial") as session:
            await session.send(Turn(user="shh", expect_silence=True), idle_timeout_s=LONG_S)
            double.speak(next(iter(double.conversations)), "one more thing")

    async with talking_to(double, None if traced else {}) as agent:
        with pytest.raises(AgentError, match="turn 1 was to stay silent") as raised:
            await hold(agent)

    assert raised.value.by_agent


@MODES
async def test_what_the_setup_provoked_is_no_reply_to_the_first_turn(traced: bool) -> None:
    double = Double(GREETING)
    async with (
        talking_to(double, None if traced else {}) as agent,
        agent.open(Setup(), trial="trial") as session,
    ):
        double.speak(next(iter(double.conversations)), "Welcome!")
        exchange = await session.send(Turn(user="hello"), idle_timeout_s=LONG_S)

    assert [reply.text for reply in exchange.replies] == ["Hi there"]


async def test_a_bot_that_goes_on_after_the_quiet_window_leaves_an_error_that_names_the_window() -> None:
    double = Double({"tell me": Act(say=["first"], late=["second"]), **GREETING})
    async with talking_to(double, {}) as agent:
        (result,) = await tried(agent, {"conversation": [{"user": "tell me"}, {"user": "hello"}]})

    assert result.verdict == "error"
    assert "turn 1 was not over" in reasons(result)
    assert "quiet_ms" in reasons(result)


async def test_a_bot_that_speaks_of_its_own_accord_between_traced_turns_is_heard_in_the_later() -> None:
    double = Double({"remind me": Act(say=["I will"], late=["ping!"]), **GREETING})
    async with talking_to(double) as agent:
        first, second = await said(agent, Turn(user="remind me"), Turn(user="hello"))

    assert [reply.text for reply in first.replies] == ["I will"]
    assert [reply.text for reply in second.replies] == ["ping!", "Hi there"]


async def test_a_turn_without_a_reply_fails_and_the_conversation_goes_on() -> None:
    async with talking_to(Double({"mumble": Act(), **GREETING})) as agent:
        (result,) = await tried(
            agent,
            {"conversation": [{"user": "mumble"}, {"user": "hello", "assert": {"response": [{"contains": "Hi"}]}}]},
        )

    assert [(check.turn, check.verdict) for check in result.checks] == [(0, "fail"), (1, "pass")]
    assert "said nothing" in reasons(result)


@pytest.mark.parametrize(
    ("turn", "hint"),
    [({"user": "lost"}, "chat.channel"), ({"event": {"payload": {"kind": "lost"}}}, "chat:custom")],
    ids=["user", "event"],
)
async def test_no_handler_is_a_fail_that_says_what_to_subscribe(turn: dict[str, Any], hint: str) -> None:
    async with talking_to(Double({})) as agent:
        (result,) = await tried(agent, {"conversation": [turn], "options": SHORT})

    assert result.verdict == "fail"
    assert "handler took the turn up within 0.25 s" in reasons(result)
    assert hint in reasons(result)


async def test_silence_without_a_handler_to_keep_it_is_an_error() -> None:
    async with talking_to(Double({})) as agent:
        (result,) = await tried(agent, {**SILENT, "options": SHORT})

    assert result.verdict == "error"


async def test_replies_without_traces_point_at_the_dev_server() -> None:
    async with talking_to(Double({"hello": Act(say=["Hi"], handled=False)})) as agent:
        (result,) = await tried(agent, {"conversation": [{"user": "hello"}], "options": SHORT})

    assert result.verdict == "error"
    assert "is 'dev_server' the server this bot runs on?" in reasons(result)


@MODES
async def test_a_bot_that_takes_too_long_fails(traced: bool) -> None:
    async with talking_to(Double({"hello": Act(hangs=True)}), None if traced else {}) as agent:
        (result,) = await tried(agent, {"conversation": [{"user": "hello"}], "options": SHORT})

    assert result.verdict == "fail"
    assert "no answer within 0.25 s" in reasons(result)


async def test_a_reply_that_is_optional_may_be_missing_without_traces() -> None:
    async with talking_to(Double({"hello": Act()}), {}) as agent:
        (exchange,) = await said(agent, Turn(user="hello", response_optional=True), idle_timeout_s=0.05)

    assert (exchange.replies, exchange.trouble) == ((), None)


# what may go wrong on the way


@MODES
async def test_a_stream_that_breaks_is_opened_again_and_nothing_is_lost_or_doubled(traced: bool) -> None:
    double = Double({"count": Act(say=["one", "two", "three", "four"], drops_after=1)})
    async with talking_to(double, None if traced else {}) as agent:
        first, second = await said(agent, Turn(user="count"), Turn(user="count"))

    assert [reply.text for reply in first.replies] == ["one", "two", "three", "four"]
    assert [reply.text for reply in second.replies] == ["one", "two", "three", "four"]


async def test_a_reply_that_the_broken_stream_did_not_bring_breaks_the_silence() -> None:
    async with talking_to(Double({"shh": Act(say=["psst"], drops_after=0)}), {}) as agent:
        (result,) = await tried(agent, SILENT)

    assert result.verdict == "fail"


async def test_a_stream_that_cannot_be_opened_again_is_an_error() -> None:
    double = Double({"shh": Act(drops_after=0, say=["psst"])})
    async with talking_to(double, {}) as agent, agent.open(Setup(), trial="trial") as session:
        double.faults.append(Fault(begins="GET /chat/conversations", status=404, times=9))
        exchange = await session.send(Turn(user="shh", expect_silence=True), idle_timeout_s=LONG_S)

    assert exchange.trouble is not None
    assert not exchange.trouble.by_agent
    assert "404" in exchange.trouble.message


async def test_frames_that_come_twice_are_one_message() -> None:
    double = Double(GREETING)
    double.duplicates = True
    async with talking_to(double) as agent:
        (exchange,) = await said(agent, Turn(user="hello"))

    assert [reply.text for reply in exchange.replies] == ["Hi there"]


async def test_a_busy_server_is_asked_again() -> None:
    double = Double(GREETING)
    double.faults.append(Fault(begins="POST /chat/messages", status=429, headers={"Retry-After": "1"}))
    async with talking_to(double) as agent:
        (exchange,) = await said(agent, Turn(user="hello"))

    assert [reply.text for reply in exchange.replies] == ["Hi there"]


async def test_a_message_that_may_have_been_heard_is_not_said_again() -> None:
    double = Double(GREETING)
    double.faults.append(Fault(begins="POST /chat/messages", status=502, body="<html>bad gateway</html>", times=9))
    async with talking_to(double) as agent:
        (result,) = await tried(agent, {"conversation": [{"user": "hello"}]})

    assert len(double.sent("POST /chat/messages")) == 1
    assert result.verdict == "error"
    assert "answered 502" in reasons(result)


WRONG_ANSWERS = [
    (
        "POST /chat/users",
        200,
        {"code": 403, "type": "Forbidden", "message": "no users, thank you"},
        "encryption_key_env",
    ),
    ("POST /chat/users", 401, {"code": 401, "message": "who are you?"}, "who are you?"),
    ("POST /chat/users", 200, "<html>a proxy</html>", "a proxy"),
    ("POST /chat/users", 200, {"user": {"id": "u"}}, "without a key"),
    ("POST /chat/conversations", 200, {"conversation": {}}, "without an id"),
    ("GET /chat/conversations", 401, {"code": 401, "message": "no"}, "answered 401"),
    ("GET /api/traces", 500, {"error": "boom"}, "answered 500"),
    ("GET /v1/chat/states", 403, {"code": 403, "message": "not yours"}, "workspace_id"),
    ("GET /v1/chat/states", 200, {"state": {"payload": {"value": [1]}}}, "no object"),
]


@pytest.mark.parametrize(
    ("begins", "status", "body", "told"), WRONG_ANSWERS, ids=[f"{b} {s} {t}" for b, s, _, t in WRONG_ANSWERS]
)
async def test_what_is_refused_is_an_error_that_says_so(begins: str, status: int, body: object, told: str) -> None:
    double = Double(GREETING)
    double.faults.append(Fault(begins=begins, status=status, body=body, times=99))
    async with talking_to(double) as agent:
        (result,) = await tried(
            agent, {"conversation": [{"user": "hello", "assert": {"response": [{"contains": "Hi"}]}}]}
        )

    assert result.verdict == "error"
    assert told in reasons(result)


async def test_an_error_inside_a_200_is_one_when_a_message_is_sent() -> None:
    double = Double(GREETING)
    double.faults.append(Fault(begins="POST /chat/messages", status=200, body={"code": 400, "message": "too long"}))
    async with talking_to(double) as agent:
        (exchange,) = await said(agent, Turn(user="hello"))

    assert exchange.trouble is not None
    assert not exchange.trouble.by_agent
    assert exchange.trouble.message.endswith("answered 400: too long")


# case: promptfoo/promptfoo#8805
async def test_keys_are_told_to_nobody(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    double = Double(GREETING)
    double.faults.append(
        Fault(begins="GET /v1", status=401, body={"message": "Bearer wr0ng-secret is not valid"}, times=9)
    )
    async with double.serving():
        options = {**state_only(double), "token_env": "WRONG"}
        agent = botpress(double, options)
        (result,) = await tried(agent, {"conversation": [{"user": "hello"}]})
        await agent.close()

    assert "the variable WRONG" in reasons(result)
    assert "Bearer *** is not valid" in reasons(result)
    assert "wr0ng-secret" not in repr(result) + caplog.text + repr(agent) + repr(
        read_botpress_options("hook", options, Surroundings(secrets={"WRONG": "wr0ng-secret"}))
    )


# state that all conversations share


async def test_bot_state_that_is_seeded_is_put_back() -> None:
    double = Double({"open a ticket": BUSY})
    double.states["bot", "bot-1"] = {"value": {"ticketCount": 1}, "location": {"type": "state"}}
    async with talking_to(double) as agent:
        (result,) = await tried(
            agent,
            {
                "setup": {"state": {"bot": {"ticketCount": 2}}},
                "conversation": [
                    {"user": "open a ticket", "assert": {"state": [{"path": "bot.ticketCount", "equals": 3}]}}
                ],
            },
        )

    assert result.verdict == "pass"
    assert double.stored("bot", "bot-1") == {"ticketCount": 1}


async def test_bot_state_that_nobody_seeds_is_left_to_the_bot() -> None:
    double = Double({"open a ticket": BUSY})
    async with talking_to(double) as agent:
        await tried(agent, {"conversation": [{"user": "open a ticket"}]})

    assert double.stored("bot", "bot-1") == {"ticketCount": 3}


async def test_bot_state_is_put_back_after_a_trial_that_was_cut_off() -> None:
    double = Double({"shh": Act(hangs=True)})
    async with talking_to(double) as agent:
        (trial,) = plan(
            read_evals([{"name": "one", "setup": {"state": {"bot": {"n": 2}}}, **SILENT}], "test").evals,
            Defaults(timeout_s=0.3),
            agent.observes,
        )
        (result,) = [one async for one in perform([trial], agent, None, at_once=1)]

    assert result.verdict == "fail"
    assert double.stored("bot", "bot-1") is None


SEEDING = {"setup": {"state": {"bot": {"n": 2}}}, "conversation": [{"user": "hello"}]}
NOT_PUT_BACK = "the bot state that an eval seeded could not be put back"


@pytest.mark.parametrize(
    ("act", "verdict"),
    [(Act(say=["Hi"]), "error"), (Act(error="RuntimeError: broken"), "fail")],
    ids=["after a turn", "after a crash"],
)
async def test_bot_state_that_cannot_be_put_back_is_told_and_owed_to_the_next_trial(act: Act, verdict: str) -> None:
    double = Double({"hello": act, "hi": Act(say=["Hi"])})
    seeding = "POST /v1/chat/states/bot"
    double.faults.append(Fault(begins=seeding, status=200, body={"state": {}}))
    double.faults.append(Fault(begins=seeding, status=400, body={"code": 400, "message": "read-only"}, times=2))
    async with talking_to(double) as agent:
        first, second, third = await tried(
            agent, SEEDING, {"conversation": [{"user": "hi"}]}, {"conversation": [{"user": "hi"}]}
        )

    assert (first.verdict, second.verdict, third.verdict) == (verdict, "error", "pass")
    assert NOT_PUT_BACK in reasons(second)
    assert double.stored("bot", "bot-1") is None


async def test_bot_state_that_cannot_be_put_back_after_an_error_is_told_beside_it() -> None:
    double = Double(GREETING)
    double.faults.append(Fault(begins="POST /v1/chat/states/bot", status=400, body={"message": "read-only"}, times=9))
    async with talking_to(double) as agent:
        (result,) = await tried(agent, SEEDING)

    assert result.verdict == "error"
    assert reasons(result).count("read-only") >= 2
    assert NOT_PUT_BACK in reasons(result)


async def test_bot_state_cannot_be_seeded_while_others_run() -> None:
    double = Double(GREETING)
    async with double.serving():
        agent = botpress(double, {**everything(double), "at_once": 4})
        with pytest.raises(AgentError, match="cannot be seeded while other trials run"):
            async with agent.open(Setup(state=SeedState(bot={"n": 1})), trial="trial"):
                pass
        await agent.close()

    assert agent.at_once == 4


async def test_a_long_state_is_read_from_its_file() -> None:
    double = Double({"open a ticket": BUSY})
    double.swapped = {"conversation"}
    async with talking_to(double) as agent:
        (check,) = await asked(agent, "open a ticket", {"state": [{"path": "conversation.topic", "equals": "support"}]})

    assert check.verdict == "pass"


async def test_a_long_state_whose_file_is_gone_is_an_error() -> None:
    double = Double({"open a ticket": BUSY})
    double.swapped = {"conversation"}
    double.faults.append(Fault(begins="GET /content", status=403, body="expired", times=9))
    async with talking_to(double) as agent:
        checks = await asked(agent, "open a ticket", {"state": [{"path": "conversation.topic", "equals": "support"}]})

    assert [check.verdict for check in checks] == ["error", "error"]
    assert "cannot be read: answered 403" in str(checks[0].reason)


# users and their keys


async def test_a_bot_with_an_encryption_key_takes_users_that_are_signed_with_it() -> None:
    double = Double({"open a ticket": BUSY}, encryption_key="the encryption key")
    async with double.serving():
        agent = botpress(double, {**everything(double), "encryption_key_env": "CHAT_KEY"})
        (result,) = await tried(
            agent,
            {
                "setup": {"state": {"user": {"name": "Ada"}}},
                "conversation": [
                    {
                        "user": "open a ticket",
                        "assert": {
                            "state": [{"path": "user.name", "equals": "Ada"}, {"path": "user.plan", "equals": "pro"}]
                        },
                    }
                ],
            },
        )
        await agent.close()

    assert result.verdict == "pass"
    assert list(double.users) == ["ada"]
    assert double.stored("user", "cloud-ada") == {"name": "Ada", "plan": "pro"}


async def test_a_bot_with_another_encryption_key_refuses_its_user() -> None:
    double = Double(GREETING, encryption_key="another key")
    async with talking_to(double, {"encryption_key_env": "CHAT_KEY"}) as agent:
        with pytest.raises(AgentError, match="user key was refused"):
            await said(agent, Turn(user="hello"))


async def test_each_trial_has_a_new_user_and_a_new_conversation() -> None:
    double = Double(GREETING)
    async with talking_to(double) as agent:
        await tried(agent, {"conversation": [{"user": "hello"}]}, {"conversation": [{"user": "hello"}]})

    assert (len(double.users), len(double.conversations)) == (2, 2)


async def test_requests_carry_the_keys_and_the_agent_that_is_meant(tmp_path: Path) -> None:
    double = Double(GREETING)
    async with double.serving():
        agent = botpress(double, {**everything(double), "agent_path": str(tmp_path)})
        await said(agent, Turn(user="hello"))
        await agent.close()

    sent = {path.partition("?")[0]: headers for _, path, headers, _ in double.requests}
    assert sent["/api/traces/stream"]["X-Agent-Path"] == str(tmp_path)
    assert sent["/v1/chat/workflows"]["x-bot-id"] == "bot-1"
    assert sent["/v1/chat/workflows"]["x-workspace-id"] == "space-1"
    assert sent["/chat/messages"]["x-user-key"].count(".") == 2
    assert "Authorization" not in sent["/chat/messages"]


# what is read from traces


async def test_tokens_and_cost_are_those_of_the_model_requests() -> None:
    async with talking_to(Double({"open a ticket": BUSY, **GREETING})) as agent:
        busy, idle = await said(agent, Turn(user="open a ticket"), Turn(user="hello"))

    assert busy.usage == Usage(calls=2, input_tokens=200, output_tokens=40, cost_usd=0.5)
    assert idle.usage == Usage(calls=0, input_tokens=0, output_tokens=0, cost_usd=0.0)


async def test_tool_calls_keep_what_they_were_given_and_gave() -> None:
    tools = [
        {"name": "search", "input": "{not json", "output": "[1, 2]"},
        {"name": "open", "input": '["a", "list"]', "output": "42"},
        {"name": "close", "error": "no such door"},
        {"name": "think", "input": '{"x": NaN}', "status": "think"},
    ]
    async with talking_to(Double({"go": Act(say=["gone"], tools=tools)})) as agent:
        (exchange,) = await said(agent, Turn(user="go"))

    told = [(call.name, call.arguments, call.malformed, call.result, call.error) for call in exchange.tool_calls]
    assert told == [
        ("search", {}, "{not json", [1, 2], None),
        ("open", {}, '["a", "list"]', "42", None),
        ("close", {}, None, None, "no such door"),
        ("think", {}, '{"x": NaN}', None, None),
    ]
    starts = [call.started_ms for call in exchange.tool_calls]
    assert starts == sorted(starts)


async def test_a_workflow_that_is_asked_about_is_waited_for() -> None:
    slow = Flow(name="import", after_polls=3)
    async with talking_to(Double({"import": Act(say=["started"], flows=[slow])})) as agent:
        (check,) = await asked(agent, "import", {"workflow": [{"name": "import", "completed": True}]})

    assert check.verdict == "pass"


async def test_a_workflow_that_ends_during_a_later_turn_ends_there() -> None:
    slow = Flow(name="import", after_polls=2)
    async with talking_to(Double({"import": Act(say=["started"], flows=[slow]), **GREETING})) as agent:
        exchanges = await said(agent, Turn(user="import"), Turn(user="hello"), Turn(user="hello"))

    statuses = [[event.status for event in exchange.workflows] for exchange in exchanges]
    assert statuses == [["entered"], [], ["completed"]]


async def test_a_workflow_that_nobody_takes_up_was_not_entered() -> None:
    trigger = Setup(workflow=WorkflowTrigger(name="unknown"))
    async with talking_to(Double(GREETING)) as agent, agent.open(trigger, trial="trial") as session:
        exchange = await session.send(Turn(user="hello"), idle_timeout_s=LONG_S)

    assert exchange.workflows == ()


async def test_workflows_are_seen_in_traces_alone() -> None:
    double = Double({"open a ticket": BUSY})
    async with double.serving():
        agent = botpress(double, {"dev_server": double.url})
        (exchange,) = await said(agent, Turn(user="open a ticket"))
        await agent.close()

    told = [(event.name, event.status) for event in exchange.workflows]
    assert told == [
        ("onboarding", "entered"),
        ("onboarding", "completed"),
        ("broken", "entered"),
        ("broken", "failed"),
        ("long", "entered"),
    ]


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ({"name": "w", "entered": True}, {"w": False}),
        ({"name": "w", "completed": True}, {"w": True}),
        ({"name": "w", "failed": True}, {"w": True}),
        ({"name": "w", "status": "timedout"}, {"w": True}),
        ({"name": "w", "status": "entered"}, {"w": False}),
        ({"name": "w", "entered": False}, {}),
        ({"name": "w", "entered": True, "completed": False}, {}),
    ],
    ids=lambda value: json.dumps(value),
)
def test_what_must_not_be_is_not_waited_for(spec: dict[str, Any], wanted: dict[str, bool]) -> None:
    assert awaited(Turn(user="x", checks=(Check(category="workflow", spec=spec),))) == wanted


async def test_a_new_conversation_is_another_one_of_the_same_user() -> None:
    double = Double(GREETING)
    async with talking_to(double) as agent:
        exchanges = await said(
            agent,
            Turn(user="hello", new_conversation=True),
            Turn(user="hello", new_conversation=True),
            Turn(user="hello"),
        )

    assert [len(exchange.replies) for exchange in exchanges] == [1, 1, 1]
    assert (len(double.users), len(double.conversations)) == (1, 2)


# what is said, and refused, before anything is sent


@pytest.mark.parametrize(
    ("mode", "category", "check"),
    [
        ("chat", "tools", {"called": "a"}),
        ("chat", "state", {"path": "bot.n", "equals": 1}),
        ("chat", "workflow", {"name": "w", "entered": True}),
        ("token", "tools", {"called": "a"}),
    ],
    ids=lambda value: str(value),
)
async def test_what_cannot_be_seen_is_refused_before_the_first_message(mode: str, category: str, check: object) -> None:
    double = Double(GREETING)
    async with double.serving():
        agent = botpress(double, state_only(double) if mode == "token" else {})
        with pytest.raises(PlanError, match=f"cannot be observed for '{category}' checks"):
            await tried(agent, {"conversation": [{"user": "hello", "assert": {category: [check]}}]})

    assert double.requests == []


@pytest.mark.parametrize(
    ("setup", "told"),
    [
        (Setup(state=SeedState(user={"a": 1})), "need a token"),
        (Setup(workflow=WorkflowTrigger(name="w")), "need a token"),
        (Setup(tools=(ToolMock(name="t"),)), "cannot be mocked"),
    ],
    ids=["state", "workflow", "tools"],
)
async def test_a_setup_that_cannot_be_made_is_refused(setup: Setup, told: str) -> None:
    async with talking_to(Double(GREETING), {}) as agent:
        with pytest.raises(AgentError, match=told) as raised:
            async with agent.open(setup, trial="trial"):
                pass

    assert not raised.value.by_agent


@pytest.mark.parametrize("channels", [["webchat.channel"], [["slack.dm", "webchat.channel"]]], ids=["one", "several"])
async def test_a_bot_whose_conversations_do_not_listen_to_the_chat_is_told_of_at_once(channels: list[object]) -> None:
    double = Double(GREETING)
    double.channels = channels
    async with talking_to(double) as agent:
        with pytest.raises(AgentError, match=r"bind a conversation of the agent to the channel 'chat\.channel'"):
            await said(agent, Turn(user="hello"))

    assert double.messages == []


async def test_a_dev_server_that_is_not_there_is_told_of_at_once(unused_url: str) -> None:
    async with talking_to(Double(GREETING), {"dev_server": unused_url}) as agent:
        with pytest.raises(AgentError, match="is adk dev running"):
            await said(agent, Turn(user="hello"))


@pytest.mark.parametrize("channel", ["*", ["webchat.channel", "chat.channel"]], ids=str)
async def test_a_bot_may_listen_to_the_chat_among_others(channel: object) -> None:
    double = Double(GREETING)
    double.channels = ["webchat.channel", channel]
    async with talking_to(double) as agent:
        (exchange,) = await said(agent, Turn(user="hello"))

    assert exchange.trouble is None


CARD = {
    "type": "card",
    "title": "Plan",
    "subtitle": "Pro",
    "actions": [{"action": "say", "label": "Buy", "value": "b"}],
}
OPTIONS = [{"label": "Red", "value": "r"}, {"label": "Blue", "value": "b"}]
PAYLOADS = [
    ({"type": "text", "text": "hi"}, "hi"),
    ({"type": "markdown", "markdown": "**hi**"}, "**hi**"),
    ({"type": "image", "imageUrl": "http://x/i.png"}, "http://x/i.png"),
    ({"type": "audio", "audioUrl": "http://x/a.mp3"}, "http://x/a.mp3"),
    ({"type": "video", "videoUrl": "http://x/v.mp4"}, "http://x/v.mp4"),
    ({"type": "file", "fileUrl": "http://x/f.pdf", "title": "Bill"}, "Bill"),
    ({"type": "file", "fileUrl": "http://x/f.pdf"}, "http://x/f.pdf"),
    (
        {"type": "location", "latitude": 45.5, "longitude": -73, "address": "1 Rue", "title": "Shop"},
        "Shop\n1 Rue\n45.5,-73",
    ),
    (CARD, "Plan\nPro\nBuy"),
    ({"type": "carousel", "items": [CARD, {**CARD, "title": "Other"}]}, "Plan\nPro\nBuy\n\nOther\nPro\nBuy"),
    ({"type": "choice", "text": "Which?", "options": OPTIONS}, "Which?\nRed (r)\nBlue (b)"),
    ({"type": "dropdown", "text": "Which?", "options": OPTIONS}, "Which?\nRed (r)\nBlue (b)"),
    ({"type": "bloc", "items": [{"type": "text", "text": "a"}, {"type": "image", "imageUrl": "b"}]}, "a\nb"),
    ({"type": "custom", "text": "told"}, "told"),
    ({"type": "custom", "url": "x"}, '{"type": "custom", "url": "x"}'),
    ({"type": "text", "text": 7}, "7"),
    ({"type": "carousel", "items": "none"}, '{"type": "carousel", "items": "none"}'),
]


@pytest.mark.parametrize(("payload", "text"), PAYLOADS, ids=[str(payload["type"]) for payload, _ in PAYLOADS])
async def test_a_message_of_any_type_is_told_as_text(payload: dict[str, Any], text: str) -> None:
    async with talking_to(Double({"show": Act(say=[payload])})) as agent:
        (exchange,) = await said(agent, Turn(user="show"))

    assert [reply.text for reply in exchange.replies] == [text]
    assert rendered(payload) == text


# options


@pytest.fixture
def unused_url() -> str:
    """Return the URL of a port of this machine at which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}"


def chosen(where: str = "hook-1", secrets: Mapping[str, str] | None = None, **options: object) -> Any:
    """Return what options come to."""
    return read_botpress_options(where, options, Surroundings(secrets=secrets or {}))


def test_a_webhook_id_is_one_of_botpresss_chat() -> None:
    assert chosen("f4011114-0001").chat_url == "https://chat.botpress.cloud/f4011114-0001"
    assert chosen("http://127.0.0.1:9/x/").chat_url == "http://127.0.0.1:9/x"


def test_windows_are_milliseconds() -> None:
    windows = chosen(settle_ms=100, quiet_ms=200, silence_window_ms=300, poll_ms=400).windows

    assert (windows.settle_s, windows.quiet_s, windows.silence_s, windows.poll_s) == (0.1, 0.2, 0.3, 0.4)


WRONG = [
    ("a b", {}, {}, "is no webhook id"),
    ("http://", {}, {}, "is no URL"),
    ("hook", {"dev_server": "localhost:3001"}, {}, "with its scheme"),
    ("hook", {"token_env": "BP_TOKEN", "bot_id": "b"}, {}, "BP_TOKEN is not set"),
    ("hook", {"token_env": "BP_TOKEN"}, {"BP_TOKEN": "t"}, "without the bot it is for"),
    ("hook", {"encryption_key_env": "KEY"}, {"KEY": " "}, "KEY is not set"),
    ("hook", {"settle_ms": 0}, {}, "settle_ms"),
    ("hook", {"devserver": "x"}, {}, "did you mean 'dev_server'"),
    ("hook", {"credentials": "env"}, {}, "credentials"),
]


@pytest.mark.parametrize(("where", "options", "secrets", "told"), WRONG, ids=[told for *_, told in WRONG])
def test_options_that_are_wrong_are_refused(
    where: str, options: dict[str, object], secrets: dict[str, str], told: str
) -> None:
    with pytest.raises(SettingsError, match=told):
        open_agent(f"botpress:{where}", options, Surroundings(secrets=secrets))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a home folder with the ADK's credentials."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    profiles = {
        "default": {"token": "t-default", "apiUrl": "https://api.example.test", "workspaceId": "w-default"},
        "other": {"token": "t-other"},
        "empty": {},
    }
    (tmp_path / ".adk").mkdir()
    content = json.dumps({"profiles": profiles, "currentProfile": "default"})
    (tmp_path / ".adk" / "credentials").write_text(content, encoding="utf-8")
    return tmp_path


def test_the_adks_credentials_are_read_only_when_asked_for(home: Path) -> None:
    account = chosen(credentials="adk", bot_id="b").account
    other = chosen(credentials="adk", bot_id="b", profile="other").account

    assert chosen(bot_id="b").account is None
    assert (account.token, account.api_url, account.workspace_id) == (
        "t-default",
        "https://api.example.test",
        "w-default",
    )
    assert (other.token, other.api_url, other.workspace_id) == ("t-other", "https://api.botpress.cloud", None)


@pytest.mark.parametrize("profile", ["empty", "nobody"])
def test_a_profile_without_a_token_is_refused(home: Path, profile: str) -> None:
    with pytest.raises(SettingsError, match="has no token for the profile"):
        chosen(credentials="adk", bot_id="b", profile=profile)


def test_the_projects_files_tell_the_ids(tmp_path: Path) -> None:
    (tmp_path / "agent.json").write_text('{"botId": "deployed", "workspaceId": "w"}', encoding="utf-8")
    (tmp_path / "agent.local.json").write_text('{"devId": "dev"}', encoding="utf-8")
    token = {"token_env": "T", "agent_path": str(tmp_path), "secrets": {"T": "t"}}

    deployed, dev = chosen(**token).account, chosen(**token, dev_server="http://localhost:3001").account

    assert (deployed.bot_id, dev.bot_id, dev.workspace_id) == ("deployed", "dev", "w")


def test_one_trial_at_a_time_is_the_default_because_bot_state_is_shared() -> None:
    assert open_agent("botpress:hook").at_once == 1


async def test_a_bot_can_be_asked_for_its_own_webhook_id() -> None:
    double = Double(GREETING)
    async with double.serving():
        options = WINDOWS | everything(double) | {"chat_api_url": double.url}
        agent = open_agent("botpress:bot", options, Surroundings(secrets={"BP_TOKEN": double.token}))
        async with agent.open(Setup(), trial="one") as session:
            exchange = await session.send(Turn(user="hello"), idle_timeout_s=LONG_S)

    assert [reply.text for reply in exchange.replies] == ["Hi there"]


def test_a_bot_is_asked_for_its_webhook_id_only_with_a_token() -> None:
    with pytest.raises(SettingsError, match="only with a token"):
        open_agent("botpress:bot")


@pytest.mark.parametrize(
    ("noted", "told"),
    [("3017\n", "http://localhost:3017"), ("none", None), (None, None)],
    ids=["a port", "no port", "no file"],
)
def test_the_dev_server_may_be_the_one_that_the_adk_has_noted(
    noted: str | None, told: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    if noted is not None:
        (tmp_path / ".adk").mkdir()
        (tmp_path / ".adk" / "console.port").write_text(noted, encoding="utf-8")

    if told is None:
        with pytest.raises(SettingsError, match=r"console\.port tells no port"):
            read_botpress_options("hook-1", {"dev_server": "adk"}, Surroundings())
    else:
        assert read_botpress_options("hook-1", {"dev_server": "adk"}, Surroundings()).dev_server == told
