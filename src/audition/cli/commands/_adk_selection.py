"""Which eval sets and cases the arguments of `audition adk eval` mean. Source: google-adk 2.13, `adk eval`."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from audition.errors import Fault, LoadError, UnknownName, Where
from audition.text import nearest

SET_SUFFIX = ".evalset.json"
"""How the file of an eval set in an agent's folder ends, behind the set's id."""

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The file of an eval set, and the ids of the cases that are wanted of it; none means all."""

    path: Path
    ids: tuple[str, ...] = ()


def wanted_sets(arguments: Sequence[str], folder: Path | None) -> list[Wanted]:
    """Return the files that the arguments mean, each once, in order; a file that is named again adds its cases.

    When the first argument is a file, all are. Otherwise they are ids of eval sets in the agent's `folder`, which is
    None when the agent has none.

    Raises: LoadError naming every file that is missing, UnknownName for the id of a set that is not there.
    """
    named: dict[str, list[str]] = {}
    for argument in arguments:
        name, ids = _split(argument)
        named.setdefault(name, []).extend(ids)
    are_files = any(_is_file(name) for name in list(named)[:1]) or folder is None or any(map(_looks_like_path, named))
    found = {name: Path(name) if are_files else set_file(folder or Path(), name) for name in named}
    _refuse_missing(found.values())
    return [Wanted(path=found[name], ids=tuple(dict.fromkeys(ids))) for name, ids in named.items()]


def set_file(folder: Path, set_id: str) -> Path:
    """Return the file of the eval set of that id in an agent's folder.

    Raises: UnknownName when there is none, with the nearest one.
    """
    path = folder / f"{set_id}{SET_SUFFIX}"
    if _looks_like_path(set_id) or not _is_file(str(path)):
        there = sorted(found.name.removesuffix(SET_SUFFIX) for found in folder.glob(f"*{SET_SUFFIX}"))
        raise UnknownName(f"eval set in {folder}", set_id, nearest=nearest(set_id, there), known=there)
    return path


def insist_on_cases(wanted: Wanted, known: Iterable[str]) -> None:
    """Refuse ids of cases that the set does not hold.

    Raises: UnknownName for the first of them, with the nearest that there is.
    """
    there = tuple(known)
    for eval_id in wanted.ids:
        if eval_id not in there:
            raise UnknownName(f"eval case in {wanted.path}", eval_id, nearest=nearest(eval_id, there), known=there[:20])


def unique_names(ids: Sequence[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
    """Return what each case, given as the ids of its set and itself, is called in a run: its own id where that will do.

    ADK runs sets that use one id each for a case of their own; such a case is called `set/case`.
    """
    own = Counter(eval_id for _, eval_id in ids)
    return {(set_id, eval_id): eval_id if own[eval_id] == 1 else f"{set_id}/{eval_id}" for set_id, eval_id in ids}


def _split(argument: str) -> tuple[str, list[str]]:
    """Return the file or set that an argument names, and the ids of cases behind its first colon.

    A colon that belongs to a drive is none; one further on is part of an id.
    """
    start = 3 if _DRIVE.match(argument) else 0
    colon = argument.find(":", start)
    if colon < 0 or _is_file(argument):
        return argument, []
    return argument[:colon], [eval_id for part in argument[colon + 1 :].split(",") if (eval_id := part.strip())]


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _looks_like_path(name: str) -> bool:
    return name.lower().endswith(".json") or "/" in name or "\\" in name


def _refuse_missing(paths: Iterable[Path]) -> None:
    missing = [path for path in paths if not _is_file(str(path))]
    if missing:
        raise LoadError([Fault("there is no such file", Where(str(path)), _near(path)) for path in missing])


def _near(path: Path) -> str | None:
    try:
        there = [found.name for found in path.parent.iterdir()] if path.parent.is_dir() else []
    except OSError:
        return None
    guess = nearest(path.name, there)
    return f"did you mean {str(path.with_name(guess))!r}?" if guess else None
