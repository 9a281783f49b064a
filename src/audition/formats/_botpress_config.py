"""The `evals` block of a Botpress agent's `agent.config.ts`, read without running it.

Source: Botpress eval format, Options.
"""

from dataclasses import asdict, dataclass, replace
from os.path import realpath
from pathlib import Path

from audition.documents.located import mark_at, plain
from audition.documents.shape import Field, Number, Record, Text, read_all
from audition.errors import Fault, LoadError, Where
from audition.settings import Settings

FILE_NAMES = ("agent.config.ts", "agent.config.mts", "agent.config.js", "agent.config.mjs")
"""The names that the config may have; the first one found counts."""

_EVALS = Record(
    "evals block",
    idleTimeout=Field(Number(above=0)),
    judgePassThreshold=Field(Number(minimum=1, maximum=5, whole=True)),
    judgeModel=Field(Text(min_length=1)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BotpressConfig:
    """What an agent's config says for all its evals; None where it says nothing.

    `idle_timeout_ms` > 0. `judge_pass_threshold`: 1 to 5. `judge_model`: `fast`, `best` or `vendor:model`.
    """

    idle_timeout_ms: int | None = None
    judge_pass_threshold: int | None = None
    judge_model: str | None = None


def with_agent_config(settings: Settings) -> Settings:
    """Return settings in which a Botpress agent's config says what the project's own file leaves open.

    Source: Botpress eval format, Options (eval options before agent config before default).

    Raises: LoadError when the config is wrong: a threshold that quietly falls back would let evals pass.
    """
    config, faults = read_config(settings.root)
    if faults:
        raise LoadError(faults)
    found = {key: value for key, value in asdict(config).items() if value is not None and key not in settings.given}
    return replace(settings, **found) if found else settings


def read_config(root: Path) -> tuple[BotpressConfig, tuple[Fault, ...]]:
    """Return what the config of the agent in a folder says of evals, and what is wrong with it.

    Without a config, or one without `evals`, nothing is said. Only the `evals` block is looked at; what else the
    config holds may be anything.
    """
    path = next((root / name for name in FILE_NAMES if (root / name).is_file()), None)
    if path is None:
        return BotpressConfig(), ()
    from audition.formats._ts_documents import document_of  # the parser takes 25 ms of CPU, and most projects need none
    from audition.formats._ts_static import StaticReader

    home = realpath(path)
    found, problems = StaticReader({home: str(path)}).read_entry(home, maker="defineConfig", key="evals")
    if problems or found is None:
        return BotpressConfig(), tuple(problem.fault for problem in problems)
    document, faults = document_of(found.value, found.mark, home, str(path))
    read, wrong = read_all(_EVALS, document)
    for fault in wrong:
        where = Where(str(path), *(mark_at(document, fault.path) or found.mark))
        faults.append(Fault(f"evals: {fault.message}", where, fault.hint))
    block = plain(read)
    if faults or not isinstance(block, dict):
        return BotpressConfig(), tuple(faults)
    timeout = block.get("idleTimeout")
    return BotpressConfig(
        idle_timeout_ms=None if timeout is None else max(1, round(timeout)),
        judge_pass_threshold=block.get("judgePassThreshold"),
        judge_model=block.get("judgeModel"),
    ), ()
