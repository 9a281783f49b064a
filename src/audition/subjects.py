"""What the service tries out: a subject is an agent or an orchestrator it knows, with all that hangs below it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

Family = Literal["agents", "orchestrators"]
"""Which of the two: the word that stands in the paths of the REST API."""

Tool = Mapping[str, object]
"""A tool as its owner described it: `kind` names a file of `agents/tools/`, `name` is what the model calls it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """An agent, or an orchestrator with its children, as it was at one moment.

    `name` is the owner's and may be any text; `id` is unique in its family. `instruction` is what the model is told,
    an agent's `base_system_prompt`. `model` is a reference such as `openai:gpt-4o` or an alias. `children` are the
    sub-orchestrators and agents it may hand over to. `version` counts from 1. Source: evals REST API; service research
    1.3.
    """

    family: Family
    id: int
    name: str
    instruction: str
    model: str
    description: str = ""
    tools: tuple[Tool, ...] = ()
    children: tuple["Subject", ...] = ()
    version: int = 1


def with_candidate(subject: Subject, instruction: str) -> Subject:
    """Return the subject with another instruction at its root; what hangs below stays as it is."""
    return replace(subject, instruction=instruction)


def everyone(subject: Subject) -> Iterator[Subject]:
    """Yield a subject and all below it, from the top."""
    yield subject
    for child in subject.children:
        yield from everyone(child)
