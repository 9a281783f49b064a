"""Data that is code elsewhere, and names that lead out of folders elsewhere, through every door that takes data.

An audit hook watches what Python itself does meanwhile: nothing is carried out, imported, opened or reached.
"""

import asyncio
import json
import os
import pickle
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Connection
from tests.doubles.service_world import FAMILIES, SINGULAR, World, world_in

from audition.errors import AuditionError
from audition.service.conducting import Conducting
from audition.service.performing import opener
from audition.settings import Settings, providers_of
from audition.store.service import runs

CANARY = "sweep_canary"
"""A module that is there to be imported, and must not be."""

CODE = (
    f"!!python/object/apply:os.system ['touch {CANARY}.done']",
    f"!!python/name:{CANARY}.run",
    f"!!python/module:{CANARY}",
    f"!!python/object/new:{CANARY}.Thing {{}}",
    "!!js/function 'function () { return 1 }'",
    "!<tag:yaml.org,2002:python/tuple> [1]",
    CANARY,
    f"{CANARY}.run",
    f"{CANARY}:run",
    f"{CANARY}.py",
    f"./{CANARY}.py:run",
    "os.system",
    "subprocess:run",
    "builtins.eval",
    "{x.__class__.__mro__[1].__subclasses__()}",
    "{0.__init__.__globals__}",
    "%(__class__)s %n",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "{% for x in ().__class__.__base__.__subclasses__() %}{{ x }}{% endfor %}",
    "${7*7} #{7*7} <%= 7*7 %> ${{7*7}}",
    "${jndi:ldap://127.0.0.1:1/a}",
    f"exec:touch {CANARY}.done",
    f"exec: python -c 'import {CANARY}'",
    f"shell:touch {CANARY}.done",
    f"$(touch {CANARY}.done) `touch {CANARY}.done`",
    f"; touch {CANARY}.done #",
    f"function:{CANARY}:run",
    f"python:{CANARY}:run",
    f"adk:{CANARY}",
    f"replay:{CANARY}.json",
    "file:///etc/passwd",
    "file://localhost/etc/passwd",
    "scripted:../outside.yaml",
    "scripted:/etc/passwd.yaml",
    f"__import__('{CANARY}').run()",
    f"(lambda: __import__('os').system('touch {CANARY}.done'))()",
    pickle.dumps({"a": 1}, protocol=0).decode("ascii"),
    f"cos\nsystem\n(S'touch {CANARY}.done'\ntR.",
    "http://127.0.0.1:1/latest/meta-data",
)
TRICKS = (
    "../../../etc/passwd",
    "..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/etc/passwd",
    "..%252f..%252fetc%252fpasswd",
    "..\\..\\..\\windows\\win.ini",
    "..%5c..%5cwindows%5cwin.ini",
    "....//....//etc/passwd",
    "/etc/passwd",
    "//etc/passwd",
    "C:\\windows\\win.ini",
    "C:/windows/win.ini",
    "\\\\server\\share\\file",
    "//server/share/file",
    "\\\\?\\C:\\file",
    "file:///etc/passwd",
    "~root/.ssh/id_rsa",
    "con",
    "NUL.txt",
    "a\u0000b",
    "a%00b",
    "%c0%ae%c0%ae%c0%afetc%c0%afpasswd",
    "．．／．．／etc／passwd",
    "a" * 300,
    ".",
    "out/of/here.yaml",
)
SOURCES = ("jsonl", "csv", "yaml", "json", "adk", "botpress")


