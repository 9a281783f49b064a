"""What a run was asked to do beside trying its candidate, as it is kept with the run."""

import json
from dataclasses import asdict, dataclass, fields
from typing import Literal

ToolMode = Literal["live", "mock", "record", "replay"]
"""Where tool results come from: the tools; canned ones; the tools, written down; what an earlier run wrote down."""

RunKind = Literal["evaluate", "retry", "resume", "rejudge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """Options of a run; the defaults are the seed's behaviour.

    `trials`: how often each case is run, 1..50. `pass_policy`: `all`, `majority`, or how many of the trials must pass.
    `concurrency`: how many cases side by side. `case_ids` and `tags` choose some cases, empty: all. `replay_of`: the
    run whose recorded tool results are used. `judge`: a model reference, None for the settings' judge; `judge_votes`
    as in settings. `subject_model`: the model in place of the root's own. `max_…`: what the run may spend, None for no
    limit; `max_duration_s` seconds from its beginning. `scope`: which results a retry repeats.
    """

    trials: int = 1
    pass_policy: str | int = "all"
    concurrency: int = 1
    case_ids: tuple[int, ...] = ()
    tags: tuple[str, ...] = ()
    tool_mode: ToolMode = "live"
    replay_of: int | None = None
    judge: str | None = None
    judge_votes: int | None = None
    subject_model: str | None = None
    max_cost_usd: float | None = None
    max_calls: int | None = None
    max_tokens: int | None = None
    max_duration_s: float | None = None
    scope: Literal["errors", "failed", "all"] | None = None

    def encode(self) -> str:
        """Return the options as JSON, without those at their default."""
        return json.dumps({name: value for name, value in asdict(self).items() if value != _DEFAULTS[name]})


_DEFAULTS = {one.name: one.default for one in fields(RunOptions)}


def decode_options(text: str) -> RunOptions:
    """Return the options that were encoded."""
    kept = json.loads(text)
    lists = {name: tuple(kept[name]) for name in ("case_ids", "tags") if name in kept}
    return RunOptions(**kept | lists)
