"""Definitions of tools: all that is wrong is said at once, and nothing in them is ever run, imported or opened."""

import base64
import contextlib
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from audition.agents.tools import TOOLS, ToolFailed, ToolSurroundings, check_tools, is_tool_name, open_tools, secrets_of
from audition.errors import AgentError, AuditionError, SettingsError
from audition.llm.egress import Egress

pytestmark = pytest.mark.anyio

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "tools.md"
MOCK: dict[str, Any] = {"kind": "mock", "name": "it", "results": [{"result": 1}]}

PAYLOADS = [
    "os.system", "importlib.import_module", "pty.spawn", "os:posix_spawn", "builtins.eval", "__class__",
    "audition_canary", "audition_canary:go", "audition_canary.go", "audition_canary.py", "./audition_canary",
    "__import__('audition_canary')", "exec:audition_canary", "eval:1+1", "python:audition_canary", "module:go",
    "{x.__class__}", "{0.__class__.__mro__}", "{name!r:>{width}}", "{config}", "%(x)s", "%s%n", "#{1}", "<%= 1 %>",
    "{{ 7*7 }}", "{{ cycler.__init__.__globals__.os.popen('id') }}", "{% import os %}", "${jndi:ldap://127.0.0.1/a}",
    "$(id)", "`id`", ";id", "|id", "file:///etc/passwd", "file:audition_canary.py",
    "!!python/object/apply:os.system ['id']", "!!python/name:os.system", "!!python/module:audition_canary",
    base64.b64encode(b"cos\nsystem\n(S'id'\ntR.").decode(), "cos\nsystem\n(S'id'\ntR.", "\x80\x04\x95\x0c",
    "conftest", "pytest:main", "lambda: 1", "npx -y server", "stdio", "javascript:1",
]  # fmt: skip

TRICKS = [
    "../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/x", "..%252f..%252fx", "..\\..\\x", "..;/..;/x",
    "....//....//x", "%c0%ae%c0%ae/x", "．．／x", "..∕x", "/etc/passwd", "//etc/passwd", "/proc/self/environ",
    "/dev/stdin", "~root/.ssh/id_rsa", "~", ".", "..", "a\x00.json", "C:\\Windows\\win.ini", "\\\\server\\share\\x",
    "CON", "NUL.json", "a" * 300, ".git/config", "file:///../../etc/passwd", "x/../../../etc/passwd",
]  # fmt: skip


def everywhere(text: str) -> list[dict[str, Any]]:
    """Return tools that hold a text wherever a definition holds one."""
    url = "http://127.0.0.1:1024/"
    schema = {"type": "object", "properties": {text: {"type": text, "$ref": text, "default": text, "pattern": text}}}
    body = {"content": {"application/json": {"schema": {"$ref": text}}}}
    document = {"openapi": "3.0.0", "paths": {f"/{text}": {"post": {"operationId": text, "requestBody": body}}}}
    return [
        {"kind": text, "name": "it"},
        {"kind": "mock", "name": text, "results": [{"result": 1}]},
        {"kind": "mock", "name": "it", "description": text, "parameters": schema, "results": [{"result": text}]},
        {
            "kind": "mock",
            "name": "it",
            "results": [{"when": {text: {"equals": text}}, "result": text}, {"error": text}],
        },
        {"kind": "http", "name": "it", "url": text},
        {"kind": "http", "name": "it", "url": url + text, "description": text},
        {"kind": "http", "name": "it", "url": url, "parameters": schema, "headers": {"X-A": text}, "result": text},
        {"kind": "http", "name": "it", "url": url, "parameters": schema, "in": {text: "query"}},
        {"kind": "function", "name": "it", "function": text},
        {"kind": "mcp", "name": "it", "url": text, "tools": [text]},
        {"kind": "mcp", "name": "it", "url": url + text},
        {"kind": "openapi", "name": "it", "document": text, "server_url": url},
        {"kind": "openapi", "name": "it", "document": document, "server_url": url},
        {"kind": "openapi", "name": "it", "document": document, "server_url": text, "operations": [text]},
    ]


async def tried(tools: list[dict[str, Any]], argument: str, root: Path) -> None:
    """Check, open and call each tool."""
    around = ToolSurroundings(egress=Egress(), functions={"known": "audition_no_such:go"}, root=root, timeout_s=2)
    for tool in tools:
        check_tools([tool], functions=around.functions)
        with contextlib.suppress(AuditionError, ToolFailed):
            async with open_tools([tool], around) as opened:
                await opened[0].call({"id": argument, argument: argument})


