"""`audition import`: evals of another tool become YAML files that mean the same."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audition.documents.located import plain
from audition.evals import Check, Eval
from audition.formats import gather
from audition.formats._ts_node import find_node

CORPUS = Path(__file__).parents[2] / "formats" / "botpress"
GREETING = """
import { Eval } from '@botpress/evals'

// said first
export default new Eval({
  name: 'greeting',
  tags: ['yes', '1'],
  conversation: [
    { user: 'Hi\\nthere', assert: { response: [{ matches: /^h(i|ello)\\b/ }, { not_contains: '9 to 17' }] } },
  ],
})
"""
MADE = "export default ['a', 'b'].map((name) => ({ name, conversation: [{ user: 'hi', expectSilence: true }] }))\n"


def without_places(one: Eval) -> Any:
    def bare(checks: tuple[Check, ...]) -> tuple[Check, ...]:
        return tuple(replace(check, where=None, spec=plain(check.spec)) for check in checks)

    turns = tuple(replace(turn, where=None, checks=bare(turn.checks)) for turn in one.turns)
    return replace(one, where=None, turns=turns, outcome=bare(one.outcome))


def test_a_file_becomes_a_yaml_file_beside_it(empty: Any) -> None:
    empty.write("evals/greeting.eval.ts", GREETING)

    result = empty.invoke("import", "botpress", "evals")

    written = (empty.folder / "evals/greeting.eval.yaml").read_text(encoding="utf-8")
    assert result.exit_code == 0
    assert result.stdout.startswith("wrote evals/greeting.eval.yaml: 1 eval\nimported 1 eval of 1 file\n")
    assert "the files read are still there" in result.stdout
    assert written == (
        "# imported from greeting.eval.ts\nname: greeting\ntags:\n- 'yes'\n- '1'\nconversation:\n- user: |-\n    Hi\n"
        "    there\n  assert:\n    response:\n    - matches: ^h(i|ello)\\b\n    - not_contains: '9 to 17'\n"
    )


def test_nothing_is_lost_on_the_way(empty: Any) -> None:
    shutil.copytree(CORPUS / "read", empty.folder / "read")
    read = gather([Path("read")])

    result = empty.invoke("import", "botpress", "read", "--output", "out")

    again = gather([Path("out")])
    assert (result.exit_code, read.faults, again.faults) == (0, (), ())
    assert len(again.suite.evals) > 100
    assert list(map(without_places, again.suite.evals)) == list(map(without_places, read.suite.evals))


def test_folders_below_are_kept_below(empty: Any) -> None:
    empty.write("evals/deep/greeting.eval.mts", GREETING)

    result = empty.invoke("import", "botpress", "evals", "--output", "out/yaml")

    assert "wrote out/yaml/deep/greeting.eval.yaml: 1 eval" in result.stdout
    assert "still there" not in result.stdout
    assert (empty.folder / "out/yaml/deep/greeting.eval.yaml").is_file()


def test_nothing_is_written_over_unless_it_is_forced(empty: Any) -> None:
    empty.write("evals/greeting.eval.ts", GREETING)
    empty.write("out/greeting.eval.yaml", "mine")

    refused = empty.invoke("import", "botpress", "evals", "--output", "out")
    kept = (empty.folder / "out/greeting.eval.yaml").read_text(encoding="utf-8")
    forced = empty.invoke("import", "botpress", "evals", "--output", "out", "--force")

    assert (refused.exit_code, kept, forced.exit_code) == (2, "mine", 0)
    assert "out/greeting.eval.yaml would be written over" in refused.stderr


def test_two_files_that_would_become_one_are_refused(empty: Any) -> None:
    empty.write("evals/a.eval.ts", GREETING)
    empty.write("evals/a.eval.js", GREETING.replace("'greeting'", "'other'"))

    result = empty.invoke("import", "botpress", "evals")

    assert result.exit_code == 2
    assert "would both be written to evals/a.eval.yaml" in result.stderr
    assert not (empty.folder / "evals/a.eval.yaml").exists()


def test_the_report_says_what_could_not_be_read(empty: Any) -> None:
    empty.write("evals/greeting.eval.ts", GREETING)
    empty.write("evals/empty.eval.ts", "// nothing\n")
    empty.write("evals/made.eval.ts", MADE)

    result = empty.invoke("import", "botpress", "evals")

    assert result.exit_code == 2
    assert "imported 1 eval of 1 file; 1 file could not be read: evals/made.eval.ts" in result.stdout
    assert "evals/made.eval.ts:1:16: the call" in result.stderr
    assert "warning: evals/empty.eval.ts: the file holds no eval" in result.stderr


@pytest.mark.skipif(find_node() is None, reason="needs node 22.15 or newer")
def test_what_only_node_can_read_is_imported_with_allow_code(empty: Any) -> None:
    empty.write("evals/made.eval.ts", MADE)

    result = empty.invoke("import", "botpress", "evals", "--allow-code")

    assert "wrote evals/made.eval.yaml: 2 evals" in result.stdout
    assert [one.name for one in gather([Path("evals/made.eval.yaml")]).suite.evals] == ["a", "b"]


def test_no_exec_keeps_even_a_named_file_from_being_run(empty: Any) -> None:
    empty.write("evals/made.eval.ts", MADE)

    result = empty.invoke("import", "botpress", "evals/made.eval.ts", "--no-exec")

    assert result.exit_code == 2
    assert "which --no-exec forbids" in result.stderr


def test_a_folder_without_such_evals_has_nothing_to_import(empty: Any) -> None:
    empty.write_evals("P")

    result = empty.invoke("import", "botpress", "evals")

    assert result.exit_code == 4
    assert "evals holds no eval of botpress" in result.stderr


def test_a_source_or_a_path_that_is_none_is_refused(empty: Any) -> None:
    assert empty.invoke("import", "botpres", ".").exit_code == 2
    assert empty.invoke("import", "botpress", "nowhere").exit_code == 2
