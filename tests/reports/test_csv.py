"""The report for spreadsheets."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import pytest

from audition.reports.csv import COLUMNS, render, safe_cell
from audition.results import Run, TrialResult
from audition.transcript import Exchange, Reply, Transcript

Golden = Callable[[str, str], None]


def rows(run: Run, results: Iterable[TrialResult]) -> list[dict[str, str]]:
    """Return the report as a reader of CSV sees it."""
    return list(csv.DictReader(io.StringIO("".join(render(run, results)), newline="")))


def test_the_whole_report(run: Run, results: Sequence[TrialResult], golden: Golden) -> None:
    golden("report.csv", "".join(render(run, results)).replace("\r\n", "\n"))


def test_there_is_one_row_a_trial_below_the_names_of_the_columns(run: Run, results: Sequence[TrialResult]) -> None:
    text = "".join(render(run, results))

    assert text.startswith(",".join(COLUMNS) + "\r\n")
    assert [row["eval"] for row in rows(run, results)][:3] == ["greeting", "greeting", "refund asks for the order"]
    assert len(rows(run, results)) == len(results)


# case: promptfoo/promptfoo#9609
@pytest.mark.parametrize(
    "cell",
    [
        '=HYPERLINK("http://evil.example","x")',
        "+1+1",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "\u200b=1",
        "\r=1",
        "\n@x",
        "  =1",
        "\ufeff=1",
        "＝1",
        "\x00=1",
        "-0.5",
        "=cmd|' /C calc'!A0",
    ],
)
def test_text_that_a_spreadsheet_would_run_begins_with_an_apostrophe(
    run: Run, greeting: TrialResult, cell: str
) -> None:
    said = replace(greeting, transcript=Transcript(exchanges=(Exchange(user=cell, replies=(Reply(text=cell),)),)))

    row = rows(run, [replace(said, eval_name=cell, error=cell, tags=(cell,))])[0]

    assert {row[column][0] for column in ("eval", "error", "tags", "said", "response")} == {"'"}


def test_our_own_numbers_stay_numbers(run: Run, greeting: TrialResult) -> None:
    row = rows(run, [replace(greeting, duration_ms=-0.5)])[0]

    assert (row["duration_ms"], row["trial"], row["checks_passed"]) == ("-0.5", "1", "1")


@pytest.mark.parametrize("cell", ['a,b "c"\nd', "plain", "", "a = b", "ü\u00e9"])
def test_other_text_reads_back_as_it_was(cell: str) -> None:
    assert safe_cell(cell) == cell


def test_escapes_and_marks_that_turn_the_direction_are_made_visible(run: Run, hostile: TrialResult) -> None:
    text = "".join(render(run, [hostile]))

    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\x1b[2J\\x00" in text
