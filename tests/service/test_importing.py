"""Uploads as cases: every format, every fault with its line, and nothing read but the upload."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from audition.service.importing import ImportFormat, read_rows
from audition.store.service.cases import Case

EXAMPLES = Path(__file__).parents[2] / "examples"


def cases(wanted: ImportFormat, text: str | bytes) -> list[Case]:
    """Return the cases of an upload in which nothing is wrong."""
    rows = read_rows(wanted, text if isinstance(text, bytes) else text.encode())
    assert rows.faults == []
    return [case for _, case in rows.drafts]


def faults(wanted: ImportFormat, text: str | bytes) -> list[tuple[int, str]]:
    """Return the lines and messages of all that is wrong with an upload."""
    rows = read_rows(wanted, text if isinstance(text, bytes) else text.encode())
    return [(fault.line, f"{fault.pointer} {fault.detail}") for fault in rows.faults]


# case: promptfoo/promptfoo#2230
def test_a_table_that_excel_saved_is_read() -> None:
    rows = [
        "scenario,expected_criteria",
        '"Asks for hours, Sunday","Says ""closed"""',
        "Asks for price,States 9 EUR",
        "",
    ]
    saved = "\ufeff" + "\r\n".join(rows)

    found = cases("csv", saved)

    assert [(case.scenario, case.expected_criteria) for case in found] == [
        ("Asks for hours, Sunday", 'Says "closed"'),
        ("Asks for price", "States 9 EUR"),
    ]


# case: promptfoo/promptfoo#2230
def test_a_table_with_another_separator_is_told_so() -> None:
    assert faults("csv", "scenario;expected_criteria\r\na;b\r\n") == [
        (1, " the cells are separated by ';'; save the table with commas")
    ]


def test_a_table_may_have_all_columns() -> None:
    header = "external_id,scenario,expected_criteria,must_pass,tags,cluster,context,tool_fixtures\n"
    row = 'e,a,b,TRUE,"x, y",c,"{""k"": [1]}","[{""name"": ""t"", ""result"": 1}]"\n'

    (found,) = cases("csv", header + row + "\n")

    assert found == Case(
        id=0,
        scenario="a",
        expected_criteria="b",
        must_pass=True,
        tags=("x", "y"),
        cluster="c",
        external_id="e",
        context={"k": [1]},
        tool_fixtures=({"name": "t", "result": 1},),
    )


def test_every_wrong_row_of_a_table_is_told_with_its_line() -> None:
    table = 'scenario,expected_criteria,must_pass,context\n"a\nb",,,\nc,d,perhaps,\ne,f,,{\ng\nh,i,,\n'

    found = faults("csv", table)

    assert [line for line, _ in found] == [2, 4, 5, 6]
    assert "must_pass must be true or false" in found[1][1]


def test_every_wrong_row_of_jsonl_is_told_with_its_line() -> None:
    lines = [
        '{"scenario": "a", "expected_criteria": "b"}',
        '{"scenario": "a"}',
        "",
        "nope",
        '{"scenario": "a", "expected_criteria": "b", "colour": 1}',
        '{"scenario": "a", "expected_criteria": "b", "tags": [1]}',
        '{"scenario": "a", "scenario": "b", "expected_criteria": "c"}',
        '{"scenario": "a", "expected_criteria": "b", "context": {"x": NaN}}',
        '{"scenario": "\\ud800", "expected_criteria": "b"}',
        "[1]",
    ]

    found = faults("jsonl", "\r\n".join(lines))

    assert [line for line, _ in found] == [2, 4, 5, 6, 7, 8, 9, 10]
    assert "unknown field 'colour'" in found[2][1]


def test_an_external_id_is_given_once_in_an_upload() -> None:
    row = '{"scenario": "a", "expected_criteria": "b", "external_id": "x"}\n'

    assert faults("jsonl", row * 2) == [(2, "/external_id the external_id 'x' is that of line 1 already")]


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"scenario\n\xff", "not UTF-8"), (b"scenario\na\0b", "zero byte"), (b"\xff\xfes\0", "not UTF-8")],
    ids=["latin", "zero", "utf-16"],
)
def test_an_upload_that_is_no_text_is_refused(content: bytes, message: str) -> None:
    assert message in faults("csv", content)[0][1]


GREETS = {
    "name": "greets",
    "tags": ["a"],
    "conversation": [{"user": "hi", "assert": {"response": [{"contains": "hello"}]}}],
}
AS_YAML = """
name: greets
tags: [a]
conversation:
  - user: hi
    assert: {response: {contains: hello}}
"""


@pytest.mark.parametrize(
    ("wanted", "text"),
    [("yaml", AS_YAML), ("json", json.dumps(GREETS)), ("botpress", f"export default {json.dumps(GREETS)} as const")],
    ids=["yaml", "json", "botpress"],
)
def test_an_eval_becomes_a_case_that_carries_it(wanted: ImportFormat, text: str) -> None:
    (found,) = cases(wanted, text)

    assert (found.scenario, found.external_id, found.tags) == ("hi", "greets", ("a",))
    assert found.expected_criteria == 'On turn 1, response: contains: "hello".'
    assert found.eval == GREETS


def test_an_eval_set_of_adks_gets_its_two_criteria() -> None:
    found = cases("adk", (EXAMPLES / "home_automation/multi_session.evalset.json").read_bytes())

    assert [case.external_id for case in found] == ["list_then_turn_off", "set_bedroom_temperature"]
    assert all(f"In the end, {name}:" in found[0].expected_criteria for name in ("trajectory", "overlap"))


