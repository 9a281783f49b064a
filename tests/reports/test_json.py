"""The report for programs."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from audition.reports.json import render
from audition.results import Run, TrialResult
from audition.transcript import Exchange, ToolCall, Transcript

Golden = Callable[[str, str], None]


def test_the_whole_report(run: Run, results: Sequence[TrialResult], golden: Golden) -> None:
    golden("report.json", "".join(render(run, results)))


def test_the_keys_come_in_the_documented_order(run: Run, results: Sequence[TrialResult]) -> None:
    report = json.loads("".join(render(run, results)))
    one = report["evals"][2]

    assert list(report)[:9] == [
        "id", "started_at", "passed", "failed", "errors", "skipped", "total", "duration_ms", "evals",
    ]  # fmt: skip
    assert list(one)[:8] == ["name", "type", "tags", "verdict", "duration_ms", "error", "turns", "outcome"]
    assert list(one["turns"][0])[:7] == [
        "index", "user", "replies", "response_ms", "tool_calls", "usage", "checks",
    ]  # fmt: skip
    assert list(one["turns"][0]["checks"][0])[:7] == [
        "category", "check", "verdict", "expected", "actual", "reason", "where",
    ]  # fmt: skip


def test_every_check_of_every_trial_is_in_the_report(run: Run, results: Sequence[TrialResult]) -> None:
    report = json.loads("".join(render(run, results)))

    counted = [sum(len(turn["checks"]) for turn in one["turns"]) + len(one["outcome"]) for one in report["evals"]]

    assert counted == [len(result.checks) for result in results]


def test_an_event_turn_has_its_payload_in_place_of_a_text(run: Run, results: Sequence[TrialResult]) -> None:
    turns = json.loads("".join(render(run, results)))["evals"][2]["turns"]

    assert list(turns[0])[1] == "user"
    assert list(turns[1])[1] == "event"
    assert turns[1]["event"] == {"type": "paid", "amount": 5.5}


def test_a_turn_that_was_never_reached_keeps_its_checks(run: Run, results: Sequence[TrialResult]) -> None:
    turns = json.loads("".join(render(run, results)))["evals"][3]["turns"]

    assert [(turn["index"], turn["user"], len(turn["checks"])) for turn in turns] == [
        (0, "one", 0), (1, "two", 2), (2, None, 1),
    ]  # fmt: skip


def test_a_run_without_results_is_valid(clean_run: Run) -> None:
    assert json.loads("".join(render(clean_run, [])))["evals"] == []


def test_numbers_that_json_has_not_become_text(clean_run: Run, greeting: TrialResult) -> None:
    call = ToolCall(name="t", result={"nan": float("nan"), 5: {1}})
    odd = replace(greeting, transcript=Transcript(exchanges=(Exchange(user="u", tool_calls=(call,)),)))

    text = "".join(render(clean_run, [odd]))

    found = json.loads(text, parse_constant=lambda word: f"not JSON: {word}")
    assert found["evals"][0]["turns"][0]["tool_calls"][0]["result"] == {"nan": "nan", "5": "{1}"}


def test_text_of_every_script_stays_readable_and_can_be_written(clean_run: Run, hostile: TrialResult) -> None:
    text = "".join(render(replace(clean_run, judge="грейдер 👋"), [hostile]))

    assert "грейдер 👋" in text
    assert text.encode("utf-8")


# reliability S12: no raw control characters on a terminal
@pytest.mark.parametrize("steering", ["\x1b", "\x9b", "\x85", "\u202e", "\u2066", "\u2028"])
def test_what_steers_a_terminal_is_escaped_and_reads_back(clean_run: Run, greeting: TrialResult, steering: str) -> None:
    said = f"ü{steering}[2J"
    odd = replace(greeting, transcript=Transcript(exchanges=(Exchange(user=said),)))

    text = "".join(render(clean_run, [odd]))

    assert steering not in text
    assert json.loads(text)["evals"][0]["turns"][0]["user"] == said


def test_results_are_written_as_they_come(run: Run, results: Sequence[TrialResult]) -> None:
    def until_asked_twice() -> Sequence[TrialResult]:
        yield results[0]
        raise RuntimeError("asked for a second result")

    pieces = render(run, until_asked_twice())

    assert next(pieces).startswith('{"id":')
    assert '"name":"greeting"' in next(pieces)


# case: promptfoo/promptfoo#8805
def test_the_key_in_an_agents_url_is_not_shown(run: Run, results: Sequence[TrialResult]) -> None:
    assert "s3cret" not in "".join(render(run, results))


def test_a_warning_and_the_fingerprint_of_the_judge_are_told(clean_run: Run, greeting: TrialResult) -> None:
    warned = replace(greeting, checks=(replace(greeting.checks[0], warning="verdict-like text"),))

    told = json.loads("".join(render(replace(clean_run, judge_fingerprint="m p r pass"), [warned])))

    assert told["judge_fingerprint"] == "m p r pass"
    assert told["evals"][0]["turns"][0]["checks"][0]["warning"] == "verdict-like text"
