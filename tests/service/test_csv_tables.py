"""Tables as CSV: read strictly, written safely."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audition.service.csv_tables import TableFault, guarded, read_table, table_line, unguarded

KNOWN = ("scenario", "expected_criteria", "tags")


def rows(text: str) -> tuple[list[tuple[int, list[str]]], list[tuple[int, str]]]:
    """Return the rows of a table, and what is wrong with others."""
    wrong: list[tuple[int, str]] = []
    found = read_table(text, KNOWN, lambda line, message: wrong.append((line, message)))
    return [(line, [*cells.values()]) for line, cells in found], wrong


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a,b\r\n", [(2, ["a", "b"])]),
        ("a,b", [(2, ["a", "b"])]),
        ("a,\n", [(2, ["a", ""])]),
        ('"a, ""x""",b\n', [(2, ['a, "x"', "b"])]),
        ('"a\r\nb","c\nd"\ne,f', [(2, ["a\r\nb", "c\nd"]), (5, ["e", "f"])]),
        ("\n\na,b\n\n", [(4, ["a", "b"])]),
        ("a,b\rc,d\r", [(2, ["a", "b"]), (3, ["c", "d"])]),
        ('"","b"', [(2, ["", "b"])]),
        ("'=1,'plain", [(2, ["=1", "'plain"])]),
    ],
    ids=["crlf", "no end", "empty cell", "quotes", "line breaks", "empty lines", "cr", "empty quotes", "guards"],
)
def test_a_table_is_read_as_rfc_4180_has_it(body: str, expected: list[tuple[int, list[str]]]) -> None:
    assert rows(f"scenario,expected_criteria\n{body}") == (expected, [])


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("scenario;expected_criteria\na;b", 1, "separated by ';'"),
        ("scenario\texpected_criteria\n", 1, "separated by '\\\\t'"),
        ("scenario,expected_criteria,score,notes\n", 1, "'score', 'notes'"),
        ("scenario,scenario\n", 1, "twice: scenario"),
        ("", 1, "must name the columns"),
        ("tags\na", 1, "must name the columns"),
        ('scenario,expected_criteria\na,b\n"c,d\n', 3, "not closed"),
        ('scenario,expected_criteria\na"b,c\n', 2, "within a cell"),
        ('scenario,expected_criteria\n"a"b,c\n', 2, "follows a closing quote"),
    ],
    ids=["semicolon", "tab", "unknown", "twice", "nothing", "no scenario", "open quote", "quote within", "after quote"],
)
def test_a_table_that_cannot_be_read_is_refused_with_the_line(text: str, line: int, message: str) -> None:
    with pytest.raises(TableFault, match=message) as caught:
        rows(text)

    assert caught.value.line == line


def test_rows_with_too_many_or_too_few_cells_are_told_and_the_others_read() -> None:
    found, wrong = rows("scenario,expected_criteria\na\nb,c,d\ne,f\n")

    assert found == [(4, ["e", "f"])]
    assert [line for line, _ in wrong] == [2, 3]


FORMULAS = ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "\n=1", " =1", "\u200b=1", "＝1", "'=1", "''@x"]


@pytest.mark.parametrize("text", FORMULAS)
def test_what_a_spreadsheet_would_run_is_guarded_and_comes_back(text: str) -> None:
    assert guarded(text).startswith("'")
    assert unguarded(guarded(text)) == text


@pytest.mark.parametrize("text", ["plain", "'quoted'", "1+1", "", "'", "a=b", "Ünïcode"])
def test_other_text_is_left_alone(text: str) -> None:
    assert (guarded(text), unguarded(text)) == (text, text)


@given(st.lists(st.text(), min_size=3, max_size=3))
def test_any_cells_come_back_to_the_letter(cells: list[str]) -> None:
    text = table_line(KNOWN) + table_line(cells)

    found, wrong = rows(text)

    assert [cells for _, cells in found] == [cells]
    assert wrong == []


def test_a_long_cell_that_is_never_closed_is_refused_at_once() -> None:
    with pytest.raises(TableFault, match="not closed"):
        rows('scenario,expected_criteria\n"' + 'a""' * 1_000_000)