@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_all_faults_of_an_eval_file_are_told_with_their_lines(line_end: str) -> None:
    text = line_end.join(["- name: a", "  conversation: []", "- name: b", "  conversation:", "    - usr: hi"])

    assert [line for line, _ in faults("yaml", text)] == [1, 5]


CUSTOM = {"name": "x", "conversation": [{"user": "hi"}], "outcome": {"custom": {"function": "os.getcwd"}}}


# case: OWASP/ASVS 1.5.2, google ADK CVE-2026-79696
@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ("yaml", "name: !!python/object/apply:os.system ['true']\nconversation: []\n"),
        ("yaml", "name: x\nconversation: [{user: hi}]\noutcome: {custom: {function: os.getcwd}}\n"),
        ("json", json.dumps(CUSTOM)),
        ("jsonl", json.dumps({"eval": CUSTOM})),
        ("adk", '{"steps": [{"call": "importlib.import_module", "args": ["pty"]}]}'),
        ("botpress", "export default {name: require('fs').readFileSync('/etc/passwd'), conversation: []}"),
        ("botpress", "const x = eval('1'); export default {name: x, conversation: [{user: 'hi'}]}"),
        ("botpress", "export default await import('node:fs')"),
    ],
    ids=["yaml tag", "custom yaml", "custom json", "custom row", "replay", "require", "eval", "import"],
)  # fmt: skip
def test_an_upload_that_names_code_is_refused(wanted: ImportFormat, text: str) -> None:
    assert faults(wanted, text)


_WATCHERS: list[list[str]] = []
_TELLING = frozenset(
    {"open", "os.listdir", "os.scandir", "subprocess.Popen", "os.posix_spawn", "exec", "socket.connect"}
)


def _note(event: str, arguments: tuple[object, ...]) -> None:
    for watcher in _WATCHERS:
        if event in _TELLING:
            watcher.append(f"{event} {arguments[0]!r}")


@pytest.fixture(scope="module")
def _audit_hook() -> None:
    """Install the hook, which nothing can take away again; it is idle while nobody watches."""
    sys.addaudithook(_note)


@pytest.fixture
def touched(_audit_hook: None) -> Iterator[list[str]]:
    """Return the files that are opened and the code that is run from now on."""
    seen: list[str] = []
    _WATCHERS.append(seen)
    yield seen
    _WATCHERS.remove(seen)


PLACES = [
    "./x", "../x", "../../etc/passwd", "/etc/passwd", "/etc/hostname.json", "./x.json", "..\\x", "C:\\x",
    "\\\\host\\share", "file:///etc/passwd", "http://127.0.0.1/x", "node:fs", "./upload", "upload", ".", "..", "/",
    "./x\\u0000.json", "./%2e%2e/x", "con", "./" + "a" * 300, "~/x", "/proc/self/environ", "./tsconfig.json",
    "./package.json",
]  # fmt: skip
assert len(PLACES) == 25


# case: google/adk-python#5039
@pytest.mark.parametrize("place", PLACES)
def test_an_import_of_an_upload_is_refused_and_no_file_is_looked_at(
    place: str, touched: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("x.ts", "x.json", "upload.ts", "package.json", "index.ts"):
        (tmp_path / name).write_text('{"name": "secret"}' if name.endswith("json") else "export const name = 'secret'")
    (tmp_path / "tsconfig.json").write_text('{"compilerOptions": {"baseUrl": "."}}')
    turns = "conversation: [{user: 'hi', assert: {response: [{contains: 'a'}]}}]"
    text = f"import {{ name }} from '{place}'\nexport default {{name, {turns}}}\n"
    read_rows("botpress", b"export default 1")  # what it takes to read is loaded
    touched.clear()

    found = read_rows("botpress", text.encode())

    assert found.faults
    assert "secret" not in str(found)
    assert touched == []


@pytest.mark.parametrize("wanted", ["jsonl", "csv", "yaml", "json", "adk", "botpress"])
@pytest.mark.parametrize("name", ["../../etc/passwd", "a/../../b", "C:\\x", "\\\\host\\share", "..", "con", "x" * 190])
def test_a_name_that_is_a_path_is_nothing_but_a_name(wanted: ImportFormat, name: str, touched: list[str]) -> None:
    row = {"external_id": name, "scenario": name, "expected_criteria": "b"}
    one = {"name": name, "conversation": [{"user": name, "assert": {"response": [{"contains": "b"}]}}]}
    invocation = {"invocation_id": name, "user_content": {"parts": [{"text": name}], "role": "user"}}
    texts = {
        "jsonl": json.dumps(row),
        "csv": "external_id,scenario,expected_criteria\n" + ",".join(row.values()),
        "yaml": json.dumps(one),
        "json": json.dumps(one),
        "adk": json.dumps({"eval_set_id": name, "eval_cases": [{"eval_id": name, "conversation": [invocation]}]}),
        "botpress": f"export default {json.dumps(one)}",
    }
    cases(wanted, texts[wanted])
    touched.clear()

    (found,) = cases(wanted, texts[wanted])

    assert (found.external_id, found.scenario) == (name, name)
    assert touched == []


def test_an_upload_of_evals_that_is_too_long_is_refused() -> None:
    assert "at most" in faults("yaml", "#" * 5_000_001)[0][1]
