"""What we say of an eval beyond ADK: an eval dict's keys, under the one key `audition` of an eval case.

    "audition": {"tags": ["smoke"], "setup": {"tools": [...]}, "turns": {"0": {"assert": {...}}}, "outcome": {...}}

Turns are numbered from 0, as the invocations in `conversation` are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from audition.documents.located import LocatedDict, LocatedList, Mark, Path
from audition.documents.shape import Anything, Faults, Field, MapOf, Number, Record, Shape, snake_case
from audition.errors import Fault
from audition.evals import Data, Eval, SeedState, Setup, Turn
from audition.formats._adk_records import faults_in
from audition.formats.eval_dict import read_evals

KEY = "audition"
CASE_KEYS = ("description", "type", "tags", "setup", "outcome", "options")
"""What an eval dict's keys may say of a case."""

TURN_KEYS = ("event", "expectSilence", "responseOptional", "newConversation", "assert", "reference")
"""What an eval dict's keys may say of a turn."""

_ANYTHING = Anything()


class _MaxTurns:
    """How many turns a simulated user takes: a whole number from 1, or null for no limit."""

    def read(self, value: object, path: Path, faults: Faults) -> object:
        return None if value is None else Number(minimum=1, whole=True).read(value, path, faults)

    def schema(self) -> dict[str, object]:
        return {"type": ["integer", "null"], "minimum": 1}


_TURN = Record("turn", **{key: Field(_ANYTHING) for key in TURN_KEYS})
_SHAPE: Shape = Record(
    "'audition'",
    session=Field(MapOf(_ANYTHING)),
    scenario=Field(Record("scenario", maxTurns=Field(_MaxTurns()))),
    turns=Field(MapOf(_TURN)),
    **{key: Field(_ANYTHING) for key in CASE_KEYS},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extras:
    """What was found under the key: `stand_in` is an eval that has all of it that an eval dict can say."""

    stand_in: Eval
    session: Data | None
    scenario: Data


def read_extras(
    case: Mapping[str, Any], turns: int, document: object, path: Path, file: str
) -> tuple[Extras | None, tuple[Fault, ...], tuple[str, ...]]:
    """Return what stands under the key of a case as written, None when it is not there; then faults and warnings.

    `path` leads to the case in the document; `turns` is how many invocations it has.
    """
    written = case.get(KEY)
    if written is None:
        return None, (), ()
    faults = Faults()
    read: Any = _SHAPE.read(written, (*path, KEY), faults)
    for number in read.get("turns", {}):
        if not (number.isdecimal() and int(number) < turns):
            known = f"from 0 to {turns - 1}" if turns else "none"
            faults.add(f"there is no turn {number!r}", (*path, KEY, "turns", number), f"turns are numbered {known}")
    if faults.found:
        return None, faults_in(document, faults.found, file), ()
    reading = read_evals([_eval_dict(written, turns)], file)
    if reading.faults:
        return None, reading.faults, ()
    extras = Extras(stand_in=reading.evals[0], session=read.get("session"), scenario=read.get("scenario", {}))
    return extras, (), reading.warnings


def _eval_dict(written: Mapping[str, Any], turns: int) -> LocatedDict:
    """Return an eval dict that says what is written, with its places, and otherwise no more than it must."""
    mark = written.mark if isinstance(written, LocatedDict) else (1, 1)
    whole = _copy(written, CASE_KEYS, mark)
    by_number = written.get("turns", {})
    conversation = LocatedList(mark)
    for number in range(turns):
        turn = _copy(by_number.get(str(number), {}), TURN_KEYS, mark)
        if "event" not in turn:
            turn["user"] = "-"
        conversation.append(turn)
    # An eval must assert something, and what is written need not.
    silent = LocatedDict(mark)
    silent |= {"user": "-", "expectSilence": True}
    conversation.append(silent)
    conversation.marks = [item.mark for item in conversation if isinstance(item, LocatedDict)]
    whole |= {"name": KEY, "conversation": conversation}
    whole.marks |= {"name": mark, "conversation": mark}
    return whole


def _copy(written: Mapping[str, Any], keys: Sequence[str], mark: Mark) -> LocatedDict:
    copy = LocatedDict(written.mark if isinstance(written, LocatedDict) else mark)
    marks = written.marks if isinstance(written, LocatedDict) else {}
    for key in keys:
        for spelling in (key, snake_case(key)):
            if spelling in written:
                copy[spelling] = written[spelling]
                copy.marks[spelling] = marks.get(spelling, mark)
    return copy


def with_extras(an_eval: Eval, extras: Extras) -> Eval:
    """Return an eval of ADK's with what is ours: checks are added, and where both speak, ours holds."""
    ours = extras.stand_in
    scenario = an_eval.scenario
    if scenario is not None and "maxTurns" in extras.scenario:
        limit = extras.scenario["maxTurns"]
        scenario = replace(scenario, max_turns=limit if isinstance(limit, int) else None)
    return replace(
        an_eval,
        description=ours.description,
        type=ours.type,
        tags=ours.tags,
        setup=_setup(an_eval.setup, ours.setup, extras.session),
        turns=tuple(map(_turn, an_eval.turns, ours.turns)),
        scenario=scenario,
        outcome=(*an_eval.outcome, *ours.outcome),
        options=ours.options,
    )


def _setup(theirs: Setup, ours: Setup, session: Data | None) -> Setup:
    state = SeedState(
        bot=theirs.state.bot if ours.state.bot is None else ours.state.bot,
        user=theirs.state.user if ours.state.user is None else ours.state.user,
        conversation=theirs.state.conversation if ours.state.conversation is None else ours.state.conversation,
    )
    return replace(ours, state=state, session={**theirs.session, **ours.session} if session is None else session)


def _turn(theirs: Turn, ours: Turn) -> Turn:
    return replace(
        ours,
        user=None if ours.event is not None else theirs.user,
        reference=ours.reference or theirs.reference,
        extra=theirs.extra,
        where=theirs.where,
    )
