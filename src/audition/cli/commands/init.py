"""`audition init`: a small project that runs as it is."""

from pathlib import Path

import click

_SETTINGS = """\
# The settings of this project. The command line says more: audition run --help
evals = "evals"

[agent]
use = "function:agent:reply"
"""

_AGENT = '''\
"""The agent that is auditioned: replace it with yours."""

OPENING_HOURS = "We are open from 9 to 17, Monday to Friday."


def reply(turn, session):
    """Answer one message; see what `turn` and `session` offer in audition's reference."""
    if turn.event is not None:
        return None
    if "order" in turn.user.lower():
        order = session.tool("find_order", {"id": "A-7"}, result={"status": "sent"})
        return f"Your order A-7 was {order['status']}."
    if "open" in turn.user.lower():
        return OPENING_HOURS
    return "I can tell you about your order and our opening hours."
'''

_EVAL = """\
# One document is one eval: what is said to the agent, and what must hold.
name: opening-hours
type: regression
tags: [smoke]
conversation:
  - user: When are you open?
    assert:
      response:
        - contains: 9 to 17
        - not_contains: sorry
---
name: order-status
conversation:
  - user: Where is my order?
    assert:
      response:
        - contains: sent
      tools:
        - called: find_order
          params: { id: A-7 }
  - event:
      payload: { kind: order_delivered }
    expectSilence: true
"""

_FILES = {"audition.toml": _SETTINGS, "agent.py": _AGENT, "evals/first.eval.yaml": _EVAL}


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=".")
def command(folder: Path) -> None:
    """Write a small project that runs as it is: settings, an agent to replace with yours, and two evals.

    Files that are there are never overwritten.

    \b
    Examples:
      audition init         in the current folder
      audition init shop    in a new one
    """
    there = [name for name in _FILES if (folder / name).exists()]
    if there:
        raise click.UsageError(f"{folder} already has {', '.join(there)}; nothing was written")
    for name, text in _FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        click.echo(f"wrote {path}")
    enter = "" if folder.absolute() == Path.cwd() else f"cd {folder} && "
    click.echo(f"\nNow run it: {enter}audition run")
