"""Where language models are to be reached, and with what key."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """An endpoint that serves language models.

    `protocol` is the file of `audition/llm/` that speaks to it. `api_key_env` is the variable the key came from, for
    messages; `api_key` is never shown (it is left out of `repr`). `timeout_s`: longest wait for one attempt, seconds.
    `attempts`: how often a request is tried on 429, 5xx and broken connections, >= 1.
    """

    name: str
    base_url: str = ""
    protocol: str = "openai_compatible"
    api_key: str | None = field(default=None, repr=False)
    api_key_env: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout_s: float = 120.0
    attempts: int = 6
