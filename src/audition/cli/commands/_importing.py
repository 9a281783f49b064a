"""Taking runs of another tool into the history of a project."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import click

from audition.cli.commands._history import history_of
from audition.cli.commands._reporting import tell
from audition.errors import Conflict, ExitCode, NotFound
from audition.settings import Settings
from audition.store import Store
from audition.store.botpress_history import AGENT, ForeignRun, read_history
from audition.store.history import open_recorder


def import_runs(settings: Settings, paths: tuple[Path, ...]) -> ExitCode:
    """Keep the Botpress runs found at some paths under their own ids, and say how many there were.

    A run that is in the history already is left as it is. A run or an eval that cannot be read is told, and stops
    nothing else.

    Raises: NotFound and StoreError for a path that holds nothing of the kind; what was imported before stays.
    """
    kept = known = 0
    troubled = False
    with closing(open_recorder(settings.history_place)):
        pass  # reading makes no history, and there may be none yet
    with history_of(settings) as history:
        for path in paths:
            for found in read_history(path):
                problems = found.run.warnings if isinstance(found, ForeignRun) else (found,)
                for problem in problems:
                    tell(problem)
                troubled = troubled or bool(problems)
                if isinstance(found, ForeignRun):
                    is_new = _keep(history, found)
                    kept, known = kept + is_new, known + (not is_new)
    click.echo(f"imported {kept} run{'' if kept == 1 else 's'}" + (f", {known} known already" if known else ""))
    return ExitCode.ASKED_WRONGLY if troubled else ExitCode.PASSED


def _keep(history: Store, found: ForeignRun) -> bool:
    """Keep a run, and return whether it was new. One whose import was cut short is still `running`, and done again."""
    run = found.run
    try:
        there = history.run(run.id)
    except (NotFound, Conflict):  # a conflict is one of longer ids
        there = None
    if there is not None and there.id == run.id and (there.agent != AGENT or there.status != "running"):
        return False
    history.begin(replace(run, status="running"))
    history.save(run.id, found.results)
    history.finish(run)
    return True
