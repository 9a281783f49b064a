"""audition: write scenarios once, run them against any LLM agent, and get a verdict you can trust."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from audition.errors import AuditionError
    from audition.evals import (
        Check,
        Eval,
        MockResult,
        Options,
        Reference,
        SeedState,
        Setup,
        Suite,
        ToolCallReference,
        ToolMock,
        Turn,
        WorkflowTrigger,
    )
    from audition.library import RunResult, agent, arescore, arun, load, render, rescore, run
    from audition.results import CheckResult, Run, TrialResult, Verdict

__version__ = "0.1.0"

_HOMES = {
    "audition.errors": ("AuditionError",),
    "audition.evals": (
        "Check",
        "Eval",
        "MockResult",
        "Options",
        "Reference",
        "SeedState",
        "Setup",
        "Suite",
        "ToolCallReference",
        "ToolMock",
        "Turn",
        "WorkflowTrigger",
    ),
    "audition.library": (
        "RunResult",
        "agent",
        "arescore",
        "arun",
        "load",
        "render",
        "rescore",
        "run",
    ),
    "audition.results": (
        "CheckResult",
        "Run",
        "TrialResult",
        "Verdict",
    ),
}
"""Where the public names live. They are imported when first used, so that `audition --version` costs nothing."""

__all__ = [
    "AuditionError",
    "Check",
    "CheckResult",
    "Eval",
    "MockResult",
    "Options",
    "Reference",
    "Run",
    "RunResult",
    "SeedState",
    "Setup",
    "Suite",
    "ToolCallReference",
    "ToolMock",
    "TrialResult",
    "Turn",
    "Verdict",
    "WorkflowTrigger",
    "agent",
    "arescore",
    "arun",
    "load",
    "render",
    "rescore",
    "run",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    for module, names in _HOMES.items():
        if name in names:
            value: object = getattr(import_module(module), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'audition' has no attribute {name!r}")
