"""`*.eval.yaml`: whole files, good, bad, and mutilated."""

import codecs
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audition.documents.yaml import read_yaml
from audition.formats import yaml as yaml_format
from audition.formats.eval_dict import read_evals

GREETING = """\
name: greeting
conversation:
  - user: Preis in €?
    assert: {response: [{contains: 12 €}]}
"""
SEED = Path(__file__).with_name("seed.eval.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "content",
    [
        GREETING.encode(),
        codecs.BOM_UTF8 + GREETING.replace("\n", "\r\n").encode(),
        codecs.BOM_UTF16_LE + GREETING.encode("utf-16-le"),
    ],
    ids=["utf-8", "windows", "utf-16"],
)
# case: openai/evals#980
def test_a_file_is_read_in_every_encoding(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.eval.yaml"
    path.write_bytes(content)

    reading = yaml_format.read(path)

    assert reading.faults == ()
    [turn] = reading.evals[0].turns
    assert (turn.user, turn.checks[0].spec) == ("Preis in €?", {"contains": "12 €"})
    assert str(turn.checks[0].where) == f"{path}:4:25"


@pytest.mark.parametrize("text", ["", "# name: x\n# conversation: []\n", "---\n", "~\n"])
def test_a_file_all_commented_out_is_a_warning(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.eval.yaml"
    path.write_text(text, encoding="utf-8")

    reading = yaml_format.read(path)

    assert (reading.evals, reading.faults) == ((), ())
    assert reading.warnings == (f"{path}: the file holds no eval: it is empty, or all of it is commented out",)


def test_an_empty_document_among_others_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a.eval.yaml"
    path.write_text(f"{GREETING}---\n# nothing yet\n", encoding="utf-8")

    reading = yaml_format.read(path)

    assert [an_eval.name for an_eval in reading.evals] == ["greeting"]
    assert reading.faults == ()


# case: OWASP/ASVS 1.5.2
def test_a_file_that_asks_for_code_gets_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.eval.yaml").write_text(
        "name: !!python/object/apply:os.system ['touch pwned']\nconversation: []\n", encoding="utf-8"
    )

    reading = yaml_format.read(Path("a.eval.yaml"))

    assert "the tag !!python/object/apply:os.system is not allowed" in str(reading.faults[0])
    assert not Path("pwned").exists()


# case: OWASP/ASVS 1.5.3
def test_checks_under_a_key_given_twice_do_not_vanish(tmp_path: Path) -> None:
    path = tmp_path / "a.eval.yaml"
    path.write_text(
        "name: dup\nconversation:\n  - user: Hi\n    assert:\n"
        "      response: [{contains: hello}]\n      response: [{not_contains: zzz}]\n",
        encoding="utf-8",
    )

    reading = yaml_format.read(path)

    assert reading.evals == ()
    assert [str(fault) for fault in reading.faults] == [f"{path}:6:7: the key 'response' is given twice, first at 5:7"]


def test_a_syntax_error_hides_no_fault_of_the_documents_before_it(tmp_path: Path) -> None:
    path = tmp_path / "a.eval.yaml"
    path.write_text(
        "name: a\ntypo: 1\nconversation: [{user: a, expectSilence: true}]\n---\nname: [\n", encoding="utf-8"
    )

    faults = [str(fault) for fault in yaml_format.read(path).faults]

    assert [fault.partition(": ")[0] for fault in faults] == [f"{path}:2:1", f"{path}:6:1"]


MUTATION = st.tuples(
    st.integers(0, len(SEED)),
    st.integers(0, 12),
    st.sampled_from(["", "\n", " ", "  ", "- ", "[", "]", "{", "}", ":", "null", "1", "''", "&a ", "*a", "!x ", "<<: "])
    | st.text(max_size=4),
)


def read_mutilated(mutations: list[tuple[int, int, str]]) -> bool:
    text = SEED
    for position, length, replacement in mutations:
        text = text[:position] + replacement + text[position + length :]
    documents, faults = read_yaml(text, "f")
    reading = read_evals(documents, "f", faults)
    return bool(reading.evals) != bool(reading.faults)


@settings(max_examples=300, deadline=None)
@given(st.lists(MUTATION, min_size=1, max_size=4))
def test_a_mutilated_file_gives_evals_or_faults_and_raises_nothing(mutations: list[tuple[int, int, str]]) -> None:
    assert read_mutilated(mutations)


@pytest.mark.slow
@settings(max_examples=10_000, deadline=None)
@given(st.lists(MUTATION, min_size=1, max_size=6))
def test_ten_thousand_mutilated_files_raise_nothing(mutations: list[tuple[int, int, str]]) -> None:
    assert read_mutilated(mutations)
