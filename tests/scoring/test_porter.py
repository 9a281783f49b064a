"""Word stems: the rules, the deviations that NLTK makes from them, and words that nobody writes."""

import pytest

from audition.scoring._porter import stem


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        pytest.param(word, expected, id=word)
        for word, expected in {
            "caresses": "caress", "ponies": "poni", "ties": "tie", "cats": "cat",
            "feed": "feed", "agreed": "agre", "plastered": "plaster", "bled": "bled", "sing": "sing", "died": "die",
            "spied": "spi", "conflated": "conflat", "sized": "size", "hopping": "hop", "falling": "fall",
            "filing": "file", "failing": "fail", "happy": "happi", "enjoy": "enjoy", "flying": "fli",
            "relational": "relat", "rational": "ration", "digitizer": "digit", "radically": "radic",
            "geologist": "geologist", "geology": "geolog", "theology": "theolog", "hopefulness": "hope",
            "hopefully": "hope", "formalize": "formal", "electrical": "electr", "adoption": "adopt", "onion": "onion",
            "replacement": "replac", "probate": "probat", "rate": "rate", "cease": "ceas", "controlling": "control",
            "roll": "roll",
        }.items()
    ],
)  # fmt: skip
def test_a_word_has_its_stem(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [("skies", "sky"), ("dying", "die"), ("news", "news"), ("innings", "inning"), ("succeed", "succeed")],
)
def test_irregular_words_are_known(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.mark.parametrize(
    ("word", "expected"), [("yyyy", "yyyi"), ("syzygy", "syzygi"), ("24ed", "24ed"), ("a1b2", "a1b2"), ("aing", "a")]
)
def test_words_that_nobody_writes_have_stems_too(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_a_very_long_word_is_no_trouble() -> None:
    assert stem("y" * 100_000) == "y" * 99_999 + "i"
