import pytest

from audition.errors import UnknownName, Where
from audition.evals import Check, Eval, Scenario, Turn
from audition.results import CheckResult, Verdict, roll_up
from audition.scoring.rule import OpenCheck, Opinion, Question
from audition.scoring.score import score, settled, unsettled
from audition.transcript import Exchange, Reply, State, Transcript, Trouble, Usage

POLITE = Check(category="response", spec={"llm_judge": "is polite"}, where=Where("a.eval.yaml", 4, 9))
NO_ERROR = Check(category="response", spec={"not_contains": "error"}, where=Where("a.eval.yaml", 3, 9))
NO_DELETE = Check(category="tools", spec={"not_called": "delete"})
SOLVED = Check(category="state", spec={"path": "bot.solved", "equals": True})
CRASH = Trouble(message="the agent crashed: ValueError", by_agent=True)
REFUSED = Trouble(message="connection refused", by_agent=False)


def said(text: str, **more: object) -> Exchange:
    """Return an exchange with one reply."""
    return Exchange(user="hi", replies=(Reply(text=text),), state=State(bot={"solved": True}), **more)


def turn(*checks: Check, **more: object) -> Turn:
    """Return a turn with checks."""
    return Turn(user="hi", checks=checks, **more)


def scored(transcript: Transcript, *turns: Turn, outcome: tuple[Check, ...] = ()) -> list[CheckResult | OpenCheck]:
    """Return the rows of an eval."""
    return score(Eval(name="e", turns=turns, outcome=outcome), transcript, judge_pass_threshold=4)


def told(rows: list[CheckResult | OpenCheck]) -> list[tuple[object, ...]]:
    """Return rows as (turn, category, check, verdict, reason)."""
    return [(row.turn, row.category, row.check, str(row.verdict), row.reason) for row in rows]


def test_checks_are_answered_turn_by_turn_and_then_the_outcome() -> None:
    transcript = Transcript(exchanges=(said("ok"), said("an error")))

    rows = scored(transcript, turn(NO_ERROR, NO_DELETE), turn(NO_ERROR), outcome=(SOLVED,))

    assert told(rows) == [
        (0, "response", 'not_contains: "error"', "pass", None),
        (0, "tools", 'not_called: "delete"', "pass", None),
        (1, "response", 'not_contains: "error"', "fail", None),
        (None, "state", "bot.solved: equals true", "pass", None),
    ]
    assert [row.where for row in rows] == ["a.eval.yaml:3:9", None, "a.eval.yaml:3:9", None]


@pytest.mark.parametrize("replies", [(), (Reply(text=" \n"),)], ids=["no reply", "a blank reply"])
def test_a_turn_on_which_the_agent_says_nothing_fails(replies: tuple[Reply, ...]) -> None:
    rows = scored(Transcript(exchanges=(Exchange(user="hi", replies=replies),)), turn(NO_DELETE))

    assert told(rows) == [
        (
            0,
            "response",
            "a reply",
            "fail",
            "the agent said nothing; expectSilence: true or responseOptional: true allows it",
        ),
        (0, "tools", 'not_called: "delete"', "pass", None),
    ]


def test_a_turn_with_a_reply_and_no_check_has_no_row() -> None:
    assert scored(Transcript(exchanges=(said("ok"),)), turn()) == []


def test_where_a_reply_is_optional_silence_skips_what_looks_at_replies() -> None:
    rows = scored(Transcript(exchanges=(Exchange(user="hi"),)), turn(NO_ERROR, NO_DELETE, response_optional=True))

    assert told(rows) == [
        (0, "response", 'not_contains: "error"', "skip", "nothing was said, which this turn allows"),
        (0, "tools", 'not_called: "delete"', "pass", None),
    ]


def test_where_a_reply_is_optional_a_reply_is_looked_at() -> None:
    rows = scored(Transcript(exchanges=(said("an error"),)), turn(NO_ERROR, response_optional=True))

    assert [row.verdict for row in rows] == [Verdict.FAIL]


def test_a_silent_turn_passes_when_the_agent_says_nothing() -> None:
    rows = scored(Transcript(exchanges=(Exchange(user="hi"),)), turn(expect_silence=True))

    assert told(rows) == [(0, "response", "silence", "pass", None)]


def test_a_silent_turn_fails_when_the_agent_speaks() -> None:
    (row,) = scored(Transcript(exchanges=(said("Hello!"),)), turn(expect_silence=True))

    assert (row.verdict, row.expected, row.actual) == (Verdict.FAIL, "no reply", '"Hello!"')


