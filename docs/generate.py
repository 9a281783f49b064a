"""The reference, written from the code: `python -m docs.generate` rewrites docs/reference/."""

import ast
import inspect
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import click

import audition
from audition import errors
from audition.agents import AGENTS
from audition.cli.app import COMMANDS, app
from audition.documents.shape import Record, Schema, snake_case
from audition.errors import PRECEDENCE, AuditionError, ExitCode
from audition.evals import Eval
from audition.formats import FORMATS
from audition.formats.eval_dict import schema as eval_schema
from audition.reports import REPORTS
from audition.reports.text import MARKS
from audition.results import Verdict, roll_up
from audition.scoring import patterns
from audition.scoring.checks import CATEGORIES
from audition.scoring.matchers import CASE_SENSITIVE, OPERATOR_TABLE
from audition.scoring.paths import value_at
from audition.settings import MODELS, PROVIDERS, SETTINGS
from audition.text import fold

FOLDER = Path(__file__).parent / "reference"

BESIDE_OPTIONS = {
    "http": ("The answer", "audition.agents._http_protocol", "ANSWER"),
    "scripted": ("The file of answers", "audition.agents._answers", "ANSWERS"),
}
"""What else an agent reads: a title, and the record that says what it may hold."""

EXIT_CODES = {
    ExitCode.PASSED: "everything passed",
    ExitCode.FAILED: "something failed",
    ExitCode.ASKED_WRONGLY: "asked wrongly: usage, settings, or a file that does not load",
    ExitCode.NOT_EVALUATED: "nothing failed, and something could not be evaluated",
    ExitCode.NOTHING_SELECTED: "nothing was selected to evaluate",
    ExitCode.OUR_FAULT: "a fault of audition itself",
    ExitCode.INTERRUPTED: "interrupted; what had finished is kept",
}

VERDICTS = {
    Verdict.PASS: "it held",
    Verdict.FAIL: "it did not hold: the agent's doing",
    Verdict.ERROR: "we could not tell; nobody is blamed",
    Verdict.SKIP: "somebody chose not to look",
}


def pages() -> dict[str, str]:
    """Return the text of every page, by file name."""
    written = {name: write() for name, (_, write) in PAGES.items()}
    rows = [(f"[{name.removesuffix('.md')}]({name})", about) for name, (about, _) in PAGES.items()]
    index = page("Reference", "What there is, written from the code by `make docs`.", table(("page", "holds"), rows))
    return {"README.md": index} | written


def eval_file() -> str:
    """Return the page about eval files."""
    formats = [(name, FORMATS.get(name)) for name in FORMATS.names()]
    rows = [
        (f"`{name}`", ", ".join(f"`*{end}`" for end in one.SUFFIXES), sentence(one), "yes" if one.RUNS_CODE else "no")
        for name, one in formats
        if hasattr(one, "SUFFIXES")
    ]
    about = (
        "A file holds one eval, a list of evals, or an object with a list under `evals`; a YAML file may hold several "
        "documents of these. Keys in camelCase may be written in snake_case too."
    )
    one = as_schema(as_schema(eval_schema()["$defs"])["eval"])
    skipped = {"conversation[].assert", "outcome"}
    files = "## Files\n\n" + table(("format", "names", "holds", "runs code"), rows)
    return page("The eval file", about, files, *sections("The eval", one, skipped=skipped))


def checks() -> str:
    """Return the page about check categories."""
    about = (
        "What may stand under a turn's `assert` and under an eval's `outcome`: a list of checks for each category. "
        "A check that holds several keys must satisfy all of them. Where a key takes "
        "[operators](operators.md), a bare value means `equals`."
    )
    parts = []
    for name in CATEGORIES.names():
        one = CATEGORIES.get(name)
        places = " and ".join({"turn": "`assert`", "outcome": "`outcome`"}[place] for place in sorted(one.PLACES)[::-1])
        facts = f"Written under {places}. The agent must show its `{one.FACET}`."
        parts += [f"## `{name}`\n\n{text_of(one)}\n\n{facts}", *sections("", one.CHECK.schema(), name, level=3)]
    return page("Checks", about, *parts)


