"""The command line: commands are imported when asked for, and one place turns errors into exit codes."""

import gc
import os
import platform
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

import click

from audition import __version__
from audition.errors import AuditionError, ExitCode, LoadError
from audition.registry import Folder
from audition.settings import environment, wants_traceback
from audition.text import printable

COMMANDS = Folder("command", "audition.cli.commands")


class Commands(click.Group):
    """The commands of a folder, of which only the chosen one is imported."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS.names())

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command.

        Raises: UnknownName when there is none of that name.
        """
        command: click.Command = COMMANDS.get(cmd_name).command
        gc.freeze()  # all that is imported stays, so nobody need look through it for garbage
        gc.enable()
        return command

    def main(self, args: Sequence[str] | None = None, *_: object, **__: object) -> NoReturn:
        """Run a command and exit with its code: the one place where errors become messages and codes."""
        arguments = list(sys.argv[1:] if args is None else args)
        try:
            code = self._run(arguments)
            if sys.stdout is not None:
                sys.stdout.flush()
        except BrokenPipeError:
            _be_silent()
            code = ExitCode.INTERRUPTED
        sys.exit(int(code))

    def _run(self, arguments: list[str]) -> int:
        try:
            with self.make_context("audition", arguments.copy()) as context:
                return int(self.invoke(context) or ExitCode.PASSED)
        except click.exceptions.Exit as stop:
            return stop.exit_code
        except click.ClickException as error:
            error.show()
            return ExitCode.ASKED_WRONGLY
        except AuditionError as error:
            _tell(error)
            return error.exit_code
        except (KeyboardInterrupt, click.Abort):
            click.echo("interrupted", err=True)
            return ExitCode.INTERRUPTED
        except BrokenPipeError:
            raise
        except SystemExit as stop:
            click.echo(f"Error: some code that was run ended the process ({stop.code}); nothing is known", err=True)
            return ExitCode.OUR_FAULT
        except Exception as fault:
            _own_up(fault, verbose="-v" in arguments or "--verbose" in arguments)
            return ExitCode.OUR_FAULT


@click.command(cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def app(context: click.Context) -> None:
    """Write scenarios once, run them against any LLM agent, and get a verdict you can trust.

    \b
    Examples:
      audition init shop       write a small project that runs as it is
      audition run             run all evals of the project
      audition run 'refund*'   run those whose name begins with refund
      audition runs --latest   show the last run again

    Exit codes: 0 everything passed, 1 something failed, 2 asked wrongly, 3 something could not be evaluated, 4 nothing
    was selected, 70 a fault of audition, 130 interrupted.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
        # Nothing was evaluated, and a script that forgot the command must not take that for a pass.
        context.exit(ExitCode.ASKED_WRONGLY)


def _tell(error: AuditionError) -> None:
    # A load error is a list of places, and editors and terminals find those at the beginning of a line.
    start = "" if isinstance(error, LoadError) else "Error: "
    click.echo(f"{start}{printable(str(error))}", err=True)


def _own_up(fault: Exception, *, verbose: bool) -> None:
    click.echo(f"Error: audition itself broke: {type(fault).__name__}: {printable(str(fault))}", err=True)
    if verbose or wants_traceback(environment()):
        click.echo(printable("".join(traceback.format_exception(fault))), err=True)
    else:
        click.echo("  AUDITION_DEBUG=1 shows where", err=True)
    versions = f"audition {__version__}, Python {platform.python_version()}, {platform.system()}"
    click.echo(f"  this is no fault of your evals: please report it on audition's issue tracker ({versions})", err=True)


def _be_silent() -> None:
    """Send what is still to be written nowhere: whoever read our output has gone, as in `audition list | head -1`."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
