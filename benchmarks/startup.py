"""How long audition takes to start: CPU seconds of a child, the best of a few."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import AUDITION, PYTHON, Figure, Size, best_of, run_child

VENDORS = ("aiohttp", "alembic", "click", "pydantic", "regex", "rich", "rich_click", "sqlalchemy", "yaml")

_USED = "import audition; audition.run"
_LOADED = f"{_USED}; import sys; print(*sorted(set(sys.modules) & set({VENDORS!r})))"


def figures(size: Size) -> Iterator[Figure]:
    """Yield what starting costs, and which vendors the library loads: public names are imported when first used."""
    commands = {
        "plain": [PYTHON, "-c", "pass"],
        "pydantic": [PYTHON, "-c", "import pydantic"],
        "import": [PYTHON, "-c", "import audition"],
        "used": [PYTHON, "-c", _USED],
        "version": [AUDITION, "--version"],
    }
    runs = {name: lambda command=command: run_child(command, Path.cwd()) for name, command in commands.items()}
    cost = best_of(size.rounds, runs)
    plain = cost["plain"].cpu_s
    yield Figure(name="python -c pass, CPU", value=plain, unit="s")
    yield Figure(name="import pydantic, CPU", value=cost["pydantic"].cpu_s, unit="s", plain=plain)
    yield Figure(name="audition --version, CPU", value=cost["version"].cpu_s, unit="s", plain=plain, goal=0.10)
    yield Figure(name="import audition, CPU", value=cost["import"].cpu_s, unit="s", plain=plain, goal=0.15)
    yield Figure(name=f"{_USED}, CPU", value=cost["used"].cpu_s, unit="s", plain=plain, goal=0.15)
    loaded = run_child([PYTHON, "-c", _LOADED], Path.cwd()).said.split()
    yield Figure(name=f"{_USED}, vendors", value=len(loaded), unit="", goal=0, note=" ".join(loaded))
