"""The reference, written from the code: `python -m docs.generate` rewrites docs/reference/."""

import ast
import inspect
import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from docs import rest_api
from docs.writing import kind_of, page, rest_of, sections, table, text_of

import audition
from audition import errors
from audition.agents import AGENTS
from audition.agents.tools import TOOLS
from audition.cli.app import COMMANDS, app
from audition.errors import PRECEDENCE, AgentError, AuditionError, ExitCode, JudgeError, ModelError
from audition.formats import FORMATS
from audition.formats.eval_dict import schema as eval_schema
from audition.reports import REPORTS
from audition.reports.text import MARKS
from audition.results import Verdict, roll_up
from audition.scoring import patterns
from audition.scoring.checks import CATEGORIES
from audition.scoring.lint import rules
from audition.scoring.matchers import CASE_SENSITIVE, OPERATOR_TABLE
from audition.scoring.paths import value_at
from audition.settings import MODELS, PROVIDERS, SETTINGS
from audition.text import fold

FOLDER = Path(__file__).parent / "reference"

BESIDE_OPTIONS = {
    "http": ("The answer", "audition.agents._http_protocol", "ANSWER"),
    "scripted": ("The file of answers", "audition.agents._answers", "ANSWERS"),
}
"""What else a kind of agent reads: a title, and where the record of it is."""

PLACES = {"turn": "`assert`", "outcome": "`outcome`"}
PER_TRIAL = (AgentError, JudgeError, ModelError)

EXIT_CODES = {
    ExitCode.PASSED: "everything passed",
    ExitCode.FAILED: "something failed",
    ExitCode.ASKED_WRONGLY: "asked wrongly: usage, settings, or a file that does not load",
    ExitCode.NOT_EVALUATED: "nothing failed, and something could not be evaluated",
    ExitCode.NOTHING_SELECTED: "nothing was selected to evaluate",
    ExitCode.OUR_FAULT: "a fault of audition itself",
    ExitCode.INTERRUPTED: "interrupted; what had finished is kept",
}

ENVIRONMENT = {
    "`AUDITION_AGENT`": "The agent, in place of `use` under `[agent]`.",
    "`AUDITION_JUDGE_MODEL`": "The model that judges, in place of `model` under `[judge]`.",
    "`AUDITION_CONCURRENCY`": "How many evals run side by side, in place of `concurrency`.",
    "`AUDITION_OFFLINE`": "`1` refuses every connection that would leave this machine, `0` allows them.",
    "`AUDITION_RECORD`": "Under pytest: the cassette that calls of language models are recorded on.",
    "`AUDITION_REPLAY`": "Under pytest: the cassette that the answers of language models are taken from.",
    "`AUDITION_RECORD_MISSING`": "`1`, beside `AUDITION_REPLAY`: what is missing there is asked for and recorded.",
    "`AUDITION_DEBUG`": "`1` shows the traceback of a fault of audition itself.",
    "`AUDITION_OWNER_EMAIL`": "The first owner of a new database of the service.",
    "`AUDITION_OWNER_PASSWORD`": "Their password, 12 to 1024 characters.",
    "`NO_COLOR`": "Anything in it takes the colours out of terminal output.",
}


def pages() -> dict[str, str]:
    """Return the text of every page, by file name."""
    rows = [(f"[{name.removesuffix('.md')}]({name})", about) for name, (about, _) in PAGES.items()]
    index = page("Reference", "What there is. These pages are written from the code.", table(("page", "holds"), rows))
    return {"README.md": index} | {name: write() for name, (_, write) in PAGES.items()}


def _eval_file() -> str:
    formats = [(name, FORMATS.get(name)) for name in FORMATS.names()]
    rows = [
        (f"`{name}`", text_of(one).partition("\n\n")[0].replace("\n", " "), "yes" if one.RUNS_CODE else "no")
        for name, one in formats
        if hasattr(one, "SUFFIXES")
    ]
    about = "Keys in camelCase may be written in snake_case too. Files are UTF-8, or UTF-16 with its byte order mark."
    elsewhere = dict.fromkeys(("conversation[].assert", "outcome"), "See [checks](checks.md).")
    definitions: Any = eval_schema()["$defs"]
    keys = sections("The eval", definitions["eval"], elsewhere=elsewhere)
    return page("The eval file", about, "## Files\n\n" + table(("format", "reads", "runs code"), rows), *keys)


def _checks() -> str:
    about = (
        "What may stand under a turn's `assert` and under an eval's `outcome`: a list of checks for each category.\n"
        "A check with several keys must satisfy all of them. Where a key takes [operators](operators.md), a bare\n"
        "value means `equals`."
    )
    parts = []
    for name in CATEGORIES.names():
        one = CATEGORIES.get(name)
        places = " and ".join(words for place, words in PLACES.items() if place in one.PLACES)
        facts = f"Stands under {places}. The agent must show its `{one.FACET}`."
        parts += [f"## `{name}`\n\n{text_of(one)}\n\n{facts}", *sections("", one.CHECK.schema(), name, level=3)]
    return page("Checks", about, *parts)


