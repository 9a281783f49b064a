"""The forms of verbs, made by the rules of spelling."""

import pytest

from audition.scoring.lint._verbs import forms_of, verb_of


@pytest.mark.parametrize(
    ("verb", "expected"),
    [
        pytest.param("book", ["book", "books", "booking", "booked"], id="regular"),
        pytest.param("save", ["save", "saves", "saving", "saved"], id="with an e"),
        pytest.param("notify", ["notify", "notifies", "notifying", "notified"], id="with a y"),
        pytest.param("dispatch", ["dispatch", "dispatches", "dispatching", "dispatched"], id="with ch"),
        pytest.param("send", ["send", "sends", "sending", "sent"], id="irregular"),
        pytest.param(
            "cancel", ["cancel", "cancels", "cancelling", "canceling", "cancelled", "canceled"], id="either way"
        ),
        pytest.param("put", ["put", "puts", "putting"], id="doubled, with a past like the base"),
    ],
)
def test_a_verb_has_its_forms(verb, expected):
    assert list(forms_of(verb)) == expected


def test_a_form_is_known_by_its_verb():
    assert verb_of("chose") == ("choose", "ed")
    assert verb_of("tables") is None
