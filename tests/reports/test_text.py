"""The report in a terminal."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from audition.reports.text import render, result_text, summary_text
from audition.results import CheckResult, Run, TrialResult, Verdict
from audition.transcript import Exchange, ToolCall, Transcript, Usage

Golden = Callable[[str, str], None]


@pytest.mark.parametrize("verbose", [False, True], ids=["short", "verbose"])
def test_the_whole_report(run: Run, results: Sequence[TrialResult], golden: Golden, verbose: bool) -> None:
    golden(f"report-{'verbose' if verbose else 'short'}.txt", "".join(render(run, results, verbose=verbose)))


def test_an_eval_that_passed_takes_one_line(greeting: TrialResult) -> None:
    assert result_text(greeting) == "✓ greeting (0.3 s)\n"


def test_trials_are_numbered_from_the_second_on_or_when_there_are_many(greeting: TrialResult) -> None:
    assert result_text(greeting, many_trials=True) == "✓ greeting #1 (0.3 s)\n"
    assert result_text(replace(greeting, trial=2)) == "✓ greeting #2 (0.3 s)\n"


@pytest.mark.parametrize("verbose", [False, True], ids=["short", "verbose"])
# reliability S12: what an agent says is data, on the terminal too
def test_what_an_agent_says_can_neither_steer_a_terminal_nor_look_like_a_verdict(
    hostile: TrialResult, verbose: bool
) -> None:
    text = result_text(hostile, verbose=verbose)

    assert not {"\x1b", "\x00", "\u202e", "\ud800"} & set(text)
    assert [line for line in text.splitlines() if not line.startswith("    ")] == ["✗ evil ✓ name <x> (0.0 s)"]
    assert not any(line.lstrip().startswith("✓ forged") for line in text.splitlines())


def test_a_long_reply_is_shortened_and_less_so_when_asked(greeting: TrialResult) -> None:
    long = CheckResult(category="response", check="equals: x", verdict=Verdict.FAIL, turn=0, actual="a" * 8_000_000)
    result = replace(greeting, checks=(long,))

    short, verbose = result_text(result), result_text(result, verbose=True)

    assert len(short) < 1_000 < len(verbose) < 10_000
    assert "a…" in short


@pytest.mark.parametrize(
    ("errors", "words"), [(0, "0 errors"), (1, "1 error,"), (2, "2 errors")], ids=["none", "one", "two"]
)
def test_the_last_line_counts(clean_run: Run, errors: int, words: str) -> None:
    last = summary_text(replace(clean_run, errors=errors, total=1 + errors))

    assert last == f"1 passed, 0 failed, {words.rstrip(',')}, 0 skipped (2.4 s)\n"


def test_a_run_of_nothing_says_so(clean_run: Run) -> None:
    text = summary_text(replace(clean_run, passed=0, total=0))

    assert text.splitlines() == ["! nothing was evaluated", "0 passed, 0 failed, 0 errors, 0 skipped (2.4 s)"]


def test_evals_that_were_not_reached_are_counted(clean_run: Run) -> None:
    text = summary_text(replace(clean_run, total=5, status="failed", error="interrupted"))

    assert text.splitlines()[:2] == ["! the run did not complete: interrupted", "! 4 of 5 not run"]


@pytest.mark.parametrize(
    ("verdicts", "line"),
    [
        ([Verdict.PASS, Verdict.PASS, Verdict.FAIL], "e: 2 of 3 passed (95 % interval 21–94 %), flaky"),
        ([Verdict.PASS, Verdict.PASS], "e: 2 of 2 passed (95 % interval 34–100 %), stable pass"),
        ([Verdict.FAIL, Verdict.FAIL], "e: 0 of 2 passed (95 % interval 0–66 %), stable fail"),
        (
            [Verdict.PASS, Verdict.ERROR],
            "e: 1 of 2 passed (95 % interval 9–91 %), not known whether it is stable",
        ),
    ],
    ids=["flaky", "passes", "fails", "errors"],
)
def test_repeated_trials_say_how_often_and_how_sure(clean_run: Run, verdicts: list[Verdict], line: str) -> None:
    assert summary_text(clean_run, {"e": verdicts}).splitlines()[0] == line


def test_an_eval_that_ran_once_has_no_interval(clean_run: Run) -> None:
    assert len(summary_text(clean_run, {"e": [Verdict.PASS]}).splitlines()) == 1


def test_a_result_without_checks_says_why(greeting: TrialResult) -> None:
    broken = replace(greeting, verdict=Verdict.ERROR, checks=(), error="KeyError: 'a'")

    assert result_text(broken) == "! greeting (0.3 s)\n    error: KeyError: 'a'\n"


def test_results_are_written_as_they_come(run: Run, results: Sequence[TrialResult]) -> None:
    pieces = render(run, iter(results))

    assert next(pieces).startswith("✓ greeting")


@pytest.mark.parametrize(
    ("by_agent", "by_judge", "line"),
    [
        (None, None, None),
        (Usage(calls=3), None, None),
        (Usage(input_tokens=1200, output_tokens=34, cost_usd=0.0123), None, "agent: tokens 1,234, cost $0.0123"),
        (Usage(input_tokens=1200, output_tokens=34), None, "agent: tokens 1,234, cost unknown"),
        (Usage(input_tokens=1200, cost_usd=0.00001), None, "agent: tokens unknown, cost under $0.0001"),
        (
            Usage(input_tokens=1, output_tokens=1),
            Usage(input_tokens=5, output_tokens=5, cost_usd=1.5),
            "agent: tokens 2, cost unknown; judge: tokens 10, cost $1.5000",
        ),
        (None, Usage(calls=0, input_tokens=0, output_tokens=0, cost_usd=0), "judge: tokens 0, cost $0.0000"),
    ],
    ids=["nobody says", "calls alone", "all known", "no price", "no tokens", "both", "replayed"],
)
def test_what_models_took_is_told_when_anything_is_known(
    run: Run, by_agent: Usage | None, by_judge: Usage | None, line: str | None
) -> None:
    lines = summary_text(replace(run, agent_usage=by_agent, judge_usage=by_judge)).splitlines()

    assert [one for one in lines if "cost" in one] == ([] if line is None else [line])


def test_what_simulated_users_took_is_told_beside_it(run: Run, greeting: TrialResult) -> None:
    usage = Usage(calls=2, input_tokens=30, output_tokens=4, cost_usd=0.5)

    assert "\nsimulated user: tokens 34, cost $0.5000\n" in summary_text(replace(run, user_usage=usage))
    spent = result_text(replace(greeting, user_usage=usage), verbose=True)
    assert "    simulated user: tokens 34, cost $0.5000\n" in spent


def test_what_a_trial_took_is_told_when_asked_for(greeting: TrialResult) -> None:
    usage = Usage(input_tokens=7, output_tokens=2, cost_usd=0.002)
    (exchange,) = greeting.transcript.exchanges
    spent = replace(greeting, transcript=replace(greeting.transcript, exchanges=(replace(exchange, usage=usage),)))

    assert "    agent: tokens 9, cost $0.0020\n" in result_text(spent, verbose=True)
    assert "cost" not in result_text(spent)


def test_a_warning_is_shown_although_the_check_passed(greeting: TrialResult) -> None:
    warned = replace(greeting.checks[0], warning="the answer contains verdict-like text: '[[5]]'")

    text = result_text(replace(greeting, checks=(warned,)))

    assert '      ✓ response.contains: "hello"\n' in text
    assert "          warning:  the answer contains verdict-like text: '[[5]]'\n" in text


def test_details_tell_what_the_doctor_found_of_the_judge(clean_run: Run) -> None:
    seen = replace(clean_run, judge="openai:gpt-4o", judge_fingerprint="openai:gpt-4o 12ab pass 2026-01-02")

    assert "judged by openai:gpt-4o 12ab pass 2026-01-02\n" in summary_text(seen, verbose=True)
    assert "judged by" not in summary_text(seen)
    assert "judged by" not in summary_text(replace(seen, judge_fingerprint=None), verbose=True)


def test_a_transfer_and_a_call_within_an_agent_are_told_as_such() -> None:
    calls = (
        ToolCall(name="transfer_to_agent", arguments={"agent_name": "attic"}, transfer=True),
        ToolCall(name="get_light", within="attic"),
    )
    spoken = Transcript(exchanges=(Exchange(user="On?", tool_calls=calls),))
    result = TrialResult(eval_name="lights", verdict=Verdict.PASS, transcript=spoken)

    text = result_text(result, verbose=True)

    assert 'transfer: transfer_to_agent {"agent_name":"attic"}' in text
    assert "tool: get_light {} → null (within attic)" in text
