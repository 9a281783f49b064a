"""`audition serve`: the REST API, and a worker that carries out its runs."""

from contextlib import closing
from typing import Any

import click

from audition.cli.commands import _project, _service
from audition.errors import ExitCode
from audition.settings import environment


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on; 0.0.0.0 for all.")
@click.option("--port", default=8080, show_default=True, type=click.IntRange(0, 65535), help="The port; 0 for any.")
@click.option("--no-worker", is_flag=True, help="Carry out no runs: `audition worker` does.")
@_service.database_option
def command(host: str, port: int, *, no_worker: bool, database: str | None) -> ExitCode:
    """Serve datasets, cases and runs of agents and orchestrators over HTTP, and carry out the runs.

    A new database gets its first owner: AUDITION_OWNER_EMAIL and AUDITION_OWNER_PASSWORD, else one whose password is
    shown here, once. It needs no provider: models such as scripted:TEXT answer TEXT.

    \b
    Examples:
      audition serve
      audition serve --host 0.0.0.0 --database postgresql://audition@db.example.com/audition --no-worker

    Exit codes: 0 it was told to end, 2 the settings, the address or the database are wrong, 130 or 143 it was told to
    end twice.
    """
    settings = _project.project_settings()
    module = _service.service_module("worker")
    _service.begin_log(settings)
    with closing(module.open_database(settings, database)) as opened:
        owner = _service.service_module("first_owner").ensure_owner(opened, environment())
        queue = module.open_queue(opened) if no_worker else module.open_worker(settings, opened)
        app = module.open_api(settings, opened, queue)

        def ready(url: str) -> None:
            _greet(url, owner, opened.shown(), module.missing_in(settings))

        module.serve(app, queue, None if no_worker else queue, host=host, port=port, ready=ready)
    return ExitCode.PASSED


def _greet(url: str, owner: Any, database: str, missing: list[str]) -> None:
    click.echo(f"audition serves {url}, its documentation is at {url}/docs")
    click.echo(f"all is kept in {database}")
    if owner is not None and owner.password is not None:
        click.echo(f"first owner: {owner.email}, password: {owner.password} (shown only now)")
    for sentence in missing:
        click.echo(f"note: {sentence}")
