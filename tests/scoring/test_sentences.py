"""Where one sentence ends and the next begins."""

import pytest

from audition.scoring.sentences import sentences


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("It is on. Is it? Yes!", ["It is on.", "Is it?", "Yes!"], id="marks"),
        pytest.param("no mark at all", ["no mark at all"], id="no mark"),
        pytest.param("It is 21.5 °C at 9.30. Fine", ["It is 21.5 °C at 9.30.", "Fine"], id="numbers"),
        pytest.param("Dr. Ada knows J. Bach, e.g. Bach.", ["Dr. Ada knows J. Bach, e.g. Bach."], id="abbreviations"),
        pytest.param("The answer is no. It is shut.", ["The answer is no.", "It is shut."], id="no, which is a word"),
        pytest.param("See No. 5. It fits.", ["See No. 5.", "It fits."], id="no, which is a number"),
        pytest.param("Wait... what? Yes.", ["Wait... what?", "Yes."], id="dots that go on"),
        pytest.param('He said "Stop!" Then left.', ['He said "Stop!"', "Then left."], id="quotes"),
        pytest.param("**Open.** (Daily.) So.", ["**Open.**", "(Daily.)", "So."], id="markdown and brackets"),
        pytest.param("- one\n2. two\n## Three\n***\n> four", ["one", "two", "Three", "four"], id="lists and headings"),
        pytest.param("在庫があります。明日届きます！", ["在庫があります。", "明日届きます！"], id="full-width marks"),
        pytest.param("ठीक है। कल आएगा।", ["ठीक है।", "कल आएगा।"], id="danda"),
        pytest.param("هل فتحتم؟ نعم.", ["هل فتحتم؟", "نعم."], id="Arabic question mark"),
        pytest.param("Yes. \U0001f600 !!!", ["Yes."], id="no word in it"),
        pytest.param("a.b.c. " * 3, ["a.b.c. a.b.c. a.b.c."], id="small letters go on"),
    ],
)
def test_a_text_is_split_into_sentences(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


@pytest.mark.parametrize("text", ["." * 50_000, "a. " * 20_000, "A. " * 20_000, "。" * 50_000, " \n" * 50_000])
def test_no_text_takes_long(text: str) -> None:
    assert len(sentences(text)) <= len(text)


def test_nothing_said_is_left_out() -> None:
    text = "Dear Mr. Bell,\n\n1. We open at 9 a.m. on No. 5 St. John St. Welcome!\n* Ring twice… then wait. Bye"

    said = "".join(char for part in sentences(text) for char in part if char.isalnum())

    assert said == "".join(char for char in text if char.isalnum()).replace("1We", "We", 1)
