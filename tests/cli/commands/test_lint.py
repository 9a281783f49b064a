"""`audition lint`: what is wrong with the texts that judges are asked about."""

import json
from typing import Any

import pytest

EVAL = "name: {}\nconversation:\n  - user: {}\n    assert:\n      response:\n        - llm_judge: {}\n"
WRONG = EVAL.format("bye", "bye", "Says goodbye verbatim.")
VAGUE = EVAL.format("hi", "hi", "Responds appropriately.")
FINE = EVAL.format("ok", "ok", "Names a museum.")
PROVIDER = '[providers.stand_in]\nprotocol = "scripted"\n'


def judge_says(answer: str) -> str:
    """Return settings with a judge that always says the same."""
    return f"[judge]\nmodel = 'stand_in:{answer}'\n{PROVIDER}"


def test_a_finding_is_told_with_its_place_its_words_and_a_better_text(project: Any) -> None:
    project.write("evals/a.eval.yaml", WRONG)

    result = project.invoke("lint")

    first, words, instead, summary = result.stdout.splitlines()
    assert first.startswith("evals/a.eval.yaml:6:11: L3 error: bye: the text demands an exact wording")
    assert words == "    llm_judge: 'verbatim'"
    assert instead == "    instead: Say what the reply must convey, and leave the words to the agent."
    assert summary == "1 eval: 1 error, 0 warnings"
    assert result.exit_code == 1


def test_warnings_do_not_change_the_exit_code(project: Any) -> None:
    project.write("evals/a.eval.yaml", VAGUE)

    result = project.invoke("lint")

    assert "L5 warning: hi:" in result.stdout
    assert (result.stdout.splitlines()[-1], result.exit_code) == ("1 eval: 0 errors, 1 warning", 0)


def test_texts_without_fault_are_clean(project: Any) -> None:
    project.write("evals/a.eval.yaml", FINE)

    result = project.invoke("lint", "evals/a.eval.yaml")

    assert (result.stdout, result.exit_code) == ("1 eval: 0 errors, 0 warnings\n", 0)


def test_findings_are_written_for_programs(project: Any) -> None:
    project.write("evals/a.eval.yaml", WRONG)

    told = json.loads(project.invoke("lint", "--format", "json").stdout)

    (found,) = told["findings"]
    assert told["evals"] == 1
    assert (found["code"], found["severity"], found["eval"], found["key"]) == ("L3", "error", "bye", "llm_judge")
    assert found["where"] == "evals/a.eval.yaml:6:11"
    assert found["text"][found["start"] : found["end"]] == "verbatim"


@pytest.mark.parametrize(
    ("arguments", "settings", "codes"),
    [
        pytest.param([], "", ["L3", "L5"], id="all"),
        pytest.param(["--select", "L1,l5"], "", ["L5"], id="selected"),
        pytest.param(["--ignore", "L3"], "", ["L5"], id="ignored"),
        pytest.param(["--ignore", "L3", "--ignore", "L5"], "", [], id="both ignored"),
        pytest.param([], '[lint]\nignore = ["L5"]\n', ["L3"], id="ignored in the settings"),
        pytest.param(["--select", "L5"], '[lint]\nignore = "L5"\n', ["L5"], id="selected over the settings"),
    ],
)
def test_the_rules_can_be_chosen(project: Any, arguments: list[str], settings: str, codes: list[str]) -> None:
    project.write("audition.toml", settings)
    project.write("evals/a.eval.yaml", f"{WRONG}---\n{VAGUE}")

    told = json.loads(project.invoke("lint", "--format", "json", *arguments).stdout)

    assert [found["code"] for found in told["findings"]] == codes


def test_a_code_that_no_rule_has_is_refused(project: Any) -> None:
    project.write("evals/a.eval.yaml", FINE)
    assert project.invoke("lint", "--select", "L99").exit_code == 2

    project.write("audition.toml", '[lint]\nignore = ["nope"]\n')
    assert project.invoke("lint").exit_code == 2


def test_the_tools_of_the_settings_are_held_against_the_texts(project: Any) -> None:
    project.write("audition.toml", '[lint]\ntools = ["find_order"]\n')
    project.write("evals/a.eval.yaml", FINE.replace("Names a museum", "Calls find_orders"))

    result = project.invoke("lint")

    assert "L9 error: ok: the agent has no tool called 'find_orders'" in result.stdout
    assert "instead: Calls find_order." in result.stdout


def test_a_file_that_does_not_load_decides_the_exit_code(project: Any) -> None:
    project.write("evals/a.eval.yaml", WRONG)
    project.write("evals/b.eval.yaml", "nam: b\n")

    result = project.invoke("lint")

    assert "evals/b.eval.yaml:1:1" in result.stderr
    assert "L3 error" in result.stdout
    assert result.exit_code == 2


def test_nothing_to_lint_is_not_clean(project: Any) -> None:
    assert project.invoke("lint").exit_code == 4


def test_a_judge_is_asked_when_it_is_wanted(project: Any) -> None:
    project.write("audition.toml", judge_says('{"reason": "Nobody knows a museum.", "answer": "no"}'))
    project.write("evals/a.eval.yaml", FINE)

    assert project.invoke("lint").exit_code == 0
    result = project.invoke("lint", "--deep")

    assert "evals/a.eval.yaml:6:11: D1 error: ok: the judge: Nobody knows a museum." in result.stdout
    assert result.exit_code == 1


def test_a_judge_without_doubts_adds_nothing(project: Any) -> None:
    project.write("audition.toml", judge_says('{"reason": "It can be met.", "answer": "yes"}'))
    project.write("evals/a.eval.yaml", FINE)

    result = project.invoke("lint", "--deep")

    assert (result.stdout, result.exit_code) == ("1 eval: 0 errors, 0 warnings\n", 0)


def test_a_judge_that_cannot_be_read_leaves_the_text_undecided(project: Any) -> None:
    project.write("audition.toml", judge_says("Well."))
    project.write("evals/a.eval.yaml", FINE)

    result = project.invoke("lint", "--deep")

    assert "evals/a.eval.yaml:6:11: the judge could not tell:" in result.stderr
    assert result.exit_code == 3


def test_without_a_judge_asking_it_is_refused_with_the_remedy(project: Any) -> None:
    project.write("evals/a.eval.yaml", FINE)

    result = project.invoke("lint", "--deep")

    assert "--deep needs a judge, and none is configured" in result.stderr
    assert "--judge-model" in result.stderr
    assert result.exit_code == 2