def operators() -> str:
    """Return the page about operators."""
    about = "What must be true of a value. Several operators in one object must all hold; a bare value means `equals`."
    parts = [
        f"## `{name}`\n\n{one.doc} Takes {kind_of(one.operand.schema())}." for name, one in OPERATOR_TABLE.items()
    ]
    parts.append(f"## `case_sensitive`\n\n{CASE_SENSITIVE.doc} Takes {kind_of(CASE_SENSITIVE.shape.schema())}.")
    notes = {"How texts are compared": fold, "Paths": value_at, "Patterns": patterns}
    parts += [f"## {title}\n\n{text_of(one)}" for title, one in notes.items()]
    return page("Operators", about, *parts)


def commands() -> str:
    """Return the page about the command line."""
    parts = [f"```text\n{_help(app, 'audition', None)}\n```"]
    with click.Context(app, info_name="audition") as context:
        for name in COMMANDS.names():
            parts.append(f"## `audition {name}`\n\n```text\n{_help(COMMANDS.get(name).command, name, context)}\n```")
    return page("Commands", "What `--help` says.", *parts)


def _help(command: click.Command, name: str, parent: click.Context | None) -> str:
    context = click.Context(command, info_name=name, parent=parent, terminal_width=100)
    return command.get_help(context).replace("\b\n", "")


def settings() -> str:
    """Return the page about settings."""
    about = (
        "A project's settings stand in `audition.toml`, or in `pyproject.toml` under `[tool.audition]`: the nearest "
        "such file at or above the current folder holds. The command line wins over the environment, the environment "
        "over the file; an eval's own `options` win over all of them."
    )
    known = [(f"`{name}`", f"`{one.base_url}`", f"`{one.api_key_env}`") for name, one in PROVIDERS.items()]
    aliases = [(f"`{name}`", f"`{model}`") for name, model in MODELS.items()]
    environment = [
        ("`AUDITION_AGENT`", "The agent, in place of `agent.use`."),
        ("`AUDITION_JUDGE_MODEL`", "The model that judges, in place of `judge.model`."),
        ("`AUDITION_CONCURRENCY`", "How many evals run side by side, in place of `concurrency`."),
        ("`AUDITION_DEBUG`", "`1` shows the traceback of a fault of audition itself."),
        ("`NO_COLOR`", "Anything in it takes the colours out of terminal output."),
    ]
    return page(
        "Settings",
        about,
        *sections("The file", SETTINGS.schema()),
        "## The environment\n\n" + table(("variable", "what it is for"), environment),
        "## Providers known without settings\n\n"
        + table(("provider", "base_url", "api_key_env"), known).replace("`None`", "none"),
        "## Models known without settings\n\n" + table(("name", "model"), aliases),
    )


def agents() -> str:
    """Return the page about kinds of agent."""
    about = "An agent is named as `KIND:WHERE`. Its options stand beside `use` under `[agent]` in the settings."
    parts = []
    for name in AGENTS.names():
        one = AGENTS.get(name)
        parts.append(f"## `{name}`\n\n{text_of(one)}")
        records = [("Options", one.OPTIONS)] if getattr(one, "OPTIONS", None) else []
        if name in BESIDE_OPTIONS:
            title, module, record = BESIDE_OPTIONS[name]
            records.append((title, getattr(import_module(module), record)))
        for title, record in records:
            parts += sections(title, as_record(record).schema(), level=3)
    return page("Agents", about, *parts)


def errors_page() -> str:
    """Return the page about errors and exit codes."""
    codes = [(f"`{code.value}`", EXIT_CODES[code]) for code in sorted(ExitCode)]
    order = ", ".join(str(code.value) for code in PRECEDENCE)
    parts = [
        f"## Exit codes\n\n{table(('code', 'means'), codes)}\n\nWhen several hold, the first of {order} wins.",
        f"## The tree\n\n```text\n{text_of(errors).partition(chr(10) * 2)[2]}\n```",
    ]
    for name, one in vars(errors).items():
        if inspect.isclass(one) and issubclass(one, AuditionError):
            parts.append(f"## `{name}`\n\n{text_of(one)}\n\nExit code: {one.exit_code.value}.")
    return page("Errors", "Every error that audition raises on purpose, and what the shell is told.", *parts)