def _operators() -> str:
    about = "What must be true of a value. Several operators in one object must all hold; a bare value means `equals`."
    described = {name: (one.doc, one.operand) for name, one in OPERATOR_TABLE.items()}
    described["case_sensitive"] = (CASE_SENSITIVE.doc, CASE_SENSITIVE.shape)
    rows = [(f"`{name}`", doc, kind_of(operand.schema())) for name, (doc, operand) in described.items()]
    texts = "Texts are compared in NFC, whatever their case, with plain quotes and spaces. " + rest_of(fold)
    return page(
        "Operators",
        about,
        table(("operator", "holds when", "takes"), rows),
        f"## How texts are compared\n\n{texts}",
        f"## Dotted paths\n\n{rest_of(value_at)}",
        f"## Patterns\n\n{text_of(patterns)}",
    )


def _commands() -> str:
    parts = [f"```text\n{_help(app, 'audition', None)}\n```"]
    with click.Context(app, info_name="audition", help_option_names=["-h", "--help"]) as context:
        for name in COMMANDS.names():
            parts += _command(COMMANDS.get(name).command, name, context)
    return page("Commands", "What `--help` says.", *parts)


def _command(command: click.Command, name: str, parent: click.Context) -> Iterator[str]:
    """Yield the part about a command, and those about the commands within it."""
    yield f"## `{parent.command_path} {name}`\n\n```text\n{_help(command, name, parent)}\n```"
    if isinstance(command, click.Group):
        with click.Context(command, info_name=name, parent=parent) as context:
            for within, one in command.commands.items():
                yield from _command(one, within, context)


def _help(command: click.Command, name: str, parent: click.Context | None) -> str:
    return command.get_help(click.Context(command, info_name=name, parent=parent, terminal_width=100))


def _settings() -> str:
    about = (
        "A project's settings stand in `audition.toml`, or in `pyproject.toml` under `[tool.audition]`. The nearest\n"
        "such file at or above the current folder holds. The environment wins over the file, the command line over\n"
        "both, and an eval's own `options` over all."
    )
    known = [(f"`{name}`", f"`{one.base_url}`", one.api_key_env or "(none)") for name, one in PROVIDERS.items()]
    aliases = [(f"`{name}`", f"`{model}`") for name, model in MODELS.items()]
    return page(
        "Settings",
        about,
        *sections("The file", SETTINGS.schema()),
        "## The environment\n\n" + table(("variable", "what it is for"), list(ENVIRONMENT.items())),
        "## Providers known without settings\n\n" + table(("provider", "base_url", "api_key_env"), known),
        "## Models known without settings\n\n" + table(("name", "model"), aliases),
    )


def _agents() -> str:
    about = "An agent is named as `KIND:WHERE`. Its options stand beside `use` under `[agent]` in the settings."
    parts = []
    for name in AGENTS.names():
        one = AGENTS.get(name)
        parts.append(f"## `{name}`\n\n{text_of(one)}")
        records = [("Options", one.OPTIONS)] if hasattr(one, "OPTIONS") else []
        if name in BESIDE_OPTIONS:
            title, module, record = BESIDE_OPTIONS[name]
            records.append((title, getattr(import_module(module), record)))
        for title, record in records:
            elsewhere = {"conversations": "They hold what those of `replies` do, but for `when`."}
            parts += sections(title, record.schema(), level=3, elsewhere=elsewhere)
    return page("Agents", about, *parts)


def _errors() -> str:
    codes = [(f"`{code.value}`", EXIT_CODES[code]) for code in sorted(ExitCode)]
    order = ", ".join(str(code.value) for code in PRECEDENCE)
    parts = [
        f"## Exit codes\n\n{table(('code', 'means'), codes)}\n\nWhen several hold, the first of {order} wins.",
        f"## All of them\n\n```text\n{rest_of(errors)}\n```",
    ]
    for name, one in vars(errors).items():
        if inspect.isclass(one) and issubclass(one, AuditionError):
            end = "It is part of a result." if one in PER_TRIAL else f"It ends a command with {one.exit_code.value}."
            parts.append(f"## `{name}`\n\n{text_of(one)}\n\n{end}")
    return page("Errors", "Every error that audition raises on purpose, and what the shell is told.", *parts)


def _verdicts() -> str:
    meanings = text_of(Verdict).partition(": ")[2].rstrip(".").split("; ")
    words = [(f"`{one}`", f"`{MARKS[one]}`", means) for one, means in zip(Verdict, meanings, strict=True)]
    pairs = itertools.combinations_with_replacement(Verdict, 2)
    both = [(f"`{one}`", f"`{other}`", f"`{roll_up((one, other))}`") for one, other in pairs]
    return page(
        "Verdicts",
        "What a check, an eval and a run come to; see also [why](../explanation/verdicts.md).",
        table(("verdict", "mark", "means"), words),
        f"## A whole and its parts\n\n{table(('a part', 'another part', 'the whole'), both)}",
        "Nothing at all, like skips alone, is an `error`: nothing was evaluated.",
    )


