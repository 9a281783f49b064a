"""What is auditioned: an agent opens sessions, and a session takes turns.

Each file offers `agent(where, options, around) -> Agent`; a reference is `KIND:WHERE`, KIND being the file's name.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from audition.errors import SettingsError
from audition.evals import Setup, Turn
from audition.llm import Models
from audition.registry import Folder
from audition.transcript import Exchange, State, Transcript

Facet = Literal["replies", "tools", "state", "workflows", "timing", "usage"]
"""A side of an agent that can be observed. A check needs one; an agent says which it shows."""

AGENTS = Folder("kind of agent", "audition.agents")


class Session(Protocol):
    """One conversation with an agent (and its later ones, when a turn asks for a new conversation)."""

    async def send(self, turn: Turn, *, idle_timeout_s: float) -> Exchange:
        """Say or push one turn and return all it provoked, when the agent is done with it.

        Trouble is part of the exchange, so that what was seen before it is kept. An agent that is not done within
        `idle_timeout_s` seconds has trouble of its own making.
        """
        ...

    async def state(self) -> State:
        """Return a copy of the state as it is now; asked only of agents that observe it."""
        ...


class Agent(Protocol):
    """What is auditioned."""

    @property
    def observes(self) -> frozenset[Facet]:
        """Return the sides of this agent that can be observed."""
        ...

    @property
    def at_once(self) -> int:
        """Return how many sessions may run side by side without touching each other, >= 1."""
        ...

    def open(self, setup: Setup, *, trial: str) -> AbstractAsyncContextManager[Session]:
        """Open a session with a fresh user and conversation, seeded and with its workflow triggered as `setup` says.

        `trial` says which trial this is (`greeting`, `greeting#2`), for agents that record, replay or label.

        Raises: AgentError when the agent cannot be reached or refuses the setup.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What an agent may need of the project it is used in.

    `root`: the project's folder, from which relative paths count and modules are imported. `models`: the language
    models that settings name. `transcripts`: the transcripts of a stored run, by trial (`greeting`, `greeting#2`).
    `secrets`: environment variables, from which options that end in `_env` take keys; never shown. `offline`: no
    connection may leave this machine.
    """

    root: Path = field(default_factory=Path)
    models: Models = field(default_factory=Models)
    transcripts: Callable[[str], Mapping[str, Transcript]] | None = None
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    offline: bool = False


def open_agent(
    reference: str, options: Mapping[str, object] | None = None, around: Surroundings | None = None
) -> Agent:
    """Return the agent that a reference such as `function:shop.bot:reply` names, with the settings given for it.

    Raises: SettingsError for a reference that is none and for wrong options, UnknownName for a kind nobody offers.
    """
    kind, colon, where = reference.partition(":")
    if not colon or not where:
        hint = "write KIND:WHERE, for example function:shop.bot:reply or http:http://127.0.0.1:8000/turn"
        raise SettingsError(f"{reference!r} does not name an agent", key="agent", hint=hint)
    agent: Agent = AGENTS.get(kind).agent(where, options or {}, around or Surroundings())
    return agent
