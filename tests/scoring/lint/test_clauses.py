"""The shallow analysis of English that the lint rules stand on."""

import pytest

from audition.scoring.lint._clauses import by_sentence, clauses


def verbs(text: str) -> list[str]:
    """Return the verb of each clause of a text."""
    return [clause.verb for clause in clauses(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Asks for the name, saves it, and sends a recap.", ["ask", "save", "send"], id="a chain"),
        pytest.param("The lookup returns no ticket.", ["return"], id="a subject"),
        pytest.param("Order 66-B was cancelled by the warehouse.", ["cancel"], id="a noun that may be a verb"),
        pytest.param("Says the parcel is lost.", ["say", "lose"], id="what is said, without a that"),
        pytest.param("Standing order bounced.", ["bounce"], id="an adjective that may be a verb"),
        pytest.param("The hut's fully booked.", ["be"], id="a verb within the noun"),
        pytest.param("The ledger has invoice 3301 as unpaid.", ["have"], id="a verb that may be auxiliary"),
        pytest.param("Disputes item no. 5 on the note.", ["dispute"], id="an abbreviation ends no sentence"),
        pytest.param("A friendly tone.", [""], id="no verb"),
    ],
)
def test_the_verb_of_each_clause_is_found(text, expected):
    assert verbs(text) == expected


def test_a_clause_tells_voice_tense_modality_and_negation():
    said, must, never = clauses("The file was deleted. It must be kept. It isn't shared.")

    assert (said.passive, said.past) == (True, True)
    assert (must.passive, must.past, must.modal, must.obliged) == (True, False, "must", True)
    assert (never.passive, never.negated) == (True, True)


def test_a_clause_knows_the_words_that_open_it_and_where_it_stands():
    text = "Asks which day suits, and then books it."

    clause = clauses(text)[-1]

    assert clause.leads == ("and", "then")
    assert text[clause.start : clause.end] == "books it"


def test_clauses_go_together_by_sentence():
    same = [len(one) for one in by_sentence(clauses("Asks, and waits. Thanks her."))]

    assert same == [2, 1]


def test_an_empty_text_has_no_clause():
    assert clauses("") == clauses(" . ") == ()
