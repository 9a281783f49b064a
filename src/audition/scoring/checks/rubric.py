"""Properties that must hold, each asked of a judge with yes or no. Source: ADK, the rubric-based criteria.

`about` says what they are properties of: the agent's `response` on each turn, its use of `tools` on each turn, or the
whole `conversation`. The score is the share of properties that hold, over all turns. A property that does not apply
holds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audition.documents.located import Path
from audition.documents.shape import Choice, Faults, Field, ListOf, MapOf, Record, Text
from audition.results import Verdict
from audition.scoring.asking import SAMPLES, Item, Poll, as_text, dialogue, opening, tool_lines
from audition.scoring.checks.response import says_nothing
from audition.scoring.metric import METRIC, threshold
from audition.scoring.rule import Finding, Inquiry, Line, Opinion, Question, Rule, Seen
from audition.scoring.spec import Spec
from audition.transcript import response_text

FACET = "replies"
PLACES = frozenset({"outcome"})

DEFAULT_THRESHOLD = 1.0

_RUBRIC = Record(
    "rubric",
    id=Field(Text(min_length=1), required=True, doc="What reports call it; unique in the check."),
    text=Field(Text(min_length=1), required=True, doc="The property that must hold, in a sentence."),
)


def _review(found: Mapping[str, Any], path: Path, faults: Faults) -> None:
    everywhere, turns = found.get("rubrics", []), found.get("turns", {})
    if not everywhere and not any(turns.values()):
        hint = "add rubrics: [{id: polite, text: The agent is polite.}]"
        faults.add("this check says nothing that could fail", path, hint)
    taken: list[str] = []
    _refuse_twice(everywhere, taken, (*path, "rubrics"), faults)
    for turn, rubrics in turns.items():
        if not turn.isdecimal() or not turn.isascii():
            hint = 'turns count from 0: write turns: {"0": [...]}'
            faults.add(f"{turn!r} is not the number of a turn", (*path, "turns", turn), hint)
        # All properties of a conversation are asked about one thing, so no two of them may share a name.
        beside = taken if found["about"] == "conversation" else list(taken)
        _refuse_twice(rubrics, beside, (*path, "turns", turn), faults)


def _refuse_twice(rubrics: Sequence[Mapping[str, str]], taken: list[str], path: Path, faults: Faults) -> None:
    for index, rubric in enumerate(rubrics):
        if rubric["id"] in taken:
            faults.add(f"the rubric {rubric['id']!r} is given twice", (*path, index), "give each an id of its own")
        taken.append(rubric["id"])


CHECK = Spec(
    Record(
        "rubric check",
        about=Field(Choice(("response", "tools", "conversation")), required=True, doc="What must have the properties."),
        threshold=threshold(DEFAULT_THRESHOLD),
        rubrics=Field(ListOf(_RUBRIC), doc="The properties, of every turn or of the conversation."),
        turns=Field(MapOf(ListOf(_RUBRIC)), doc="Properties of one turn alone, by its number, from 0, as a text."),
        samples=SAMPLES,
        metric=METRIC,
    ),
    _review,
)

_SILENCE = Opinion(score=0, reason="the agent said nothing")
_NOT_APPLICABLE = "A property that does not apply here holds."
_CRITERIA = {
    "response": "{text}\n\nThis has to hold for the response. What the user said and what the tools returned, in the "
    f"conversation, is evidence; what the agent claims is none. {_NOT_APPLICABLE}",
    "tools": "{text}\n\nThis has to hold for the agent's tool calls on this turn, which the response block lists in "
    f"their order, each with what it returned; an empty block means that it called none. {_NOT_APPLICABLE}",
    "conversation": "{text}\n\nThis has to hold for the conversation as a whole, which the response block holds: what "
    f"the user said, what the agent answered, and its tool calls with what they returned. {_NOT_APPLICABLE}",
}


@dataclass(frozen=True, slots=True)
class _Rubric:
    """A property; `turn` None: of every turn."""

    id: str
    text: str
    turn: int | None = None


def rule(spec: Mapping[str, Any]) -> Rule:
    """Return what a rubric check means."""
    everywhere = [_Rubric(rubric["id"], rubric["text"]) for rubric in spec.get("rubrics", ())]
    of_turns = [
        _Rubric(rubric["id"], rubric["text"], int(turn))
        for turn, rubrics in spec.get("turns", {}).items()
        for rubric in rubrics
    ]
    return _RubricRule(
        about=spec["about"],
        rubrics=(*everywhere, *of_turns),
        threshold=spec.get("threshold", DEFAULT_THRESHOLD),
        samples=spec.get("samples", 1),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _RubricRule:
    about: str
    rubrics: tuple[_Rubric, ...]
    threshold: float
    samples: int

    def describe(self) -> str:
        return f"{self.about}: {', '.join(rubric.id for rubric in self.rubrics)}"

    def evaluate(self, seen: Seen) -> Finding | Inquiry:
        if (unseen := self._unseen(seen)) is not None:
            return Finding(verdict=Verdict.ERROR, reason=unseen)
        items = self._of_the_conversation(seen) if self.about == "conversation" else self._of_turns(seen)
        poll = Poll(
            items=tuple(items),
            turns=len(seen.exchanges),
            samples=self.samples,
            threshold=self.threshold,
            average="items",
            unscored="there was no turn that a rubric could be asked of",
        )
        return poll.finding_or_inquiry()

    def _unseen(self, seen: Seen) -> str | None:
        """Return why not all rubrics can be asked, None when they can."""
        observes = seen.transcript.observes
        if not self.rubrics:
            return "there is no rubric to ask about"
        if self.about == "tools" and observes is not None and "tools" not in observes:
            return "the agent could not be observed: it did not show its tools"
        late = next((one for one in self.rubrics if one.turn is not None and one.turn >= len(seen.exchanges)), None)
        if late is not None:
            return f"the rubric {late.id!r} is of turn {late.turn} (from 0), and there were {len(seen.exchanges)} turns"
        return None

    def _of_the_conversation(self, seen: Seen) -> Iterator[Item]:
        whole = as_text(dialogue(seen.exchanges))
        for rubric in self.rubrics:
            question = self._question(rubric, whole, ())
            yield Item(name=rubric.id, turn=len(seen.exchanges) - 1, parts=(question,))

    def _of_turns(self, seen: Seen) -> Iterator[Item]:
        for index in range(len(seen.exchanges)):
            may_be_silent = index < len(seen.turns) and (
                seen.turns[index].expect_silence or seen.turns[index].response_optional
            )
            silent = self.about == "response" and says_nothing(response_text(seen.exchanges[index]))
            if silent and may_be_silent:
                continue
            for rubric in self.rubrics:
                if rubric.turn in (None, index):
                    part = _SILENCE if silent else self._of(seen, index, rubric)
                    yield Item(name=f"turn {index + 1}, {rubric.id}", turn=index, parts=(part,))

    def _of(self, seen: Seen, index: int, rubric: _Rubric) -> Question:
        exchange = seen.exchanges[index]
        lines = [*dialogue(seen.exchanges[:index]), opening(exchange)]
        calls = list(tool_lines(exchange))
        if self.about == "tools":
            return self._question(rubric, "\n".join(call.text for call in calls), lines)
        return self._question(rubric, response_text(exchange), [*lines, *calls])

    def _question(self, rubric: _Rubric, piece: str, conversation: Sequence[Line]) -> Question:
        return Question(
            # The text may hold braces, so nothing in it is a template.
            criterion=_CRITERIA[self.about].replace("{text}", rubric.text, 1),
            response=piece,
            conversation=tuple(conversation),
            threshold=1,
            scale="yes_no",
        )
