"""What people write: a suite of evals, an eval's turns, and the checks that must hold."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from audition.errors import Where

EvalType = Literal["capability", "regression"]
"""`capability`: the agent can do something new. `regression`: it still does. Source: Botpress eval format, Types."""

Data = Mapping[str, object]
"""A JSON object, read-only: its values are str, int, float, bool, None, lists and objects of the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Something that must hold, as written.

    `category` is the name of a module in `scoring/checks/`; `spec` is the object written in the file, with the seed's
    spelling of its keys. `where` is None for a check that was built in Python.
    """

    category: str
    spec: Data
    where: Where | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallReference:
    """A tool call that a good agent made: `arguments` is None when they do not matter."""

    name: str
    arguments: Data | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What a good agent did on this turn once; None means nothing is said about that part."""

    response: str | None = None
    tool_calls: tuple[ToolCallReference, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One thing said (`user`) or pushed (`event`, the payload): exactly one of the two is not None.

    `expect_silence`: the agent must not reply. `response_optional`: it may or may not. `new_conversation`: the turn
    opens a new conversation of the same user. `extra` holds what another format says of the turn beyond this, kept for
    writing it again and for agents that know it. Source: Botpress eval format, Conversation Turns.
    """

    user: str | None = None
    event: Data | None = None
    expect_silence: bool = False
    response_optional: bool = False
    new_conversation: bool = False
    checks: tuple[Check, ...] = ()
    reference: Reference | None = None
    extra: Data = field(default_factory=dict)
    where: Where | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A conversation that a simulated user holds, in place of written turns. Source: ADK, ConversationScenario.

    `starting_prompt` is said first, word for word; `plan` says how to go on. `persona` is the name of one of ours, or
    the description of another; None for none. `max_turns` >= 1 ends the conversation, None for no limit.
    """

    starting_prompt: str
    plan: str
    persona: str | None = None
    max_turns: int | None = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedState:
    """State put in place before the conversation, by scope. It replaces what was there; None leaves a scope alone."""

    bot: Data | None = None
    user: Data | None = None
    conversation: Data | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowTrigger:
    """A workflow started before the conversation."""

    name: str
    input: Data = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class MockResult:
    """What a mocked tool answers when its arguments match `when` (operators by parameter); an empty `when` always does.

    `error` not None: the call fails with that text, and `result` is ignored.
    """

    when: Data = field(default_factory=dict)
    result: object = None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolMock:
    """A tool offered to the agent whose results are canned: the first result that matches a call is its answer.

    `parameters` is the JSON Schema of its arguments, None for a tool that takes none.
    """

    name: str
    description: str = ""
    parameters: Data | None = None
    results: tuple[MockResult, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The state of the world before the first turn.

    `session` is what the session is opened with, for agents that know it: ADK's `app_name`, `user_id`, `session_id`.
    """

    state: SeedState = SeedState()
    workflow: WorkflowTrigger | None = None
    tools: tuple[ToolMock, ...] = ()
    session: Data = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Settings of one eval; None means the next level decides (settings, then default).

    `idle_timeout_ms`: longest wait for the agent on one turn, milliseconds, > 0. `judge_pass_threshold`: 1 to 5.
    """

    idle_timeout_ms: int | None = None
    judge_pass_threshold: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Eval:
    """One conversation and what must hold. `name` is unique across a run.

    With a `scenario` there are no `turns`. `extra` holds what another format says beyond this, to be written again.
    """

    name: str
    description: str | None = None
    type: EvalType | None = None
    tags: tuple[str, ...] = ()
    setup: Setup = Setup()
    turns: tuple[Turn, ...] = ()
    scenario: Scenario | None = None
    outcome: tuple[Check, ...] = ()
    options: Options = Options()
    extra: Data = field(default_factory=dict)
    where: Where | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A named list of evals, in the order they were written."""

    name: str
    evals: tuple[Eval, ...]
