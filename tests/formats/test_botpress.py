"""Botpress eval files: what they mean, where their checks stand, and what becomes of what cannot be read."""

from pathlib import Path
from typing import Any

import pytest

from audition.evals import Eval
from audition.formats import Reading, gather
from audition.formats import yaml as yaml_format
from audition.formats._format import Code
from audition.formats._ts_node import find_node
from audition.formats.botpress import read, read_many

HERE = Path(__file__).parent
READ = sorted((HERE / "botpress" / "read").glob("*.eval.*"))
RUN = sorted((HERE / "botpress" / "run").glob("*.eval.*"))
SILENT = "conversation: [{ user: 'hi', expectSilence: true }]"

needs_node = pytest.mark.skipif(find_node() is None, reason="needs node 22.15 or newer")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "a.eval.ts"


def reading_of(file: Path, text: str, code: Code = Code.NOT_ASKED_FOR) -> Reading:
    file.write_text(text, encoding="utf-8")
    return read_many({file: code})[file]


def evals_of(file: Path, text: str) -> tuple[Eval, ...]:
    reading = reading_of(file, text)
    assert [str(fault) for fault in reading.faults] == []
    return reading.evals


def faults_of(file: Path, text: str, code: Code = Code.NOT_ASKED_FOR) -> list[str]:
    reading = reading_of(file, text, code)
    assert reading.evals == ()
    return [str(fault).removeprefix(f"{file}:") for fault in reading.faults]


def named(name: str) -> str:
    return f"{{ name: '{name}', {SILENT} }}"


def with_check(check: str, before: str = "") -> str:
    return f"{before}\nexport default {{ name: 'x', conversation: [{{ user: 'hi', assert: {{ {check} }} }}] }}\n"


def place_of(part: str, text: str) -> str:
    before = text[: text.index(part)]
    return f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


def without_places(one: Eval) -> Any:
    from audition.formats.eval_dict import write_eval

    return write_eval(one)


@pytest.mark.parametrize("path", READ, ids=lambda path: path.name)
def test_every_construct_means_what_is_written_out_beside_it(path: Path) -> None:
    reading = read(path)

    bots = [one.setup.state.bot or {} for one in reading.evals]
    assert reading.faults == ()
    assert reading.evals
    assert [bot["made"] for bot in bots if "plain" in bot] == [bot["plain"] for bot in bots if "plain" in bot]


def test_the_examples_of_the_format_mean_the_same_in_typescript_and_in_yaml() -> None:
    in_yaml = yaml_format.read(HERE / "seed.eval.yaml").evals

    in_typescript = read(HERE / "botpress" / "read" / "seed.eval.ts").evals

    assert list(map(without_places, in_typescript)) == list(map(without_places, in_yaml))


def test_evals_come_in_the_order_of_the_text_whatever_they_are_called() -> None:
    names = [one.name for one in read(HERE / "botpress" / "read" / "named_exports.eval.ts").evals]

    assert names == ["zebra", "apple", "mango", "last"]


def test_an_eval_that_is_exported_twice_is_one_eval() -> None:
    folder = HERE / "botpress" / "read"

    assert [one.name for one in read(folder / "export_clause.eval.ts").evals] == ["clause-b", "clause-a"]
    assert [one.name for one in read(folder / "lists_and_their_items.eval.ts").evals] == ["items-1", "items-2"]


def test_checks_know_the_line_and_column_where_they_are_written(file: Path) -> None:
    text = """
const polite = [{ contains: 'please' }]
export default {
  name: 'x',
  /* é */ conversation: [{ user: '日本', assert: { response: [...polite, { contains: 'a' }] } }],
}
"""
    [one] = evals_of(file, text)

    places = [str(check.where).removeprefix(f"{file}:") for check in one.turns[0].checks]
    assert str(one.where) == f"{file}:3:16"
    assert places == [place_of("{ contains: 'please' }", text), place_of("{ contains: 'a' }", text)]


def test_a_check_from_another_file_stands_where_it_is_used(file: Path) -> None:
    (file.parent / "shared.ts").write_text("\n\n\n\nexport const polite = [{ contains: 'please' }]\n", encoding="utf-8")

    text = with_check("response: polite", "import { polite } from './shared'")

    [one] = evals_of(file, text)

    [check] = one.turns[0].checks
    assert str(check.where) == f"{file}:{place_of('response', text)}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it is empty, or all of it is commented out"),
        (
            "// import { Eval } from '@botpress/evals'\n/* export default new Eval({}) */\n",
            "all of it is commented out",
        ),
        ("export const LIMIT = 5\nexport const user = { name: 'Ann' }\n", "the file exports no eval"),
        (
            f"import {{ Eval }} from '@botpress/evals'\nconst kept = new Eval({named('x')})\n",
            "the file exports no eval",
        ),
    ],
    ids=["empty", "commented out", "no eval", "not exported"],
)
def test_a_file_without_evals_is_a_warning(file: Path, text: str, words: str) -> None:
    reading = reading_of(file, text)

    assert (reading.evals, reading.faults) == ((), ())
    assert words in reading.warnings[0]


