"""Where tool results come from: mocks never call, recordings are replayed, and what was not recorded is an error."""

from collections.abc import Mapping, Sequence

import pytest

from audition.agents.subject._tool_modes import Offered, Outcome, Recordings, Results
from audition.agents.tools import ToolFailed
from audition.errors import AgentError
from audition.evals import MockResult, ToolMock
from audition.llm import ToolDefinition

pytestmark = pytest.mark.anyio


class Live:
    """A tool that counts its calls, and fails for 0."""

    def __init__(self, name: str = "lookup", parameters: Mapping[str, object] | None = None) -> None:
        self.calls: list[Mapping[str, object]] = []
        more = {} if parameters is None else {"parameters": parameters}
        self.definition = ToolDefinition(name=name, **more)

    async def call(self, arguments: Mapping[str, object]) -> object:
        self.calls.append(arguments)
        if arguments.get("id") == 0:
            raise ToolFailed("no such order")
        return {"call": len(self.calls), "id": arguments.get("id")}


class Kept:
    """Recordings in memory."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str, str, int], tuple[Mapping[str, object], Mapping[str, object]]] = {}

    def keep(self, trial: str, name: str, arguments: Mapping[str, object], nth: int, outcome: Mapping[str, object]):
        self.rows[trial, name, repr(sorted(arguments.items())), nth] = (arguments, outcome)

    def find(self, trial: str, name: str, arguments: Mapping[str, object], nth: int) -> Mapping[str, object] | None:
        found = self.rows.get((trial, name, repr(sorted(arguments.items())), nth))
        return found[1] if found else None

    def calls(self, trial: str) -> Sequence[tuple[str, Mapping[str, object], int]]:
        return [(key[1], row[0], key[3]) for key, row in self.rows.items() if key[0] == trial]


def results(mode: str, *, recordings: Recordings | None = None, trial: str = "case-1#1", fixtures=()) -> Results:
    return Results(mode, trial, fixtures=fixtures, recordings=recordings)


def offered(tool: Live, *, canned: bool = False) -> Offered:
    return Offered(definition=tool.definition, open=tool, canned=canned)


async def test_live_calls_the_tool_and_failures_are_told():
    tool = Live()
    source = results("live")

    outcomes = [await source.of(offered(tool), {"id": id}) for id in (7, 0)]

    assert outcomes == [Outcome(result={"call": 1, "id": 7}), Outcome(error="no such order")]


async def test_mock_never_calls_and_says_which_tool_has_no_result():
    tool = Live()

    outcome = await results("mock").of(offered(tool), {"id": 7})

    assert tool.calls == []
    assert outcome == Outcome(error="the tool 'lookup' has no canned result, and tools are not called in this run")


@pytest.mark.parametrize("mode", ["live", "mock", "record", "replay"])
async def test_fixtures_come_first_in_every_mode(mode: str):
    tool, kept = Live(), Kept()
    fixture = ToolMock(name="lookup", results=(MockResult(result="canned"),))

    outcome = await results(mode, recordings=kept, fixtures=[fixture]).of(offered(tool), {"id": 7})

    assert (outcome, tool.calls, kept.rows) == (Outcome(result="canned"), [], {})


@pytest.mark.parametrize("mode", ["live", "mock", "record", "replay"])
async def test_tools_with_canned_results_give_them_in_every_mode(mode: str):
    tool, kept = Live(), Kept()

    outcome = await results(mode, recordings=kept).of(offered(tool, canned=True), {"id": 7})

    assert (outcome.result, kept.rows) == ({"call": 1, "id": 7}, {})


async def test_both_arms_see_the_same_results():
    # case: evals REST research, 5.4: in replay mode voids are equal for both arms
    kept, tool = Kept(), Live()
    calls = [{"id": 7}, {"id": 0}, {"id": 7}, {"id": 8, "x": [1, {"y": None}]}]
    recorded = [await one.of(offered(tool), call) for one in [results("record", recordings=kept)] for call in calls]
    silent = Live()

    arms = [
        [await source.of(offered(silent), call) for call in calls]
        for source in (results("replay", recordings=kept), results("replay", recordings=kept))
    ]

    assert arms == [recorded, recorded]
    assert recorded[0] != recorded[2]  # the second identical call of a trial has a result of its own
    assert silent.calls == []


NEAREST = 'the call lookup({"id": 8}) was not recorded; the nearest recorded call is lookup({"id": 7})'
NOT_RECORDED = [
    pytest.param({"id": 8}, NEAREST, id="other arguments"),
    pytest.param({"id": 7}, "was recorded 1x in this trial, and is now made more often", id="more often"),
]


@pytest.mark.parametrize(("call", "expected"), NOT_RECORDED)
async def test_a_call_that_was_not_recorded_is_an_error_that_names_the_nearest(call, expected: str):
    kept, tool = Kept(), Live()
    await results("record", recordings=kept).of(offered(tool), {"id": 7})
    replay, silent = results("replay", recordings=kept), Live()
    await replay.of(offered(silent), {"id": 7})

    with pytest.raises(AgentError) as caught:
        await replay.of(offered(silent), call)

    assert expected in str(caught.value)
    assert (caught.value.by_agent, silent.calls) == (False, [])


async def test_a_recording_belongs_to_its_trial():
    kept = Kept()
    await results("record", recordings=kept).of(offered(Live()), {"id": 7})

    with pytest.raises(AgentError, match="no call of this trial was recorded"):
        await results("replay", recordings=kept, trial="case-1#2").of(offered(Live()), {"id": 7})


async def test_a_wrong_call_is_not_made_and_not_recorded():
    kept = Kept()
    tool = Live(parameters={"type": "object", "properties": {"id": {"type": "integer"}}})

    outcome = await results("record", recordings=kept).of(offered(tool), {"id": "7"})

    assert outcome.error is not None
    assert "is not of type" in outcome.error
    assert (tool.calls, kept.rows) == ([], {})


UNUSABLE = [
    pytest.param({"$ref": "http://127.0.0.1:9/schema.json"}, id="a schema elsewhere"),
    pytest.param({"$ref": "file:///etc/passwd"}, id="a file"),
    pytest.param({"type": "nonsense"}, id="no schema"),
]


@pytest.mark.parametrize("schema", UNUSABLE)
async def test_a_schema_that_cannot_be_used_leaves_the_call_to_the_tool(schema: Mapping[str, object]):
    tool = Live(parameters=schema)

    outcome = await results("live").of(offered(tool), {"id": 7})

    assert outcome.result == {"call": 1, "id": 7}


async def test_a_pattern_that_others_take_for_ever_over_is_no_harm():
    tool = Live(parameters={"type": "object", "properties": {"id": {"type": "string", "pattern": "^(a+)+$"}}})

    outcome = await results("live").of(offered(tool), {"id": "a" * 5000 + "!"})

    assert outcome.error is not None


async def test_a_fixture_of_no_tool_is_refused():
    fixture = ToolMock(name="lokup", results=(MockResult(result=1),))

    with pytest.raises(AgentError, match="lokup"):
        results("mock", fixtures=[fixture]).insist(["lookup"])