def test_a_crash_of_the_agent_fails_and_leaves_the_rest_undecided() -> None:  # M8
    transcript = Transcript(exchanges=(said("ok"), Exchange(user="hi", trouble=CRASH)))

    rows = scored(
        transcript, turn(NO_ERROR), turn(NO_ERROR, NO_DELETE), turn(POLITE, expect_silence=True), outcome=(SOLVED,)
    )

    crashed = "the turn did not finish: the agent crashed: ValueError"
    assert told(rows) == [
        (0, "response", 'not_contains: "error"', "pass", None),
        (1, "agent", "finishes the turn", "fail", "the agent crashed: ValueError"),
        (1, "response", 'not_contains: "error"', "error", crashed),
        (1, "tools", 'not_called: "delete"', "error", crashed),
        (2, "response", "silence", "error", "turn 2 did not finish"),
        (2, "response", 'llm_judge: "is polite"', "error", "turn 2 did not finish"),
        (None, "state", "bot.solved: equals true", "error", "turn 2 did not finish"),
    ]


@pytest.mark.parametrize(
    "exchange",
    [
        Exchange(user="hi", trouble=REFUSED),  # case: promptfoo/promptfoo#345
        said("[ERROR] upstream exploded", trouble=REFUSED),  # case: openai/openai-cookbook#3010
    ],
    ids=["no reply", "something that is no reply"],
)
@pytest.mark.parametrize("spec", [{"not_contains": "apology"}, {"matches": ".+"}], ids=str)
def test_trouble_on_the_way_to_the_agent_is_an_error(exchange: Exchange, spec: dict[str, object]) -> None:
    rows = scored(Transcript(exchanges=(exchange,)), turn(Check(category="response", spec=spec)))

    assert [row.verdict for row in rows] == [Verdict.ERROR, Verdict.ERROR]


def test_silence_is_not_proved_by_a_turn_that_did_not_finish() -> None:
    rows = scored(Transcript(exchanges=(Exchange(user="hi", trouble=REFUSED),)), turn(expect_silence=True))

    assert [(row.check, row.verdict) for row in rows] == [
        ("finishes the turn", Verdict.ERROR),
        ("silence", Verdict.ERROR),
    ]


def test_a_conversation_that_could_not_be_opened_leaves_everything_undecided() -> None:
    rows = scored(Transcript(trouble=REFUSED), turn(NO_ERROR), turn(), outcome=(SOLVED,))

    why = "the conversation could not be opened: connection refused"
    assert told(rows) == [
        (0, "response", 'not_contains: "error"', "error", why),
        (None, "agent", "opens a conversation", "error", "connection refused"),
        (None, "state", "bot.solved: equals true", "error", why),
    ]


def test_a_conversation_cut_short_between_turns_keeps_what_was_seen() -> None:
    rows = scored(Transcript(exchanges=(said("ok"),), trouble=CRASH), turn(NO_ERROR), turn(NO_ERROR))

    why = "the conversation did not go on after turn 1: the agent crashed: ValueError"
    assert told(rows) == [
        (0, "response", 'not_contains: "error"', "pass", None),
        (1, "response", 'not_contains: "error"', "error", why),
        (None, "agent", "goes on with the conversation", "fail", "the agent crashed: ValueError"),
    ]


def test_turns_that_were_never_taken_are_an_error_even_without_checks() -> None:
    rows = scored(Transcript(exchanges=(said("ok"),)), turn(NO_ERROR), turn())

    assert told(rows)[1:] == [(None, "agent", "takes every turn", "error", "the transcript has 1 of 2 turns")]
    assert roll_up(row.verdict for row in rows) is Verdict.ERROR


def test_a_rule_that_breaks_is_an_error_and_the_others_go_on() -> None:
    broken = Check(category="response", spec={"matches": "("})

    rows = scored(Transcript(exchanges=(said("ok"),)), turn(broken, NO_ERROR))

    assert [row.verdict for row in rows] == [Verdict.ERROR, Verdict.PASS]
    assert rows[0].reason == "this check could not be evaluated: BadPattern: not a pattern: a ')' is missing"


def test_a_spec_no_rule_can_be_made_of_is_an_error_that_shows_it() -> None:
    rows = scored(Transcript(exchanges=(said("ok"),)), turn(Check(category="state", spec={"equals": 1})))

    assert told(rows) == [(0, "state", '{"equals": 1}', "error", "this check could not be evaluated: KeyError: 'path'")]


