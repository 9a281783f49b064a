"""Operators of JavaScript on known values."""

from math import inf, isnan

import pytest

from audition.formats._ts_operators import NotReadError, binary, unary
from audition.formats._ts_values import FUNCTION, UNDEFINED, JsList, Opaque, Variable

LIST = JsList((1, 1), "f")


@pytest.mark.parametrize(
    ("left", "operator", "right", "made"),
    [
        ("a", "+", 1, "a1"), (1, "+", "a", "1a"), (1.5, "+", 1.5, 3), ("a", "+", None, "anull"), ("x",
        "+", True, "xtrue"),
        (7, "/", 2, 3.5), (1, "/", 0, inf), (-1, "/", 0, -inf), (-7, "%", 3, -1), (5.5, "%", 2, 1.5),
        (2, "**", 10, 1024),
        (2, "**", -1, 0.5), (10, "**", 400, inf), (-10, "**", 401, -inf), (0, "**", -1, inf), (1e308, "*", 10, inf),
        (1, "===", 1, True), (1, "===", "1", False), (True, "===", 1, False), ("a", "!==", "b", True),
        (1, "!=", 1, False),
        (None, "==", UNDEFINED, True), (None, "===", UNDEFINED, False), (0, "==", None, False),
        (LIST, "===", LIST, True),
        (LIST, "!==", JsList((1, 1), "f"), True), ("B", "<", "a", True), ("😀", "<", "\uffff", True),
        (2, ">=", 2, True),
    ],
    ids=repr,
)  # fmt: skip
def test_an_operator_makes_what_javascript_makes(left: object, operator: str, right: object, made: object) -> None:
    assert binary(operator, left, right) == made
    assert type(binary(operator, left, right)) is type(made)


@pytest.mark.parametrize(("left", "operator", "right"), [(0, "/", 0), (1, "%", 0), (-8, "**", 0.5), (1, "**", inf)])
def test_what_is_no_number_is_none(left: float, operator: str, right: float) -> None:
    made = binary(operator, left, right)

    assert isinstance(made, float)
    assert isnan(made)


@pytest.mark.parametrize(
    ("left", "operator", "right"),
    [
        ("a", "+", UNDEFINED), ("a", "+", LIST), (True, "+", 1), ("2", "*", 2), ("1", "==", 1), (1, "<", "2"),
        (LIST, "==", LIST), (FUNCTION, "===", FUNCTION), (Variable("X"), "===", "a"), (1, ">>>", 1), (1, "in", LIST),
    ],
    ids=repr,
)  # fmt: skip
def test_what_would_be_a_guess_is_not_made(left: object, operator: str, right: object) -> None:
    with pytest.raises(NotReadError):
        binary(operator, left, right)


def test_operators_on_one_value() -> None:
    made = [unary("-", 2), unary("+", 3), unary("-", 0), unary("!", ""), unary("!", UNDEFINED), unary("void", 1)]

    assert made == [-2, 3, 0, True, True, UNDEFINED]


@pytest.mark.parametrize(
    ("operator", "value"), [("-", "2"), ("~", 1), ("typeof", 1), ("!", Opaque("a BigInt")), ("!", Variable("X"))]
)
def test_what_one_operator_would_guess_is_not_made(operator: str, value: object) -> None:
    with pytest.raises(NotReadError):
        unary(operator, value)
