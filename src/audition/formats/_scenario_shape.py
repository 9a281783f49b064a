"""What the `scenario` of an eval may hold: what a simulated user is to do. Source: ADK, ConversationScenario."""

from dataclasses import dataclass

from audition.documents.located import Path
from audition.documents.shape import Faults, Field, Number, Record, Schema, Text
from audition.scoring.personas import PERSONAS
from audition.text import nearest


@dataclass(frozen=True, slots=True)
class _Words:
    """A text with something in it."""

    def read(self, value: object, path: Path, faults: Faults) -> object:
        Text().read(value, path, faults)
        if isinstance(value, str) and not value.strip():
            faults.add(f"{path[-1]!r} must not be empty", path)
        return value

    def schema(self) -> Schema:
        return {"type": "string", "minLength": 1}


@dataclass(frozen=True, slots=True)
class _Persona:
    """The name of a persona, or the description of another: a name in capitals must be one that there is."""

    def read(self, value: object, path: Path, faults: Faults) -> object:
        _Words().read(value, path, faults)
        if isinstance(value, str) and value.isupper() and value.isidentifier() and value not in PERSONAS:
            guess = nearest(value, PERSONAS)
            hint = f"did you mean {guess!r}?" if guess else f"there are: {', '.join(PERSONAS)}; or describe one"
            faults.add(f"no persona is called {value!r}", path, hint)
        return value

    def schema(self) -> Schema:
        return _Words().schema()


@dataclass(frozen=True, slots=True)
class _MaxTurns:
    """A whole number of 1 or more, or null for no limit."""

    def read(self, value: object, path: Path, faults: Faults) -> object:
        return None if value is None else Number(minimum=1, whole=True).read(value, path, faults)

    def schema(self) -> Schema:
        return {"type": ["integer", "null"], "minimum": 1}


SCENARIO = Record(
    "scenario",
    startingPrompt=Field(_Words(), required=True, doc="What the user says first, word for word."),
    plan=Field(_Words(), required=True, doc="How the user is to go on, and when to end the conversation."),
    persona=Field(_Persona(), doc=f"Who the user is: {', '.join(PERSONAS)}, or a description."),
    maxTurns=Field(_MaxTurns(), doc="After how many turns the conversation ends; 20 by default, null for no limit."),
)
"""The keys of a scenario."""
