"""Numbers and texts as JavaScript has them."""

import pytest

from audition.formats._ts_values import is_true, joined, number, number_of, number_text, text_of, unescaped


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (-7, "-7"), (0.1, "0.1"), (100.5, "100.5"), (1e-6, "0.000001"), (1e-7, "1e-7"), (1.5e-9, "1.5e-9"),
        (1e20, "100000000000000000000"), (1e21, "1e+21"), (1.25e22, "1.25e+22"), (-1e-7, "-1e-7"),
        (123456789012345680000.0, "123456789012345680000"), (float("inf"), "Infinity"), (float("nan"), "NaN"),
        (5e-324, "5e-324"), (1.7976931348623157e308, "1.7976931348623157e+308"),
    ],
    ids=str,
)  # fmt: skip
def test_a_number_is_written_as_javascript_writes_it(value: float, text: str) -> None:
    assert number_text(value) == text


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1_000", 1000), ("0xFF", 255), ("0XaB_cD", 43981), ("0b101", 5), ("0o17", 15), (".5", 0.5),
        ("5.", 5), ("0.0", 0),
        ("1e3", 1000), ("1.5E-3", 0.0015), ("08", None), ("017", None), ("1_", None), (".", None), ("0x", None),
        ("9007199254740993", 9007199254740992), ("0x" + "f" * 300, None),
    ],
    ids=str,
)  # fmt: skip
def test_a_number_is_read_as_javascript_reads_it(written: str, value: float | None) -> None:
    assert number_of(written) == value


def test_whole_numbers_are_whole_and_others_are_not() -> None:
    assert [repr(number(one)) for one in (2.0, -0.0, 2.5, 2.0**53, 2.0**60)] == [
        "2", "0", "2.5", "9007199254740992", "1.152921504606847e+18",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r"it\'s", "it's"), (r"a\tb\\", "a\tb\\"), (r"\x41\u0042\u{43}", "ABC"), (r"\u{1F600}", "😀"),
        (r"\ud83d\ude00", "😀"), ("a\\\nb", "ab"), (r"\0", "\0"), (r"\q", "q"), (r"\01", None), (r"\x4", None),
        (r"\u12", None), (r"\u{110000}", None), ("\\", None), (r"\7", None),
    ],
    ids=repr,
)  # fmt: skip
def test_escapes_are_those_of_javascript(written: str, text: str | None) -> None:
    assert unescaped(written) == text


def test_halves_of_a_character_that_meet_are_one() -> None:
    assert joined("\ud83d" + "\ude00!") == "😀!"


@pytest.mark.parametrize(
    ("value", "text"), [(None, "null"), (True, "true"), (1.5, "1.5"), ("x", "x"), ([], None)], ids=repr
)
def test_only_plain_values_are_put_into_texts(value: object, text: str | None) -> None:
    assert text_of(value) == text


def test_what_counts_as_true() -> None:
    values = [None, False, 0, 0.0, float("nan"), "", True, 1, -1, "0", [], {}]

    assert [is_true(value) for value in values] == [False] * 6 + [True] * 6
