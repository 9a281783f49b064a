"""What a custom metric of ADK's is called with."""

import sys

import pytest

from audition.evals import Reference, Scenario, ToolCallReference, Turn
from audition.scoring.custom_adk import arguments
from audition.transcript import Exchange, Reply, ToolCall

SPOKEN = Exchange(
    user="Hall?",
    tool_calls=(
        ToolCall(name="get", arguments={"room": "hall"}, result={"celsius": 18}),
        ToolCall(name="get", arguments={"room": "attic"}, error="no such room"),
    ),
    replies=(Reply(text="18"),),
    response_ms=1500,
)
WRITTEN = Turn(
    user="Hall?",
    reference=Reference(response="It is 18.", tool_calls=(ToolCallReference(name="get", arguments={"room": "hall"}),)),
)
SCENARIO = Scenario(starting_prompt="Hall?", plan="Ask.")


@pytest.fixture
def without_adk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have nobody loaded ADK's types."""
    monkeypatch.delitem(sys.modules, "google.adk.evaluation.eval_case", raising=False)


@pytest.mark.usefixtures("without_adk")
def test_a_metric_gets_itself_with_the_threshold_in_its_criterion() -> None:
    metric, *_ = arguments("warm", 0.8, (SPOKEN,), (WRITTEN,), None)
    bare, *_ = arguments("warm", None, (SPOKEN,), (WRITTEN,), None)

    assert (metric.metric_name, metric.threshold, metric.criterion.threshold, bare.criterion) == (
        "warm",
        None,
        0.8,
        None,
    )


@pytest.mark.usefixtures("without_adk")
def test_what_happened_has_the_attributes_that_adk_gives_it() -> None:
    _, (one,), _, _ = arguments("warm", 0.8, (SPOKEN,), (WRITTEN,), None)

    assert (one.user_content.role, one.user_content.parts[0].text, one.final_response.parts[0].text) == (
        "user",
        "Hall?",
        "18",
    )
    assert [(call.name, call.args) for call in one.intermediate_data.tool_uses] == [
        ("get", {"room": "hall"}),
        ("get", {"room": "attic"}),
    ]
    assert [answer.response for answer in one.intermediate_data.tool_responses] == [
        {"celsius": 18},
        {"error": "no such room"},
    ]
    assert [bool(event.content.parts[0].function_call) for event in one.intermediate_data.invocation_events] == [
        True,
        False,
        True,
        False,
    ]
    assert (one.duration, one.rubrics, one.user_content.parts[0].function_call) == (1.5, None, None)


@pytest.mark.usefixtures("without_adk")
def test_what_was_expected_is_the_reference_and_nothing_where_there_is_none() -> None:
    _, _, (one, other), scenario = arguments("warm", 0.8, (SPOKEN, SPOKEN), (WRITTEN, Turn(user="?")), None)

    assert (one.final_response.parts[0].text, one.intermediate_data.tool_uses[0].args) == (
        "It is 18.",
        {"room": "hall"},
    )
    assert (other.final_response, other.intermediate_data, scenario) == (None, None, None)


@pytest.mark.usefixtures("without_adk")
def test_of_a_scenario_nothing_was_expected() -> None:
    _, _, expected, scenario = arguments("warm", 0.8, (SPOKEN,), (), SCENARIO)

    assert expected is None
    assert (scenario.starting_prompt, scenario.conversation_plan) == ("Hall?", "Ask.")


@pytest.mark.parity
def test_a_metric_that_loads_adk_gets_its_types() -> None:
    eval_case = pytest.importorskip("google.adk.evaluation.eval_case")

    _, (one,), (wanted,), scenario = arguments("warm", 0.8, (SPOKEN,), (WRITTEN,), SCENARIO)

    assert isinstance(one, eval_case.Invocation)
    assert [call.name for call in eval_case.get_all_tool_calls(one.intermediate_data)] == ["get", "get"]
    assert [call.args for call in eval_case.get_all_tool_calls(wanted.intermediate_data)] == [{"room": "hall"}]
    assert isinstance(scenario, eval_case.ConversationScenario)
