"""What the desk does when something happens that nobody said: a payment, a shipment, a survey, a ping."""

from typing import Any

from desk.records import look_up_order


def paid(event: dict[str, Any], session: Any) -> None:
    """Send the receipt by mail; there is nothing to say in the chat."""
    with session.workflow("orderConfirmation", {"orderId": event["orderId"], "total": event["total"]}):
        session.tool("sendReceipt", {"orderId": event["orderId"], "total": event["total"]})


def shipped(event: dict[str, Any], session: Any) -> str:
    """Tell the user that an order is on its way."""
    order = look_up_order(session, event["orderId"])
    parcels = order["parcels"] if order else 1
    return f"Good news: order {event['orderId']} has left our warehouse in {parcels} parcel(s)."


def survey(event: dict[str, Any], session: Any) -> str | None:
    """Ask how it went, unless the user wants no surveys."""
    session.state.conversation["topic"] = "survey"
    return None if session.state.user.get("noSurveys") else f"How was {event['about']}?"


def ping(event: dict[str, Any], session: Any) -> None:
    """Do nothing: somebody only wants to know that the desk is there."""


REACTIONS = {"order.paid": paid, "order.shipped": shipped, "survey": survey, "ping": ping}
"""What is done, by the kind of event."""
