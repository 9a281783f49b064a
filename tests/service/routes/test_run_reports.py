"""Runs as reports."""

import csv
import io
from collections.abc import Callable
from typing import Any

import pytest
from lxml import etree, html

from audition.results import TrialResult

TrialOf = Callable[..., TrialResult]
EVIL = "<img src=x onerror=\"document.title='pwned'\"><script>document.title='pwned'</script>"


@pytest.fixture
def report_of(desk_of: Any, trial_of: TrialOf) -> Callable[[str], Any]:
    """Return what gets a report of a run with one pass, one fail with a hostile answer, and one missing case."""
    desk = desk_of(cases=3)
    first, second, _ = desk.case_ids
    run_id = desk.finished([trial_of(first), trial_of(second, "fail", answer=EVIL)], error="interrupted")
    return lambda format: desk.get(run_id, f"/report?format={format}")


@pytest.mark.parametrize(
    ("format", "media_type", "begins"),
    [
        ("json", "application/json", '{"id":"1"'),
        ("md", "text/markdown", "# Evaluation failed"),
        ("html", "text/html", "<!doctype html>"),
        ("junit", "application/xml", "<?xml"),
        ("csv", "text/csv", "eval,trial,verdict"),
    ],
)
def test_each_report_has_its_type(report_of: Callable[[str], Any], format: str, media_type: str, begins: str) -> None:
    answer = report_of(format)

    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == f"{media_type}; charset=utf-8"
    assert answer.text.startswith(begins)


def test_without_a_format_it_is_json_with_all_results(desk: Any, trial_of: TrialOf) -> None:
    run_id = desk.finished([trial_of(desk.case_ids[0])])

    shown = desk.get(run_id, "/report").json()

    assert (shown["passed"], shown["failed"], shown["total"], len(shown["evals"])) == (1, 0, 1, 1)
    assert shown["agent"] == f"agent {desk.subject_id}: Front desk"


def test_the_page_may_run_nothing_and_shows_the_answer_as_text(report_of: Callable[[str], Any]) -> None:
    answer = report_of("html")

    read = html.document_fromstring(answer.text)
    assert EVIL in read.text_content()
    assert read.xpath("//script | //img") == []
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert "style-src 'sha256-" in answer.headers["Content-Security-Policy"]


def test_a_run_that_broke_off_is_an_error_in_junit(report_of: Callable[[str], Any]) -> None:
    suite = etree.fromstring(report_of("junit").content).find("testsuite")

    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")


def test_a_sheet_has_a_row_a_trial(report_of: Callable[[str], Any]) -> None:
    rows = list(csv.DictReader(io.StringIO(report_of("csv").text, newline="")))

    assert [(row["verdict"], row["response"]) for row in rows][1] == ("fail", EVIL)
    assert len(rows) == 2


def test_results_of_many_pages_are_all_there_once(
    desk_of: Any, trial_of: TrialOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("audition.service.routes.run_reports._AT_ONCE", 2)
    desk = desk_of(cases=5)
    run_id = desk.finished([trial_of(one, number=number) for one in desk.case_ids for number in (1, 2)], trials=2)

    shown = desk.get(run_id, "/report").json()["evals"]

    assert [(one["name"], one["trial"]) for one in shown] == [
        (f"case-{one}", number) for one in desk.case_ids for number in (1, 2)
    ]


def test_an_unknown_report_is_refused(report_of: Callable[[str], Any]) -> None:
    assert report_of("pdf").status_code == 422
