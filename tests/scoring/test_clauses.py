"""Clauses and answers about them, read from plain data."""

import pytest

from audition.scoring.clauses import ClauseAnswer, Quote, Unusable, read_clause_answer, read_clauses

CRITERIA = "Greets the caller and states the hours, but doesn't mention prices."
GOOD = {
    "evidence": [{"source": " r1 ", "quote": "9am"}],
    "reasoning": "It says so.",
    "call": "none",
    "faithful": "none",
    "status": "met",
}


def split(*texts: str, type: object = "coverage") -> dict[str, object]:
    """Return an answer with clauses of one type."""
    return {"clauses": [{"text": text, "type": type} for text in texts]}


@pytest.mark.parametrize(
    "texts",
    [
        (CRITERIA,),
        ("Greets the caller", "and states the hours,", "but doesn't mention prices."),
        ("greets the caller", "states the hours", "The response doesn’t mention prices"),
    ],
    ids=["whole", "cut", "joints left out, a subject added"],
)
def test_clauses_that_hold_all_words_are_read(texts):
    assert tuple(clause.text for clause in read_clauses(split(*texts), CRITERIA)) == texts


@pytest.mark.parametrize(
    ("texts", "problem"),
    [
        (("Greets the caller", "doesn't mention prices"), "leave out 'the'"),
        (("Greets the caller and states the hours", "mention prices"), "leave out 'doesn'"),
        ((CRITERIA, "states the hours in German"), "hold 'in'"),
        ((CRITERIA, CRITERIA), "same clause twice"),
        ((" ",), "'text' is no text"),
        (("...",), "'text' is no text"),
    ],
    ids=["one is missing", "a negation is missing", "one is added", "twice", "blank", "placeholder"],
)
def test_a_split_that_changes_what_is_asked_is_none(texts, problem):
    with pytest.raises(Unusable, match=problem):
        read_clauses(split(*texts), CRITERIA)


@pytest.mark.parametrize("texts", [("Gives an address", "or a number"), ("Gives an address or", "a number")])
def test_alternatives_are_not_taken_apart(texts):
    with pytest.raises(Unusable, match="alternatives"):
        read_clauses(split(*texts), "Gives an address or a number")


@pytest.mark.parametrize(
    ("criteria", "texts", "held"),
    [
        ("Nennt die Preise und nicht die Zeiten", ("Nennt die Preise", "nicht die Zeiten"), True),
        ("Nennt die Preise und nicht die Zeiten", ("Nennt die Preise", "die Zeiten"), False),
        ("営業時間を述べる", ("営業時間を述べる",), True),
        ("営業時間を述べない", ("営業時間を述べる",), False),
        ("Says no and no again", ("Says no", "again"), False),
    ],
)
def test_words_of_other_languages_are_counted_too(criteria, texts, held):
    try:
        read_clauses(split(*texts), criteria)
    except Unusable:
        assert not held
    else:
        assert held


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"clauses": None},
        {"clauses": "x"},
        {"clauses": []},
        {"clauses": ["Greets"]},
        split("Greets", type="other"),
        split("Greets", type=None),
        split(*["Greets"] * 21),
    ],
)
def test_what_is_no_split_is_refused(answer):
    with pytest.raises(Unusable):
        read_clauses(answer, "Greets")


def test_an_answer_is_read():
    assert read_clause_answer({**GOOD, "call": "Right", "faithful": "no", "status": " MET "}) == ClauseAnswer(
        evidence=(Quote(source="R1", text="9am"),), reasoning="It says so.", call="right", faithful=False, status="met"
    )


@pytest.mark.parametrize("key", GOOD)
def test_nothing_may_be_missing_from_an_answer(key):
    with pytest.raises(Unusable, match=key):
        read_clause_answer({name: value for name, value in GOOD.items() if name != key})


@pytest.mark.parametrize(
    ("reasoning", "status", "fits"),
    [
        ("It names 9am, so the clause is met.", "met", True),
        ("It names 9am, so the clause is met.", "unmet", False),
        ("It names no time. The criterion is not met.", "met", False),
        ("The clause is unmet.", "met", False),
        ("At first this is not satisfied, but with the second reply it is satisfied.", "met", True),
        ("Nobody met anybody.", "unmet", True),
        ("The clause is met.", "unsure", True),
    ],
)
def test_reasoning_and_status_must_agree(reasoning, status, fits):
    answer = {**GOOD, "reasoning": reasoning, "status": status}
    try:
        read_clause_answer(answer)
    except Unusable:
        assert not fits
    else:
        assert fits