def test_a_file_without_evals_does_not_stop_the_run(tmp_path: Path) -> None:
    (tmp_path / "a.eval.ts").write_text("// nothing here\n", encoding="utf-8")
    (tmp_path / "b.eval.ts").write_text(f"export default {named('b')}\n", encoding="utf-8")

    found = gather([tmp_path])

    assert ([one.name for one in found.suite.evals], found.faults) == (["b"], ())
    assert len(found.warnings) == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (f"export default {{ nam: 'x', {SILENT} }}", "1:18: unknown key 'nam' in eval; did you mean 'name'?"),
        ("export const a = { name: 'x', conversaton: [] }", "1:31: unknown key 'conversaton' in eval"),
        ("export default 'x'", "1:1: an eval is an object with a name and a conversation, not a text"),
        ("export default []", "this list holds no eval"),
        (f"export default [{named('a')}, 5]", ": an eval is an object with a name and a conversation, not a number"),
        (f"export default [{named('a')}, {named('a')}]", "the name 'a' is taken"),
        (with_check("respons: [{ contains: 'a' }]"), "did you mean 'response'?"),
        (with_check("response: [{ contains: 'a', contains: 'b' }]"), "the key 'contains' is given twice, first at"),
    ],
    ids=["name", "conversation", "text", "empty list", "item", "taken", "category", "key twice"],
)
def test_what_is_no_eval_is_a_fault(file: Path, text: str, fault: str) -> None:
    assert fault in faults_of(file, text)[0]


@pytest.mark.parametrize(
    ("check", "fault"),
    [
        ("response: [{ contains: undefined }]", "the value of 'contains' is undefined"),
        ("response: [{ contains: WORDS.nothing }]", "the value of 'contains' is undefined"),
        ("response: [{ contains: () => 'a' }]", "the value of 'contains' is a function"),
        ("response: [{ get contains() { return 'a' } }]", "the value of 'contains' is a getter"),
        ("response: [{ contains: 10n }]", "the value of 'contains' is a BigInt"),
        ("response: [{ contains: process.env.WORD }]", "the environment variable WORD, without a fallback"),
        ("response: [{ contains: `a ${process.env.WORD}` }]", "the environment variable WORD has no fallback"),
        ("response: [{ contains: /a/ }]", "a regular expression stands only under 'matches'"),
        ("response: [{ matches: /a/y }]", "the flag 'y' of the regular expression"),
        ("response: [{ matches: /(?<=a/ }]", "not a pattern"),
        ("timing: [{ response_time: { lte: 1 / 0 } }]", "Infinity is not a number that JSON can hold"),
        ("response: [{ contains: '\\ud800' }]", "half a surrogate pair"),
        ("response: [{ contains: 'a' }, , { contains: 'b' }]", "undefined"),
    ],
    ids=["undefined", "missing key", "function", "getter", "bigint", "variable", "in a text", "regex", "flag",
         "pattern", "infinite", "surrogate", "left out"],
)  # fmt: skip
def test_what_no_eval_can_hold_is_a_fault_and_never_dropped(file: Path, check: str, fault: str) -> None:
    [found] = faults_of(file, with_check(check, "const WORDS: any = {}"), Code.ALLOWED)

    assert fault in found
    assert found.startswith("2:")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (with_check("response: [{ similar_to: 'a' }]"), "'similar_to' is a check of older Botpress versions"),
        (with_check("tables: [{ table: 't', row_count: { gte: 1 } }]"), "'tables' checks are a feature of older"),
        (
            f"export default {{ name: 'x', {SILENT}, outcome: {{ tables: [{{ table: 't' }}] }} }}",
            "'tables' checks are a feature of older",
        ),
    ],
    ids=["similar_to", "tables", "tables in outcome"],
)
def test_a_feature_of_older_versions_is_named_and_refused(file: Path, text: str, fault: str) -> None:
    [found] = faults_of(file, text)

    assert fault in found
    assert "; write llm_judge" in found or "; check what the agent says" in found


def test_the_type_of_an_event_is_a_warning() -> None:
    reading = read(HERE / "botpress" / "read" / "legacy_event_type.eval.ts")

    assert len(reading.evals) == 1
    assert "the event's 'type' is ignored" in reading.warnings[0]


def test_a_file_that_must_be_run_says_what_is_in_the_way_and_how_to_allow_it(file: Path) -> None:
    text = f"const make = (name: string) => ({{ name, {SILENT} }})\nexport default make('x')\n"

    [fault] = faults_of(file, text)

    what, _, how = fault.partition("; ")
    assert what == "2:16: the call \"make('x')\" cannot be read without running the file"
    assert how == "name the file itself, or pass --allow-code, and node reads it, which runs the code in it"


