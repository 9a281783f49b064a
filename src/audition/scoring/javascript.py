"""What JavaScript makes of JSON values when it compares them: as texts, as numbers, and with `===`.

Source: ECMA-262, ToString, ToNumber and IsStrictlyEqual.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from math import inf, isinf, isnan, nan

from audition.scoring.matchers import same
from audition.scoring.paths import MISSING

_DECIMAL = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_OTHER_BASE = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")


def as_text(value: object) -> str:
    """Return what `String(value)` gives; MISSING is `undefined`."""
    if isinstance(value, str):
        return value
    if value is MISSING:
        return "undefined"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _number_as_text(float(value))
    if isinstance(value, list | tuple):
        return ",".join("" if item is None else as_text(item) for item in value)
    return "[object Object]"


def as_number(value: object) -> float:
    """Return what `Number(value)` gives; NaN for what is no number, MISSING among it."""
    if value is None:
        return 0.0
    if isinstance(value, bool | int | float):
        return float(value)
    if isinstance(value, list | tuple):
        value = as_text(value)
    return _text_as_number(value.strip()) if isinstance(value, str) else nan


def identical(one: object, other: object) -> bool:
    """Tell whether `one === other`: objects and lists, being read anew each time, never are."""
    if isinstance(one, Mapping | list | tuple):
        return False
    return same(one, other, case_sensitive=True)


def _text_as_number(text: str) -> float:
    if not text:
        return 0.0
    if _OTHER_BASE.fullmatch(text):
        return float(int(text, 0))
    if _DECIMAL.fullmatch(text):
        return float(text)
    return {"Infinity": inf, "+Infinity": inf, "-Infinity": -inf}.get(text, nan)


def _number_as_text(number: float) -> str:
    if isnan(number):
        return "NaN"
    if isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0 or 1e-6 <= abs(number) < 1e21:
        text = format(Decimal(repr(number)), "f")
        return text.removesuffix(".0").replace("-0", "0") if number == 0 else text.removesuffix(".0")
    mantissa, _, exponent = repr(number).partition("e")
    return f"{mantissa.removesuffix('.0')}e{exponent[0]}{exponent[1:].lstrip('0')}"
