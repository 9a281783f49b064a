"""The port to language models: references, aliases, and what is put around a model."""

from collections.abc import Mapping
from typing import Any

import pytest

from audition.errors import SettingsError
from audition.llm import Around, LanguageModel, Models
from audition.providers import Provider

MODELS = Models({"fast": "local:tiny", "lost": "nowhere:tiny"}, {"local": Provider(name="local")})


@pytest.mark.parametrize("reference", ["local:tiny", "fast"])
def test_a_reference_and_an_alias_name_the_same_model(reference):
    provider, model = MODELS.resolve(reference)

    assert (provider.name, model) == ("local", "tiny")


def test_a_models_name_may_hold_colons():
    assert MODELS.resolve("local:llama3:8b")[1] == "llama3:8b"


@pytest.mark.parametrize(
    ("reference", "key"), [("slow", "models"), ("local:", "models"), ("lost", "providers"), ("other:x", "providers")]
)
def test_what_settings_do_not_name_is_their_fault(reference, key):
    with pytest.raises(SettingsError) as caught:
        MODELS.resolve(reference)

    assert caught.value.key == key
    assert caught.value.hint


def test_what_is_put_around_a_model_is_told_which_it_is_and_the_first_is_innermost():
    told: list[tuple[str, str, str, object]] = []

    def putting(mark: str) -> Around:
        def around(model: LanguageModel, provider: Provider, name: str, parameters: Mapping[str, object]) -> Any:
            told.append((mark, provider.name, name, dict(parameters)))
            return (mark, model)

        return around

    stand_in = Provider(name="stand_in", protocol="scripted")
    opened: Any = Models(providers={"stand_in": stand_in}, around=[putting("a"), putting("b")]).open(
        "stand_in:x", seed=1
    )

    assert told == [("a", "stand_in", "x", {"seed": 1}), ("b", "stand_in", "x", {"seed": 1})]
    assert (opened[0], opened[1][0]) == ("b", "a")