def test_all_that_cannot_be_read_is_told_at_once(file: Path) -> None:
    text = with_check("response: [{ contains: f() }, { contains: g() }, { contains: undefined }]")

    places = [fault.split(": ")[0] for fault in faults_of(file, text)]

    assert places == [place_of(part, text) for part in ("f()", "g()", "contains: undefined")]


def test_files_in_folders_are_run_only_with_allow_code(tmp_path: Path) -> None:
    (tmp_path / "a.eval.ts").write_text(f"export default Object.assign({named('a')})\n", encoding="utf-8")

    [fault] = gather([tmp_path]).faults

    assert "name the file itself, or pass --allow-code" in str(fault)


def test_no_exec_forbids_running_even_a_file_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.eval.ts").write_text(f"export default Object.assign({named('a')})\n", encoding="utf-8")
    (tmp_path / "b.eval.py").write_text("raise SystemExit\n", encoding="utf-8")

    faults = gather([tmp_path / "a.eval.ts", tmp_path / "b.eval.py"], allow_code=True, no_exec=True).faults

    assert [fault.message.rpartition(", ")[2] for fault in faults][1] == "which --no-exec forbids"
    assert "which --no-exec forbids" in str(faults[0])


def test_without_node_a_file_that_must_be_run_says_what_to_install(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audition.formats._ts_node.find_node", lambda: None)

    [fault] = faults_of(file, f"export default Object.assign({named('a')})\n", Code.ALLOWED)

    assert 'install node 22.15 or newer, or pip install "audition[node]"' in fault


def test_node_is_not_even_looked_for_when_no_file_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def looked() -> None:
        raise AssertionError("node was looked for")

    monkeypatch.setattr("audition.formats._ts_node.find_node", looked)

    readings = read_many(dict.fromkeys(READ, Code.ALLOWED))

    assert [reading.faults for reading in readings.values() if reading.faults] == []


@needs_node
def test_files_that_must_be_run_are_read_by_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    from audition.formats import _ts_node

    started = []
    run = _ts_node.run_files
    monkeypatch.setattr(_ts_node, "run_files", lambda *given, **options: started.append(1) or run(*given, **options))

    readings = read_many(dict.fromkeys([*RUN, *READ], Code.ALLOWED))

    bots = [one.setup.state.bot or {} for path in RUN for one in readings[path].evals]
    assert [reading.faults for reading in readings.values() if reading.faults] == []
    assert [bot["made"] for bot in bots if "plain" in bot] == [bot["plain"] for bot in bots if "plain" in bot]
    assert started == [1]


@needs_node
def test_evals_of_a_file_that_was_run_come_in_the_order_of_the_text() -> None:
    path = HERE / "botpress" / "run" / "loops.eval.ts"

    names = [one.name for one in read_many({path: Code.ALLOWED})[path].evals]

    assert names == ["loop-zulu", "loop-zebra", "loop-apple", "loop-last"]


@needs_node
def test_checks_of_a_file_that_was_run_keep_their_places(file: Path) -> None:
    text = with_check("response: [{ contains: 'a' }, { contains: 'b'.trim() }, { contians: 'c' }]")

    [fault] = faults_of(file, text, Code.ALLOWED)

    assert fault == f"{place_of('contians', text)}: unknown key 'contians' in response check; did you mean 'contains'?"


@needs_node
@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (f"export default Object.assign({named('a')}, {{ type: undefined }})", "the value of 'type' is undefined"),
        (f"export default Object.assign({named('a')}, {{ type: () => 1 }})", "the value of 'type' is a function"),
        (f"export default Object.assign({named('a')}, {{ type: new Date(0) }})", "the value of 'type' is a Date"),
        ("throw new Error('boom')", "1:7: the file was run, and failed: Error: boom"),
        ("import any from 'no-such-package'\nexport default any", "Cannot find package 'no-such-package'"),
        ("export default missing()", "ReferenceError: missing is not defined"),
        ("export default [", "1:1: the file was run, and failed: SyntaxError"),
    ],
    ids=["undefined", "function", "date", "throws", "package", "name", "syntax"],
)
def test_a_run_that_gives_no_eval_is_a_fault(file: Path, text: str, fault: str) -> None:
    [found] = faults_of(file, text, Code.ALLOWED)

    assert fault in found


@needs_node
def test_what_a_run_would_hide_is_told_without_one(file: Path) -> None:
    text = with_check("response: [{ contains: f(), contains: 'b' }]", "const f = () => 'a'")

    [fault] = faults_of(file, text, Code.ALLOWED)

    assert "the key 'contains' is given twice" in fault
