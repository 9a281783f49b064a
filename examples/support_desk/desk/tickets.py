"""Tickets: opening one, and closing the one this conversation is about."""

from typing import Any

from desk.records import look_up_user

_DEPARTMENTS = (
    ("printer laptop vpn password login", "IT Engineering"),
    ("invoice payment charged", "Billing"),
    ("parcel delivery package", "Logistics"),
)
_URGENT = ("urgent", "on fire", "outage", "nobody can work")


def open_ticket(problem: str, session: Any) -> list[str]:
    """Open a ticket for a problem and say so: one message for the ticket, one for what happens next."""
    user = look_up_user(session)
    number = session.state.bot.get("ticketCount", 0) + 1
    ticket_id = f"TKT-{number:03d}"
    priority, department = _priority(problem, user["plan"]), _department(problem)
    with session.workflow("ticketFlow", {"ticketId": ticket_id, "priority": priority, "customer": user}):
        session.tool(
            "createTicket",
            {
                "subject": problem,
                "priority": priority,
                "department": department,
                "origin": {"channel": session.state.user.get("channel", "chat"), "customer": {"plan": user["plan"]}},
                "labels": [department.lower(), priority],
            },
            result={"id": ticket_id},
        )
        session.tool("notifyDepartment", {"department": department, "ticketId": ticket_id})
    session.state.bot["ticketCount"] = number
    session.state.conversation.update(topic="support", ticket={"id": ticket_id, "open": True}, resolved=False)
    return [f"I have opened ticket {ticket_id} ({priority} priority).", f"“{department}” will be with you shortly."]


def close_ticket(session: Any) -> str:
    """Close the ticket of this conversation."""
    ticket = session.state.conversation.get("ticket")
    if not ticket:
        return "Glad to hear it! There was no open ticket."
    session.tool("closeTicket", {"ticketId": ticket["id"]})
    session.state.conversation.update(ticket={"id": ticket["id"], "open": False}, resolved=True)
    return f"Wonderful, I have closed ticket {ticket['id']}."


def _priority(problem: str, plan: str) -> str:
    if any(word in problem.lower() for word in _URGENT):
        return "urgent"
    return "high" if plan == "pro" else "normal"


def _department(problem: str) -> str:
    for words, department in _DEPARTMENTS:
        if any(word in problem.lower() for word in words.split()):
            return department
    return "General"
