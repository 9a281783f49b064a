"""What linting may take: no text makes a rule raise, and none makes it slow."""

import re
import sys
from collections.abc import Iterator
from types import FrameType, ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audition.scoring.lint import (
    _clauses,
    _criterion,
    _english,
    _facts,
    _finite,
    _ordering,
    _people,
    _references,
    _scenario,
    _states,
    _wording,
    lint_text,
    rules,
)

SAID = (
    "asks for the name and saves it , . ; then if lookup returns no ticket exactly in that order \" ' first finally "
    "provided 17 #4 a_b does not today the and or before once user confirms \n - «x» é 字"
)
WORDS = SAID.split(" ")

ESCAPED = re.compile(r"\\.", re.DOTALL)
CLASS = re.compile(r"\[\^?\]?[^\]]*\]")
UNBOUNDED = re.compile(r"[*+]|\{\d*,\}")


def patterns(value: object) -> Iterator[re.Pattern[str]]:
    """Yield the patterns in a module's value."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from patterns(item)


def all_patterns() -> list[re.Pattern[str]]:
    """Return every pattern of every rule."""
    shared = [
        _clauses,
        _criterion,
        _english,
        _facts,
        _finite,
        _ordering,
        _people,
        _references,
        _scenario,
        _states,
        _wording,
    ]
    modules: list[ModuleType] = [*shared, *rules()]
    return [one for module in modules for value in vars(module).values() for one in patterns(value)]


def test_no_pattern_of_a_rule_repeats_without_a_bound():
    unbounded = [
        one.pattern for one in all_patterns() if UNBOUNDED.search(CLASS.sub("x", ESCAPED.sub("x", one.pattern)))
    ]

    assert len(all_patterns()) > 30
    assert unbounded == []


@settings(deadline=None, max_examples=300)
@given(
    text=st.one_of(st.text(max_size=300), st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join)),
    scenario=st.one_of(st.none(), st.text(max_size=100)),
)
def test_no_text_makes_a_rule_raise_and_every_span_lies_in_it(text, scenario):
    found = lint_text(text, scenario=scenario, tools=["search"])

    assert all(0 <= one.start < one.end <= len(text) for one in found)


def lines_run(text: str) -> int:
    """Return how many lines of Python linting a text takes."""
    count = 0

    def trace(_frame: FrameType, event: str, _argument: object) -> object:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        lint_text(text, scenario=text, tools=["search"])
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize(
    "unit",
    [
        pytest.param("the provided ", id="references"),
        pytest.param("Books 17. ", id="sentences"),
        pytest.param("does not name a, ", id="clauses"),
        pytest.param("Calls a_b. ", id="tools"),
        pytest.param("x", id="one long word"),
    ],
)
def test_twice_the_text_takes_twice_the_steps(unit):
    once, twice = lines_run(unit * 400), lines_run(unit * 800)

    assert twice < 2.3 * once + 200