def _reports() -> str:
    parts = [f"## `{name}`\n\n{text_of(REPORTS.get(name))}" for name in REPORTS.names()]
    return page("Reports", "What `--format` and `audition.render` take.", *parts)


def _tools() -> str:
    about = (
        "The tools of an agent or orchestrator of the service, each an object of its `tools`. How to use them:\n"
        "[tools](../how-to/tools.md)."
    )
    parts = [
        "\n\n".join([f"## `{name}`", text_of(TOOLS.get(name)), *sections("", TOOLS.get(name).SHAPE.schema(), level=3)])
        for name in TOOLS.names()
    ]
    return page("Tools", about, *parts)


def _lint() -> str:
    about = (
        "What `audition lint` finds in the texts that judges are asked about: see [lint](../how-to/lint.md). An error\n"
        "is a text that no response can meet, or that contradicts itself."
    )
    parts = []
    for rule in rules():
        given = [f"when the user says: {rule.SCENARIO}"] if hasattr(rule, "SCENARIO") else []
        given += [f"when the agent has: {', '.join(rule.TOOLS)}"] if hasattr(rule, "TOOLS") else []
        facts = [f"- found: {rule.EXAMPLE}", *(f"- {one}" for one in given), f"- better: {rule.REWRITE}"]
        name = rule.__name__.rpartition(".")[2].replace("_", " ")
        parts.append(f"## {rule.CODE}: {name}\n\n{text_of(rule)} This is an {rule.SEVERITY}.\n\n" + "\n".join(facts))
    return page("Lint rules", about, *(part.replace("This is an warning", "This is a warning") for part in parts))


def _python() -> str:
    parts = [f"## `{name}`\n\n{_public(getattr(audition, name))}" for name in audition.__all__]
    named = table(("type", "is", "means"), [*_named("audition.library"), *_named("audition.evals")])
    about = "The public names of `audition`. How to use them: [evals from Python](../how-to/evals-from-python.md)."
    return page("Python", about, *parts, f"## Types named above\n\n{named}")


def _public(one: Any) -> str:
    node: Any = ast.parse(inspect.getsource(one)).body[0]
    if isinstance(node, ast.ClassDef):
        held = [f"    {_written(item)}" for item in node.body if isinstance(item, ast.AnnAssign | ast.Assign)]
        held += [f"    {_signature(item)}" for item in node.body if _is_offered(item)]
        return f"```python\nclass {node.name}:\n{chr(10).join(held)}\n```\n\n{text_of(one)}"
    return f"```python\n{_signature(node)}\n```\n\n{text_of(one)}"


def _written(node: ast.AST) -> str:
    return ast.unparse(node).replace("'", '"')


def _is_offered(item: ast.stmt) -> bool:
    return isinstance(item, ast.FunctionDef) and (item.name == "__init__" or not item.name.startswith("_"))


def _signature(node: Any) -> str:
    """Return a function as its source spells it, which no version of Python spells otherwise."""
    arguments = re.split(r", (?=\*|\w+: )", re.sub(r"(: [^,=]+)=", r"\1 = ", _written(node.args)))
    on_one_line = f"({', '.join(arguments)})"
    listed = on_one_line if len(on_one_line) < 90 else "(\n    " + ",\n    ".join(arguments) + ",\n)"
    word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    said = f"{word} {node.name}{listed} -> {_written(node.returns)}"
    return f"{said}  # a property" if node.decorator_list else said


def _named(module: str) -> Iterator[tuple[str, str, str]]:
    """Yield the types that a module gives a name: the name, the type, and what is said below it."""
    for item, below in itertools.pairwise(ast.parse(inspect.getsource(import_module(module))).body):
        if isinstance(item, ast.Assign) and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            kind = _written(item.value).replace("|", "\\|")
            yield f"`{_written(item.targets[0])}`", f"`{kind}`", " ".join(str(below.value.value).split())


PAGES: Mapping[str, tuple[str, Callable[[], str]]] = {
    "eval-file.md": ("the keys of an eval file", _eval_file),
    "checks.md": ("the check categories and their keys", _checks),
    "operators.md": ("what may be asked of a value", _operators),
    "verdicts.md": ("the four words, and how they add up", _verdicts),
    "agents.md": ("the kinds of agent and their options", _agents),
    "commands.md": ("the command line", _commands),
    "tools.md": ("the tools that subjects of the service may have", _tools),
    "rest-api.md": ("what the service answers", rest_api.write),
    "settings.md": ("the keys of `audition.toml`, and the environment", _settings),
    "reports.md": ("the report formats", _reports),
    "lint.md": ("what lint finds in criteria", _lint),
    "errors.md": ("errors and exit codes", _errors),
    "python.md": ("the public names of the package", _python),
}
"""Every page: what the index says of it, and how it is written."""


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
