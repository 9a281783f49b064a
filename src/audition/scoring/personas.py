"""Who a simulated user is: the personas that have a name. Source: ADK, built-in user personas."""

from collections.abc import Mapping
from types import MappingProxyType

PERSONAS: Mapping[str, str] = MappingProxyType(
    {
        "EXPERT": (
            "Knows the subject well and says from the start what the goal is, with all the details. Answers only those "
            "questions of the agent that matter for the goal. Tells the agent when it is wrong. When something fails, "
            "tries once to put it right, and then ends the conversation. Writes in a businesslike tone."
        ),
        "NOVICE": (
            "Is new to the subject and says at first only what the goal is, without details. Answers every question of "
            "the agent. Never tells the agent that it is wrong, and does not notice. When something fails, gives up "
            "and ends the conversation. Writes as people chat."
        ),
        "EVALUATOR": (
            "Puts the agent to the test and says from the start what the goal is, with all the details. Answers only "
            "those questions of the agent that matter for the goal. Never tells the agent that it is wrong. When "
            "something fails, ends the conversation without trying to put it right. Writes as people chat."
        ),
    }
)
"""The personas that a scenario may name, and what they are like."""

DEFAULT_PERSONA = (
    "Answers what the agent asks, goes on to the next step of the plan when one is done, steps in when the agent does "
    "something else than was asked, and tells it when it is wrong. Ends the conversation when the plan is done, or "
    "when the agent has failed twice. Writes as people chat."
)
"""What a simulated user is like when the scenario names nobody."""


def persona_text(persona: str | None) -> str:
    """Return what a persona is like: one that has a name, whatever its case, or the description that was written."""
    if persona is None:
        return DEFAULT_PERSONA
    return PERSONAS.get(persona.strip().upper(), persona)