def test_a_category_that_nobody_offers_is_not_passed_over() -> None:
    with pytest.raises(UnknownName, match="respnse"):
        scored(Transcript(exchanges=(said("ok"),)), turn(Check(category="respnse", spec={})))


def test_a_check_that_needs_a_judge_stays_open() -> None:
    (row,) = scored(Transcript(exchanges=(said("Good day"),)), turn(POLITE))

    assert isinstance(row, OpenCheck)
    assert (row.check, row.turn, row.question.threshold) == (POLITE, 0, 4)


OPEN = OpenCheck(
    check=POLITE,
    description='llm_judge: "is polite"',
    turn=0,
    question=Question(criterion="is polite", response="Good day", conversation=(), threshold=4),
)


@pytest.mark.parametrize(("grade", "verdict"), [(3, Verdict.FAIL), (4, Verdict.PASS), (5, Verdict.PASS)])
def test_a_grade_passes_from_the_threshold_on(grade: int, verdict: Verdict) -> None:
    usage = Usage(calls=1)

    assert settled(OPEN, [Opinion(score=grade, reason="It greets.")], usage) == CheckResult(
        category="response",
        check='llm_judge: "is polite"',
        verdict=verdict,
        turn=0,
        expected="a grade of at least 4",
        actual=f"grade {grade}",
        reason="It greets.",
        where="a.eval.yaml:4:9",
        score=grade,
        judge_usage=usage,
    )


@pytest.mark.parametrize("verdict", [Verdict.ERROR, Verdict.SKIP])
def test_without_a_grade_there_is_no_score(verdict: Verdict) -> None:
    result = unsettled(OPEN, verdict, "no judge is configured")

    assert (result.verdict, result.score, result.reason) == (verdict, None, "no judge is configured")


def test_without_a_turn_only_the_state_can_be_seen() -> None:
    state = Check(category="state", spec={"path": "bot.a", "equals": 1})
    workflow = Check(category="workflow", spec={"name": "w", "entered": False})

    rows = scored(Transcript(baseline=State(bot={"a": 1})), outcome=(state, workflow))

    assert [row.verdict for row in rows if isinstance(row, CheckResult)] == [Verdict.PASS, Verdict.ERROR]


HELD = Eval(name="e", scenario=Scenario(starting_prompt="hi", plan="Ask."), outcome=(SOLVED,))


def test_what_a_simulated_user_said_is_judged_as_a_whole() -> None:
    rows = score(HELD, Transcript(exchanges=(said("ok"), said("bye"))), judge_pass_threshold=3)

    assert told(rows) == [(None, "state", "bot.solved: equals true", "pass", None)]


def test_an_agent_has_to_answer_a_simulated_user_too() -> None:
    silent = Exchange(user="and?", state=State(bot={"solved": True}))

    rows = score(HELD, Transcript(exchanges=(said("ok"), silent)), judge_pass_threshold=3)

    assert told(rows) == [
        (1, "response", "a reply", "fail", "the agent said nothing"),
        (None, "state", "bot.solved: equals true", "pass", None),
    ]


@pytest.mark.parametrize(("trouble", "verdict"), [(CRASH, "fail"), (REFUSED, "error")])
def test_a_turn_of_a_simulated_user_that_does_not_finish_leaves_the_outcome_undecided(
    trouble: Trouble, verdict: str
) -> None:
    transcript = Transcript(exchanges=(said("ok"), Exchange(user="and?", trouble=trouble)))

    rows = score(HELD, transcript, judge_pass_threshold=3)

    assert told(rows) == [
        (1, "agent", "finishes the turn", verdict, trouble.message),
        (None, "state", "bot.solved: equals true", "error", "turn 2 did not finish"),
    ]


def test_a_simulated_user_who_could_not_go_on_leaves_the_outcome_undecided() -> None:
    stuck = Trouble(message="the simulated user could not go on: down", by_agent=False)

    rows = score(HELD, Transcript(exchanges=(said("ok"),), trouble=stuck), judge_pass_threshold=3)

    assert [(row.check, row.verdict) for row in rows] == [
        ("goes on with the conversation", Verdict.ERROR),
        ("bot.solved: equals true", Verdict.ERROR),
    ]


def test_a_scenario_of_which_nothing_was_played_is_an_error() -> None:
    rows = score(HELD, Transcript(baseline=State(bot={"solved": True})), judge_pass_threshold=3)

    assert [row.verdict for row in rows] == [Verdict.ERROR, Verdict.ERROR]
    assert rows[0].reason == "the transcript has 0 of 1 turns"
