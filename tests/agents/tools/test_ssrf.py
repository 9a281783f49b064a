"""No tool reaches what is private, whatever its URL: no connection is so much as begun.

Each URL is tried as an HTTP endpoint, as where an OpenAPI document is, and as an MCP server; `{port}` is a server's
on this machine that counts connections. Names are looked up in a table of ours.
"""

import contextlib
from typing import Any

import pytest

from audition.agents.tools import TOOLS, ToolFailed, ToolSurroundings, open_tools
from audition.errors import AgentError, SettingsError
from audition.llm.egress import Egress

pytestmark = pytest.mark.anyio

KINDS = ["http", "openapi", "mcp"]

# case: langfuse CVE-2026-134835
URLS = [
    # plain addresses of this machine, of private networks and of metadata services
    "http://127.0.0.1:{port}/",
    "http://127.0.0.1:{port}",
    "HTTP://127.0.0.1:{port}/",
    "https://127.0.0.1:{port}/",
    "http://127.1.2.3:{port}/",
    "http://127.255.255.254:{port}/",
    "http://0.0.0.0:{port}/",
    "http://10.0.0.5:{port}/",
    "http://172.16.0.1:{port}/",
    "http://172.31.255.255:{port}/",
    "http://192.168.1.1:{port}/",
    "http://100.64.0.1:{port}/",
    "http://100.100.100.200/latest/meta-data/",
    "http://169.254.169.254/latest/meta-data/",
    "http://169.254.170.2/v2/credentials",
    "http://168.63.129.16/machine",
    "http://192.0.0.192/latest/",
    "http://198.18.0.1:{port}/",
    "http://203.0.113.7:{port}/",
    "http://224.0.0.1:{port}/",
    "http://240.0.0.1:{port}/",
    "http://255.255.255.255:{port}/",
    # other ways to write them
    "http://2130706433:{port}/",
    "http://0x7f000001:{port}/",
    "http://0x7f.0x0.0x0.0x1:{port}/",
    "http://0177.0.0.1:{port}/",
    "http://127.1:{port}/",
    "http://127.0.1:{port}/",
    "http://0:{port}/",
    "http://127.0.0.1.:{port}/",
    "http://127.0.0.01:{port}/",
    "http://127.0.0.0x1:{port}/",
    "http://①②⑦.⓪.⓪.①:{port}/",
    "http://１２７.0.0.1:{port}/",
    "http://127。0。0。1:{port}/",
    "http://127%2e0%2e0%2e1:{port}/",
    "http://%31%32%37.0.0.1:{port}/",
    # IPv6, and IPv4 within it
    "http://[::1]:{port}/",
    "http://[::]:{port}/",
    "http://[0:0:0:0:0:0:0:1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::ffff:7f00:1]:{port}/",
    "http://[::127.0.0.1]:{port}/",
    "http://[64:ff9b::7f00:1]:{port}/",
    "http://[64:ff9b:1::7f00:1]:{port}/",
    "http://[2002:7f00:1::]:{port}/",
    "http://[2001:0:7f00:1::]:{port}/",
    "http://[fd00:ec2::254]/latest/meta-data/",
    "http://[fc00::1]:{port}/",
    "http://[fe80::1]:{port}/",
    "http://[fe80::1%25lo]:{port}/",
    "http://[fec0::1]:{port}/",
    "http://[ff02::1]:{port}/",
    "http://[2001:db8::1]:{port}/",
    # names, and where the host of a URL begins and ends
    "http://localhost:{port}/",
    "http://LOCALHOST:{port}/",
    "http://localhost.:{port}/",
    "http://a.localhost:{port}/",
    "http://localtest.example:{port}/",
    "http://metadata.example/",
    "http://mixed.example:{port}/",
    "http://mapped.example:{port}/",
    "http://scoped.example:{port}/",
    "http://ok.example:80@127.0.0.1:{port}/",
    "http://ok.example%40127.0.0.1:{port}/",
    "http://user:password@127.0.0.1:{port}/",
    "http://ok.example\\@127.0.0.1:{port}/",
    "http://127.0.0.1\\.ok.example:{port}/",
    "http://127.0.0.1:{port}#@ok.example/",
    "http://127.0.0.1:{port}?@ok.example/",
    "http://127.0.0.1:{port}\t/",
    " http://127.0.0.1:{port}/",
    "http:127.0.0.1:{port}/",
    "http:/127.0.0.1:{port}/",
    "http:///127.0.0.1:{port}/",
    "//127.0.0.1:{port}/",
    "127.0.0.1:{port}/",
    # what is no HTTP
    "file:///etc/passwd",
    "gopher://127.0.0.1:{port}/_x",
    "ftp://127.0.0.1:{port}/",
    "dict://127.0.0.1:{port}/",
    "ws://127.0.0.1:{port}/",
    "unix:///var/run/docker.sock",
    "http+unix://%2Fvar%2Frun%2Fdocker.sock/",
    "data:application/json,{{}}",
    "jar:http://127.0.0.1:{port}/!/",
    # ports of services that take an HTTP request for commands
    "http://loop.example:6379/",
    "http://loop.example:25/",
]

NAMES = {
    "localhost": ["127.0.0.1", "::1"],
    "localhost.": ["127.0.0.1"],
    "a.localhost": ["127.0.0.1"],
    "localtest.example": ["127.0.0.1"],
    "metadata.example": ["169.254.169.254"],
    "mixed.example": ["1.1.1.1", "127.0.0.1"],
    "mapped.example": ["::ffff:127.0.0.1"],
    "scoped.example": ["fe80::1%lo"],
    "loop.example": ["127.0.0.1"],
}


