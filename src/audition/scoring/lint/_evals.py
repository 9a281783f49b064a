"""Linting whole evals: where the texts for judges stand, and what the case gives."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from audition.errors import Where
from audition.evals import Check, Eval, Turn
from audition.scoring.lint._criterion import Criterion, LintFinding, criterion


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedText:
    """A text that a judge is asked about, with the eval and the check it stands in.

    `key` is where in the check it stands, as `llm_judge` or `rubrics[0].text`; `where` is the place of the check, None
    for one that was built in Python. `turn` counts from 0, None for an outcome.
    """

    eval_name: str
    key: str
    turn: int | None
    where: Where | None
    criterion: Criterion


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalFinding:
    """A finding in an eval: the text it is about, and where that stands. `key` is as for `JudgedText`."""

    eval_name: str
    key: str
    text: str
    where: Where | None
    finding: LintFinding

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        found = self.finding
        return f"{place}{found.code} {found.severity}: {self.eval_name}: {found.message}"


def judged_texts(an_eval: Eval, *, tools: Iterable[str] | None = None) -> Iterator[JudgedText]:
    """Yield the texts of an eval that judges are asked about, in order: turn by turn, and then the outcome.

    `tools` are the names of all tools the agent has; None: not known.
    """
    said = [*_given_before(an_eval)]
    names = None if tools is None else frozenset(tools)
    for index, turn in enumerate(an_eval.turns):
        said.append(_opening(turn))
        for check in turn.checks:
            yield from _of_check(an_eval, check, said, names, index)
    for check in an_eval.outcome:
        yield from _of_check(an_eval, check, said, names, None)


def _of_check(
    an_eval: Eval, check: Check, said: Sequence[str], tools: frozenset[str] | None, turn: int | None
) -> Iterator[JudgedText]:
    situation = check.spec.get("scenario")
    given = [*said, situation] if isinstance(situation, str) else said
    for key, text in _texts(check):
        one = criterion(
            text,
            scenario="\n".join(given),
            tools=tools,
            canned=bool(an_eval.setup.tools),
            conversation=turn is None and len(an_eval.turns) != 1,
        )
        yield JudgedText(eval_name=an_eval.name, key=key, turn=turn, where=check.where, criterion=one)


def _given_before(an_eval: Eval) -> Iterator[str]:
    """Yield what the case gives before the first turn: state, canned results, what a simulated user knows."""
    setup = an_eval.setup
    if setup.workflow is not None:
        yield _data(setup.workflow.input)
    yield from (_data(scope) for scope in (setup.state.bot, setup.state.user, setup.state.conversation) if scope)
    yield from (_data(result.result) for tool in setup.tools for result in tool.results)
    if an_eval.scenario is not None:
        yield from (an_eval.scenario.starting_prompt, an_eval.scenario.plan)


def _opening(turn: Turn) -> str:
    return turn.user if turn.user is not None else _data(turn.event)


def _data(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


_KEYS: Mapping[str, str] = {"response": "llm_judge", "criteria": "criteria", "rubric": "text"}
"""The key that holds a text for a judge, by category of check."""


def _texts(check: Check) -> Iterator[tuple[str, str]]:
    key = _KEYS.get(check.category)
    return _within(check.spec, "", key) if key else iter(())


def _within(value: object, path: str, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            at = f"{path}.{name}" if path else str(name)
            if name == key and isinstance(item, str):
                yield at, item
            else:
                yield from _within(item, at, key)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for index, item in enumerate(value):
            yield from _within(item, f"{path}[{index}]", key)
