"""The project a command works on: its settings, its evals, its agent, its judge and its history."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from audition.agents import Agent
from audition.cli.commands._history import transcripts_of
from audition.cli.commands._reporting import tell
from audition.engine.project import agent_of, judge_of
from audition.errors import ExitCode, NothingSelected, SettingsError
from audition.formats import Gathered, Readers, gather, with_agent_config
from audition.judges import Judge
from audition.llm import Models
from audition.settings import Settings, environment, go_offline, load_settings, options_for

_SUFFIXES = (".yaml", ".yml", ".json", ".py", ".ts", ".mts", ".js", ".mjs")


def project_settings(*, offline: bool = False) -> Settings:
    """Return the settings that hold in the current folder; `offline`: no connection may leave this machine."""
    settings = with_agent_config(load_settings(Path.cwd(), environment()))
    return go_offline(settings) if offline else settings


def sort_targets(targets: tuple[str, ...]) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Return which targets are files and folders, and which are names of evals."""
    paths = tuple(Path(target) for target in targets if _is_path(target))
    return paths, tuple(target for target in targets if not _is_path(target))


def load_evals(
    settings: Settings,
    paths: tuple[Path, ...],
    *,
    allow_code: bool,
    no_exec: bool = False,
    readers: Readers | None = None,
) -> Gathered:
    """Return the evals of files and folders (of the project, without any); tell at once all that is wrong with them.

    `readers`: how the files of some formats are read, None for as these offer it.

    Raises: NothingSelected when no path was given and the project has no folder of evals.
    """
    wanted = paths or tuple(from_here(settings.root / path) for path in settings.evals)
    if not paths and not any(path.exists() for path in wanted):
        hint = "say where they are: audition run PATH; or write a first project: audition init"
        raise NothingSelected(f"there are no evals: {', '.join(map(str, wanted))} does not exist", hint=hint)
    if allow_code:
        make_importable(settings)
    gathered = gather(wanted, allow_code=allow_code, no_exec=no_exec, readers=readers)
    for warning in gathered.warnings:
        tell(f"warning: {warning}")
    for fault in gathered.faults:
        tell(str(fault))
    return gathered


def make_importable(settings: Settings) -> None:
    """Let custom checks name functions of the project."""
    if str(settings.root) not in sys.path:
        sys.path.insert(0, str(settings.root))


@contextmanager
def faults_first(gathered: Gathered) -> Iterator[None]:
    """Let a file that did not load decide the exit code where nothing can be selected: its evals may be the ones."""
    try:
        yield
    except NothingSelected as error:
        if gathered.faults:
            error.exit_code = ExitCode.ASKED_WRONGLY
        raise


def kept_paths(settings: Settings, paths: tuple[Path, ...]) -> tuple[str, ...]:
    """Return paths as the history keeps them: from the project's folder, where they lie in it."""
    whole = [path.absolute() for path in paths]
    return tuple(
        str(path.relative_to(settings.root)) if path.is_relative_to(settings.root) else str(path) for path in whole
    )


def named_agent(settings: Settings, reference: str | None) -> str:
    """Return the reference of the agent to use.

    Raises: SettingsError when none was named anywhere.
    """
    named = reference or settings.agent
    if named is None:
        hint = 'say which: --agent function:shop.bot:reply, or [agent] use = "function:shop.bot:reply" in audition.toml'
        raise SettingsError("no agent was named", key="agent", hint=hint)
    return named


def ready_agent(
    settings: Settings,
    reference: str,
    *,
    models: Models | None = None,
    instruction: Path | None = None,
    more: Mapping[str, object] | None = None,
) -> Agent:
    """Return an agent of the project; `instruction` is a file with its system prompt, for those that take one.

    `models`: those of the run, None for models of the agent's own. `more` are options that hold over those of the
    settings.
    """
    options = {**options_for(settings, reference), **(more or {})}
    if instruction is not None:
        options.pop("instruction_text", None)
        options["instruction"] = str(instruction.absolute())
    transcripts = partial(transcripts_of, settings)
    return agent_of(settings, reference, models=models, options=options, transcripts=transcripts)


def ready_judge(
    settings: Settings, reference: str | None, *, judging: bool, models: Models | None = None
) -> tuple[Judge | None, str | None]:
    """Return the judge to use and what it is called; None when there is none, or none is wanted.

    `models`: those of the run, None for a model of the judge's own.
    """
    named = reference or settings.judge_model
    if named is None or not judging:
        return None, None
    return judge_of(settings, named, models=models), named


def _is_path(target: str) -> bool:
    return Path(target).exists() or target.endswith(_SUFFIXES) or "/" in target or os.sep in target


def from_here(path: Path) -> Path:
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
