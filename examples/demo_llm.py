"""`make demo-llm`: the evals of examples/local_llm against a real language model on this machine; no key, no judge."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from examples.local_llm import server

PROJECT = Path(__file__).parent / "local_llm"

INTRODUCTION = """\
This runs evals against a real language model, on this machine and without a key: SmolLM2 with 135 million parameters,
served by llama.cpp the way any OpenAI-compatible endpoint is. The `chat` agent speaks to it. Every check is
deterministic: a model of this size can be auditioned, but it must not judge.
"""


def main() -> int:
    """Serve the model, run the evals, stop the server; return what `audition run` returned."""
    print(INTRODUCTION)
    with tempfile.TemporaryDirectory() as folder, served() as address:
        project = copy_of_project(Path(folder), address)
        print(f"The model is served at {address}.\n\n$ audition run -v", flush=True)
        code = audition(project, "run", "-v")
    print(f"\nThe server is stopped. `audition run` ended with exit code {code}; 0 means that everything passed.")
    return code


@contextmanager
def served() -> Iterator[str]:
    """Serve the model on a free port while the block runs, and yield its address."""
    command = [sys.executable, "-m", "examples.local_llm.server", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=PROJECT.parents[1]) as process:
        try:
            yield _address(process)
        finally:
            process.terminate()


def copy_of_project(folder: Path, address: str) -> Path:
    """Return a copy of the project whose settings name that address."""
    project = shutil.copytree(PROJECT, folder / PROJECT.name)
    settings = project / "audition.toml"
    written = settings.read_text(encoding="utf-8")
    settings.write_text(written.replace(server.base_url(), address), encoding="utf-8")
    return project


def audition(project: Path, *arguments: str) -> int:
    """Run the audition command in a project's folder, whatever the environment says about agents and judges."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AUDITION_")}
    return subprocess.run([sys.executable, "-m", "audition", *arguments], cwd=project, env=environment).returncode


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()  # printed once the model is loaded; nothing when the server gave up
    if not line:
        raise SystemExit("the model could not be served; the reason is above")
    return line.split()[-1]


if __name__ == "__main__":
    sys.exit(main())
