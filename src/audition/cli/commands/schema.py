"""`audition schema`: what an eval file may hold, for editors."""

import json
from pathlib import Path

import click

from audition.cli.commands import _run_options as options
from audition.cli.commands._reporting import write_text
from audition.formats.eval_dict import schema


@click.command("schema")
@options.output_option
def command(output: Path | None) -> None:
    """Print the JSON Schema of eval files, by which editors complete and check what is written.

    \b
    Examples:
      audition schema                                   print it
      audition schema --output .audition/schema.json    write it to a file; name that in the first line of an eval file:
                                                        # yaml-language-server: $schema=../.audition/schema.json
    """
    write_text([json.dumps(schema(), ensure_ascii=False, indent=2), "\n"], output)
