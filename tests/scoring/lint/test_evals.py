"""Linting evals: which texts are looked at, what counts as given, and where a finding is."""

from audition.errors import Where
from audition.evals import Check, Eval, MockResult, Scenario, SeedState, Setup, ToolMock, Turn
from audition.scoring.lint import judged_texts, lint_eval, lint_evals

WHERE = Where("a.eval.yaml", 5, 11)


def judged(text: str) -> Check:
    """Return a check that asks a judge."""
    return Check(category="response", spec={"llm_judge": text}, where=WHERE)


def codes(one: Eval, **more) -> list[str]:
    """Return the codes of what is found in an eval."""
    return [found.finding.code for found in lint_eval(one, **more)]


def test_a_finding_says_where_the_check_is_and_which_text_it_is_about():
    one = Eval(name="bye", turns=(Turn(user="bye", checks=(judged("Says goodbye verbatim."),)),))

    (found,) = lint_eval(one)

    assert (found.eval_name, found.key, found.where, found.finding.code) == ("bye", "llm_judge", WHERE, "L3")
    assert found.text[found.finding.start : found.finding.end] == "verbatim"
    assert str(found).startswith("a.eval.yaml:5:11: L3 error: bye: ")


def test_the_texts_of_llm_judge_criteria_and_rubrics_are_looked_at():
    rubric = {
        "about": "conversation",
        "rubrics": [{"id": "a", "text": "A"}],
        "turns": {"0": [{"id": "b", "text": "B"}]},
    }
    one = Eval(
        name="all",
        turns=(Turn(user="hi", checks=(judged("J"), Check(category="criteria", spec={"criteria": "C"}))),),
        outcome=(Check(category="rubric", spec=rubric), Check(category="custom", spec={"arguments": {"text": "no"}})),
    )

    assert [(text.key, text.criterion.text, text.turn) for text in judged_texts(one)] == [
        ("llm_judge", "J", 0),
        ("criteria", "C", 0),
        ("rubrics[0].text", "A", None),
        ("turns.0[0].text", "B", None),
    ]


def test_what_a_turn_before_gave_is_given_and_what_a_later_one_gives_is_not():
    cancels = judged("Cancels order 7731.")
    says, asks = Turn(user="it is 7731", checks=()), Turn(user="cancel it", checks=(cancels,))

    assert codes(Eval(name="before", turns=(says, asks))) == []
    assert codes(Eval(name="after", turns=(asks, says))) == ["L2"]


def test_state_canned_results_a_scenario_and_a_situation_are_given():
    turns = (Turn(user="cancel it", checks=(judged("Cancels order 7731."),)),)
    tool = ToolMock(name="find", results=(MockResult(result={"order": 7731}),))
    situation = Check(category="criteria", spec={"criteria": "Cancels order 7731.", "scenario": "The order is 7731."})

    assert codes(Eval(name="state", turns=turns, setup=Setup(state=SeedState(user={"order": "7731"})))) == []
    assert codes(Eval(name="tool", turns=turns, setup=Setup(tools=(tool,)))) == []
    assert codes(Eval(name="situation", turns=(Turn(user="cancel it", checks=(situation,)),))) == []
    played = Scenario(starting_prompt="cancel it", plan="The order is 7731.")
    assert codes(Eval(name="played", scenario=played, outcome=(judged("Cancels order 7731."),))) == []


def test_the_result_of_a_canned_tool_may_be_expected():
    turns = (Turn(user="find it", checks=(judged("The lookup returns no such ticket."),)),)

    assert codes(Eval(name="real", turns=turns)) == ["L1"]
    assert codes(Eval(name="canned", turns=turns, setup=Setup(tools=(ToolMock(name="find"),)))) == []


def test_an_outcome_of_several_turns_may_describe_them():
    asks = (judged("Asks for the address and saves it."),)

    assert codes(Eval(name="one", turns=(Turn(user="hi"),), outcome=asks)) == ["L4"]
    assert codes(Eval(name="two", turns=(Turn(user="hi"), Turn(user="Elm Street")), outcome=asks)) == []


def test_a_turn_that_is_an_event_gives_what_it_holds():
    turn = Turn(event={"order": 7731}, checks=(judged("Cancels order 7731."),))

    assert codes(Eval(name="event", turns=(turn,))) == []


def test_the_tools_of_the_agent_are_held_against_the_texts():
    one = Eval(name="tools", turns=(Turn(user="hi", checks=(judged("Calls find_it."),)),))

    assert (codes(one), codes(one, tools=iter(["find"]))) == ([], ["L9"])


def test_only_the_findings_of_some_rules_can_be_wanted():
    turn = Turn(user="hi", checks=(judged("Is good."), judged("Greets verbatim.")))

    found = lint_evals([Eval(name="a", turns=(turn,))], codes={"L5"})

    assert [one.finding.code for one in found] == ["L5"]
