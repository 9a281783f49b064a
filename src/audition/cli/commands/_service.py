"""What the commands of the service share: they reach it by name, since it stands on their own floor."""

from importlib import import_module
from types import ModuleType

import click

from audition.errors import MissingExtra
from audition.settings import Settings

database_option = click.option(
    "--database", metavar="PLACE", help="The file or URL that keeps everything; by default what [service] says."
)


def service_module(name: str) -> ModuleType:
    """Return a module of the service.

    Raises: MissingExtra when a package that it needs is not installed.
    """
    try:
        return import_module(f"audition.service.{name}")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "audition":
            raise
        raise MissingExtra("server", needed_for="the service") from error


def begin_log(settings: Settings) -> None:
    """Have the log written as lines of JSON, without the project's secrets."""
    service_module("logs").configure(secrets=service_module("masking").secrets_in(settings))