@dataclass
class Watch:
    """What Python did while the hook was on, as far as it is not to be; `allowed` are folders that may be read."""

    data: Path
    allowed: tuple[str, ...]
    is_on: bool = False
    seen: list[str] = field(default_factory=list)

    def note(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Note an event that is not allowed."""
        if not self.is_on:
            return
        if event == "import" and not _may_be_imported(str(arguments[0])):
            self.seen.append(f"import {arguments[0]}")
        elif event == "open" and not self._may_be_opened(arguments[0], arguments[1]):
            self.seen.append(f"open {arguments[0]} {arguments[1]}")
        elif event.startswith(_NEVER) and event not in _HARMLESS:
            self.seen.append(f"{event} {arguments}")

    def _may_be_opened(self, path: object, mode: object) -> bool:
        if isinstance(path, int):
            return True
        where = os.path.realpath(os.fsdecode(path))  # type: ignore[arg-type]  # open takes nothing else
        reads = not any(letter in str(mode) for letter in "wax+")
        inside = where.startswith(f"{self.data}/project/")
        return inside or (reads and where.startswith(self.allowed) and CANARY not in where)


_NEVER = (
    "os.system",
    "os.fork",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "subprocess.",
    "socket.",
    "ctypes.",
    "pickle.",
)
_HARMLESS = ("socket.__new__",)
_OURS = frozenset(
    {
        "audition",
        "google",
        "mcp",
        "tree_sitter",
        "tree_sitter_typescript",
        "yaml",
        "jsonschema_rs",
        "nltk",
        "regex",
        "a2a",
    }
)
"""What may be loaded late."""


def _may_be_imported(name: str) -> bool:
    top = name.partition(".")[0]
    return name in sys.modules or top in sys.stdlib_module_names or top in sys.modules or top in _OURS


@pytest.fixture(scope="module")
def hook() -> list[Watch]:
    """Put the hook in, which cannot be taken out again; it tells the watches in the list."""
    watches: list[Watch] = []

    def tell(event: str, arguments: tuple[Any, ...]) -> None:
        for watch in watches:
            watch.note(event, arguments)

    sys.addaudithook(tell)
    return watches


class Performed:
    """Carries runs out where they are asked for."""

    def __init__(self) -> None:
        self.waiting: list[int] = []

    def enqueue(self, connection: Connection, run_id: int) -> None:
        """Note a run."""
        self.waiting.append(run_id)

    def carry_out(self, world: World) -> None:
        """Carry out all that waits."""
        database, settings = world.service.database, world.service.settings
        while self.waiting:
            run_id = self.waiting.pop()
            begin = partial(runs.begin, now_s=database.now_s, run_id=run_id, generation=0, worker="w")
            begun = database.write(begin)
            if begun is None:
                continue
            try:
                ready = opener(settings)(database, begun)
            except AuditionError:
                continue
            asyncio.run(self._conduct(database, begun, ready))

    async def _conduct(self, database: Any, begun: runs.Begun, ready: Any) -> None:
        conducting = Conducting(database, begun, ready)
        await conducting.to_the_end(conducting.one)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of this file's tests, with a folder `project` in it."""
    return tmp_path_factory.mktemp("payloads")


@pytest.fixture(scope="module")
def world(folder: Path) -> Iterator[World]:
    """Return a world in `project`, beside traps; its runs are carried out by `carry_out`."""
    tmp_path, project = folder, folder / "project"
    (project / "scripts").mkdir(parents=True)
    for place in (project, tmp_path, project / "scripts"):
        (place / f"{CANARY}.py").write_text(f"open({str(tmp_path / 'executed')!r}, 'w').close()\ndef run(): pass\n")
        (place / "conftest.py").write_text(f"open({str(tmp_path / 'executed')!r}, 'w').close()\n")
    (tmp_path / "outside.yaml").write_text("otherwise: {reply: outside}\n")
    (project / "scripts" / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    before = Path.cwd()
    os.chdir(project)
    settings = Settings(root=project, judge_model="scripted:Yes.")
    made = world_in(project, replace(settings, providers=providers_of(settings)))
    object.__setattr__(made.service, "runs", Performed())
    yield made
    made.service.database.close()
    os.chdir(before)


@contextmanager
def watched(hook: list[Watch], folder: Path) -> Iterator[Watch]:
    """Watch a part of a test."""
    source = str(Path(__file__).parents[2] / "src")
    allowed = (sys.prefix, sys.base_prefix, source, "/usr/lib/python", "/usr/lib/ssl", "/proc/", "/dev/null")
    watch = Watch(data=folder, allowed=(*allowed, *(os.path.realpath(one) for one in (sys.prefix, sys.base_prefix))))
    hook.append(watch)
    watch.is_on = True
    try:
        yield watch
    finally:
        watch.is_on = False
        hook.remove(watch)


Ask = Callable[..., int]


@pytest.fixture
def ask(world: World) -> Iterator[Ask]:
    """Return what sends a request as the owner, insists that it is no fault, and returns the status."""
    with TestClient(world.app, headers={"Authorization": f"Bearer {world.tokens['owner']}"}) as client:

        def send(method: str, path: str, **more: Any) -> int:
            answer = client.request(method, path, **more)
            assert answer.status_code < 500, (method, path, more, answer.text)
            return int(answer.status_code)

        yield send


def _places(value: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the ways to all texts in data."""
    if isinstance(value, str):
        yield ()
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from ((key, *rest) for rest in _places(inner))


def _with(value: Any, way: Sequence[Any], text: str) -> Any:
    """Return data with another text at the end of a way."""
    if not way:
        return text
    copy = value.copy()
    copy[way[0]] = _with(value[way[0]], way[1:], text)
    return copy


def _bodies(world: World) -> list[tuple[str, str, dict[str, Any]]]:
    """Return a request for each door: its method, path, and a body that is taken."""
    tree = world.trees["agents"]["own"]
    dataset = f"/api/v1/agents/{tree.subject}/eval-datasets/{tree.dataset}"
    fixture = {"name": "find", "description": "Finds.", "results": [{"when": {"a": "b"}, "result": "r"}]}
    case = {
        "scenario": "When?",
        "expected_criteria": "Says when.",
        "tags": ["t"],
        "cluster": "c",
        "context": {"k": "v"},
        "tool_fixtures": [fixture],
    }
    tools = [
        {"kind": "http", "name": "a", "description": "A.", "url": "https://example.com/{x}", "method": "GET",
         "parameters": {"type": "object", "properties": {"x": {"type": "string"}}}, "headers": {"X-A": "b"}},
        {"kind": "mock", "name": "b", "description": "B.", "results": [{"result": "r"}]},
        {"kind": "function", "name": "c", "function": "unregistered"},
        {"kind": "mcp", "name": "d", "url": "https://example.com/mcp"},
        {"kind": "openapi", "name": "e", "document": "https://example.com/openapi.json",
         "server_url": "https://example.com"},
    ]  # fmt: skip
    agent = {"name": "n", "base_system_prompt": "p", "model": "scripted:Hello.", "description": "d"}
    candidate = {"candidate_system_prompt": "You help.", "label": "l", "judge": "scripted:Yes.", "tags": []}
    run = {**candidate, "subject_model": "scripted:Hello.", "tool_mode": "live", "pass_policy": "all"}
    doors: list[tuple[str, str, dict[str, Any]]] = [
        ("POST", "/api/v1/agents", agent),
        ("POST", "/api/v1/orchestrators", {"name": "n", "instruction": "p", "model": "scripted:Hello."}),
        ("POST", f"/api/v1/agents/{tree.subject}/eval-datasets", {"name": "n", "description": "d", "tags": ["t"]}),
        ("POST", f"{dataset}/cases", case),
        ("POST", f"{dataset}/cases/batch", {"cases": [{"scenario": "s", "expected_criteria": "e"}]}),
        ("POST", f"{dataset}/runs", run),
        ("POST", f"{dataset}/runs/{tree.run}/rejudge", {"judge": "scripted:Yes."}),
        ("POST", f"{dataset}/clone", {"name": "n"}),
        ("POST", "/api/v1/api-tokens", {"name": "n", "scopes": ["read"]}),
        ("POST", "/api/v1/members", {"email": "a@example.com", "name": "n", "role": "viewer"}),
    ]
    return doors + [("POST", "/api/v1/agents", {**agent, "tools": [tool]}) for tool in tools]


EVALS = (
    {"name": "x", "conversation": [{"user": "P", "assert": {"response": [{"contains": "P"}]}}]},
    {"name": "x", "conversation": [{"user": "u", "assert": {"custom": [{"P": "P"}]}}]},
    {"name": "x", "conversation": [{"user": "u", "assert": {"response": [{"custom": "P"}]}}]},
    {"name": "x", "conversation": [{"user": "u", "assert": {"P": [{"equals": 1}]}}]},
    {"name": "x", "agent": "P", "conversation": [{"user": "u", "expectSilence": True}]},
    {"name": "x", "setup": {"P": "P"}, "conversation": [{"user": "u", "expectSilence": True}]},
    {"name": "x", "setup": {"replay": "P"}, "conversation": [{"replay": "P"}]},
    {"name": "x", "conversation": [{"user": "u", "assert": {"response": [{"matches": "P"}]}}]},
    {"name": "P", "tags": ["P"], "outcome": {"criteria": ["P"]}, "conversation": [{"user": "P", "event": "P"}]},
)
ADK = {
    "eval_set_id": "P",
    "eval_cases": [
        {
            "eval_id": "P",
            "session_input": {"app_name": "P", "user_id": "P", "state": {"k": "P"}},
            "conversation": [
                {"user_content": {"parts": [{"text": "P"}]}, "final_response": {"parts": [{"text": "P"}]}}
            ],
        }
    ],
}


def _uploads(payload: str) -> Iterator[tuple[str, bytes]]:
    """Yield files of each format that hold a payload, raw and as texts."""
    said = json.dumps(payload)
    for one in EVALS:
        written = json.dumps([one]).replace('"P"', said)
        yield from (("json", written.encode()), ("yaml", written.encode()))
        yield "jsonl", f'{{"scenario": "s", "expected_criteria": "e", "eval": {written[1:-1]}}}'.encode()
    yield "yaml", f"- name: x\n  conversation:\n    - user: {payload}\n".encode()
    yield "yaml", f"- name: x\n  conversation: {payload}\n".encode()
    yield "yaml", payload.encode()
    yield "adk", json.dumps(ADK).replace('"P"', said).encode()
    yield "botpress", f"export default new Eval({{ name: {said}, conversation: [{{ user: {said} }}] }})".encode()
    yield "botpress", f"import x from {said}\nexport default new Eval({{ name: x, conversation: [] }})".encode()
    yield "botpress", f"export default new Eval({{ name: require({said}), conversation: [] }})".encode()
    cell = '"' + payload.replace('"', '""') + '"'
    yield "csv", f"scenario,expected_criteria,external_id,eval\n{cell},{cell},,\n".encode()
    yield "csv", f"scenario,expected_criteria,eval\n,,{cell}\n".encode()
    for source in SOURCES:
        yield source, payload.encode()


def _some(texts: Sequence[str], *, each: int) -> list[Any]:
    """Return a parameter for each text, all but some of them slow."""
    return [
        pytest.param(text, id=str(number), marks=() if number % each == 0 else pytest.mark.slow)
        for number, text in enumerate(texts)
    ]


@pytest.mark.parametrize("payload", _some(CODE, each=8))
def test_data_is_never_code(hook: list[Watch], world: World, ask: Ask, folder: Path, payload: str) -> None:
    tree = world.trees["agents"]["own"]
    dataset = f"/api/v1/agents/{tree.subject}/eval-datasets/{tree.dataset}"

    with watched(hook, folder) as watch:
        statuses = [
            ask(method, path, json=_with(body, way, payload))
            for method, path, body in _bodies(world)
            for way in _places(body)
        ]
        statuses += [
            ask("POST", f"{dataset}/import?format={source}&dry_run={dry}", content=content)
            for source, content in _uploads(payload)
            for dry in ("true", "false")
        ]
        statuses.append(ask("POST", f"{dataset}/runs", json={"candidate_system_prompt": payload}))
        statuses.append(ask("GET", f"{dataset}/export?format=yaml"))
        statuses.append(ask("POST", f"{dataset}/lint"))
        performed: Any = world.service.runs
        performed.carry_out(world)

    assert 201 in statuses
    assert watch.seen == []
    assert not (folder / "executed").exists()
    assert [str(one) for one in folder.rglob("*.done")] == []


def _numbers(world: World, family: str) -> Mapping[str, str]:
    tree = world.trees[family]["own"]
    found = {SINGULAR[family]: tree.subject, "dataset_id": tree.dataset, "case_id": tree.case, "run_id": tree.run}
    found |= {"result_id": tree.result, "number": 1, "member_id": world.target, "token_id": world.token_ids["owner"]}
    return {name: str(number) for name, number in found.items()}


@pytest.mark.parametrize("trick", _some(TRICKS, each=8))
def test_no_name_leads_out_of_the_folder(hook: list[Watch], world: World, ask: Ask, folder: Path, trick: str) -> None:
    paths = world.app.openapi()["paths"]
    tree = world.trees["agents"]["own"]
    escaped = trick.encode().replace(b"\0", b"%00").replace(b"\\", b"%5C").decode()

    with watched(hook, folder) as watch:
        for template, operations in paths.items():
            family = FAMILIES["/orchestrators/" in template]
            numbers = _numbers(world, family)
            for method in operations:
                for name in re.findall(r"{(\w+)}", template):
                    path = template.format(**{**numbers, name: escaped})
                    ask(method.upper(), path, **({"json": {}} if method != "get" else {}))
            for one in operations.get("get", {}).get("parameters", ()):
                if one["in"] == "query" and "/events" not in template and "/oidc/" not in template:
                    ask("GET", template.format(**numbers), params={one["name"]: trick})
        for start in ("", "../", "docs/", "static/", "api/v1/"):
            ask("GET", f"/{start}{escaped}")
        for method, path, body in _bodies(world):
            for way in _places(body):
                ask(method, path, json=_with(body, way, trick))
        for model in (f"scripted:{trick}", f"scripted:{trick}.yaml", "scripted:link.yaml"):
            ask("POST", "/api/v1/agents", json={"name": "n", "base_system_prompt": "p", "model": model})
            dataset = f"/api/v1/agents/{tree.subject}/eval-datasets/{tree.dataset}"
            for option in ("subject_model", "judge"):
                ask("POST", f"{dataset}/runs", json={"candidate_system_prompt": "You help.", option: model})
        performed: Any = world.service.runs
        performed.carry_out(world)

    assert watch.seen == []
    assert not (folder / "executed").exists()
