"""What every model is held to: limits of its provider, the budget of the run, and a note of what a call cost."""

import asyncio
from typing import Any

import pytest

from audition.errors import ModelError
from audition.llm import Completion, JsonSchema, LanguageModel, Message, Models, ToolDefinition
from audition.llm.budget import Budget
from audition.llm.limits import Limits
from audition.llm.scripted import Scripted
from audition.providers import Allowance, Provider
from audition.transcript import Usage

pytestmark = pytest.mark.anyio

HELLO = (Message(role="user", content="x" * 400),)  # some 100 tokens


class Clock:
    """A clock that is put on by whoever sleeps."""

    def __init__(self) -> None:
        self.now, self.waits = 0.0, list[float]()

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


def answer(**usage: Any) -> Completion:
    return Completion(text="Hi!", elapsed_ms=12.0, usage=Usage(calls=1, **usage))


def limited(
    clock: Clock, *answers: Completion | ModelError, allowance: Allowance | None = None, **settings: Any
) -> tuple[LanguageModel, Scripted]:
    """Return a model within limits, and the one inside."""
    inside = Scripted(answers) if answers else Scripted(lambda _: answer(input_tokens=100, output_tokens=0))
    limits = Limits(Budget(allowance or Allowance()), now=clock, sleep=clock.sleep)
    return limits.around(inside, Provider(**({"name": "local"} | settings)), "tiny", {}), inside


async def test_no_minute_holds_more_requests_than_it_may(clock):
    model, _ = limited(clock, requests_per_minute=30)
    begun = []

    for _ in range(100):
        await model.complete(HELLO)
        begun.append(clock.now)

    busiest = max(sum(at <= other < at + 60 for other in begun) for at in begun)
    assert 27 <= busiest <= 30
    assert clock.now == pytest.approx((100 - 3) / (30 - 2) * 60)


async def test_tokens_that_were_guessed_wrong_are_set_right(clock):
    model, _ = limited(clock, answer(input_tokens=900, output_tokens=100), answer(), tokens_per_minute=1000)

    await model.complete(HELLO)
    await model.complete(HELLO)

    # 100 may be taken at once; the first answer took 1,000, and the second request is thought to take 100
    assert clock.waits == [pytest.approx(1000 / 901 * 60)]


async def test_an_answer_that_does_not_say_its_tokens_took_what_was_guessed(clock):
    model, _ = limited(clock, answer(), answer(), tokens_per_minute=1000)

    await model.complete(HELLO)
    await model.complete(HELLO)

    assert clock.waits == [pytest.approx(100 / 901 * 60)]


async def test_waiting_is_no_part_of_the_response_time(clock):
    model, _ = limited(clock, answer(), answer(), requests_per_minute=1)

    await model.complete(HELLO)
    waited = await model.complete(HELLO)

    assert clock.waits == [60.0]
    assert waited.elapsed_ms == 12.0


async def test_all_models_of_a_provider_share_its_limits_and_no_others(clock):
    limits = Limits(Budget(), now=clock, sleep=clock.sleep)
    one, other = Provider(name="one", requests_per_minute=1), Provider(name="other", requests_per_minute=1)
    models = [limits.around(Scripted([answer()]), at, name, {}) for at, name in [(one, "a"), (other, "a"), (one, "b")]]

    for model in models:
        await model.complete(HELLO)

    assert clock.waits == [60.0]


class Slow:
    """A model that answers when it is let go on, and says how many wait for that at most."""

    def __init__(self) -> None:
        self.go_on, self.inside, self.most = asyncio.Event(), 0, 0

    async def complete(
        self,
        messages: Any,
        *,
        schema: JsonSchema | None = None,
        tools: tuple[ToolDefinition, ...] = (),
        timeout_s: float | None = None,
    ) -> Completion:
        self.inside += 1
        self.most = max(self.most, self.inside)
        await self.go_on.wait()
        self.inside -= 1
        return answer()


