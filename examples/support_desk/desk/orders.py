"""Orders: where they are, and money back for those that may be returned."""

from typing import Any

from desk.records import look_up_order


class NotReturnable(Exception):
    """The time in which an order may be returned is over."""


def track(order_id: str, session: Any) -> str | list[str]:
    """Say where an order is, and when it arrives if it is still on its way."""
    session.state.conversation["topic"] = "orders"
    order = look_up_order(session, order_id)
    if order is None:
        return f"I can find no order {order_id}."
    session.state.conversation["parcels"] = order["parcels"]
    status = f"Order {order_id} is {order['status']}."
    return [status, f"It should arrive on {order['arrives']}."] if order["arrives"] else status


def refund(order_id: str, session: Any) -> str:
    """Give the money back, unless the order may not be returned any more: the workflow then fails."""
    order = look_up_order(session, order_id)
    if order is None:
        return f"I can find no order {order_id}."
    try:
        with session.workflow("refund", {"orderId": order_id, "amount": order["total"]}):
            if not order["returnable"]:
                raise NotReturnable(order_id)
            session.tool("payBack", {"orderId": order_id, "amount": order["total"]})
    except NotReturnable:
        return f"I am sorry, order {order_id} can no longer be returned."
    return f"You get {order['total']:.2f} € back for order {order_id}."
