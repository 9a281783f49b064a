# the file is called as the command is
"""`audition import`: evals of another tool, written as audition's own YAML files."""

from collections.abc import Iterable
from pathlib import Path

import click

from audition.cli.commands import _run_options as options
from audition.cli.commands._reporting import tell, write_text
from audition.documents.yaml import write_yaml
from audition.errors import ExitCode, NothingSelected
from audition.evals import Eval
from audition.formats import FORMATS, gather
from audition.formats.eval_dict import write_eval


@click.command("import")
@click.argument("source", type=click.Choice(["botpress", "adk"]), metavar="botpress|adk")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--to", type=click.Choice(["yaml"]), default="yaml", help="What is written: YAML eval files.")
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write below this folder, and not beside the files that are read.",
)
@click.option("--force", is_flag=True, help="Write over files that are there.")
@options.code_options
def command(
    source: str, path: Path, *, to: str, output: Path | None, force: bool, allow_code: bool, no_exec: bool
) -> int:
    """Write the evals of another tool as YAML files that mean the same, and report what was read.

    Each file PATH.eval.ts, PATH.evalset.json or PATH.test.json becomes PATH.eval.yaml. Comments are not carried over.
    Nothing is written when a file would be written over, unless --force says so.

    \b
    Examples:
      audition import botpress evals                      beside the files
      audition import botpress evals --output imported    in a folder of their own
      audition import botpress evals --allow-code         those too that only node can read
      audition import adk smoke.evalset.json              an eval set of Google's ADK, with its criteria
    """
    suffixes = _suffixes(source, path)
    gathered = gather([path], allow_code=allow_code, no_exec=no_exec)
    for remark in [*(f"warning: {warning}" for warning in gathered.warnings), *map(str, gathered.faults)]:
        tell(remark)
    by_file = _by_file(gathered.suite.evals, suffixes)
    if not by_file and not gathered.faults:
        raise NothingSelected(f"{path} holds no eval of {source}", hint=f"their files end in {', '.join(suffixes)}")
    base = path if path.is_dir() else path.parent
    targets = {file: _target(file, suffixes, base, output, to) for file in by_file}
    _refuse_collisions(targets, force=force)
    for file, evals in by_file.items():
        targets[file].parent.mkdir(parents=True, exist_ok=True)
        write_text(_written(evals, file), targets[file])
        click.echo(f"wrote {targets[file]}: {_counted(len(evals), 'eval')}")
    _summarize(by_file, {fault.where.path for fault in gathered.faults}, beside=output is None)
    return ExitCode.ASKED_WRONGLY if gathered.faults else ExitCode.PASSED


def _suffixes(source: str, path: Path) -> tuple[str, ...]:
    """Return the ends of the names of a tool's files; a file of ADK's that is named may be called as one likes."""
    known: tuple[str, ...] = FORMATS.get(source).SUFFIXES
    named = source == "adk" and path.is_file() and ".eval." not in path.name
    return (*known, *FORMATS.get(source).NAMED_SUFFIXES) if named else known


def _by_file(evals: Iterable[Eval], suffixes: tuple[str, ...]) -> dict[Path, list[Eval]]:
    found: dict[Path, list[Eval]] = {}
    for one in evals:
        if one.where is not None and one.where.path.lower().endswith(suffixes):
            found.setdefault(Path(one.where.path), []).append(one)
    return found


def _target(file: Path, suffixes: tuple[str, ...], base: Path, output: Path | None, to: str) -> Path:
    suffix = next(suffix for suffix in suffixes if file.name.lower().endswith(suffix))
    target = file.with_name(f"{file.name[: -len(suffix)]}.eval.{to}")
    return target if output is None else output / target.relative_to(base)


def _refuse_collisions(targets: dict[Path, Path], *, force: bool) -> None:
    first: dict[Path, Path] = {}
    for file, target in targets.items():
        if (other := first.setdefault(target, file)) is not file:
            raise click.UsageError(f"{other} and {file} would both be written to {target}; nothing was written")
    there = [str(target) for target in targets.values() if target.exists()]
    if there and not force:
        raise click.UsageError(f"{', '.join(there)} would be written over; nothing was written (--force writes)")


def _written(evals: list[Eval], file: Path) -> list[str]:
    documents = "---\n".join(write_yaml(write_eval(one)) for one in evals)
    return [f"# imported from {file.name}\n", documents]


def _summarize(by_file: dict[Path, list[Eval]], unread: set[str], *, beside: bool) -> None:
    count = sum(map(len, by_file.values()))
    text = f"imported {_counted(count, 'eval')} of {_counted(len(by_file), 'file')}"
    if unread:
        text += f"; {_counted(len(unread), 'file')} could not be read: {', '.join(sorted(unread))}"
    click.echo(text)
    if by_file and beside:
        click.echo("the files read are still there, with evals of the same names: move them away before you run both")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
