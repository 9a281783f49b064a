"""What JavaScript makes of JSON values; the expected values are those of node."""

from math import isnan

import pytest

from audition.scoring.javascript import as_number, as_text, identical
from audition.scoring.paths import MISSING

TEXTS = [
    pytest.param(MISSING, "undefined", id="nothing"),
    pytest.param(None, "null", id="null"),
    pytest.param(True, "true", id="true"),
    pytest.param("x", "x", id="text"),
    pytest.param(5, "5", id="integer"),
    pytest.param(5.0, "5", id="whole number"),
    pytest.param(-0.0, "0", id="minus zero"),
    pytest.param(0.1, "0.1", id="decimal"),
    pytest.param(100.0, "100", id="round number"),
    pytest.param(1e20, "100000000000000000000", id="large"),
    pytest.param(1e21, "1e+21", id="larger"),
    pytest.param(1.5e22, "1.5e+22", id="larger with digits"),
    pytest.param(1e-6, "0.000001", id="small"),
    pytest.param(1e-7, "1e-7", id="smaller"),
    pytest.param(["a", None, [1, True]], "a,,1,true", id="list"),
    pytest.param([], "", id="empty list"),
    pytest.param({"a": 1}, "[object Object]", id="object"),
]


@pytest.mark.parametrize(("value", "text"), TEXTS)
def test_a_value_as_text(value: object, text: str) -> None:
    assert as_text(value) == text


NUMBERS = [
    pytest.param(None, 0, id="null"),
    pytest.param(True, 1, id="true"),
    pytest.param(" 42 ", 42, id="text"),
    pytest.param("", 0, id="empty text"),
    pytest.param("1e3", 1000, id="exponent"),
    pytest.param(".5", 0.5, id="no digit before the point"),
    pytest.param("0x10", 16, id="hexadecimal"),
    pytest.param("-Infinity", float("-inf"), id="infinity"),
    pytest.param([], 0, id="empty list"),
    pytest.param(["7"], 7, id="list of one"),
]


@pytest.mark.parametrize(("value", "number"), NUMBERS)
def test_a_value_as_number(value: object, number: float) -> None:
    assert as_number(value) == number


@pytest.mark.parametrize(
    "value", [MISSING, "12px", "1_000", "0x", {"a": 1}, [1, 2]], ids=["missing", "unit", "bar", "hex", "object", "list"]
)
def test_what_is_no_number(value: object) -> None:
    assert isnan(as_number(value))


SAME = [
    pytest.param(1, 1.0, True, id="numbers by value"),
    pytest.param("a", "A", False, id="case counts"),
    pytest.param(1, True, False, id="kinds count"),
    pytest.param(None, None, True, id="null"),
    pytest.param([1], [1], False, id="lists never"),
    pytest.param({"a": 1}, {"a": 1}, False, id="objects never"),
    pytest.param(MISSING, None, False, id="nothing is not null"),
]


@pytest.mark.parametrize(("one", "other", "held"), SAME)
def test_strict_equality(one: object, other: object, held: bool) -> None:
    assert identical(one, other) is held
