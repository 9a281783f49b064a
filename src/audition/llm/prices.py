"""What a call costs, from the public prices that genai-prices carries; nothing is looked up on the network.

Source: genai-prices (MIT), the data of the installed version.
"""

from collections.abc import Callable
from ipaddress import ip_address
from urllib.parse import urlsplit

from audition.providers import Provider
from audition.transcript import Usage

Price = Callable[[Usage, int], float | None]
"""What a call costs in US dollars, from its usage and how many of its input tokens came from the provider's cache.

None: not known, since its tokens are not.
"""

_BY_NAME = {"google": "google", "anthropic": "anthropic", "bedrock": "aws"}
"""What the list calls the providers that are reached without a `base_url` of ours."""


def price_of(provider: Provider, model: str) -> Price | None:
    """Return the price of a model: the one that settings name, else the public one; None when it is not known.

    A model is looked up only at the provider that is really asked, never by its name alone. Takes half a second of
    CPU when the list is first opened.
    """
    if provider.input_usd_per_million is not None and provider.output_usd_per_million is not None:
        return _flat(provider.input_usd_per_million, provider.output_usd_per_million)
    if provider.base_url:
        return _listed(model, url=provider.base_url) if _is_public(provider.base_url) else None
    name = _BY_NAME.get(provider.name)
    return _listed(model, name=name) if name else None


def _flat(input_usd: float, output_usd: float) -> Price:
    def price(usage: Usage, _cached: int) -> float | None:
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        return (usage.input_tokens * input_usd + usage.output_tokens * output_usd) / 1_000_000

    return price


def _listed(model: str, *, name: str | None = None, url: str | None = None) -> Price | None:
    import genai_prices  # 0.2 s of CPU: only when a public price is asked for

    def price(usage: Usage, cached: int) -> float | None:
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        taken = genai_prices.Usage(
            input_tokens=usage.input_tokens,
            cache_read_tokens=min(cached, usage.input_tokens),
            output_tokens=usage.output_tokens,
        )
        if url is not None:
            return float(genai_prices.calc_price(taken, model, provider_api_url=url).total_price)
        return float(genai_prices.calc_price(taken, model, provider_id=name).total_price)

    try:
        price(Usage(input_tokens=1, output_tokens=1), 0)
    except LookupError:
        return None
    return price


def _is_public(url: str) -> bool:
    """Say whether a URL may be that of a provider on the list: not this machine, and no bare name or address."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    try:
        ip_address(host)
    except ValueError:
        return "." in host
    return False