def verdicts() -> str:
    """Return the page about verdicts."""
    words = [(f"`{one}`", f"`{MARKS[one]}`", VERDICTS[one]) for one in Verdict]
    pairs = itertools.combinations_with_replacement(Verdict, 2)
    both = [(f"`{one}`", f"`{other}`", f"`{roll_up((one, other))}`") for one, other in pairs]
    return page(
        "Verdicts",
        "What a check, an eval and a run come to. [Why they are as they are](../explanation/verdicts.md).",
        table(("verdict", "mark", "means"), words),
        f"## Of a whole from its parts\n\n{text_of(roll_up)}\n\n{table(('a part', 'another part', 'the whole'), both)}",
    )


def reports() -> str:
    """Return the page about report formats."""
    parts = [f"## `{name}`\n\n{text_of(REPORTS.get(name))}" for name in REPORTS.names()]
    return page("Reports", "What `--format` and `audition.render` take.", *parts)


def python() -> str:
    """Return the page about the public names."""
    parts = [f"## `{name}`\n\n{_python_entry(getattr(audition, name))}" for name in audition.__all__]
    aliases = itertools.chain(_aliases(import_module("audition.library")), _aliases(inspect.getmodule(Eval)))
    named = "## Types named above\n\n" + table(("type", "is", "means"), aliases)
    return page("Python", "The public names of `audition`; [how to use them](../how-to/python.md).", *parts, named)


def _python_entry(one: Any) -> str:
    node = ast.parse(inspect.getsource(one)).body[0]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
        signature = f"{word} {node.name}({ast.unparse(node.args)}) -> {ast.unparse(node.returns or ast.Constant(None))}"
        return f"```text\n{signature}\n```\n\n{text_of(one)}"
    assert isinstance(node, ast.ClassDef)
    fields = [ast.unparse(item) for item in node.body if isinstance(item, ast.AnnAssign | ast.Assign)]
    made = [f"{one.__name__}({ast.unparse(_arguments(item))})" for item in node.body if _is_called(item, "__init__")]
    block = "\n".join(made + fields)
    properties = [
        f"`{item.name}`: {sentence(getattr(one, item.name))}"
        for item in node.body
        if isinstance(item, ast.FunctionDef) and not item.name.startswith("_")
    ]
    return "\n\n".join([f"```text\n{block}\n```", text_of(one), *properties])


def _is_called(item: ast.stmt, name: str) -> bool:
    return isinstance(item, ast.FunctionDef) and item.name == name


def _arguments(item: Any) -> ast.arguments:
    arguments: ast.arguments = item.args
    return ast.arguments(**{**vars(arguments), "args": arguments.args[1:]})


def _aliases(module: ModuleType | None) -> Iterator[tuple[str, str, str]]:
    """Yield the types that a module names, each with what it is and what stands below it."""
    assert module is not None
    for item, below in itertools.pairwise(ast.parse(inspect.getsource(module)).body):
        said = below.value.value if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) else None
        if isinstance(item, ast.Assign) and isinstance(said, str):
            yield f"`{ast.unparse(item.targets[0])}`", f"`{ast.unparse(item.value)}`".replace("|", "\\|"), flat(said)


def sections(
    title: str, schema: Schema, path: str = "", *, level: int = 2, skipped: Iterable[str] = ()
) -> Iterator[str]:
    """Yield a table of an object's keys, and one of each object in it that has keys of its own."""
    required = as_list(schema.get("required"))
    rows, inner = [], []
    for name, shape in canonical(schema):
        below = f"{path}.{name}" if path else name
        found = None if below in skipped else objects_in(shape, below)
        inner += [found] if found else []
        link = " [See checks](checks.md)." if below in skipped else ""
        doc = tidy(str(shape.get("description", ""))) + link
        rows.append((f"`{name}`{' (required)' if name in required else ''}", kind_of(shape), doc))
    heading = f"{'#' * level} {title}\n\n" if title else ""
    yield heading + table(("key", "holds", "what it is for"), rows)
    for below, shape in inner:
        yield from sections(f"`{below}`", shape, below, level=level, skipped=skipped)


