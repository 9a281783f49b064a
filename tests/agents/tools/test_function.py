"""A tool that is a Python function which settings name."""

import json
from pathlib import Path
from typing import Any

import pytest

from audition.agents.tools import ToolFailed, ToolSurroundings, check_tools, open_tools
from audition.errors import SettingsError

pytestmark = pytest.mark.anyio

MODULE = '''
import asyncio, threading
from typing import Literal

def look_up(id: int, unit: Literal["kg", "lb"] = "kg", tags: list[str] | None = None):
    """Looks an order up."""
    return {"id": id, "unit": unit, "in_main": threading.current_thread() is threading.main_thread()}

async def later(text: str) -> str:
    return text.upper()

async def never():
    await asyncio.sleep(60)

def broken():
    raise KeyError("the password is hunter2hunter2")

def odd():
    return {1, 2}
'''
FUNCTIONS = {name: f"audition_tools_for_tests:{name}" for name in ("look_up", "later", "never", "broken", "odd")}


@pytest.fixture
def around(tmp_path: Path) -> ToolSurroundings:
    (tmp_path / "audition_tools_for_tests.py").write_text(MODULE, encoding="utf-8")
    return ToolSurroundings(functions=FUNCTIONS, root=tmp_path, secrets=("hunter2hunter2",))


async def called(around: ToolSurroundings, function: str, arguments: dict[str, Any], **more: Any) -> object:
    tool = {"kind": "function", "name": "it", "function": function, **more}
    async with open_tools([tool], around) as (one,):
        return await one.call(arguments)


async def test_what_a_model_is_told_comes_from_the_signature(around) -> None:
    async with open_tools([{"kind": "function", "name": "it", "function": "look_up"}], around) as (tool,):
        told = tool.definition

    assert told.description == "Looks an order up."
    assert json.loads(json.dumps(told.parameters)) == {
        "type": "object",
        "properties": {
            "id": {"type": "integer"},
            "unit": {"enum": ["kg", "lb"]},
            "tags": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
        },
        "required": ["id"],
    }


async def test_a_function_runs_in_a_thread_and_an_async_one_in_the_loop(around) -> None:
    assert await called(around, "look_up", {"id": 3}) == {"id": 3, "unit": "kg", "in_main": False}
    assert await called(around, "later", {"text": "hi"}) == "HI"


@pytest.mark.parametrize(
    ("function", "arguments", "words"),
    [
        ("look_up", {"nothing": 1}, "do not fit"),
        ("broken", {}, r"KeyError.*\*\*\*"),
        ("odd", {}, "JSON"),
    ],
)
async def test_what_goes_wrong_is_an_error_that_the_model_is_told(around, function, arguments, words) -> None:
    with pytest.raises(ToolFailed, match=words):
        await called(around, function, arguments)


async def test_a_function_that_does_not_return_is_given_up(around) -> None:
    with pytest.raises(ToolFailed, match=r"within 0\.01 s"):
        await called(around, "never", {}, timeout_s=0.01)


@pytest.mark.parametrize("name", ["look_upp", "os.system", "audition_tools_for_tests:look_up", "__import__"])
def test_a_function_that_settings_do_not_name_is_a_fault(name: str) -> None:
    tool = {"kind": "function", "name": "it", "function": name}

    assert [place for place, _ in check_tools([tool], functions=FUNCTIONS)] == ["/0/function"]


async def test_a_function_that_cannot_be_imported_is_an_error_of_the_settings(tmp_path: Path) -> None:
    around = ToolSurroundings(functions={"gone": "audition_no_such_module:f"}, root=tmp_path)

    with pytest.raises(SettingsError, match="no module called"):
        await called(around, "gone", {})
