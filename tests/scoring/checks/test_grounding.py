"""Sentences that need support, and where it may come from."""

from dataclasses import replace

from audition.results import Verdict
from audition.transcript import Reply, ToolCall

READ = ToolCall(name="get", arguments={"room": "hall"}, result={"celsius": 18})


def test_each_sentence_is_asked_about_with_all_that_was_seen(asked, turn) -> None:
    spoken = [turn("Hall?", "It is 18 degrees. Anything else?", calls=[READ])]

    result = asked.result("grounding", {}, spoken)

    assert (result.verdict, result.score) == (Verdict.PASS, 1.0)
    assert [question.response for question in asked.questions] == ["It is 18 degrees.", "Anything else?"]
    assert [line.text for line in asked.questions[0].conversation] == [
        "Hall?",
        '1. get({"room": "hall"}) -> {"celsius": 18}',
        "It is 18 degrees. Anything else?",
    ]


def test_the_score_of_a_turn_is_the_share_of_its_sentences_and_turns_weigh_the_same(asked, turn) -> None:
    spoken = [turn("a", "True. True. True. False."), turn("b", "True.")]

    result = asked.result("grounding", {"threshold": 0.9}, spoken, lambda asking: asking.response == "True.")

    assert (result.verdict, result.score, result.turn_scores) == (Verdict.FAIL, 0.875, (0.75, 1.0))
    assert result.reason == 'turn 1, "False.": the judge says no'


def test_what_the_next_turn_will_return_supports_nothing_yet(asked, turn) -> None:
    spoken = [turn("a", "It is 18."), turn("b", "Yes.", calls=[READ])]

    asked.result("grounding", {}, spoken)

    assert [len(question.conversation) for question in asked.questions] == [2, 5]


def test_what_the_model_wrote_on_the_way_is_looked_at_only_when_asked_for(asked, turn) -> None:
    spoken = [replace(turn("a", "It is 18."), remarks=(Reply(text="Let me look."),))]

    asked.result("grounding", {"intermediate": True}, spoken)
    with_remarks = [question.response for question in asked.questions]
    asked.result("grounding", {}, spoken)

    assert with_remarks == ["Let me look.", "It is 18."]
    assert [question.response for question in asked.questions] == ["It is 18."]


def test_a_turn_without_a_sentence_does_not_count_and_none_at_all_is_an_error(asked, turn) -> None:
    some = asked.result("grounding", {}, [turn("a", "\U0001f600"), turn("b", "Yes.")])
    none = asked.result("grounding", {}, [turn("a", "\U0001f600")])

    assert (some.verdict, some.turn_scores) == (Verdict.PASS, (None, 1.0))
    assert (none.verdict, none.reason) == (Verdict.ERROR, "the agent said no sentence")


def test_a_sentence_that_could_not_be_judged_is_no_support(asked, turn) -> None:
    result = asked.result(
        "grounding",
        {"threshold": 0.5},
        [turn("a", "Yes. No.")],
        lambda asking: True if asking.response == "Yes." else None,
    )
    undecided = asked.result(
        "grounding",
        {"threshold": 0.8},
        [turn("a", "Yes. No.")],
        lambda asking: True if asking.response == "Yes." else None,
    )

    assert (result.verdict, undecided.verdict) == (Verdict.PASS, Verdict.ERROR)


def test_without_a_view_of_its_tools_an_agent_cannot_be_grounded(asked, turn) -> None:
    result = asked.result("grounding", {}, [turn("a", "It is 18.")], observes=("replies",))

    assert (result.verdict, asked.questions) == (Verdict.ERROR, [])
