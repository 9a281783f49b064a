"""Whether the agent's replies say what the references say, as a judge sees it. Source: ADK, final_response_match_v2.

The score is the mean over the turns: 1 for a reply as good as the reference, 0 for another. Turns without a reference
response are left out.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from audition.documents.shape import Record
from audition.scoring.asking import SAMPLES, Item, Poll, dialogue, opening
from audition.scoring.checks.response import says_nothing
from audition.scoring.metric import METRIC, referenced, shown_score, threshold
from audition.scoring.rule import Finding, Inquiry, Opinion, Question, Rule, Seen
from audition.scoring.spec import Spec
from audition.transcript import Exchange, response_text

FACET = "replies"
PLACES = frozenset({"turn", "outcome"})

DEFAULT_THRESHOLD = 1.0
CHECK = Spec(Record("reference match check", threshold=threshold(DEFAULT_THRESHOLD), samples=SAMPLES, metric=METRIC))

_CRITERION = """\
The response is as good an answer as the reference. It says the same in substance and contradicts nothing in it.
Wording, order, formatting, abbreviations, the way a number or a date is written, and further details that are right \
do not matter. A fact, a number, a name or a unit that is missing or different does.
Take the reference as it is: do not work the answer out anew."""

_UNSCORED = "no turn has a reference with a 'response' to compare with"


def rule(spec: Mapping[str, object]) -> Rule:
    """Return what a reference match check means."""
    bound, samples = spec.get("threshold"), spec.get("samples")
    return _ReferenceMatch(
        bound if isinstance(bound, int | float) else DEFAULT_THRESHOLD, samples if isinstance(samples, int) else 1
    )


@dataclass(frozen=True, slots=True)
class _ReferenceMatch:
    threshold: float
    samples: int

    def describe(self) -> str:
        return f"threshold: {shown_score(self.threshold)}"

    def evaluate(self, seen: Seen) -> Finding | Inquiry:
        poll = Poll(
            items=tuple(_items(seen)),
            turns=len(seen.exchanges),
            samples=self.samples,
            threshold=self.threshold,
            average="turns",
            unscored=_UNSCORED,
        )
        return poll.finding_or_inquiry()


def _items(seen: Seen) -> Iterator[Item]:
    for index, (number, exchange, reference) in enumerate(referenced(seen)):
        if reference.response is not None and not says_nothing(reference.response):
            before = seen.transcript.exchanges[: number - 1]
            part = _asked(exchange, reference.response, before)
            yield Item(name=f"turn {number}", turn=index, parts=(part,))


def _asked(exchange: Exchange, reference: str, before: tuple[Exchange, ...]) -> Question | Opinion:
    text = response_text(exchange)
    if says_nothing(text):
        return Opinion(score=0, reason="the agent said nothing")
    return Question(
        criterion=_CRITERION,
        response=text,
        conversation=(*dialogue(before), opening(exchange)),
        threshold=1,
        scale="yes_no",
        reference=reference,
    )
