"""The agent: `reply` answers one turn. The first rule whose pattern is found in the text decides."""

import re
from collections.abc import Callable
from typing import Any

from desk.events import REACTIONS
from desk.orders import refund, track
from desk.records import look_up_user
from desk.tickets import close_ticket, open_ticket

Answer = str | list[str] | None
"""One message, several, or silence."""


def reply(turn: Any, session: Any) -> Answer:
    """Answer what was said, or react to what happened."""
    if turn.event is not None:
        return REACTIONS[turn.event["kind"]](turn.event, session)
    for pattern, answer in RULES:
        if found := re.search(pattern, turn.user, re.IGNORECASE):
            return answer(found, session)
    return "I can open tickets, track orders and pay back returns. What can I do for you?"


def onboarding(given: dict[str, Any], session: Any) -> None:
    """Get to know a user: the workflow that a new customer starts with."""
    with session.workflow("onboarding", given):
        session.state.user["id"] = given["userId"]
        look_up_user(session)
        session.state.user["onboarded"] = True


workflows = {"onboarding": onboarding}
"""What the setup of an eval may trigger, by name."""


def sign_up(user_id: str, session: Any) -> Answer:
    """Onboard a user who asks for it."""
    onboarding({"userId": user_id}, session)
    return [f"Your account {user_id} is set up.", f"You are on the {session.state.user['plan']} plan."]


def prefer(channel: str, session: Any) -> Answer:
    """Remember how the user wants to be written to, in this conversation and in later ones."""
    session.state.user["channel"] = channel
    return f"Noted: I will write to you by {channel}."


def greet(session: Any) -> Answer:
    """Greet, and show that a preference is remembered."""
    if channel := session.state.user.get("channel"):
        return f"Welcome back! I will keep writing to you by {channel}."
    return "Welcome to the desk! How can I help?"


RULES: tuple[tuple[str, Callable[[re.Match[str], Any], Answer]], ...] = (
    (r"^👍$|^\(note to self\)", lambda *_: None),
    (r"refund.*(ORD-\d+)", lambda found, session: refund(found[1].upper(), session)),
    (r"(ORD-\d+)", lambda found, session: track(found[1].upper(), session)),
    (r"sign me up as (u-\d+)", lambda found, session: sign_up(found[1], session)),
    (r"write to me by (\w+)", lambda found, session: prefer(found[1].lower(), session)),
    (r"that (helped|solved it)", lambda _, session: close_ticket(session)),
    (r"broken|on fire|outage|wrong|lost|does not work", lambda found, session: open_ticket(found.string, session)),
    (r"こんにちは", lambda *_: "こんにちは！ご用件をお聞かせください。"),
    (r"^(hello|hi|good morning)\b", lambda _, session: greet(session)),
)
"""Pattern and answer, the most particular first."""
