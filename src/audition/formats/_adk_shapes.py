"""What ADK's eval sets may hold: their records, key by key. Source: google-adk 2.13, eval_set.py and what it imports.

More strict than ADK: NaN and infinities (which JSON has not), a key in both spellings, a set without cases, two cases
of one id. Less strict: the metadata that nobody compares (grounding, usage, media) may be any object.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from audition.documents.located import Path
from audition.documents.shape import Faults, ListOf, MapOf, Text
from audition.formats._adk_records import (
    AdkRecord,
    AnyJson,
    AnyObject,
    Base64,
    Key,
    LaxFlag,
    LaxNumber,
    Unpublished,
    may,
    must,
    unless,
)
from audition.scoring.personas import PERSONAS
from audition.text import nearest


@dataclass(frozen=True, slots=True)
class _AuthorAndParts(Unpublished):
    """An answer on the way: a list of its author and its parts."""

    def read(self, value: object, path: Path, faults: Faults) -> object:
        if not isinstance(value, list) or len(value) != 2:
            faults.add("a list of an author and a list of parts is expected", path)
            return []
        author, parts = value
        return [Text().read(author, (*path, 0), faults), _PARTS.read(parts, (*path, 1), faults)]


@dataclass(frozen=True, slots=True)
class _Intermediate(Unpublished):
    """What happened on the way to an answer, in either form: collected, or event by event."""

    def read(self, value: object, path: Path, faults: Faults) -> object:
        by_event = isinstance(value, Mapping) and bool(value.keys() & {"invocation_events", "invocationEvents"})
        return (_INVOCATION_EVENTS if by_event else _INTERMEDIATE_DATA).read(value, path, faults)


@dataclass(frozen=True, slots=True)
class _Persona(Unpublished):
    """The name of a persona, or one described in full."""

    def read(self, value: object, path: Path, faults: Faults) -> object:
        if not isinstance(value, str):
            return _USER_PERSONA.read(value, path, faults)
        if value not in PERSONAS:
            guess = nearest(value, PERSONAS)
            known = f"there are: {', '.join(PERSONAS)}"
            faults.add(f"no persona called {value!r}", path, f"did you mean {guess!r}? {known}" if guess else known)
        return value


_TEXT, _FLAG, _NUMERIC, _BYTES, _OBJECT = Text(), LaxFlag(), LaxNumber(), Base64(), AnyObject()
_TEXTS = ListOf(_TEXT)

_FUNCTION_CALL = AdkRecord(
    "function call",
    id=may(_TEXT),
    name=may(_TEXT),
    args=may(_OBJECT),
    partial_args=may(ListOf(_OBJECT)),
    will_continue=may(_FLAG),
)
_FUNCTION_RESPONSE = AdkRecord(
    "function response",
    id=may(_TEXT),
    name=may(_TEXT),
    response=may(_OBJECT),
    parts=may(ListOf(_OBJECT)),
    scheduling=may(_TEXT),
    will_continue=may(_FLAG),
)
_PART = AdkRecord(
    "part",
    text=may(_TEXT),
    thought=may(_FLAG),
    thought_signature=may(_BYTES),
    function_call=may(_FUNCTION_CALL),
    function_response=may(_FUNCTION_RESPONSE),
    inline_data=may(AdkRecord("blob", data=may(_BYTES), display_name=may(_TEXT), mime_type=may(_TEXT))),
    file_data=may(AdkRecord("file", file_uri=may(_TEXT), display_name=may(_TEXT), mime_type=may(_TEXT))),
    code_execution_result=may(AdkRecord("result of code", outcome=may(_TEXT), output=may(_TEXT), id=may(_TEXT))),
    executable_code=may(AdkRecord("code", code=may(_TEXT), language=may(_TEXT), id=may(_TEXT))),
    part_metadata=may(_OBJECT),
    audio_transcription=may(_OBJECT),
    media_processing=may(_OBJECT),
    media_resolution=may(_OBJECT),
    speech_metadata=may(_OBJECT),
    tool_call=may(_OBJECT),
    tool_response=may(_OBJECT),
    video_metadata=may(_OBJECT),
)
_PARTS = ListOf(_PART)
_CONTENT = AdkRecord("content", parts=may(_PARTS), role=may(_TEXT))
_INTERMEDIATE_DATA = AdkRecord(
    "intermediate data",
    tool_uses=unless([], ListOf(_FUNCTION_CALL)),
    tool_responses=unless([], ListOf(_FUNCTION_RESPONSE)),
    intermediate_responses=unless([], ListOf(_AuthorAndParts())),
)
_INVOCATION_EVENTS = AdkRecord(
    "intermediate data",
    invocation_events=must(
        ListOf(
            AdkRecord(
                "invocation event",
                unknown="dropped",
                author=must(_TEXT),
                content=may(_CONTENT),
                grounding_metadata=may(_OBJECT),
                usage_metadata=may(_OBJECT),
                model_version=may(_TEXT),
            )
        )
    ),
)
RUBRICS = ListOf(
    AdkRecord(
        "rubric",
        rubric_id=must(_TEXT),
        rubric_content=must(AdkRecord("rubric content", text_property=may(_TEXT))),
        description=may(_TEXT),
        type=may(_TEXT),
    )
)
_AGENT_DETAILS = AdkRecord(
    "agent's details",
    name=must(_TEXT),
    instructions=unless("", _TEXT),
    tool_declarations=unless([], ListOf(AnyJson())),
)
_INVOCATION = AdkRecord(
    "invocation",
    invocation_id=unless("", _TEXT),
    user_content=must(_CONTENT),
    final_response=may(_CONTENT),
    intermediate_data=may(_Intermediate()),
    creation_timestamp=unless(0, _NUMERIC),
    duration=may(_NUMERIC),
    model_duration=may(_NUMERIC),
    tool_duration=may(_NUMERIC),
    rubrics=may(RUBRICS),
    app_details=may(AdkRecord("app's details", agent_details=unless({}, MapOf(_AGENT_DETAILS)))),
)
INVOCATION_KEYS = tuple(_INVOCATION.keys)
"""What ADK knows of an invocation, and it refuses all else."""

_SESSION_INPUT = AdkRecord(
    "session input",
    unknown="kept",
    app_name=must(_TEXT),
    user_id=must(_TEXT),
    session_id=may(_TEXT),
    state=unless({}, _OBJECT),
)
_USER_PERSONA = AdkRecord(
    "persona",
    camel=False,
    unknown="dropped",
    id=must(_TEXT),
    description=must(_TEXT),
    behaviors=must(
        ListOf(
            AdkRecord(
                "behavior",
                camel=False,
                unknown="dropped",
                name=must(_TEXT),
                description=must(_TEXT),
                behavior_instructions=must(_TEXTS),
                violation_rubrics=must(_TEXTS),
            )
        )
    ),
)
SCENARIO = AdkRecord(
    "conversation scenario",
    starting_prompt=must(_TEXT),
    conversation_plan=must(_TEXT),
    user_persona=may(_Persona()),
)
EVAL_CASE = AdkRecord(
    "eval case",
    unknown="kept",
    eval_id=must(_TEXT),
    conversation=may(ListOf(_INVOCATION)),
    conversation_scenario=may(SCENARIO),
    session_input=may(_SESSION_INPUT),
    creation_timestamp=unless(0, _NUMERIC),
    rubrics=may(RUBRICS),
    final_session_state=Key(_OBJECT, nullable=True, default={}),
)
EVAL_SET = AdkRecord(
    "eval set",
    camel=False,
    unknown="kept",
    eval_set_id=must(_TEXT),
    name=may(_TEXT),
    description=may(_TEXT),
    eval_cases=must(ListOf(EVAL_CASE)),
    creation_timestamp=unless(0, _NUMERIC),
)
