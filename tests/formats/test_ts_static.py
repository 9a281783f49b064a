"""TypeScript read without running it: what is refused, where, and how much is read at most."""

from pathlib import Path

import pytest

from audition.formats._ts_static import Read, StaticReader
from audition.formats._ts_values import HOLE


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path.resolve()


def read(root: Path, text: str, **others: str) -> Read:
    for name, content in others.items():
        (root / f"{name}.ts").write_text(content, encoding="utf-8")
    path = root / "a.eval.ts"
    path.write_text(text, encoding="utf-8")
    return StaticReader({str(path): "a.eval.ts"}).read(str(path))


def problems(root: Path, text: str, **others: str) -> list[str]:
    return [f"{one.fault}{' (final)' if one.final else ''}" for one in read(root, text, **others).problems]


CODE = "cannot be read without running the file"


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("f()", f"the call 'f()' {CODE}"),
        ("f`a`", f"the call 'f`a`' {CODE}"),
        ("'a'.trim()", f"the call \"'a'.trim()\" {CODE}"),
        ("await f()", f"the await 'await f()' {CODE}"),
        ("new Date()", "what 'Date' stands for is not known without running the file"),
        ("typeof 1", f"the expression 'typeof 1' {CODE}"),
        ("(1, 2)", f"the expression '1, 2' {CODE}"),
        ("import.meta.url", f"the code 'import.meta' {CODE}"),
        ("1 + {}", f"the expression '1 + {{}}' {CODE}"),
        ("'2' * 2", f"the expression \"'2' * 2\" {CODE}"),
        ("1 << 2", f"the expression '1 << 2' {CODE}"),
        ("({}).toString", f"the expression '({{}}).toString' {CODE}"),
        ("null.x", f"the expression 'null.x' {CODE}"),
        ("missing", "what 'missing' stands for is not known without running the file"),
        ("{ ...'ab' }", f"the code \"...'ab'\" {CODE}"),
        ("[...'ab']", f"the code \"...'ab'\" {CODE}"),
        ("{ [Symbol.iterator]: 1 }", "what 'Symbol' stands for"),
        ("`${[1]}`", "is a list, which makes no text"),
        ("`${{}}`", "is an object, which makes no text (final)"),
        ("`${undefined}`", "this is undefined, which makes no text (final)"),
        ("'a' + undefined", "this is undefined, which makes no text (final)"),
        ("`${() => 1}`", "is a function, which makes no text (final)"),
        ("`${process.env.A}`", "the environment variable A has no fallback"),
        ("process.env.A ? 1 : 2", "the environment variable A has no fallback"),
        ("process.env.A + ''", "the environment variable A has no fallback"),
        ("process.env.A.length", "the environment variable A has no fallback"),
        ("{ a: 1, a: 2 }", "the key 'a' is given twice, first at 1:20 (final)"),
        ("{ __proto__: {} }", "'__proto__' is no key but what an object is made after (final)"),
        ("08", "'08' is no number (final)"),
        ("'\\u{110000}'", "a backslash here begins no escape"),
        ("new Eval({})", "'Eval' is not imported; write import { Eval } from '@botpress/evals' (final)"),
        ("late", "'late' is used before it has its value (final)"),
    ],
    ids=lambda text: str(text)[:24],
)
def test_what_is_not_known_for_sure_is_refused_with_its_place(root: Path, expression: str, problem: str) -> None:
    [found] = problems(root, f"export const v = {expression}\nconst late = 1\n")

    assert found.startswith("a.eval.ts:1:")
    assert problem in found


@pytest.mark.parametrize(
    "statement",
    [
        "items.push(2)", "for (const item of items) {}", "if (items) {}", "console.log(1)", "items[0] = 1",
        "const n = f()",
        "const n = items.push(1)", "let n = (items[0] = 2)", "class A { static x = f() }", "@f class A {}", "n++",
        "const [n] = f()", "label: for (;;) {}", "namespace N { items.push(1) }", "import x = require('./x')",
        "const n = { a: [1, f()] }", "const n = delete items[0]", "export = items", "try {} catch {}", "await f()",
    ],
)  # fmt: skip
def test_code_that_may_change_a_value_is_refused(root: Path, statement: str) -> None:
    found = problems(root, f"const items = [1]\n{statement}\nexport const v = items\n")

    assert found
    assert found[0].startswith("a.eval.ts:2:")


@pytest.mark.parametrize(
    "statement",
    [
        "const later = () => items.push(1)", "function later() { items.push(1) }",
        "class A { run() { items.push(1) } }",
        "type A = string", "interface A { a: string }", "declare const outside: number", "'use strict'", ";",
        "// items.push(1)",
        "export type { A } from './nowhere'", "import type { B } from './nowhere'", "import { B } from 'a-package'",
        "import './nowhere'", "const n = process.env.A", "let n: string",
        "function f(a: string): void\nfunction f(a: any) {}",
        "export default function () { items.push(1) }", "export default class { run() {} }",
        "const n = { f() { items.push(1) } }",
    ],
)  # fmt: skip
def test_code_that_nobody_calls_is_let_be(root: Path, statement: str) -> None:
    found = read(root, f"const items = [1]\n{statement}\nexport const v = items\n")

    assert found.problems == ()
    assert found.offers[-1].value == [1]


