"""What the models of a run may spend, and have spent."""

from collections.abc import Iterator
from threading import Lock

from audition.errors import ModelError
from audition.providers import Allowance
from audition.transcript import Usage


class Budget:
    """One for all models of a run: agents', judges' and simulated users'.

    Calls are counted when they begin, tokens and cost when the answer is there: the calls that are under way when the
    budget is spent still count, so these two may be exceeded by what those calls come to. `refusal` says why the first
    call was refused; None: none was.
    """

    def __init__(self, allowance: Allowance = Allowance()) -> None:  # noqa: B008  (frozen)
        self._allowance = allowance
        self._calls, self._tokens, self._cost_usd = 0, 0, 0.0
        self._uncounted: str | None = None
        self._lock = Lock()  # agents may bring threads and loops of their own
        self.refusal: str | None = None

    def is_over(self) -> bool:
        """Say whether a call was refused."""
        return self.refusal is not None

    def take(self, model: str, *, has_price: bool) -> None:
        """Count a call that is about to be made; `model` names it in messages.

        Raises: ModelError when the budget is spent, or cannot be kept, since nobody can say what the call would cost.
        """
        with self._lock:
            spent = next(self._spent(), None)
            if spent is not None:
                raise self._refused(f"the budget of {spent} is spent", "allow more, or select fewer evals")
            if self._uncounted is not None:
                raise self._refused(f"the budget cannot be kept: {self._uncounted}", "set a limit of calls instead")
            if self._allowance.max_cost_usd is not None and not has_price:
                name = model.partition(":")[0]
                hint = f"set [providers.{name}] input_usd_per_million and output_usd_per_million in audition.toml"
                raise self._refused(f"the budget in dollars cannot be kept: the price of {model!r} is not known", hint)
            self._calls += 1

    def spend(self, model: str, usage: Usage) -> None:
        """Count what a call came to. What it does not say cannot be held to a limit: the next call is refused."""
        with self._lock:
            if usage.input_tokens is not None and usage.output_tokens is not None:
                self._tokens += usage.input_tokens + usage.output_tokens
            elif self._allowance.max_tokens is not None:
                self._uncounted = f"{model!r} does not say how many tokens it took"
            if usage.cost_usd is not None:
                self._cost_usd += usage.cost_usd
            elif self._allowance.max_cost_usd is not None:
                self._uncounted = f"{model!r} does not say what a call cost"

    def _spent(self) -> Iterator[str]:
        may = self._allowance
        if may.max_calls is not None and self._calls >= may.max_calls:
            yield f"{may.max_calls:,} call{'' if may.max_calls == 1 else 's'}"
        if may.max_tokens is not None and self._tokens >= may.max_tokens:
            yield f"{may.max_tokens:,} token{'' if may.max_tokens == 1 else 's'}"
        if may.max_cost_usd is not None and self._cost_usd >= may.max_cost_usd:
            yield f"${may.max_cost_usd:g}"

    def _refused(self, message: str, hint: str) -> ModelError:
        self.refusal = self.refusal or message
        return ModelError(message, hint=hint)
