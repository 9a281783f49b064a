from collections.abc import Callable

from audition.scoring.params import Params, ParamsShape, told


def test_parameters_are_described_in_words() -> None:
    params = Params({"priority": {"equals": "high"}, "department": {"contains": "Engineering"}, "n": 3})

    assert params.describe() == 'priority equals "high", department contains "Engineering", n equals 3'


def test_what_is_as_it_must_be_misses_nothing() -> None:
    params = Params({"user.name": "ada", "tags.0": {"matches": "^a"}, "draft": {"exists": False}})

    assert params.misses({"user": {"name": "Ada"}, "tags": ["abc"]}) == []


def test_misses_are_told_in_a_sentence() -> None:
    params = Params({"q": "news 2025", "limit": {"lte": 5}, "lang": "en"})

    misses = params.misses({"q": "news", "lang": "en"})

    assert (
        told(misses)
        == 'q expected "news 2025", got "news"; limit expected lte 5, got (nothing) (there is no such value)'
    )


def test_parameters_that_name_none_are_a_fault(faults_of: Callable[..., list[str]]) -> None:
    assert faults_of(ParamsShape(), {}) == [": 'this' must name a parameter; leave it out if none matters"]
    assert faults_of(ParamsShape(), {"q": {"contains": ""}}) != []


def test_the_schema_asks_for_a_parameter() -> None:
    assert ParamsShape().schema()["minProperties"] == 1
