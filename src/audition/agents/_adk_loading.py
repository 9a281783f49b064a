"""Finding the Python package of an ADK agent: in a folder, as `adk eval` does, or by its dotted name."""

import gc
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType

from audition.agents._loading import load_module
from audition.errors import SettingsError
from audition.text import shorten

_LONGEST_MESSAGE = 500


@contextmanager
def without_collecting() -> Iterator[None]:
    """Import much at once without looking for garbage in between, and leave it out of later searches.

    ADK is more than a thousand modules, which stay for good: going through them takes a tenth of a second each time.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if collecting:
            gc.enable()


def folder_of(where: str, root: Path, loader: str | None) -> Path | None:
    """Return the folder that an agent is loaded from, None when `where` is a dotted module name.

    A relative path counts from `root`. `loader` is `folder` or `module`; None: a folder when there is one.

    Raises: SettingsError when there is no such folder, or no package in it.
    """
    folder = (root / where).resolve()
    if loader == "module" or (loader is None and not folder.is_dir() and "/" not in where):
        return None
    if not folder.is_dir():
        raise _wrong(f"there is no folder {str(folder)!r}", "name the folder that holds the agent's __init__.py")
    if not any((folder / name).is_file() for name in ("__init__.py", "agent.py")):
        hint = "an ADK agent is a package whose agent.py defines root_agent"
        raise _wrong(f"{str(folder)!r} holds neither __init__.py nor agent.py", hint)
    return folder


def load_package(folder: Path) -> ModuleType:
    """Return the package in a folder, or its module `agent` where it has one.

    It is imported by the folder's name, its parent being importable, so that its modules may import each other either
    way. A name that already means something else is left alone: the package then gets one of its own.

    Raises: SettingsError when it cannot be imported.
    """
    name = folder.name
    package = load_module(name, folder.parent) if name.isidentifier() and _is_free(name, folder) else None
    if package is None or not _is_of(package, folder):
        package = _run(folder)
    if not hasattr(package, "agent") and (folder / "agent.py").is_file():
        load_module(f"{package.__name__}.agent", folder.parent)
    return holder_of(package)


def holder_of(module: ModuleType) -> ModuleType:
    """Return the module that defines the agent: the `agent` of a package, else itself. Source: `adk eval`."""
    inner: ModuleType = getattr(module, "agent", module)
    return inner


def _is_free(name: str, folder: Path) -> bool:
    """Say whether a module name means this folder, or nothing yet."""
    known = sys.modules.get(name)
    return name not in sys.stdlib_module_names and (known is None or _is_of(known, folder))


def _is_of(package: ModuleType, folder: Path) -> bool:
    return str(folder) in [str(Path(place).resolve()) for place in getattr(package, "__path__", ())]


def _run(folder: Path) -> ModuleType:
    """Import a package under a name made of its path."""
    name = "adk_" + re.sub(r"\W", "_", str(folder))
    if name in sys.modules:
        return sys.modules[name]
    file = folder / "__init__.py"
    loader = SourceFileLoader(name, str(file)) if file.is_file() else None
    spec = ModuleSpec(name, loader, origin=str(file), is_package=True)
    spec.submodule_search_locations = [str(folder)]
    package = sys.modules[name] = module_from_spec(spec)
    try:
        if loader:
            loader.exec_module(package)
    except Exception as error:
        del sys.modules[name]
        what = shorten(f"{type(error).__name__}: {error}", _LONGEST_MESSAGE)
        raise _wrong(f"{str(folder)!r} cannot be imported: {what}", f"see {file}") from error
    return package


def _wrong(message: str, hint: str | None) -> SettingsError:
    return SettingsError(message, key="agent", hint=hint)