@pytest.mark.parametrize(
    ("text", "others", "problem"),
    [
        ("import { a } from './b'", {"b": "import { v } from './a.eval'\nexport const a = v"}, "in a circle"),
        ("import { a } from './b'", {"b": "import { a } from './b'\nexport { a }"}, "in a circle"),
        ("import { a } from './b'", {"b": "export * from './b'"}, "in a circle"),
        ("import { a } from './b'", {"b": "export const c = 1"}, "exports no 'a' (final)"),
        ("import { a } from './missing'", {}, "there is no file './missing' to import from (final)"),
        ("import { a } from 'a-package'", {}, "the package 'a-package' is not read without running the file"),
        ("import { z as a } from '@botpress/runtime'", {}, "what Botpress offers as 'z' is no eval"),
        ("import { a } from './b'", {"b": "export const a = ["}, "not TypeScript"),
        ("import { a } from './b'", {"b": "export const a = f()"}, "b.ts:1:18: the call 'f()'"),
        ("import { a } from './b'", {"b": "export const a = [1]\na.push(2)"}, "b.ts:2:1: the code 'a.push(2)'"),
        ("import a from './b'", {"b": "export const c = 1"}, "exports no 'default' (final)"),
    ],
    ids=[
        "circle",
        "itself",
        "star",
        "no export",
        "no file",
        "package",
        "botpress",
        "syntax",
        "code",
        "change",
        "default",
    ],
)
def test_an_import_that_gives_no_value_is_refused(root: Path, text: str, others: dict[str, str], problem: str) -> None:
    found = problems(root, f"{text}\nexport const v = a\n", **others)

    assert any(problem in one for one in found)


def test_what_is_wrong_in_a_shared_file_is_told_for_each_file_that_uses_it(root: Path) -> None:
    (root / "shared.ts").write_text("export const bad = f()\n", encoding="utf-8")
    paths = [root / "a.eval.ts", root / "b.eval.ts"]
    for path in paths:
        path.write_text("import { bad } from './shared'\nexport const v = [bad]\n", encoding="utf-8")
    reader = StaticReader({})

    first, second = (reader.read(str(path)).problems for path in paths)

    assert first == second != ()


def test_holes_stand_where_something_cannot_be_read(root: Path) -> None:
    [offer] = read(root, "export const v = { a: 1, b: f(), c: [2, g()] }\n").offers

    assert offer.value == {"a": 1, "b": HOLE, "c": [2, HOLE]}


N = 3_000
DEEP = {
    "lists": "[" * N + "]" * N,
    "objects": "{ a: " * N + "1" + "}" * N,
    "brackets": "(" * N + "1" + ")" * N,
    "members": "({})" + ".b" * N,
    "calls": "f" + "()" * N,
    "conditions": "true ? 1 : " * N + "1",
    "other conditions": "false ? 1 : " * N + "1",
    "texts": "'a' + " * N + "'b'",
    "powers": "1 ** " * N + "1",
    "nots": "!" * N + "1",
    "types": "1" + " as any" * N,
    "functions": "() => " * N + "1",
    "templates": "`${" * 200 + "1" + "}`" * 200,
    "number": "9" * 100_000,
    "hexadecimal": "0x" + "f" * 100_000,
}


@pytest.mark.parametrize("expression", DEEP.values(), ids=DEEP.keys())
def test_depth_and_length_break_nothing(root: Path, expression: str) -> None:
    found = read(root, f"export const v = {expression}\n")

    assert found.problems or found.offers


@pytest.mark.parametrize(
    "step", ["[...c{0}, ...c{0}]", "{{ ...c{0}, x{0}: c{0} }}", "c{0} + c{0}", "`${{c{0}}}${{c{0}}}`"], ids=str
)
def test_constants_that_double_are_ended(root: Path, step: str) -> None:
    first = "'a long text to begin with'" if "+" in step or "$" in step else "[1, 2]" if "[" in step else "{ a: 1 }"
    lines = [f"const c0 = {first}", *(f"const c{n + 1} = {step.format(n)}" for n in range(40))]

    found = read(root, "\n".join(lines) + "\nexport const v = [c10, c15, c20, c25, c30, c35, c40]\n")

    assert len(found.problems) < 60
    assert len(found.offers) == 1


def test_a_file_that_is_too_big_is_refused(root: Path) -> None:
    [found] = problems(root, f"export const v = '{'x' * 1_000_001}'\n")

    assert "the file is too big" in found