async def test_no_more_requests_are_under_way_than_may_be(clock):
    slow = Slow()
    model = Limits(Budget(), now=clock).around(slow, Provider(name="local", max_at_once=3), "tiny", {})  # type: ignore[arg-type]

    async with asyncio.TaskGroup() as group:
        calls = [group.create_task(model.complete(HELLO)) for _ in range(10)]
        slow.go_on.set()

    assert len(calls) == 10
    assert slow.most <= 3


def test_limits_hold_in_one_loop_after_another(clock):
    model, inside = limited(clock, max_at_once=1, requests_per_minute=1000)

    asyncio.run(model.complete(HELLO))
    asyncio.run(model.complete(HELLO))

    assert len(inside.requests) == 2


@pytest.mark.parametrize(
    ("allowance", "usage", "why"),
    [
        (Allowance(max_calls=2), {}, "the budget of 2 calls is spent"),
        (Allowance(max_tokens=200), {"input_tokens": 90, "output_tokens": 10}, "the budget of 200 tokens is spent"),
        (
            Allowance(max_cost_usd=0.02),
            {"input_tokens": 10_000, "output_tokens": 0},
            "the budget of $0.02 is spent",
        ),
    ],
    ids=["calls", "tokens", "cost"],
)
async def test_a_budget_that_is_spent_allows_no_more_calls(clock, allowance, usage, why):
    prices = {"input_usd_per_million": 1, "output_usd_per_million": 1}
    model, inside = limited(clock, answer(**usage), answer(**usage), answer(), allowance=allowance, **prices)
    await model.complete(HELLO)
    await model.complete(HELLO)

    with pytest.raises(ModelError, match=f"^{why.replace('$', '.')}") as caught:
        await model.complete(HELLO)

    assert caught.value.hint
    assert len(inside.requests) == 2


async def test_all_models_share_the_budget_and_it_says_why_it_refused(clock):
    budget = Budget(Allowance(max_calls=1))
    models = Models(
        providers={"stand_in": Provider(name="stand_in", protocol="scripted")}, around=[Limits(budget).around]
    )
    await models.open("stand_in:one").complete(HELLO)
    before = budget.refusal

    with pytest.raises(ModelError):
        await models.open("stand_in:two").complete(HELLO)

    assert (before, budget.refusal) == (None, "the budget of 1 call is spent")


async def test_a_call_that_failed_was_a_call(clock):
    model, _ = limited(clock, ModelError("down"), answer(), allowance=Allowance(max_calls=1))
    with pytest.raises(ModelError, match="down"):
        await model.complete(HELLO)

    with pytest.raises(ModelError, match="the budget of 1 call is spent"):
        await model.complete(HELLO)


async def test_a_budget_in_dollars_is_not_spent_on_what_has_no_price(clock):
    model, inside = limited(clock, answer(), allowance=Allowance(max_cost_usd=5))

    with pytest.raises(ModelError, match="the price of 'local:tiny' is not known") as caught:
        await model.complete(HELLO)

    assert "input_usd_per_million" in str(caught.value.hint)
    assert inside.requests == []


@pytest.mark.parametrize("allowance", [Allowance(max_cost_usd=5), Allowance(max_tokens=5)], ids=["cost", "tokens"])
async def test_what_a_call_does_not_say_ends_a_budget_of_it(clock, allowance):
    prices = {"input_usd_per_million": 1, "output_usd_per_million": 1}
    model, _ = limited(clock, answer(), answer(), allowance=allowance, **prices)
    await model.complete(HELLO)

    with pytest.raises(ModelError, match="the budget cannot be kept: 'local:tiny' does not say"):
        await model.complete(HELLO)


async def test_a_price_in_the_settings_is_the_cost(clock):
    said = answer(input_tokens=2_000, output_tokens=500)
    model, _ = limited(clock, said, input_usd_per_million=1.5, output_usd_per_million=4)

    priced = await model.complete(HELLO)

    assert priced.usage == Usage(calls=1, input_tokens=2_000, output_tokens=500, cost_usd=pytest.approx(0.005))


async def test_a_cost_that_is_not_known_is_not_nothing(clock):
    model, _ = limited(clock, answer(input_tokens=2_000, output_tokens=500))

    assert (await model.complete(HELLO)).usage.cost_usd is None
