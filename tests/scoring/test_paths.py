import pytest

from audition.scoring.paths import MISSING, value_at

DATA = {
    "topic": "support",
    "user": {"name": "Ada", "tags": ["a", {"id": 7}]},
    "user.name": "flat",
    "a.b": {"c.d": 1},
    "a": {"b": {"e": 2}},
    "nothing": None,
    "0": "zero",
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param("topic", "support", id="one key"),
        pytest.param("user.name", "flat", id="an exact flat key wins"),
        pytest.param("user.tags.0", "a", id="a position in a list"),
        pytest.param("user.tags.1.id", 7, id="beyond a list"),
        pytest.param("a.b.c.d", 1, id="keys with dots on the way"),
        pytest.param("a.b.e", 2, id="nested when no key with dots leads there"),
        pytest.param("nothing", None, id="null is a value"),
        pytest.param("0", "zero", id="a key that is a number"),
    ],
)
def test_a_path_leads_to_a_value(path: str, expected: object) -> None:
    assert value_at(DATA, path) == expected


@pytest.mark.parametrize(
    "path",
    [
        "Topic",
        "topic.length",
        "user.tags.2",
        "user.tags.-1",
        "user.tags.x",
        "user.tags.²",
        "user.tags." + "9" * 5000,
        "",
    ],
)
def test_a_path_that_leads_nowhere_is_missing(path: str) -> None:
    assert value_at(DATA, path) is MISSING
