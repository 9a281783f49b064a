"""`*.eval.py`: which values are evals, and what becomes of a file that fails."""

import sys
from pathlib import Path

import pytest

from audition.formats import Reading
from audition.formats import python as python_format

IMPORTS = "from audition.evals import Check, Eval, Setup, Turn\n"


def reading_of(folder: Path, text: str, name: str = "a.eval.py") -> Reading:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return python_format.read(path)


def names_of(reading: Reading) -> list[str]:
    assert [str(fault) for fault in reading.faults] == []
    return [an_eval.name for an_eval in reading.evals]


def test_evals_dicts_and_lists_of_them_are_found_in_order_of_definition(tmp_path: Path) -> None:
    reading = reading_of(
        tmp_path,
        IMPORTS + "silent = (Turn(user='hi', expect_silence=True),)\n"
        "z = Eval(name='z', turns=silent)\n"
        "a = {'name': 'a', 'conversation': [{'user': 'é', 'expect_silence': True}]}\n"
        "several = [Eval(name='l1', turns=silent), {**a, 'name': 'l2'}]\n"
        "more = tuple(Eval(name=f't{n}', turns=silent) for n in range(2))\n"
        "same = z\n"
        "_hidden = Eval(name='hidden', turns=silent)\n"
        "settings = {'name': 'no eval'}\n"
        "numbers = [1, 2]\n",
    )

    assert names_of(reading) == ["z", "a", "l1", "l2", "t0", "t1"]


def test_an_eval_knows_the_line_its_name_is_given_on(tmp_path: Path) -> None:
    reading = reading_of(tmp_path, IMPORTS + "\nx = Eval(name='x', turns=(Turn(user='a', expect_silence=True),))\n")

    assert str(reading.evals[0].where) == f"{tmp_path / 'a.eval.py'}:3:1"


def test_modules_beside_the_file_can_be_imported_and_do_not_stay(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "shared_words.py").write_text(f"NAME = '{folder}'\n", encoding="utf-8")
    text = "from shared_words import NAME\nx = {'name': NAME, 'conversation': [{'user': 'a', 'expectSilence': True}]}\n"

    readings = [reading_of(tmp_path / folder, text) for folder in ("one", "two")]

    assert [names_of(reading) for reading in readings] == [["one"], ["two"]]
    assert "shared_words" not in sys.modules
    assert not [entry for entry in sys.path if entry.startswith(str(tmp_path))]


def test_what_the_file_prints_stays_out_of_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reading_of(tmp_path, "print('hello')\n")

    assert capsys.readouterr() == ("", "hello\n")


def test_dataclasses_work_in_the_file(tmp_path: Path) -> None:
    text = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass P:\n    x: int = 1\n"
    )

    reading = reading_of(
        tmp_path, text + "y = {'name': str(P().x), 'conversation': [{'user': 'a', 'expectSilence': True}]}\n"
    )

    assert names_of(reading) == ["1"]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("def f():\n    raise ValueError('bad')\n\nf()\n", 2, "running the file raised ValueError: bad"),
        ("import json\n\njson.loads('{')\n", 3, "running the file raised JSONDecodeError"),
        ("import no_such_module\n", 1, "ModuleNotFoundError: No module named 'no_such_module'"),
        ("\nimport sys\nsys.exit(3)\n", 3, "running the file raised SystemExit: 3"),
        ("x = 1\nassert x == 2\n", 2, "running the file raised AssertionError"),
        ("x = (\n", 1, "not Python: '(' was never closed"),
        ("x = 1\n", None, "the file holds no eval"),
        ("", None, "the file holds no eval"),
        (IMPORTS + "x = Eval(name='x')\n", 2, "the eval asserts nothing"),
        (IMPORTS + "\nx = Eval(name='x', turns=('hi',))\n", 3, "this is not how an Eval is built"),
        (IMPORTS + "x = Eval(name='', turns=(Turn(user='a', expect_silence=True),))\n", 2, "'name' must not be empty"),
        ("x = {'name': 'x', 'conversation': [{'user': 'a', 'asert': {}}]}\n", 1, "did you mean 'assert'?"),
        ("x = [{'name': 'x', 'conversation': []}, 3]\n", 1, "in 'x': 3 is no eval"),
        ("x = {'name': 'x', 'conversation': [{1, 2}]}\n", 1, "the set {1, 2} cannot stand in an eval"),
        ("x = {'name': 'x', 'conversation': [float('nan')]}\n", 1, "the float nan cannot stand in an eval"),
        ("x = {'name': 'x', 'conversation': []}\nx['conversation'].append(x)\n", 1, "a value holds itself"),
        ("x = {'name': 'x', 'conversation': [], 1: 2}\n", 1, "unknown key 1"),
    ],
)
def test_what_is_wrong_is_a_fault_with_its_line(tmp_path: Path, text: str, line: int | None, words: str) -> None:
    reading = reading_of(tmp_path, text)

    assert reading.evals == ()
    assert any(words in str(fault) and fault.where.line == line for fault in reading.faults)


def test_a_fault_inside_an_eval_says_where_in_words(tmp_path: Path) -> None:
    reading = reading_of(
        tmp_path,
        IMPORTS + "x = Eval(name='x', turns=(Turn(user='a', checks=(Check(category='respnse', spec={}),)),))\n",
    )

    [fault] = reading.faults
    assert fault.message == "conversation[0].assert.respnse: unknown key 'respnse' in assert"
    assert fault.hint == "did you mean 'response'?"


def test_a_file_that_is_no_text_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "a.eval.py"
    path.write_bytes(b"x = '\xe9'\n")

    assert "is not UTF-8" in str(python_format.read(path).faults[0])
