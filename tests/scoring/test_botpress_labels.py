"""Botpress's words for a check, and ours."""

import pytest

from audition.scoring.botpress_labels import check_of, label_of

KNOWN = [
    pytest.param("response", 'contains: "a \\"b\\" – ü"', 'contains "a "b" – ü"', id="contains"),
    pytest.param("response", 'not_contains: "x"', 'not_contains "x"', id="not_contains"),
    pytest.param("response", r'matches: "TKT-\\d{3}"', r"matches TKT-\d{3}", id="matches"),
    pytest.param("response", 'llm_judge: "is kind"', 'llm_judge: "is kind"', id="llm_judge"),
    pytest.param("response", "a reply", "response", id="a reply"),
    pytest.param("response", "silence", "no_response", id="silence"),
    pytest.param("tools", 'called: "pay"', "tool called: pay", id="called"),
    pytest.param("tools", 'called: "pay" with params', "tool called: pay with params", id="called with params"),
    pytest.param("tools", 'not_called: "pay"', "tool not_called: pay", id="not_called"),
    pytest.param("tools", 'call_order: "a", "b"', "call_order: [a → b]", id="call_order"),
    pytest.param("state", 'bot.n: equals {"a": 1}', "state: bot.n equals", id="state equals"),
    pytest.param("state", "bot.n: changed", "state: bot.n changed", id="state changed"),
    pytest.param("state", "bot.n: not changed", "state: bot.n unchanged", id="state unchanged"),
    pytest.param("workflow", "onboarding: entered", "workflow: onboarding entered", id="entered"),
    pytest.param("workflow", "onboarding: not completed", "workflow: onboarding not completed", id="not completed"),
    pytest.param("timing", "response_time: gte 100", "response_time >= 100", id="at least"),
    pytest.param("timing", "response_time: lte 5000", "response_time <= 5000", id="at most"),
    pytest.param("timing", "response_time: equals 5", "response_time equals 5", id="exactly"),
    pytest.param("botpress", "something new", "something new", id="unknown there"),
]


@pytest.mark.parametrize(("category", "check", "label"), KNOWN)
def test_a_check_has_the_label_botpress_gives_it(category: str, check: str, label: str) -> None:
    assert label_of(category, check) == label


@pytest.mark.parametrize(("category", "check", "label"), KNOWN)
def test_a_label_is_read_back_as_the_check_it_is(category: str, check: str, label: str) -> None:
    assert check_of(label, '{"a": 1}') == (category, check)


OURS_ALONE = [
    pytest.param("response", 'contains: "a"; llm_judge: "b"', 'contains "a" and llm_judge: "b"', id="two keys"),
    pytest.param("response", 'contains: "a" (case-sensitive)', 'contains "a"', id="case-sensitive"),
    pytest.param("tools", 'called: "pay" with to equals "x", n gte 1', "tool called: pay with params", id="params"),
    pytest.param("tools", 'called: "pay" status error', "tool called: pay status error", id="status"),
    pytest.param("tools", 'call_order: "a" (exact)', 'tools: call_order: "a" (exact)', id="exact"),
    pytest.param("state", "bot.n: changed and gte 5", "state: bot.n changed and gte", id="two conditions"),
    pytest.param("state", "bot.a: b: exists true", "state: bot.a: b exists", id="a path with a colon"),
    pytest.param("workflow", "w: entered, completed", "workflow: w entered, completed", id="two flags"),
    pytest.param("workflow", "w: status failed", "workflow: w status failed", id="status of a workflow"),
    pytest.param("timing", "response_time: gte 1 and lte 9", "response_time >= 1 and <= 9", id="two limits"),
    pytest.param("rubric", "is kind", "rubric: is kind", id="a category of ours"),
    pytest.param("response", "{'broken': 1}", "response: {'broken': 1}", id="a check that broke"),
]


@pytest.mark.parametrize(("category", "check", "label"), OURS_ALONE)
def test_what_botpress_does_not_know_keeps_a_telling_label(category: str, check: str, label: str) -> None:
    assert label_of(category, check) == label
