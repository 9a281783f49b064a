"""A folder whose file names are the names it offers; other packages join it by entry point."""

from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from audition.errors import UnknownName
from audition.text import nearest


@cache
def _entry_points(group: str) -> dict[str, str]:
    from importlib.metadata import entry_points  # 10 ms of CPU, and 4 for each look through all packages

    return {point.name: point.value for point in entry_points(group=group)}


class Folder:
    """A package as a registry: `Folder("agent", "audition.agents").get("http")` imports `audition/agents/http.py`.

    Nothing is imported until it is asked for. Files that start with an underscore are not offered. Other packages
    offer modules through the entry point group that has the package's dotted name.
    """

    def __init__(self, noun: str, package: str) -> None:
        self.noun, self.package = noun, package

    def names(self) -> tuple[str, ...]:
        """Return all names on offer, sorted."""
        own = {path.stem for path in Path(import_module(self.package).__path__[0]).glob("[!_]*.py")}
        return tuple(sorted(own | _entry_points(self.package).keys()))

    def get(self, name: str) -> ModuleType:
        """Return the module of that name; a hyphen stands for an underscore.

        Raises: UnknownName when there is none, with the nearest one.
        """
        name = name.replace("-", "_")
        if not name.isidentifier() or name.startswith("_"):
            raise self._unknown(name)
        dotted = f"{self.package}.{name}"
        try:
            found = import_module(dotted)
            if not hasattr(found, "__path__"):  # what a folder within holds is offered by a registry of its own
                return found
        except ModuleNotFoundError as error:
            if error.name != dotted:
                raise
        joined = _entry_points(self.package)
        if name not in joined:
            raise self._unknown(name)
        return import_module(joined[name])

    def _unknown(self, name: str) -> UnknownName:
        known = self.names()
        return UnknownName(self.noun, name, nearest=nearest(name, known), known=known)
