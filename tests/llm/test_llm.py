"""The port to language models: references, aliases, and what several answers cost."""

import pytest

from audition.errors import SettingsError
from audition.llm import Models, total
from audition.providers import Provider
from audition.transcript import Usage

MODELS = Models({"fast": "local:tiny", "lost": "nowhere:tiny"}, {"local": Provider(name="local")})


@pytest.mark.parametrize(
    ("usages", "whole"),
    [
        ([], Usage()),
        ([Usage(calls=1, input_tokens=2)], Usage(calls=1, input_tokens=2)),
        (
            [Usage(calls=1, input_tokens=2, cost_usd=0.5), Usage(calls=1, output_tokens=3, cost_usd=0.25)],
            Usage(calls=2, cost_usd=0.75),
        ),
    ],
    ids=["none", "one", "an unknown count stays unknown"],
)
def test_usages_add_up(usages, whole):
    assert total(usages) == whole


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
