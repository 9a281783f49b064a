"""`audition worker`: carries out the runs that a service has queued."""

from contextlib import closing

import click

from audition.cli.commands import _project, _service
from audition.errors import ExitCode


@click.command("worker")
@_service.database_option
def command(database: str | None) -> ExitCode:
    """Carry out the runs of a service, beside the worker of `audition serve` or in place of it.

    Workers on other machines share a PostgreSQL database; a file is for one machine. Told to end (SIGTERM, Ctrl-C), a
    worker takes up to 20 seconds for what is under way, and hands the rest to others; told again, it ends at once.

    \b
    Examples:
      audition worker
      audition worker --database postgresql://audition@db.example.com/audition

    Exit codes: 0 it was told to end, 2 the settings or the database are wrong, 130 or 143 it was told so twice.
    """
    settings = _project.project_settings()
    module = _service.service_module("worker")
    _service.begin_log(settings)
    with closing(module.open_database(settings, database)) as opened:
        durable = module.open_worker(settings, opened)
        module.work(durable, ready=lambda: click.echo(f"carrying out the runs of {opened.shown()}"))
    return ExitCode.PASSED
