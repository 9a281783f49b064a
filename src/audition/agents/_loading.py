"""Finding a callable by its name: the only place where an agent's own module is imported."""

import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

from audition.errors import SettingsError
from audition.text import nearest, shorten

_LONGEST_MESSAGE = 500


def load_module(name: str, root: Path) -> ModuleType:
    """Return the module of that name, with the project's folder searched first.

    Raises: SettingsError when there is none, or when importing it fails.
    """
    if name.endswith(".py") or not all(part.isidentifier() for part in name.split(".")):
        guess = ".".join(Path(name.removesuffix(".py")).parts)
        raise _wrong(f"{name!r} is no module name", f"write it with dots and without .py: {guess}")
    folder = str(root.resolve())
    sys.path[:] = [folder, *(entry for entry in sys.path if entry != folder)]
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            hint = f"it is looked for in {folder} and among the installed packages"
            raise _wrong(f"no module called {error.name!r}", hint) from None
        raise _broken(name, error) from error
    except (Exception, SystemExit) as error:  # sys.exit(0) in a module must not end a run as if all were well
        raise _broken(name, error) from error


def callable_of(module: ModuleType, name: str) -> Callable[..., object]:
    """Return a callable of a module; `name` may go on with dots (`bot.reply`).

    Raises: SettingsError when there is nothing of that name, or nothing that can be called.
    """
    found: object = module
    for part in name.split("."):
        if not hasattr(found, part):
            guess = nearest(part, (known for known in dir(found) if not known.startswith("_")))
            hint = f"did you mean {guess!r}?" if guess else f"define it in {module.__name__}"
            raise _wrong(f"{module.__name__!r} has nothing called {name!r}", hint)
        found = getattr(found, part)
    if not callable(found):
        raise _wrong(f"{name!r} of {module.__name__!r} is {type(found).__name__}, expected a callable", None)
    return found


def _broken(name: str, error: BaseException) -> SettingsError:
    frames = traceback.extract_tb(error.__traceback__)
    hint = f"see {frames[-1].filename}:{frames[-1].lineno}"
    what = shorten(f"{type(error).__name__}: {error}", _LONGEST_MESSAGE)
    return _wrong(f"{name!r} cannot be imported: {what}", hint)


def _wrong(message: str, hint: str | None) -> SettingsError:
    return SettingsError(message, key="agent", hint=hint)
