"""The documentation is true: the reference is what the code says, links lead somewhere, and what pages show runs."""

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import audition
from audition import errors
from audition.agents import AGENTS
from audition.cli.app import COMMANDS
from audition.documents.files import read_document
from audition.engine.taping import RECORD, RECORD_MISSING, REPLAY
from audition.errors import AuditionError, ExitCode
from audition.evals import Check, Eval, MockResult, Setup, ToolMock, Turn
from audition.formats import FORMATS
from audition.formats.eval_dict import read_evals
from audition.reports import REPORTS
from audition.results import Verdict
from audition.scoring.checks import CATEGORIES
from audition.scoring.matchers import OPERATOR_TABLE
from audition.service.first_owner import EMAIL, PASSWORD
from audition.settings import SETTINGS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
PAGES = sorted([README, ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md"), *(ROOT / "examples").rglob("*.md")])
FOLLOWED = [README, *sorted((DOCS / "tutorial").glob("*.md")), *sorted((DOCS / "how-to").glob("*.md"))]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_FILE_NAME = re.compile(r"# ([\w.-]+(?:/[\w.-]+)*\.\w+)\n")
_NAMED = re.compile(r"^\s*(- )?name:", re.MULTILINE)
_RUNS = ("audition ", "python ", "cat ", "cp ", "jq ", "export ", "cd ", "rm ", "sh ")
"""How commands begin that are carried out; others (`pip install`, `make`) are left to the reader."""

_CHANGES = [
    (re.compile(r"\b\d+\.\d+ ?s\b"), "0.0 s"),
    (re.compile(r"\b[0-9a-f]{26}\b"), "RUN"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT[\d:.+]+"), "DATE"),
]
"""What differs from run to run, and what it is compared as."""


@cache
def generator() -> ModuleType:
    """Return the module that writes the reference; `docs` is found from the root of the project."""
    sys.path.insert(0, str(ROOT))
    try:
        return import_module("docs.generate")
    finally:
        sys.path.remove(str(ROOT))


@cache
def generated() -> dict[str, str]:
    """Return the reference as the code says it now, by file name."""
    pages: dict[str, str] = generator().pages()
    return pages


def name_of(path: Path) -> str:
    """Return what a page is called."""
    return str(path.relative_to(ROOT))


# The reference.


def test_the_reference_has_the_pages_that_the_code_says() -> None:
    assert {path.name for path in (DOCS / "reference").iterdir()} == generated().keys()


@pytest.mark.parametrize("name", generated().keys())
def test_a_page_of_the_reference_is_up_to_date(name: str) -> None:
    path = DOCS / "reference" / name

    assert path.read_text("utf-8") == generated()[name], f"{name} is not what the code says: run make docs"


def _is_error(one: object) -> bool:
    return isinstance(one, type) and issubclass(one, AuditionError)


ENTRIES = {
    "checks.md": [f"## `{name}`" for name in CATEGORIES.names()],
    "operators.md": [f"| `{name}` |" for name in (*OPERATOR_TABLE, "case_sensitive")],
    "commands.md": [f"## `audition {name}`" for name in COMMANDS.names()],
    "settings.md": [f"| `{name}` |" for name in SETTINGS.fields],
    "agents.md": [f"## `{name}`" for name in AGENTS.names()],
    "reports.md": [f"## `{name}`" for name in REPORTS.names()],
    "python.md": [f"## `{name}`" for name in audition.__all__],
    "verdicts.md": [f"| `{verdict}` |" for verdict in Verdict],
    "eval-file.md": [f"| `{name}` |" for name in FORMATS.names() if hasattr(FORMATS.get(name), "SUFFIXES")],
    "errors.md": [
        *(f"## `{name}`" for name, one in vars(errors).items() if _is_error(one)),
        *(f"| `{code.value}` |" for code in ExitCode),
    ],
}  # fmt: skip
"""What must be found on which page."""


@pytest.mark.parametrize(("name", "entry"), [(name, entry) for name, entries in ENTRIES.items() for entry in entries])
def test_everything_on_offer_has_an_entry(name: str, entry: str) -> None:
    assert f"\n{entry}" in (DOCS / "reference" / name).read_text("utf-8")


def test_no_key_goes_without_a_word() -> None:
    silent = [
        f"{name}: {line}" for name, text in generated().items() for line in text.split("\n") if line.endswith("|  |")
    ]

    assert silent == []


def test_the_environment_is_told_as_settings_read_it() -> None:
    source = (ROOT / "src" / "audition" / "settings.py").read_text("utf-8")
    read = set(re.findall(r"environ\.get\(\"(\w+)\"", source))

    assert {name.strip("`") for name in generator().ENVIRONMENT} == read | {
        RECORD,
        REPLAY,
        RECORD_MISSING,
        EMAIL,
        PASSWORD,
    }


LIMITS = re.findall(
    r"^\| (.+?) \| (.+?) \| `(audition\.[\w.]+)` \|$",
    (DOCS / "explanation" / "limits.md").read_text("utf-8"),
    re.MULTILINE,
)


@pytest.mark.parametrize(("what", "value", "constant"), LIMITS, ids=[limit[0] for limit in LIMITS])
def test_a_limit_is_what_the_code_says(what: str, value: str, constant: str) -> None:
    home, _, name = constant.rpartition(".")
    module, _, owner = home.rpartition(".")
    defaults = getattr(import_module(module), owner, None) if owner.istitle() else None

    in_code = {field.name: field.default for field in fields(defaults)} if defaults else vars(import_module(home))

    assert float(value.split(" ")[0].strip(",").replace(",", "")) == in_code[name]


# Links.


def links_of(path: Path) -> Iterator[str]:
    """Yield where a page's own links lead; those to other sites are left to their owners."""
    text = _FENCE.sub("", path.read_text("utf-8"))
    yield from (target for target in _LINK.findall(text) if "://" not in target and not target.startswith("mailto:"))


def anchors_of(path: Path) -> set[str]:
    """Return the names by which the headings of a page can be linked to."""
    headings = re.findall(r"^#+ (.+)$", _FENCE.sub("", path.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_every_link_of_a_page_leads_somewhere(path: Path) -> None:
    broken = []
    for target in links_of(path):
        file, _, anchor = target.partition("#")
        found = (path.parent / file) if file else path
        if not found.exists() or (anchor and anchor not in anchors_of(found)):
            broken.append(target)

    assert broken == []


@pytest.mark.parametrize("folder", ["how-to", "explanation", "tutorial", "decisions"])
def test_every_page_is_linked_from_an_index(folder: str) -> None:
    index = DOCS / folder / "README.md" if (DOCS / folder / "README.md").exists() else README

    listed = {(index.parent / link.partition("#")[0]).resolve() for link in links_of(index)}

    assert {path for path in (DOCS / folder).glob("*.md") if path != index} <= listed


# What pages show.


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: `file` is the name of the file it shows, None when it shows none."""

    language: str
    text: str
    line: int

    @property
    def file(self) -> str | None:
        found = _FILE_NAME.match(self.text)
        return found[1] if found and self.language not in ("console", "text") else None


def blocks_of(path: Path) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    text = path.read_text("utf-8")
    return [Block(found[1], found[2], text.count("\n", 0, found.start()) + 1) for found in _FENCE.finditer(text)]


def shows_evals(block: Block) -> bool:
    """Tell whether a block is what an eval file may hold."""
    return block.language == "yaml" and "conversation:" in block.text and bool(_NAMED.search(block.text))


EVAL_BLOCKS = [
    pytest.param(block, id=f"{name_of(path)}:{block.line}")
    for path in [*FOLLOWED, *sorted((DOCS / "explanation").glob("*.md"))]
    for block in blocks_of(path)
    if shows_evals(block)
]


@pytest.mark.parametrize("block", EVAL_BLOCKS)
def test_an_eval_that_is_shown_loads_unless_it_is_said_to_be_wrong(block: Block, tmp_path: Path) -> None:
    file = tmp_path / "shown.eval.yaml"
    file.write_text(block.text, "utf-8")

    documents, faults = read_document(file)

    is_wrong = block.file is not None and block.file.endswith("wrong.eval.yaml")
    assert bool(read_evals(documents, str(file), faults).faults) == is_wrong


class Reader:
    """Somebody who does what a page says, in a folder: writes its files, types its commands, runs its Python."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._running = folder, list[subprocess.Popen[str]]()
        own = {name: value for name, value in os.environ.items() if not name.startswith(("AUDITION_", "OPENAI_"))}
        self._environment = own | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{own['PATH']}"}
        self._code = 0

    def follow(self, page: Path) -> None:
        """Do all that a page says."""
        # Other tests may be reading the same page at this moment.
        port = str(_free_port())
        for block in blocks_of(page):
            block = replace(block, text=block.text.replace("8000", port))
            if block.file is not None:
                self._write(self.folder / block.file, block)
            elif block.language == "python":
                self._type(f"python - <<'END'\n{block.text}END", "", block)
            elif block.language == "console":
                for command, shown in _commands(block.text):
                    self._type(command, shown, block)

    def end(self) -> None:
        """End what was started beside."""
        for process in self._running:
            process.terminate()
            process.communicate()

    def _write(self, path: Path, block: Block) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, "utf-8")

    def _type(self, command: str, shown: str, block: Block) -> None:
        if command == "echo $?":
            assert shown.strip() == str(self._code), f"line {block.line}: the last exit code is {self._code}"
            self._code = 0
            return
        assert self._code == 0, f"line {block.line}: the command before {command!r} exited with {self._code}"
        if command.startswith("cd ") and "&&" not in command:
            self.folder = self.folder / command[3:].strip()
        elif command.endswith(" &"):
            self._start(command.removesuffix(" &"))
        elif command.startswith(_RUNS):
            ran = subprocess.run(
                ["bash", "-o", "pipefail", "-c", command],
                cwd=self.folder,
                env=self._environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                timeout=60,
                check=False,
            )
            self._code = ran.returncode
            said = settled(ran.stdout)
            assert not shown or _agree(settled(shown), said), f"line {block.line}: {command}\n{said}"

    def _start(self, command: str) -> None:
        process = subprocess.Popen(
            command.split(), cwd=self.folder, env=self._environment, stdout=subprocess.PIPE, encoding="utf-8"
        )
        self._running.append(process)
        assert process.stdout is not None
        assert process.stdout.readline()


def _free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port: int = bound.getsockname()[1]
        return port


def _commands(text: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a console block with the output that is shown below it."""
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    for part in parts:
        command, _, shown = part.partition("\n")
        while command.endswith("\\"):
            more, _, shown = shown.partition("\n")
            command = command[:-1] + more.removeprefix("> ")
        yield command.partition("  #")[0].strip(), shown


def settled(text: str) -> str:
    """Return output in a form that is the same each time."""
    for pattern, stands_for in _CHANGES:
        text = pattern.sub(stands_for, text)
    return text.strip()


def _agree(shown: str, said: str) -> bool:
    """Tell whether output is as it is shown; a line of three dots stands for any lines, and trials end in any order."""
    lines = [r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line) + r"\n?" for line in shown.split("\n")]
    return re.fullmatch("".join(lines), said) is not None or sorted(shown.split("\n")) == sorted(said.split("\n"))


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    reader = Reader(tmp_path)
    yield reader
    reader.end()


@pytest.mark.parametrize("page", FOLLOWED, ids=name_of)
def test_a_page_can_be_followed(page: Path, reader: Reader) -> None:
    reader.follow(page)


def _keys_told(text: str, title: str) -> set[str]:
    """Return the keys in the first column of the table below a heading."""
    section = text.partition(f"### {title}\n")[2].partition("\n#")[0]
    return {key for row in re.findall(r"^\| (`.+?) \|", section, re.MULTILINE) for key in re.findall(r"`(\w+)`", row)}


def _keys_of(parts: Iterable[Mapping[str, Any]]) -> set[str]:
    return {key for part in parts for key in part}


def _reply(turn: Any, session: Any) -> str:
    with session.workflow("greeting"):
        return "hello" if turn.event or turn.user == "hi" else 1 / 0


def test_the_keys_of_the_json_report_are_told() -> None:
    check = Check(category="response", spec={"contains": "hello"})
    turns = (Turn(event={"kind": "ping"}, checks=(check,)), Turn(user="crash", checks=(check,)))
    unmet = Setup(tools=(ToolMock(name="search", results=(MockResult(result=1),)),))
    evals = [Eval(name="crash", turns=turns), Eval(name="never opened", turns=turns, setup=unmet)]
    page = (DOCS / "how-to" / "reports-and-ci.md").read_text("utf-8")

    report = json.loads(audition.render(audition.run(evals, agent=_reply), "json"))

    turns_told = [turn for one in report["evals"] for turn in one["turns"]]
    assert report.keys() == _keys_told(page, "The run")
    assert _keys_of(report["evals"]) == _keys_told(page, "An eval")
    assert _keys_of(turns_told) == _keys_told(page, "A turn")
    # no remark is made on these checks, and no judge is asked
    keys = _keys_of(check for turn in turns_told for check in turn["checks"])
    assert keys == _keys_told(page, "A check") - {"note", "votes", "warning", "judge_usage"}


@pytest.mark.parametrize("page", [README, DOCS / "tutorial" / "first-eval.md"], ids=name_of)
def test_the_first_files_are_those_that_init_writes(page: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "audition", "init", str(tmp_path)], check=True, capture_output=True)
    written = {str(path.relative_to(tmp_path)): path.read_text("utf-8") for path in tmp_path.rglob("*.*")}
    shown: dict[str, str] = {}
    for block in blocks_of(page):
        if block.file in written:
            shown.setdefault(block.file, block.text.partition("\n")[2])

    assert "evals/first.eval.yaml" in shown
    assert shown.items() <= written.items()


def test_the_readme_is_short() -> None:
    assert len(README.read_text("utf-8").splitlines()) <= 150