def tool(kind: str, url: str) -> dict[str, Any]:
    """Return a tool of a kind for which a URL is asked."""
    if kind == "openapi":
        return {"kind": kind, "name": "it", "document": url, "server_url": "https://ok.example"}
    return {"kind": kind, "name": "it", "url": url}


async def asked(kind: str, url: str, egress: Egress) -> str:
    """Open and call a tool; return what came of it."""
    around = ToolSurroundings(egress=egress, timeout_s=2)
    try:
        async with open_tools([tool(kind, url)], around) as tools:
            await tools[0].call({})
    except (SettingsError, AgentError, ToolFailed) as error:
        return error.message
    return "a result"


async def opened(asking: dict[str, Any], egress: Egress) -> None:
    """Open and call a tool past all checks of its definition."""
    around = ToolSurroundings(egress=egress, timeout_s=2)
    module = TOOLS.get(asking["kind"])
    with contextlib.suppress(AgentError, ToolFailed, ValueError):
        async with module.opened(asking, around) as tools:
            await tools[0].call({})


def connections(audited: list[tuple[str, tuple[object, ...]]]) -> list[object]:
    return [arguments[1] for event, arguments in audited if event == "socket.connect"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("url", URLS, ids=range(len(URLS)))
async def test_no_connection_is_begun_to_what_is_not_public(trap, names, audited, kind: str, url: str) -> None:
    names.known = {name: [addresses] for name, addresses in NAMES.items()}

    told = await asked(kind, url.format(port=trap.port), Egress(lookup=names.lookup))

    assert told != "a result"
    assert connections(audited) == []
    assert trap.connections == 0


class NoFault(Egress):
    """Looks at no URL, as if every reading of it were a misreading: what is left is the check of each address."""

    def fault(self, url: str) -> str | None:
        return None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("url", URLS, ids=range(len(URLS)))
async def test_addresses_are_checked_however_the_url_is_read(trap, names, audited, kind: str, url: str) -> None:
    names.known = {name: [addresses] for name, addresses in NAMES.items()}
    asking = tool(kind, "https://ok.example")
    asking["document" if kind == "openapi" else "url"] = url.format(port=trap.port)

    await opened(asking, NoFault(lookup=names.lookup))

    assert connections(audited) == []
    assert trap.connections == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("url", "allowed"),
    [("http://127.0.0.1:{port}/", "127.0.0.0/8"), ("http://inside.example:{port}/", "inside.example")],
    ids=["address", "name"],
)
async def test_what_settings_allow_is_reached(trap, names, audited, kind: str, url: str, allowed: str) -> None:
    names.known = {"inside.example": [["127.0.0.1"]]}

    await asked(kind, url.format(port=trap.port), Egress([allowed], lookup=names.lookup))

    assert trap.connections > 0
    assert set(connections(audited)) == {("127.0.0.1", trap.port)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "location", ["http://127.0.0.1:{port}/", "//localhost:{port}/", "http://inside.example:{port}/"]
)
async def test_no_redirect_leads_anywhere(serving, trap, names, kind: str, status: int, location: str) -> None:
    outside = await serving()
    outside.will(status, b"", Location=location.format(port=trap.port))
    names.known = {"ok.example": [["127.0.0.1"]], "inside.example": [["127.0.0.1"]], "localhost": [["127.0.0.1"]]}

    told = await asked(kind, f"http://ok.example:{outside.port}/", Egress(["ok.example"], lookup=names.lookup))

    assert told != "a result"
    assert outside.connections > 0
    assert trap.connections == 0


@pytest.mark.parametrize("kind", KINDS)
async def test_a_name_that_changes_its_address_is_looked_up_once_for_a_connection(serving, names, kind: str) -> None:
    allowed = await serving("127.0.0.2")
    trap = await serving("127.0.0.1", allowed.port)
    names.known = {"rebind.example": [["127.0.0.2"], ["127.0.0.1"]]}
    egress = Egress(["127.0.0.2"], lookup=names.lookup)

    for _ in range(3):  # the second look-up finds the trap, and is refused
        await asked(kind, f"http://rebind.example:{allowed.port}/", egress)

    assert allowed.connections > 0
    assert len(names.asked) > 1
    assert trap.connections == 0


@pytest.mark.parametrize("kind", KINDS)
async def test_a_name_that_has_two_addresses_is_refused_for_one(serving, names, audited, kind: str) -> None:
    allowed = await serving("127.0.0.2")
    names.known = {"two.example": [["127.0.0.2", "127.0.0.3"]]}

    told = await asked(kind, f"http://two.example:{allowed.port}/", Egress(["127.0.0.2"], lookup=names.lookup))

    assert "not public" in told
    assert connections(audited) == []


@pytest.mark.parametrize("kind", KINDS)
async def test_proxies_of_the_environment_are_not_used(trap, server, monkeypatch, kind: str) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, trap.url)

    await asked(kind, server.url, Egress(["127.0.0.1"]))

    assert server.connections > 0
    assert trap.connections == 0


async def test_schemas_of_an_mcp_server_are_fetched_from_nowhere(trap, server, speaking_mcp) -> None:
    speaking_mcp(server, {"type": "object", "$ref": f"http://127.0.0.1:{trap.port}/schema.json"})

    async with open_tools([tool("mcp", server.url)], ToolSurroundings(egress=Egress(["127.0.0.1"]))) as (one,):
        assert await one.call({}) == {"a": 1}

    assert trap.connections == 0
