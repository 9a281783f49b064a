"""Running files in node: what comes back, and what the files are kept from."""

from pathlib import Path

import pytest

from audition.formats._ts_node import Ran, find_node, run_files
from audition.formats._ts_static import StaticReader
from audition.formats._ts_values import CLASS, FUNCTION, GETTER, UNDEFINED, JsList, JsObject, Opaque, Regex

NODE = find_node()
pytestmark = pytest.mark.skipif(NODE is None, reason="needs node 22.15 or newer")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path.resolve()


def run(root: Path, *texts: str, limit_s: float = 20.0) -> list[Ran]:
    paths = [root / f"{index}.eval.ts" for index in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    found = run_files(str(NODE), [str(path) for path in paths], StaticReader({}).workspace, limit_s=limit_s)
    return [found[str(path)] for path in paths]


def exported(root: Path, value: str) -> object:
    [ran] = run(root, f"export const value = {value}")
    assert ran.error == ""
    return (ran.exports or {})["value"]


@pytest.mark.parametrize(
    ("value", "is_"),
    [
        ("undefined", UNDEFINED), ("() => 1", FUNCTION), ("class {}", CLASS), ("/a/gi", Regex("a", "gi")),
        ("10n", Opaque("a BigInt")), ("Symbol('a')", Opaque("a symbol")), ("new Date(0)", Opaque("a Date")),
        ("new Map()", Opaque("a Map")), ("new Set()", Opaque("a Set")), ("Promise.resolve(1)", Opaque("a Promise")),
        ("new (class Own { a = 1 })()", Opaque("a Own")), ("new String('a')", Opaque("a String")),
        ("-0", 0), ("2 ** 60", 2.0**60), ("-Infinity", float("-inf")), ("'\\ud83d' + '\\ude00'", "😀"),
        ("'\\u2028\\u0085'", "\u2028\x85"), ("null", None), ("Object.create(null)", {}),
        ("[1, , 2]", [1, UNDEFINED, 2]),
        ("({ get a() { throw new Error('called') } })", {"a": GETTER}), ("({ [Symbol.iterator]: 1 })", None),
    ],
    ids=str,
)  # fmt: skip
def test_values_that_json_has_no_word_for_are_told(root: Path, value: str, is_: object) -> None:
    found = exported(root, value)

    if value.startswith("({ [Symbol"):
        assert found == {"Symbol(Symbol.iterator)": Opaque("a value under a symbol")}
    else:
        assert found == is_


def test_a_value_that_holds_itself_is_told(root: Path) -> None:
    found = exported(root, "(() => { const a: any = { list: [] }; a.list.push(a); return a })()")

    assert found == {"list": [Opaque("a value that holds itself")]}


def test_a_value_that_is_used_twice_is_the_same_value(root: Path) -> None:
    found = exported(root, "(() => { const a = { x: 1 }; return [a, a] })()")

    assert isinstance(found, JsList)
    assert isinstance(found[0], JsObject)
    assert found[0] is found[1]


def test_a_million_values_are_too_many(root: Path) -> None:
    [ran] = run(root, "export const value = Array.from({ length: 1_000_000 }, (_, index) => index)")

    assert "the file exports more than 500000 values" in ran.error


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("throw new Error('boom')", "Error: boom"),
        ("throw 'a text'", "a text"),
        ("process.exit(0)", "process.exit was called"),
        ("Promise.reject(new Error('stray'))", "Error: stray"),
        ("setImmediate(() => { throw new Error('late') })\nawait new Promise((r) => setTimeout(r, 20))", "Error: late"),
        ("import fs from 'node:fs'\nfs.writeFileSync('out.txt', 'x')", "ERR_ACCESS_DENIED|Access to this API"),
        ("import { execSync } from 'node:child_process'\nexecSync('true')", "ERR_ACCESS_DENIED|Access to this API"),
        ("import { nothing } from '@botpress/evals'\nexport const a = nothing", "does not provide an export named"),
        ("import { z } from 'zod'\nexport const a = z", "Cannot find package 'zod'"),
        ("const x = require('./x')", "require is not defined"),
        ("export const a = ;", "SyntaxError"),
    ],
    ids=["error", "text", "exit", "stray", "late", "write", "spawn", "botpress", "package", "require", "syntax"],
)
def test_a_file_that_fails_says_why_and_the_next_one_is_read(root: Path, text: str, error: str) -> None:
    failed, other = run(root, text, "export const value = 1")

    assert failed.exports is None
    assert any(words in failed.error for words in error.split("|"))
    assert other.exports == {"value": 1}


def test_the_line_that_failed_is_told(root: Path) -> None:
    [ran] = run(root, "type A = string\n\nconst a: A = null as any\nexport const b = a.length\n")

    assert ran.mark == (4, 20)


def test_a_file_that_never_ends_is_ended(root: Path) -> None:
    first, endless, last = run(root, "export const a = 1", "while (true) {}", "export const b = 1", limit_s=2.0)

    assert first.exports == {"a": 1}
    assert endless.error == "it took longer than 2 s"
    assert last.error == "a file before it stopped everything: it took longer than 2 s"


def test_an_await_that_nothing_ends_is_told(root: Path) -> None:
    [ran] = run(root, "await new Promise(() => {})")

    assert ran.error == "it awaits something that never comes"


def test_no_variable_of_the_environment_is_seen(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_SHELL", "x")

    assert exported(root, "Object.keys(process.env)") == []


def test_imports_that_are_only_types_need_no_file(root: Path) -> None:
    text = """
import { Turn, type State } from './nowhere'
import Whole, { Part } from './helper'
import * as Types from './nowhere-either'
export const value: Turn | State | Types.Any = Part
export class Mine implements Turn {}
"""
    (root / "helper.ts").write_text("export const Part = 1 as const\n", encoding="utf-8")

    [ran] = run(root, text)

    assert (ran.error, (ran.exports or {}).get("value")) == ("", 1)


def test_a_node_that_cannot_be_started_is_told(root: Path) -> None:
    path = root / "a.eval.ts"
    path.write_text("export const a = 1", encoding="utf-8")

    found = run_files(str(root / "no-node"), [str(path)], StaticReader({}).workspace)

    assert found[str(path)].error.startswith("node could not be started")
