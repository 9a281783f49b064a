"""From an eval back to its dict: what `read_evals` makes the same eval of."""

from collections.abc import Mapping

from audition.documents.located import plain
from audition.evals import Check, Eval, MockResult, Reference, Scenario, Setup, ToolMock, Turn


def write_eval(an_eval: Eval) -> dict[str, object]:
    """Return an eval as its dict, keys spelt as in the Botpress eval format; what is not set is left out."""
    options = {
        "idleTimeout": an_eval.options.idle_timeout_ms,
        "judgePassThreshold": an_eval.options.judge_pass_threshold,
    }
    return _without_none(
        {
            "name": an_eval.name,
            "description": an_eval.description,
            "type": an_eval.type,
            "tags": list(an_eval.tags) or None,
            "setup": _setup(an_eval.setup) or None,
            "conversation": None if an_eval.scenario else [_turn(turn) for turn in an_eval.turns],
            "scenario": None if an_eval.scenario is None else _scenario(an_eval.scenario),
            "outcome": _checks(an_eval.outcome) or None,
            "options": _without_none(options) or None,
            "extra": plain(an_eval.extra) or None,
        }
    )


def _turn(turn: Turn) -> dict[str, object]:
    return _without_none(
        {
            "user": turn.user,
            "event": None if turn.event is None else {"payload": plain(turn.event)},
            "expectSilence": turn.expect_silence or None,
            "responseOptional": turn.response_optional or None,
            "newConversation": turn.new_conversation or None,
            "assert": _checks(turn.checks) or None,
            "reference": None if turn.reference is None else _reference(turn.reference),
            "extra": plain(turn.extra) or None,
        }
    )


def _scenario(scenario: Scenario) -> dict[str, object]:
    persona = {} if scenario.persona is None else {"persona": scenario.persona}
    said = {"startingPrompt": scenario.starting_prompt, "plan": scenario.plan}
    return said | persona | {"maxTurns": scenario.max_turns}


def _checks(checks: tuple[Check, ...]) -> dict[str, object]:
    by_category: dict[str, list[object]] = {}
    for check in checks:
        by_category.setdefault(check.category, []).append(plain(check.spec))
    return dict(by_category)


def _setup(setup: Setup) -> dict[str, object]:
    state = {"bot": setup.state.bot, "user": setup.state.user, "conversation": setup.state.conversation}
    workflow = setup.workflow
    return _without_none(
        {
            "state": {scope: plain(values) for scope, values in state.items() if values is not None} or None,
            "workflow": None if workflow is None else {"trigger": workflow.name, "input": plain(workflow.input)},
            "tools": [_tool(tool) for tool in setup.tools] or None,
            "session": plain(setup.session) or None,
        }
    )


def _tool(tool: ToolMock) -> dict[str, object]:
    written: dict[str, object] = {"name": tool.name}
    if tool.description:
        written["description"] = tool.description
    if tool.parameters is not None:
        written["parameters"] = plain(tool.parameters)
    return written | {"results": [_mock_result(result) for result in tool.results]}


def _mock_result(result: MockResult) -> dict[str, object]:
    when = {"when": plain(result.when)} if result.when else {}
    return when | ({"result": plain(result.result)} if result.error is None else {"error": result.error})


def _reference(reference: Reference) -> dict[str, object]:
    calls = reference.tool_calls
    return _without_none(
        {
            "response": reference.response,
            "toolCalls": None
            if calls is None
            else [_without_none({"name": call.name, "arguments": plain(call.arguments)}) for call in calls],
        }
    )


def _without_none(values: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in values.items() if value is not None}
