"""`*.eval.py`: evals built in Python, found among the module's own values. Reading such a file runs it."""

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from hashlib import sha256
from math import isfinite
from pathlib import Path
from traceback import walk_tb
from types import ModuleType

from audition.documents.files import read_text
from audition.documents.located import LocatedDict, Mark
from audition.errors import Fault, Where
from audition.evals import Eval
from audition.formats._format import Reading
from audition.formats.eval_dict import read_evals, write_eval

SUFFIXES = (".eval.py",)
RUNS_CODE = True

_KINDS = frozenset({"conversation", "scenario"})
"""The keys of which a dict has one when it is an eval."""


def read(path: Path) -> Reading:
    """Run a file and return the evals among its values, in the order of their definition.

    An eval is an `Eval`, a dict with `name` and `conversation` or `scenario`, or one of these in a list or tuple. Names
    that begin with an underscore are left alone. What the file prints goes to standard error.
    """
    text = read_text(path)
    if isinstance(text, Fault):
        return Reading(faults=(text,))
    try:
        tree = ast.parse(text, str(path))
        module = _run(tree, path)
    except SyntaxError as error:
        return Reading(faults=(_syntax_fault(error, path),))
    # Any code may run here and raise anything; it is the file's fault, and other files are still to be read.
    except (Exception, SystemExit) as error:
        return Reading(faults=(_raised(error, path),))
    documents, faults = _documents(module, _lines(tree), path)
    return read_evals(documents, str(path), faults)


def _run(tree: ast.Module, path: Path) -> ModuleType:
    """Return the module a file makes, under a name of its own: two files may be called the same."""
    name = f"_audition_eval_{sha256(str(path.resolve()).encode()).hexdigest()[:16]}"
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # dataclasses look their module up there
    try:
        with _importable(path.resolve().parent), redirect_stdout(sys.stderr):
            exec(compile(tree, str(path), "exec"), module.__dict__)  # noqa: S102  # what this format is for
    finally:
        del sys.modules[name]
    return module


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Let modules of a folder be imported, and forget them afterwards: the next folder may have some of that name."""
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        if str(folder) in sys.path:
            sys.path.remove(str(folder))
        new = sys.modules.keys() - before
        own = {name for name in new if _stands_in(folder, sys.modules[name])}
        for name in new:
            if name.partition(".")[0] in own:
                del sys.modules[name]


def _stands_in(folder: Path, module: ModuleType) -> bool:
    """Tell whether a module is `folder/module.py` or `folder/module/__init__.py`."""
    file = getattr(module, "__file__", None)  # built-in modules have none
    return isinstance(file, str) and folder in list(Path(file).parents)[:2]


def _documents(module: ModuleType, lines: Mapping[str, int], path: Path) -> tuple[list[object], list[Fault]]:
    documents: list[object] = []
    faults: list[Fault] = []
    taken: set[int] = set()
    for name, value in vars(module).items():
        mark = (lines.get(name, 1), 1)
        for item in () if name.startswith("_") else _evals_in(value):
            if id(item) in taken:  # the same eval under another name
                continue
            taken.add(id(item))
            try:
                documents.append(_document(item, mark))
            except _NotDataError as error:
                faults.append(Fault(f"in {name!r}: {error}", Where(str(path), *mark)))
    return documents, faults


def _evals_in(value: object) -> Sequence[object]:
    """Return a value that is an eval, or the items of a list that holds one."""
    if isinstance(value, list | tuple):
        return value if any(map(_is_eval, value)) else ()
    return (value,) if _is_eval(value) else ()


def _is_eval(value: object) -> bool:
    return isinstance(value, Eval) or (isinstance(value, Mapping) and "name" in value and not _KINDS.isdisjoint(value))


def _document(value: object, mark: Mark) -> LocatedDict:
    """Return an eval as the document a file would have held.

    Raises: _NotDataError for what is no eval, and for one that could not stand in a file.
    """
    if not isinstance(value, Eval | Mapping):
        raise _NotDataError(f"{repr(value)[:60]} is no eval")
    document = LocatedDict(mark)
    try:
        written = write_eval(value) if isinstance(value, Eval) else value
        document.update((key, _plain(item)) for key, item in written.items())
    except (TypeError, ValueError, AttributeError) as error:
        raise _NotDataError(f"this is not how an Eval is built: {error}") from None
    except RecursionError:
        raise _NotDataError("a value holds itself, or is nested too deep") from None
    return document


class _NotDataError(Exception):
    """A value has no place among evals."""


def _plain(value: object) -> object:
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float) and isfinite(value):
        return value
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    what = f"{type(value).__name__} {repr(value)[:60]}"
    raise _NotDataError(f"the {what} cannot stand in an eval, which holds what JSON can hold")


def _lines(tree: ast.Module) -> dict[str, int]:
    """Return the line on which each name of a module is first given a value."""
    lines: dict[str, int] = {}
    for statement in tree.body:
        inside = not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for node in ast.walk(statement) if inside else ():
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                lines.setdefault(node.id, node.lineno)
    return lines


def _syntax_fault(error: SyntaxError, path: Path) -> Fault:
    return Fault(f"not Python: {error.msg}", Where(error.filename or str(path), error.lineno, error.offset))


def _raised(error: BaseException, path: Path) -> Fault:
    """Return the fault of what a file raised, at the line of the file that led to it."""
    lines = [line for frame, line in walk_tb(error.__traceback__) if frame.f_code.co_filename == str(path)]
    message = f"running the file raised {type(error).__name__}: {error}".removesuffix(": ")
    return Fault(message, Where(str(path), lines[-1] if lines else None))
