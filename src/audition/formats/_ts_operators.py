"""What the operators of JavaScript make of known values; where it would guess what is meant, nothing is made."""

import math
from collections.abc import Callable

from audition.formats._ts_values import (
    UNDEFINED,
    JsList,
    JsObject,
    Opaque,
    Variable,
    is_number,
    is_true,
    joined,
    number,
    text_of,
)

_NAMES_OF_ALL_OBJECTS = frozenset(
    {"constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf",
     "__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"}
)  # fmt: skip


class NotReadError(Exception):
    """What an operator makes of these values is not said here."""


def binary(operator: str, left: object, right: object) -> object:
    """Return what an operator makes of two values.

    Raises: NotReadError when it is not one of texts, numbers and comparisons of like with like.
    """
    if operator == "+" and (isinstance(left, str) or isinstance(right, str)):
        return joined(_text(left) + _text(right))
    if operator in _SAME:
        return _same(left, right, strict=operator in ("===", "!==")) is (operator in ("===", "=="))
    if operator in _ORDER:
        return _ORDER[operator](*_comparable(left, right))
    if operator not in _ARITHMETIC or not is_number(left) or not is_number(right):
        raise NotReadError
    return number(_ARITHMETIC[operator](_float(left), _float(right)))


def unary(operator: str, value: object) -> object:
    """Return what an operator makes of one value.

    Raises: NotReadError as above.
    """
    if operator == "void":
        return UNDEFINED
    if operator == "!" and not isinstance(value, Opaque | Variable):
        return not is_true(value)
    if operator == "!" and value is UNDEFINED:
        return True
    if operator in ("-", "+") and is_number(value):
        return number(-_float(value) if operator == "-" else _float(value))
    raise NotReadError


def property_of(value: object, key: str) -> object:
    """Return what a value has under a key: an entry, an item, a character or a length; undefined when it has none.

    Raises: NotReadError for what all objects have, such as `toString`, and for the methods of lists and texts.
    """
    if isinstance(value, JsObject) and (key in value or key not in _NAMES_OF_ALL_OBJECTS):
        return value.get(key, UNDEFINED)
    if not isinstance(value, JsList | str):
        raise NotReadError
    units = value.encode("utf-16-le", "surrogatepass") if isinstance(value, str) else b""
    size = len(units) // 2 if isinstance(value, str) else len(value)
    if key == "length":
        return size
    if not key.isascii() or not key.isdecimal() or str(int(key[:15])) != key:
        raise NotReadError
    at = int(key)
    if at >= size:
        return UNDEFINED
    return units[2 * at : 2 * at + 2].decode("utf-16-le", "surrogatepass") if units else value[at]


def _text(value: object) -> str:
    text = text_of(value)
    if text is None:
        raise NotReadError
    return text


def _float(value: object) -> float:
    assert isinstance(value, int | float)  # is_number said so
    return float(value)


def _same(left: object, right: object, *, strict: bool) -> bool:
    if isinstance(left, Variable) or isinstance(right, Variable):
        raise NotReadError
    nothing = (left is None or left is UNDEFINED, right is None or right is UNDEFINED)
    if any(nothing):
        return all(nothing) and (not strict or left is right)
    if isinstance(left, Opaque) or isinstance(right, Opaque):
        raise NotReadError
    if isinstance(left, JsObject | JsList) or isinstance(right, JsObject | JsList):
        if not strict:
            raise NotReadError
        return left is right
    kinds = [(bool, str, float)[0 if isinstance(v, bool) else 1 if isinstance(v, str) else 2] for v in (left, right)]
    if kinds[0] is not kinds[1]:
        if strict:
            return False
        raise NotReadError
    return left == right


def _comparable(left: object, right: object) -> tuple[float, float] | tuple[bytes, bytes]:
    if is_number(left) and is_number(right):
        return _float(left), _float(right)
    if isinstance(left, str) and isinstance(right, str):
        return left.encode("utf-16-be", "surrogatepass"), right.encode("utf-16-be", "surrogatepass")
    raise NotReadError


def _divided(left: float, right: float) -> float:
    if right:
        return left / right
    return math.nan if not left or left != left else math.copysign(math.inf, left) * math.copysign(1, right)


def _remainder(left: float, right: float) -> float:
    return math.nan if not right or math.isinf(left) else math.fmod(left, right)


def _power(left: float, right: float) -> float:
    if right != right or (abs(left) == 1 and math.isinf(right)):
        return math.nan
    try:
        return math.pow(left, right)
    except OverflowError:
        return -math.inf if left < 0 and right % 2 == 1 else math.inf
    except ValueError:
        return math.nan if left else math.inf


_SAME = frozenset({"===", "!==", "==", "!="})
_ORDER: dict[str, Callable[..., bool]] = {
    "<": lambda left, right: left < right,
    ">": lambda left, right: left > right,
    "<=": lambda left, right: left <= right,
    ">=": lambda left, right: left >= right,
}
_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": _divided,
    "%": _remainder,
    "**": _power,
}
