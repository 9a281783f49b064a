"""Projects to measure with: any number of single-turn evals with one `contains`, in each spelling, and an agent."""

import json
from collections.abc import Iterator
from pathlib import Path

CONTAINS = "you said"
"""What the function agents' replies hold."""

_AGENT = """\
async def reply(turn, session):
    return f"You said: {turn.user}"


def reply_at_once(turn, session):
    return f"You said: {turn.user}"
"""

_YAML = """\
- name: eval {0}
  conversation:
  - user: hello {0}
    assert:
      response:
      - contains: {1}
"""

_PYTHON = """\
from audition import Check, Eval, Turn

evals = [
    Eval(
        name=f"eval {number}",
        turns=(Turn(user=f"hello {number}", checks=(Check(category="response", spec={"contains": %r}),)),),
    )
    for number in range(%d)
]
"""


def write_agent(folder: Path) -> None:
    """Write `agent.py`, which offers `reply` and its synchronous twin `reply_at_once`."""
    (folder / "agent.py").write_text(_AGENT, encoding="utf-8")


def write_evals(folder: Path, count: int, *, suffix: str, contains: str = CONTAINS) -> str:
    """Write `count` evals into one file that ends in `suffix` (`yaml`, `json` or `py`); return its name.

    It is written piece by piece: what this process holds at its peak would count as its children's.
    """
    pieces = {"yaml": _yaml, "json": _json, "py": _python}[suffix]
    name = f"{count}.eval.{suffix}"
    with (folder / name).open("w", encoding="utf-8") as file:
        file.writelines(pieces(count, contains))
    return name


def _yaml(count: int, contains: str) -> Iterator[str]:
    yield "evals:\n"
    for number in range(count):
        yield _YAML.format(number, contains)


def _json(count: int, contains: str) -> Iterator[str]:
    yield '{"evals": [\n'
    for number in range(count):
        turn = {"user": f"hello {number}", "assert": {"response": [{"contains": contains}]}}
        comma = "," if number < count - 1 else ""
        yield json.dumps({"name": f"eval {number}", "conversation": [turn]}, indent=1) + comma + "\n"
    yield "]}\n"


def _python(count: int, contains: str) -> Iterator[str]:
    yield _PYTHON % (contains, count)
