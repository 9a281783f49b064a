"""Whether the simulated user kept to its scenario. Source: ADK, per_turn_user_simulator_quality_v1.

It looks at the user and not at the agent: the first message must be the scenario's own, each later one is put to a
judge, and so is whether it was right to end the conversation there. The score is the share of the user's turns that
were right; a wrong end spoils the last one.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from audition.documents.shape import Record
from audition.evals import Scenario
from audition.results import Verdict
from audition.scoring.asking import SAMPLES, Item, Poll, as_text, dialogue
from audition.scoring.metric import METRIC, shown_score, threshold
from audition.scoring.personas import persona_text
from audition.scoring.rule import Finding, Inquiry, Opinion, Question, Rule, Seen
from audition.scoring.spec import Spec

FACET = "replies"
PLACES = frozenset({"outcome"})

DEFAULT_THRESHOLD = 1.0
CHECK = Spec(Record("simulated user check", threshold=threshold(DEFAULT_THRESHOLD), samples=SAMPLES, metric=METRIC))

_MESSAGE = """\
The response block holds what the user says next in the conversation; the user is played by a program. The message \
fits the plan and the person below: it follows from what was said, does what the plan wants at this point, makes up \
nothing that the plan does not say or imply, repeats nothing that is done, and speaks as the user, not as the agent."""

_ENDING = """\
The response block holds a conversation in which the user is played by a program, and which the user ended there. \
Ending it there fits the plan and the person below: all that the plan wants has been done or refused, or the plan or \
the person says to end it in such a case."""


def rule(spec: Mapping[str, Any]) -> Rule:
    """Return what a simulated user check means."""
    return _SimulatedUser(spec.get("threshold", DEFAULT_THRESHOLD), spec.get("samples", 1))


@dataclass(frozen=True, slots=True)
class _SimulatedUser:
    threshold: float
    samples: int

    def describe(self) -> str:
        return f"threshold: {shown_score(self.threshold)}"

    def evaluate(self, seen: Seen) -> Finding | Inquiry:
        if seen.scenario is None:
            return Finding(verdict=Verdict.ERROR, reason="the eval has no scenario, so no user was simulated")
        poll = Poll(
            items=tuple(_items(seen, seen.scenario)),
            turns=len(seen.exchanges),
            samples=self.samples,
            threshold=self.threshold,
            average="turns",
            unscored="nobody spoke",
        )
        return poll.finding_or_inquiry()


def _items(seen: Seen, scenario: Scenario) -> Iterator[Item]:
    exchanges = seen.exchanges
    for index, exchange in enumerate(exchanges):
        said = exchange.user or ""
        if index == 0:
            part: Question | Opinion = _first(said, scenario)
        else:
            before = tuple(dialogue(exchanges[:index]))
            part = Question(
                criterion=_criterion(_MESSAGE, scenario),
                response=said,
                conversation=before,
                threshold=1,
                scale="yes_no",
            )
        wrong = isinstance(part, Opinion) and not part.score
        ends = index + 1 == len(exchanges) and len(exchanges) != scenario.max_turns
        parts = (part, _ending(seen, scenario)) if ends and not wrong else (part,)
        yield Item(name=f"turn {index + 1}", turn=index, parts=parts)


def _first(said: str, scenario: Scenario) -> Opinion:
    if said.strip() == scenario.starting_prompt.strip():
        return Opinion(score=1, reason="it is the starting prompt")
    return Opinion(score=0, reason="it is not the starting prompt")


def _ending(seen: Seen, scenario: Scenario) -> Question:
    whole = as_text(dialogue(seen.exchanges))
    return Question(
        criterion=_criterion(_ENDING, scenario), response=whole, conversation=(), threshold=1, scale="yes_no"
    )


def _criterion(text: str, scenario: Scenario) -> str:
    return f"{text}\n\nThe plan:\n{scenario.plan}\n\nThe person:\n{persona_text(scenario.persona)}"
