"""Where language models are to be reached, with what key and within what limits; and what a run may spend on them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address

_SECRET_HEADER = re.compile("auth|key|token|secret|cookie|password|credential", re.IGNORECASE)
_SHORTEST_SECRET = 6
"""What is shorter is no key, and would be found in harmless text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """An endpoint that serves language models.

    `protocol` is the file of `audition/llm/` that speaks to it. `api_key_env` is the variable the key came from, for
    messages; `api_key` is never shown (it is left out of `repr`). `timeout_s`: longest wait for one attempt, seconds.
    `attempts`: how often a request is tried on 429, 5xx and broken connections, >= 1. `offline`: no connection to it
    may leave this machine. `folder` holds the scripts of scripted models, None where there are none.

    `requests_per_minute`, `tokens_per_minute` (input and output) and `max_at_once` hold for all its models together;
    None: no limit. `input_usd_per_million` and `output_usd_per_million` are what a million tokens of any of its models
    cost, US dollars; None: as in the list of public prices.
    """

    name: str
    base_url: str = ""
    protocol: str = "openai_compatible"
    api_key: str | None = field(default=None, repr=False)
    api_key_env: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout_s: float = 120.0
    attempts: int = 6
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    max_at_once: int | None = None
    input_usd_per_million: float | None = None
    output_usd_per_million: float | None = None
    offline: bool = False
    folder: str | None = None

    @property
    def secrets(self) -> tuple[str, ...]:
        """Return what must not be written anywhere: the key, and the values of headers that may hold one."""
        held = [self.api_key or ""]
        for name, value in self.headers.items():
            if _SECRET_HEADER.search(name):
                held += [value, *value.split()[-1:]]
        return tuple(dict.fromkeys(text for text in held if len(text) >= _SHORTEST_SECRET))


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What the language models of one run may spend, all together. None: no limit. `max_tokens`: input and output."""

    max_cost_usd: float | None = None
    max_calls: int | None = None
    max_tokens: int | None = None


def is_loopback(host: str) -> bool:
    """Say whether a host is this machine by its very name: `localhost`, what ends in `.localhost`, 127.0.0.0/8, ::1.

    Nothing is looked up. Source: RFC 6761, section 6.3.
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        name = host.lower().removesuffix(".")
        return name == "localhost" or name.endswith(".localhost")
