"""What the desk can look up: who is asking, and what was ordered."""

from typing import Any

USERS = {
    "u-204": {"plan": "pro", "language": "en"},
    "u-377": {"plan": "free", "language": "en"},
}

ORDERS: dict[str, dict[str, Any]] = {
    "ORD-1001": {"status": "on its way", "arrives": "Friday", "parcels": 2, "total": 49.90, "returnable": True},
    "ORD-1002": {"status": "delivered", "arrives": None, "parcels": 1, "total": 12.00, "returnable": True},
    "ORD-0815": {"status": "delivered", "arrives": None, "parcels": 1, "total": 80.00, "returnable": False},
}


def look_up_user(session: Any) -> dict[str, str]:
    """Return who is asking; somebody unknown is a guest. Keeps the plan in the user's state."""
    user_id = session.state.user.get("id", "guest")
    user = USERS.get(user_id, {"plan": "guest"})
    session.tool("lookupUser", {"userId": user_id}, result=user)
    session.state.user["plan"] = user["plan"]
    return user


def look_up_order(session: Any, order_id: str) -> dict[str, Any] | None:
    """Return an order, or None when there is no such order."""
    order = ORDERS.get(order_id)
    session.tool("lookupOrder", {"orderId": order_id}, result=order)
    return order
