"""What every model is held to: its provider's limits, the budget of the run, and a note of what each call cost."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from weakref import WeakKeyDictionary

from audition.llm import Completion, JsonSchema, LanguageModel, Message, ToolDefinition
from audition.llm.budget import Budget
from audition.llm.prices import Price, price_of
from audition.providers import Provider
from audition.transcript import Usage

_BURST = 1 / 10
"""How much of a minute's share may be used at once."""

_CHARACTERS_PER_TOKEN = 4
"""A guess at what a request takes, set right when its answer says."""


class _Bucket:
    """A token bucket that lets `per_minute` through in any minute; `now` is in seconds.

    What is taken is taken at once, and the wait returned: so there is an order, and no lock of any loop.
    """

    def __init__(self, per_minute: float, now: Callable[[], float]) -> None:
        self._most = max(1.0, per_minute * _BURST)
        self._per_second = (per_minute - self._most + 1) / 60
        self._level, self._seen_at, self._now = self._most, now(), now

    def take(self, amount: float) -> float:
        """Take so much, and return how long to wait first, in seconds; a negative amount is given back."""
        now = self._now()
        self._level = min(self._most, self._level + (now - self._seen_at) * self._per_second) - amount
        self._seen_at = now
        return max(0.0, -self._level / self._per_second)


class Gate:
    """The way to one provider, for all its models. `max_at_once` holds in each event loop."""

    def __init__(
        self, provider: Provider, *, now: Callable[[], float], sleep: Callable[[float], Awaitable[object]]
    ) -> None:
        self._most, self._sleep = provider.max_at_once, sleep
        self._places: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()
        self._requests = _Bucket(provider.requests_per_minute, now) if provider.requests_per_minute else None
        self._tokens = _Bucket(provider.tokens_per_minute, now) if provider.tokens_per_minute else None

    @asynccontextmanager
    async def passage(self, tokens: int) -> AsyncIterator[None]:
        """Let a request through that may take so many tokens, when it is its turn."""
        async with self._place():
            waits = [bucket.take(amount) for bucket, amount in ((self._requests, 1), (self._tokens, tokens)) if bucket]
            if (wait_s := max(waits, default=0.0)) > 0:
                await self._sleep(wait_s)
            yield

    def guess(self, messages: Sequence[Message]) -> int:
        """Return how many tokens a request may take, 0 where nobody counts them."""
        return sum(len(message.content) for message in messages) // _CHARACTERS_PER_TOKEN if self._tokens else 0

    def correct(self, guessed: int, usage: Usage) -> None:
        """Set right what a request was thought to take."""
        if self._tokens and usage.input_tokens is not None and usage.output_tokens is not None:
            self._tokens.take(usage.input_tokens + usage.output_tokens - guessed)

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[None]:
        if self._most is None:
            yield
            return
        loop = asyncio.get_running_loop()
        if loop not in self._places:
            self._places[loop] = asyncio.Semaphore(self._most)
        async with self._places[loop]:
            yield


class Limits:
    """The limits of all providers and the budget of a run: `Models(…, around=[Limits(budget).around])`.

    `now` (seconds) and `sleep` are for tests.
    """

    def __init__(
        self,
        budget: Budget,
        *,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._budget, self._now, self._sleep = budget, now, sleep
        self._gates: dict[tuple[str, int | None, int | None, int | None], Gate] = {}

    def around(
        self, model: LanguageModel, provider: Provider, name: str, _parameters: Mapping[str, object]
    ) -> LanguageModel:
        """Return the model, held to the limits of its provider, which all its models share, and to the budget."""
        held = (provider.name, provider.requests_per_minute, provider.tokens_per_minute, provider.max_at_once)
        gate = self._gates.get(held)
        if gate is None:
            gate = self._gates[held] = Gate(provider, now=self._now, sleep=self._sleep)
        return Limited(model, provider, name, gate=gate, budget=self._budget)


class Limited:
    """A model that waits its turn, spends from a budget, and says what each call cost, if that is known.

    Waiting is no part of an answer's `elapsed_ms`.
    """

    def __init__(self, model: LanguageModel, provider: Provider, name: str, *, gate: Gate, budget: Budget) -> None:
        self._model, self._provider, self._name = model, provider, name
        self._reference = f"{provider.name}:{name}"
        self._gate, self._budget = gate, budget
        self._price: Price | None = None
        self._looked_up = False

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        tools: Sequence[ToolDefinition] = (),
        timeout_s: float | None = None,
    ) -> Completion:
        """Return the model's answer.

        Raises: ModelError when no answer is to be had, or none is to be paid for any more.
        """
        if not self._looked_up:
            # In a thread: other answers are being timed on this loop.
            self._price, self._looked_up = await asyncio.to_thread(price_of, self._provider, self._name), True
        guessed = self._gate.guess(messages)
        async with self._gate.passage(guessed):
            self._budget.take(self._reference, has_price=self._price is not None)
            completion = await self._model.complete(messages, schema=schema, tools=tools, timeout_s=timeout_s)
        self._gate.correct(guessed, completion.usage)
        usage = self._with_cost(completion)
        self._budget.spend(self._reference, usage)
        return replace(completion, usage=usage)

    def _with_cost(self, completion: Completion) -> Usage:
        usage = completion.usage
        if self._price is None or usage.cost_usd is not None:
            return usage
        return replace(usage, cost_usd=self._price(usage, completion.cached_tokens))
