"""The entry point: answers what needs no more than a name at once, and starts the command line for the rest."""

import gc
import sys

from audition import __version__


def main() -> None:
    """Run the command line with the arguments of this process, and exit."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        print(f"audition {__version__}")
        return
    gc.disable()  # while modules are imported: a sixth of a start goes into looking for garbage that is not there
    _write_utf8()
    if not arguments or "--help" in arguments or "-h" in arguments:
        # Help is the only thing rich-click draws, and its import costs as much CPU as a small run.
        from rich_click.patch import patch

        patch()
    # click costs 80 ms of CPU, and what is above must be in place before classes are made of it.
    from audition.cli.app import app

    app.main(arguments)


def _write_utf8() -> None:
    """Write UTF-8 whatever the locale says: a tick must not end a run on a terminal that was set up for ASCII."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
