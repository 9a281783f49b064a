"""Planning: what is chosen, and what is refused before the first message."""

import pytest

from audition.agents import Facet
from audition.engine.plan import Defaults, Selection, choose, plan
from audition.errors import ExitCode, NothingSelected, PlanError, Where
from audition.evals import Check, Eval, Options, Turn

GREETING = Eval(name="greeting", type="regression", tags=("smoke", "chat"))
REFUND = Eval(name="refund-late", type="capability", tags=("money",))
REFUSAL = Eval(name="refund-never", tags=("money", "smoke"))
EVALS = (GREETING, REFUND, REFUSAL)
EVERYTHING: frozenset[Facet] = frozenset({"replies", "tools", "state", "workflows", "timing", "usage"})


@pytest.mark.parametrize(
    ("selection", "chosen"),
    [
        (Selection(), ["greeting", "refund-late", "refund-never"]),
        (Selection(names=("greeting",)), ["greeting"]),
        (Selection(names=("refund-*",)), ["refund-late", "refund-never"]),
        (Selection(names=("refund-never", "greeting")), ["greeting", "refund-never"]),
        (Selection(tags=("money",)), ["refund-late", "refund-never"]),
        (Selection(tags=("chat", "money")), ["greeting", "refund-late", "refund-never"]),
        (Selection(type="regression"), ["greeting"]),
        (Selection(names=("refund-*",), tags=("smoke",)), ["refund-never"]),
    ],
    ids=["all", "name", "glob", "names", "tag", "any of two tags", "type", "name and tag"],
)
def test_a_selection_narrows_by_all_that_it_says(selection: Selection, chosen: list[str]) -> None:
    assert [one.name for one in choose(EVALS, selection)] == chosen


@pytest.mark.parametrize(
    ("selection", "message", "hint"),
    [
        (Selection(names=("greting",)), "no eval has the name 'greting'", "did you mean 'greeting'?"),
        (Selection(names=("greeting", "nope*")), "no eval has the name 'nope*'", "there are: greeting, refund-late"),
        (Selection(tags=("mony",)), "no eval has the tag 'mony'", "did you mean 'money'?"),
        (Selection(names=("greeting",), tags=("money",)), "no eval has all that was asked for", "there are 3"),
        (Selection(names=("greeting",), type="capability"), "no eval has all that was asked for", "there are 3"),
    ],
    ids=["near miss", "one of two", "tag", "name and tag", "name and type"],
)
def test_what_matches_nothing_is_told_with_the_near_misses(selection: Selection, message: str, hint: str) -> None:
    with pytest.raises(NothingSelected) as raised:
        choose(EVALS, selection)

    assert raised.value.message == message
    assert str(raised.value.hint).startswith(hint)
    assert raised.value.exit_code is ExitCode.NOTHING_SELECTED


def test_no_evals_at_all_is_not_a_run() -> None:  # case: google/adk-python#6951
    with pytest.raises(NothingSelected, match="there is no eval to run"):
        choose((), Selection())


def test_limits_come_from_the_eval_before_the_settings() -> None:
    own = Eval(name="own", options=Options(idle_timeout_ms=500, judge_pass_threshold=5))

    trials = plan((own, GREETING), Defaults(idle_timeout_ms=20_000, judge_pass_threshold=2, timeout_s=9), EVERYTHING)

    assert [(trial.idle_timeout_s, trial.judge_pass_threshold, trial.timeout_s) for trial in trials] == [
        (0.5, 5, 9),
        (20.0, 2, 9),
    ]


def test_without_any_word_the_limits_are_those_of_the_format() -> None:
    (trial,) = plan((GREETING,), Defaults(), EVERYTHING)

    assert (trial.idle_timeout_s, trial.judge_pass_threshold, trial.timeout_s) == (30.0, 3, None)


def test_each_trial_of_an_eval_is_named_apart() -> None:
    trials = plan((GREETING, REFUND), Defaults(trials=2), EVERYTHING)

    assert [trial.label for trial in trials] == ["greeting#1", "greeting#2", "refund-late#1", "refund-late#2"]


def test_a_single_trial_goes_by_the_name_of_its_eval() -> None:
    assert [trial.label for trial in plan((GREETING,), Defaults(), EVERYTHING)] == ["greeting"]


def test_checks_that_nobody_can_see_are_refused_all_at_once_with_their_places() -> None:
    state = Check(category="state", spec={"path": "bot.a", "equals": 1}, where=Where("a.eval.yaml", 7, 11))
    tools = Check(category="tools", spec={"not_called": "delete"})
    one = Eval(name="one", turns=(Turn(user="hi", checks=(tools,)),), outcome=(state,))

    with pytest.raises(PlanError) as raised:
        plan((one,), Defaults(), frozenset({"replies", "timing"}))

    assert raised.value.message.splitlines() == [
        "eval 'one': the agent cannot be observed for 'tools' checks",
        "a.eval.yaml:7:11: the agent cannot be observed for 'state' checks",
    ]
    assert str(raised.value.hint).startswith("this agent shows: replies, timing")


def test_silence_cannot_be_expected_of_an_agent_that_is_not_heard() -> None:
    quiet = Eval(name="quiet", turns=(Turn(user="hush", expect_silence=True),))

    with pytest.raises(PlanError, match="neither can silence"):
        plan((quiet,), Defaults(), frozenset({"tools"}))


@pytest.mark.parametrize(
    ("check", "slow"),
    [
        (Check(category="custom", spec={"function": "shop.metrics.kind"}), True),
        (Check(category="state", spec={"path": "bot.a", "matches": "x+"}), True),
        (Check(category="state", spec={"path": "bot.a", "equals": 1}), False),
    ],
    ids=["a function", "a pattern", "a value"],
)
def test_a_trial_with_a_check_that_may_take_long_is_known_beforehand(check: Check, slow: bool) -> None:
    (trial,) = plan((Eval(name="one", outcome=(check,)),), Defaults(), EVERYTHING)

    assert trial.searches is slow
