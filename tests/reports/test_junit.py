"""The report for continuous integration."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import etree

from audition.reports.junit import render
from audition.results import CheckResult, Run, TrialResult, Verdict

Golden = Callable[[str, str], None]

SCHEMA = etree.XMLSchema(file=str(Path(__file__).parents[1] / "golden" / "junit.xsd"))


def report(run: Run, results: Iterable[TrialResult], *, verbose: bool = False) -> etree._Element:
    """Return the report as a strict parser reads it, valid against the schema."""
    text = "".join(render(run, results, verbose=verbose))
    root = etree.fromstring(text.encode("utf-8"))
    SCHEMA.assertValid(root)
    return root


def test_the_whole_report(run: Run, results: Sequence[TrialResult], golden: Golden) -> None:
    golden("report-junit.xml", "".join(render(run, results)))


@pytest.mark.parametrize("verbose", [False, True], ids=["short", "verbose"])
def test_the_report_is_valid_whatever_agents_say(run: Run, results: Sequence[TrialResult], verbose: bool) -> None:
    assert report(run, results, verbose=verbose).tag == "testsuites"


def test_a_report_of_nothing_is_valid(clean_run: Run) -> None:
    assert report(replace(clean_run, passed=0, total=0), []).xpath("//testcase") == []


def test_the_counts_are_those_of_the_test_cases(run: Run, results: Sequence[TrialResult]) -> None:
    suite = report(run, results).find("testsuite")
    assert suite is not None

    counted = {
        "tests": len(suite.xpath("testcase")),
        "failures": len(suite.xpath("testcase[failure]")),
        "errors": len(suite.xpath("testcase[error]")),
        "skipped": len(suite.xpath("testcase[skipped]")),
    }

    assert {name: int(suite.get(name, "-1")) for name in counted} == counted


def test_times_are_in_seconds(clean_run: Run, greeting: TrialResult) -> None:
    root = report(clean_run, [greeting])

    assert root.xpath("//testsuite/@time") == ["2.392"]
    assert root.xpath("//testcase/@time") == ["0.312"]


@pytest.mark.parametrize(
    ("where", "type_", "classname"),
    [
        ("evals/refund.eval.yaml:7:11", "regression", "evals.refund"),
        ("evals/deep/refund.eval.yml:7", None, "evals.deep.refund"),
        ("greeting.eval.json", None, "greeting"),
        ("/home/me/evals/refund.eval.yaml:7:11", None, "refund"),
        (None, "regression", "regression"),
        (None, None, "evals"),
    ],
)
def test_test_cases_are_grouped_by_file_else_by_type(
    clean_run: Run, greeting: TrialResult, where: str | None, type_: str | None, classname: str
) -> None:
    checks = tuple(replace(check, where=where) for check in greeting.checks)

    root = report(clean_run, [replace(greeting, checks=checks, type=type_)])

    assert root.xpath("//testcase/@classname") == [classname]


def test_later_trials_have_names_of_their_own(clean_run: Run, greeting: TrialResult) -> None:
    root = report(replace(clean_run, passed=2, total=2), [greeting, replace(greeting, trial=2)])

    assert root.xpath("//testcase/@name") == ["greeting", "greeting#2"]


def test_a_failure_says_which_checks_failed(run: Run, results: Sequence[TrialResult]) -> None:
    failure = report(run, results).xpath("//testcase[@name='refund asks for the order']/failure")[0]

    assert failure.get("message") == (
        'response.contains: "order number"; response.llm_judge: "is polite"; state.bot.refunds: equals 0'
    )
    assert "actual:   Sure.\n            │ Anything else?" in failure.text
    assert "not_called" not in failure.text


def test_line_breaks_in_a_message_survive_the_parser(clean_run: Run, greeting: TrialResult) -> None:
    broken = replace(greeting, verdict=Verdict.ERROR, error="one\ntwo\tthree", checks=())

    assert report(clean_run, [broken]).xpath("//error/@message") == ["one\ntwo\tthree"]


def test_a_file_that_did_not_load_is_an_error(clean_run: Run, greeting: TrialResult) -> None:
    root = report(replace(clean_run, faults=("a.eval.yaml:1:1: odd",)), [greeting])

    assert root.xpath("//testcase[error]/@name") == ["a.eval.yaml:1:1: odd"]
    assert root.xpath("//testsuite/@errors") == ["1"]


def test_a_run_that_broke_off_is_an_error(clean_run: Run, greeting: TrialResult) -> None:
    root = report(replace(clean_run, error="interrupted", status="failed", total=5), [greeting])

    assert root.xpath("//error/@message") == ["interrupted"]


def test_megabytes_of_reply_do_not_get_into_the_report(clean_run: Run, greeting: TrialResult) -> None:
    long = CheckResult(category="response", check="equals: x", verdict=Verdict.FAIL, actual="<" * 8_000_000, turn=0)

    text = "".join(render(clean_run, [replace(greeting, verdict=Verdict.FAIL, checks=(long,))]))

    assert len(text) < 100_000


# case: promptfoo/promptfoo#8805
def test_the_key_in_an_agents_url_is_not_shown(run: Run, results: Sequence[TrialResult]) -> None:
    assert "s3cret" not in "".join(render(run, results))


def test_a_warning_is_told_although_the_check_passed(clean_run: Run, greeting: TrialResult) -> None:
    warned = replace(greeting, checks=(replace(greeting.checks[0], warning="verdict-like text"),))

    root = report(replace(clean_run, judge_fingerprint="m p r pass"), [warned])

    assert "warning:  verdict-like text" in root.xpath("string(//testcase/system-out)")
    assert root.xpath("//property[@name='judge_fingerprint']/@value") == ["m p r pass"]