@pytest.fixture
def canary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder on Python's path with a module that nobody may import."""
    (tmp_path / "audition_canary.py").write_text("def go(): pass\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


CODE = {"exec", "compile", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "subprocess.Popen",
        "pickle.find_class", "marshal.loads", "ctypes.dlopen", "code.__new__", "socket.connect", "open"}  # fmt: skip


# case: google ADK CVE-2026-79696
@pytest.mark.parametrize("text", [*PAYLOADS, *TRICKS], ids=range(len(PAYLOADS) + len(TRICKS)))
async def test_nothing_in_a_definition_is_run_imported_or_opened(canary, audited, text: str) -> None:
    await tried(everywhere("harmless"), "harmless", canary)  # imports of our own are over after this
    audited.clear()

    await tried(everywhere(text), text, canary)

    imported = {str(arguments[0]) for event, arguments in audited if event == "import"}
    assert [(event, arguments) for event, arguments in audited if event in CODE] == []
    assert {name for name in imported if not name.startswith("audition.agents.tools.")} == set()
    assert "audition_canary" not in sys.modules


@pytest.mark.parametrize(
    "shown", re.findall(r"^```json\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
)
def test_a_tool_that_the_page_shows_is_right(shown: str) -> None:
    assert check_tools([json.loads(shown)], functions={"lookup": "shop_tools:look_up"}) == []


def test_the_kinds_are_the_files_of_the_folder() -> None:
    assert TOOLS.names() == ("function", "http", "mcp", "mock", "openapi")


@pytest.mark.parametrize(
    ("tools", "faults"),
    [
        ([7], [("/0", "a tool must be an object, not a number")]),
        ([{}], [("/0", "a tool needs a 'kind': one of function, http, mcp, mock, openapi")]),
        ([{"kind": "htp"}], [("/0/kind", "no kind of tool called 'htp'; did you mean 'http'?")]),
        ([{"kind": "_requests"}], [("/0/kind", "no kind of tool called '_requests'; there are: …")]),
        ([{"kind": "stdio"}], [("/0/kind", "a tool that starts a command is refused: a command is code")]),
        ([MOCK, MOCK], [("/1/name", "there is another tool called 'it'")]),
        ([MOCK | {"name": "find order"}], [("/0/name", "'find order' is no name for a tool; …")]),
        ([MOCK | {"name": "é"}], [("/0/name", "'é' is no name for a tool; …")]),
        ([MOCK | {"name": "a" * 65}], [("/0/name", "…")]),
        ([MOCK | {"resluts": []}], [("/0/resluts", "unknown key 'resluts' in mock tool; did you mean 'results'?")]),
        ([MOCK | {"a/b~c": 1}], [("/0/a~1b~0c", "…")]),
        ([MOCK] * 129, [("", "there are 129 tools, at most 128 are allowed")]),
    ],
    ids=["number", "empty", "near", "private", "stdio", "twice", "space", "accent", "long", "key", "pointer", "many"],
)
def test_what_is_wrong_with_definitions_is_said(tools: list[object], faults: list[tuple[str, str]]) -> None:
    found = check_tools(tools, functions={})

    assert [place for place, _ in found] == [place for place, _ in faults]
    assert all(said.startswith(wanted.split("…")[0]) for (_, said), (_, wanted) in zip(found, faults, strict=True))


def test_all_faults_are_found_at_once() -> None:
    tools = [{"kind": "http", "name": "a b", "url": "ftp://x", "methd": "GET"}, {"kind": "function", "name": "f"}]

    assert [place for place, _ in check_tools(tools, functions={})] == ["/0/methd", "/0/name", "/0/url", "/1"]


@pytest.mark.parametrize(
    ("url", "faults"), [("http://10.0.0.1/", 1), ("http://10.1.0.1/", 0), ("https://shop.example/", 0)]
)
def test_addresses_that_may_not_be_reached_are_faults_where_that_is_known(url: str, faults: int) -> None:
    tools = [{"kind": "http", "name": "it", "url": url}]

    assert len(check_tools(tools, functions={}, egress=Egress(["10.1.0.0/16"]))) == faults
    assert check_tools(tools, functions={}) == []


async def test_tools_are_opened_in_their_order_and_not_when_anything_is_wrong() -> None:
    async with open_tools([MOCK, MOCK | {"name": "other"}], ToolSurroundings()) as tools:
        assert [tool.definition.name for tool in tools] == ["it", "other"]
    with pytest.raises(SettingsError, match="/0/name"):
        async with open_tools([MOCK | {"name": "a b"}], ToolSurroundings()):
            pass


async def test_two_tools_of_one_name_are_refused_though_a_document_names_one() -> None:
    document = {"openapi": "3.0.0", "paths": {"/a": {"get": {"operationId": "b"}}}}
    shop = {"kind": "openapi", "name": "a", "document": document, "server_url": "https://shop.example"}

    with pytest.raises(AgentError, match="two tools called 'a_b'"):
        async with open_tools([MOCK | {"name": "a_b"}, shop], ToolSurroundings()):
            pass


def test_names_are_those_that_models_take() -> None:
    assert [name for name in ("a", "_1", "A9", "", "9", "a-b", "a.b", "a\n", None) if is_tool_name(name)] == [
        "a", "_1", "A9",
    ]  # fmt: skip


def test_secrets_of_definitions_are_header_values_and_keys_in_queries() -> None:
    tools = [
        {
            "url": "https://x.example/?units=metric&api_key=qk-77aa%2B",
            "headers": {"Authorization": "Bearer sk-QQtest", "Accept": "application/json", "X-B": "short"},
        },
        MOCK,
    ]

    assert set(secrets_of(tools)) == {"Bearer sk-QQtest", "sk-QQtest", "qk-77aa+", "qk-77aa%2B"}