def canonical(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """Yield an object's keys in the spelling they are declared in; the other spelling comes later in a schema."""
    seen = set()
    for name, shape in as_schema(schema["properties"]).items():
        if snake_case(name) not in seen:
            seen.add(snake_case(name))
            yield name, as_schema(shape)


def objects_in(schema: Schema, path: str) -> tuple[str, Schema] | None:
    """Return the object with keys of its own that a value is, holds as items or by name; None without one."""
    if operators_in(schema) is not None:
        return None
    if "properties" in schema:
        return path, schema
    for key, mark in (("items", "[]"), ("additionalProperties", ".NAME")):
        if isinstance(schema.get(key), dict) and (found := objects_in(as_schema(schema[key]), path + mark)):
            return found
    choices = (objects_in(as_schema(choice), path) for choice in as_list(schema.get("anyOf")))
    return next((found for found in choices if found), None)


def operators_in(schema: Schema) -> list[str] | None:
    """Return the names of the operators a value may be, None when it is something else."""
    for choice in map(as_schema, as_list(schema.get("anyOf"))):
        names = [name for name, _ in canonical(choice)] if "properties" in choice else []
        if "equals" in names:
            return names
    return None


def kind_of(schema: Schema) -> str:
    """Return what a value is, in words."""
    if names := operators_in(schema):
        return "operators" if len(names) > 3 else f"a number, or {', '.join(f'`{name}`' for name in names)}"
    if "enum" in schema:
        return " or ".join(f"`{option}`" for option in as_list(schema["enum"]))
    if choices := as_list(schema.get("anyOf")):
        return " or ".join(dict.fromkeys(kind_of(as_schema(choice)) for choice in choices))
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return " or ".join(kind_of({"type": kind}) for kind in kinds)
    if kinds == "array":
        return f"a list of {_plural(kind_of(as_schema(schema.get('items', {}))))}"
    if kinds == "object" and isinstance(schema.get("additionalProperties"), dict):
        inner = kind_of(as_schema(schema["additionalProperties"]))
        return "an object" if inner == "any value" else f"an object of {_plural(inner)} by name"
    words = {"string": "a text", "boolean": "true or false", "object": "an object", "null": "null"}
    numbers = {"number": "a number", "integer": "a whole number"}
    return words.get(str(kinds)) or (numbers[str(kinds)] + _bounds(schema) if kinds in numbers else "any value")


def _plural(kind: str) -> str:
    plurals = {"any value": "values", "operators": "operators"}
    return plurals.get(kind) or re.sub(r"^an? (whole )?(\w+)", r"\1\2s", kind)


def _bounds(schema: Schema) -> str:
    words = {"minimum": "at least", "exclusiveMinimum": "above", "maximum": "at most"}
    said = [f"{word} {schema[key]:,}" for key, word in words.items() if key in schema]
    return f", {' and '.join(said)}" if said else ""


def as_schema(value: object) -> Schema:
    """Return a part of a schema that is known to be one."""
    assert isinstance(value, dict)
    return value


def as_list(value: object) -> list[Any]:
    """Return a list in a schema; nothing is an empty one."""
    return value if isinstance(value, list) else []


def as_record(value: object) -> Record:
    """Return what is known to be a record."""
    assert isinstance(value, Record)
    return value


def page(title: str, about: str, *parts: str) -> str:
    """Return a page."""
    return "\n\n".join([f"# {title}", about, *parts]) + "\n"


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a table."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def text_of(one: object) -> str:
    """Return what something says of itself, at full length."""
    return inspect.cleandoc(getattr(one, "__doc__", None) or "")


def sentence(one: object) -> str:
    """Return the first paragraph of what something says of itself, on one line."""
    return flat(text_of(one).partition("\n\n")[0])


def flat(text: str) -> str:
    """Return text on one line."""
    return " ".join(text.split())


def tidy(text: str) -> str:
    """Return a text as a sentence in a table."""
    text = text.replace("|", "\\|")
    return text[:1].upper() + text[1:] + ("" if not text or text.endswith(".") else ".")


PAGES: Mapping[str, tuple[str, Callable[[], str]]] = {
    "eval-file.md": ("the keys of an eval file", eval_file),
    "checks.md": ("the check categories and their keys", checks),
    "operators.md": ("what may be asked of a value", operators),
    "verdicts.md": ("the four words, and how they add up", verdicts),
    "agents.md": ("the kinds of agent and their options", agents),
    "commands.md": ("the command line", commands),
    "settings.md": ("the keys of `audition.toml`, and the environment", settings),
    "reports.md": ("the report formats", reports),
    "errors.md": ("errors and exit codes", errors_page),
    "python.md": ("the public names of the package", python),
}
"""Every page: what the index says of it, and how it is written."""


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
