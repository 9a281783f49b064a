"""Run the benchmarks: `python -m benchmarks [NAME…] [--tiny] [--rapid N]`.

Figures are told, not judged: being over a goal is 0.
"""

import argparse
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module

from benchmarks.measure import TINY, NotRun, Size

NAMES = (
    "startup",
    "overhead",
    "http_latency",
    "judged",
    "faulty",
    "botpress",
    "adk_scoring",
    "adk",
    "pytest_plugin",
    "lint",
    "service",
)
PARTS = ("service.reading", "service.sqlite", "service.postgresql", "service.workers")
"""Parts of long ones, to be run by themselves."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures of the benchmarks named, of all without a name; return 1 when one could not be run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="How fast audition is.")
    known = ", ".join((*NAMES, *PARTS))
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"any of {known}; all by default")
    parser.add_argument("--tiny", action="store_true", help="only see that they work; the figures mean nothing")
    parser.add_argument("--rapid", metavar="N", type=int, help="so many instant calls, or scripted cases")
    asked = parser.parse_args(arguments)
    if unknown := set(asked.names) - {*NAMES, *PARTS}:
        parser.error(f"no benchmark called {', '.join(sorted(unknown))}; there are: {known}")
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}", flush=True)
    size = TINY if asked.tiny else Size()
    size = replace(size, rapid=asked.rapid or size.rapid)
    could_not = [name for name in asked.names or NAMES if not _run(name, size)]
    print(f"load afterwards {os.getloadavg()[0]:.2f}")
    return 1 if could_not else 0


def _run(name: str, size: Size) -> bool:
    print(f"\n{name}", flush=True)
    try:
        whole, _, part = name.partition(".")
        module = import_module(f"benchmarks.{whole}")
        for figure in module.PARTS[part](size) if part else module.figures(size):
            print(f"  {figure.line()}", flush=True)
    except NotRun as why:
        print(f"{name} could not be run: {why}", file=sys.stderr)
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
