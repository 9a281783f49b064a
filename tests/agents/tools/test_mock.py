"""A tool whose results are canned."""

import pytest

from audition.agents.tools import ToolFailed, ToolSurroundings, check_tools, open_tools

pytestmark = pytest.mark.anyio

TOOL = {
    "kind": "mock",
    "name": "find_order",
    "description": "Finds an order.",
    "parameters": {"type": "object", "properties": {"id": {"type": "integer"}}},
    "results": [{"when": {"id": {"equals": 7}}, "result": {"status": "sent"}}, {"error": "no such order"}],
}


async def test_the_first_result_that_is_meant_is_given() -> None:
    async with open_tools([TOOL], ToolSurroundings()) as (tool,):
        assert await tool.call({"id": 7}) == {"status": "sent"}
        with pytest.raises(ToolFailed, match="no such order"):
            await tool.call({"id": 8})

    assert (tool.definition.name, tool.definition.description) == ("find_order", "Finds an order.")
    assert tool.definition.parameters == TOOL["parameters"]


@pytest.mark.parametrize(
    ("results", "pointer"),
    [
        ([], "/0/results"),
        ([{"when": {}}], "/0/results/0"),
        ([{"result": 1, "error": "x"}], "/0/results/0"),
        ([{"when": {"id": {"equalz": 7}}, "result": 1}], "/0/results/0/when/id/equalz"),
    ],
    ids=["none", "neither", "both", "operator"],
)
def test_results_that_can_be_given_to_nobody_are_faults(results: list[object], pointer: str) -> None:
    assert [place for place, _ in check_tools([TOOL | {"results": results}], functions={})] == [pointer]
