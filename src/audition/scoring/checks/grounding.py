"""Whether what the agent says is supported by its user and its tools. Source: ADK, hallucinations_v1.

Replies are split into sentences by audition itself, and each is put to a judge. The score of a turn is the share of its
sentences that are supported or need no support (greetings, questions, offers); the score is the mean over the turns
that have a sentence. The agent's own instructions are not known, so what it says from them alone has no support.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from audition.documents.shape import Field, Flag, Record
from audition.scoring.asking import SAMPLES, Item, Poll, dialogue
from audition.scoring.metric import METRIC, shown_score, threshold
from audition.scoring.rule import Finding, Inquiry, Line, Question, Rule, Seen
from audition.scoring.sentences import sentences
from audition.scoring.spec import Spec
from audition.text import shorten
from audition.transcript import Exchange, response_text

FACET = "tools"
PLACES = frozenset({"turn", "outcome"})

DEFAULT_THRESHOLD = 1.0
CHECK = Spec(
    Record(
        "grounding check",
        threshold=threshold(DEFAULT_THRESHOLD),
        intermediate=Field(
            Flag(), doc="Whether what the model wrote on the way to its replies is looked at too; false by default."
        ),
        samples=SAMPLES,
        metric=METRIC,
    )
)

_CRITERION = """\
The sentence in the response block is supported by the conversation: by what the user said, or by what a tool returned.
It also holds when it needs no support, because it states no fact: a greeting, a question, an offer, a piece of advice \
that rests on nothing stated.
It does not hold when the conversation contradicts it, or says nothing of a fact in it, however likely that fact is. \
What the agent said is there to understand the sentence, and supports nothing."""

_LONGEST_NAME = 80


def rule(spec: Mapping[str, Any]) -> Rule:
    """Return what a grounding check means."""
    return _Grounding(
        threshold=spec.get("threshold", DEFAULT_THRESHOLD),
        samples=spec.get("samples", 1),
        intermediate=spec.get("intermediate", False),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grounding:
    threshold: float
    samples: int
    intermediate: bool

    def describe(self) -> str:
        return f"threshold: {shown_score(self.threshold)}"

    def evaluate(self, seen: Seen) -> Finding | Inquiry:
        poll = Poll(
            items=tuple(self._items(seen)),
            turns=len(seen.exchanges),
            samples=self.samples,
            threshold=self.threshold,
            average="turns",
            unscored="the agent said no sentence",
        )
        return poll.finding_or_inquiry()

    def _items(self, seen: Seen) -> Iterator[Item]:
        exchanges, first = seen.transcript.exchanges, seen.turn or 0
        for index, exchange in enumerate(seen.exchanges):
            context = tuple(dialogue(exchanges[: first + index + 1]))
            for sentence in sentences(self._looked_at(exchange)):
                name = f'turn {first + index + 1}, "{shorten(sentence, _LONGEST_NAME)}"'
                yield Item(name=name, turn=index, parts=(_asked(sentence, context),))

    def _looked_at(self, exchange: Exchange) -> str:
        remarks = [remark.text for remark in exchange.remarks] if self.intermediate else []
        return "\n".join([*remarks, response_text(exchange)])


def _asked(sentence: str, context: tuple[Line, ...]) -> Question:
    return Question(criterion=_CRITERION, response=sentence, conversation=context, threshold=1, scale="yes_no")
