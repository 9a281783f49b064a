"""What calls cost, and when that is not known."""

import socket
from typing import Any

import pytest

from audition.llm.prices import price_of
from audition.providers import Provider
from audition.settings import PROVIDERS
from audition.transcript import Usage

THOUSAND = Usage(calls=1, input_tokens=1000, output_tokens=1000)
AZURE = Provider(name="azure", base_url="https://shop.openai.azure.com/openai/v1?api-version=preview")
PROXY = Provider(name="openai", base_url="https://models.example/v1")
OWN = {"input_usd_per_million": 2.0, "output_usd_per_million": 8.0}


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        (PROVIDERS["openai"], "gpt-4o"),
        (PROVIDERS["openai"], "gpt-4o-2024-08-06"),
        (PROVIDERS["google"], "gemini-2.5-flash"),
        (PROVIDERS["anthropic"], "claude-sonnet-4-5"),
        (PROVIDERS["bedrock"], "us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
        (AZURE, "gpt-4o"),
    ],
    ids=["openai", "dated", "google", "anthropic", "bedrock", "azure"],
)
def test_a_public_price_is_known(provider, model):
    price = price_of(provider, model)

    assert price is not None
    assert 0 < (price(THOUSAND, 0) or 0) < 1


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        (PROVIDERS["openai"], "gpt-no-such-thing"),
        (PROVIDERS["ollama"], "gpt-4o"),
        (PROXY, "gpt-4o"),
        (Provider(name="local", base_url="http://gpu-box:8000/v1"), "gpt-4o"),
        (Provider(name="local", base_url="http://[::1"), "gpt-4o"),
        (Provider(name="stand_in", protocol="scripted"), "gpt-4o"),
        (Provider(name="half", base_url="http://127.0.0.1/v1", input_usd_per_million=1), "gpt-4o"),
    ],
    ids=["unknown model", "this machine", "somebody's proxy", "bare name", "no URL", "no place", "half a price"],
)
def test_a_price_is_not_guessed_from_a_name(provider, model):
    assert price_of(provider, model) is None


def test_a_price_of_the_settings_goes_before_the_public_one():
    price = price_of(Provider(name="openai", base_url="https://api.openai.com/v1", **OWN), "gpt-4o")

    assert price is not None
    assert price(THOUSAND, 0) == pytest.approx(0.01)


@pytest.mark.parametrize("own", [{}, OWN], ids=["public", "own"])
@pytest.mark.parametrize("usage", [Usage(calls=1), Usage(input_tokens=5), Usage(output_tokens=5)])
def test_what_took_nobody_knows_how_many_tokens_costs_nobody_knows_what(own: dict[str, Any], usage):
    price = price_of(Provider(name="openai", base_url="https://api.openai.com/v1", **own), "gpt-4o")

    assert price is not None
    assert price(usage, 0) is None


def test_tokens_from_the_cache_cost_less():
    price = price_of(PROVIDERS["openai"], "gpt-4o")

    assert price is not None
    assert 0 < (price(THOUSAND, 1000) or 0) < (price(THOUSAND, 0) or 0)


def test_no_price_is_looked_up_on_the_network(monkeypatch):
    def refuse(*_: object) -> None:
        raise AssertionError("a connection was made")

    monkeypatch.setattr(socket.socket, "connect", refuse)

    assert price_of(PROVIDERS["openai"], "gpt-4o-mini") is not None
