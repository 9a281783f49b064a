"""`*.evalset.json` and `*.test.json`: eval sets of Google's ADK, known by what is in them and not by their names.

They are held against the criteria of the config beside them, or against ADK's own two. Our own extras stand under the
key `audition` of a case, which ADK keeps. Source: google-adk, EvalSet and EvalConfig.
"""

from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from audition.documents.files import read_text
from audition.errors import Fault, Where
from audition.formats._format import Reading

if TYPE_CHECKING:
    from audition.formats._adk_config import (
        Config,
        ConfigReading,
        Criterion,
        config_beside,
        config_of,
        default_config,
        read_config,
        with_criteria,
    )
    from audition.formats._adk_content import eval_set_of
    from audition.formats._adk_models import models_for
    from audition.formats._adk_reading import read_eval_set, session_setup
    from audition.formats._adk_writing import write_eval_set

__all__ = [
    "Config",
    "ConfigReading",
    "Criterion",
    "config_beside",
    "config_of",
    "default_config",
    "eval_set_of",
    "models_for",
    "read",
    "read_cases",
    "read_config",
    "read_eval_set",
    "read_many",
    "read_with_config",
    "session_setup",
    "with_criteria",
    "write_eval_set",
]

SUFFIXES = (".evalset.json", ".test.json")
NAMED_SUFFIXES = (".json",)
"""What else is read when it is named: a file of eval data may be called as one likes."""

RUNS_CODE = False

_PARTS = ("_adk_config", "_adk_content", "_adk_models", "_adk_reading", "_adk_writing")


def __getattr__(name: str) -> object:
    # Every run looks at the names of all formats, and the parts of this one take 8 ms of CPU.
    if name in __all__:
        for part in _PARTS:
            found: object = vars(import_module(f"audition.formats.{part}")).get(name)
            if found is not None:
                return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def read(path: Path) -> Reading:
    """Return the evals of a file, held against the config beside it."""
    return read_many([path])[path]


def read_many(paths: Iterable[Path]) -> dict[Path, Reading]:
    """Return the evals of several files, each held against the config beside it, which is read once.

    A custom metric becomes a custom check, and `gather` refuses those unless code is allowed.
    """
    from audition.formats._adk_config import config_beside, default_config, read_config

    found: dict[Path, ConfigReading] = {}
    readings = {}
    for path in paths:
        beside = config_beside(path)
        if beside is None:
            readings[path] = read_with_config(path, default_config())
        elif beside in found:
            readings[path] = _read_beside(path, found[beside], told=True)
        else:
            found[beside] = read_config(beside, allow_code=True)
            readings[path] = _read_beside(path, found[beside], told=False)
    return readings


def read_with_config(path: Path, config: "Config") -> Reading:
    """Return the evals of a file, held against a config."""
    from audition.formats._adk_config import with_criteria

    reading = read_cases(path)
    return replace(reading, evals=with_criteria(reading.evals, config))


def read_cases(path: Path) -> Reading:
    """Return the evals of a file whatever its name, held against nothing but what they say themselves."""
    from audition.documents.json import read_json
    from audition.formats._adk_reading import read_eval_set

    text = read_text(path)
    if isinstance(text, Fault):
        return Reading(faults=(text,))
    documents, faults = read_json(text, str(path))
    return Reading(faults=tuple(faults)) if faults else read_eval_set(documents[0], str(path))


def _read_beside(path: Path, found: "ConfigReading", *, told: bool) -> Reading:
    """Return the evals of a file; `told`: what there is to say of the config beside it was said with another file."""
    reading = read_with_config(path, found.config)
    if not found.faults:
        return reading if told else replace(reading, warnings=(*_remarks(found), *reading.warnings))
    unusable = Fault("the config beside this file has faults", Where(str(path)))
    return Reading(faults=((unusable,) if told else found.faults) + reading.faults, warnings=reading.warnings)


def _remarks(found: "ConfigReading") -> tuple[str, ...]:
    config = found.config
    remarks = list(found.warnings)
    if config.path and not config.path.endswith("test_config.json"):
        remarks.append(f"{config.path}: these criteria hold; adk eval uses such a file only when it is named")
    if config.judge_model is not None:
        remarks.append(f"{config.path}: the judge_model {config.judge_model!r} is not used unless the settings name it")
    return tuple(remarks)
