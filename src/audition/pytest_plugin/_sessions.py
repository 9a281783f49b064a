"""What a session of pytest holds of ours; each part is made when it is first asked for, and no earlier."""

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import pytest

from audition.errors import AuditionError

if TYPE_CHECKING:
    from audition.pytest_plugin._background import Background
    from audition.pytest_plugin._project import Project
    from audition.pytest_plugin._running import Running

_T = TypeVar("_T")

_PROJECT = pytest.StashKey["Project | AuditionError"]()
_BACKGROUND = pytest.StashKey["Background | AuditionError"]()
_RUNNING = pytest.StashKey["Running | AuditionError"]()
_TOTAL = pytest.StashKey["int | None"]()


def project_of(config: pytest.Config) -> "Project":
    """Return the project. Raises: SettingsError when its settings are not right."""
    from audition.pytest_plugin._project import Project

    return _once(config, _PROJECT, lambda: Project(config))


def background_of(config: pytest.Config) -> "Background":
    """Return the loop beside pytest's thread."""
    from audition.pytest_plugin._background import Background

    return _once(config, _BACKGROUND, Background)


def running_of(config: pytest.Config) -> "Running":
    """Return the run of the evals. Raises: AuditionError when they cannot be run as was asked."""
    from audition.pytest_plugin._running import Running

    return _once(config, _RUNNING, lambda: Running(project_of(config), background_of(config)))


def expect(config: pytest.Config, total: int | None) -> None:
    """Note how many evals are to be run, None when that is not known."""
    config.stash[_TOTAL] = total


def end(config: pytest.Config) -> None:
    """End what runs beside the session, keep what it came to, and close the project."""
    _end_running(config)
    project = config.stash.get(_PROJECT, None)
    if project is not None and not isinstance(project, AuditionError):
        project.close()


def _end_running(config: pytest.Config) -> None:
    background = config.stash.get(_BACKGROUND, None)
    if background is None or isinstance(background, AuditionError):
        return
    background.stop()
    running = config.stash.get(_RUNNING, None)
    if running is None or isinstance(running, AuditionError):
        return
    try:
        running.end(config.stash.get(_TOTAL, None))
    except AuditionError as error:
        warnings.warn(pytest.PytestWarning(str(error)), stacklevel=1)


def _once(config: pytest.Config, key: "pytest.StashKey[_T | AuditionError]", make: Callable[[], _T]) -> _T:
    """Return what `make` returns, or raise what it raises; it is called once in a session."""
    if key not in config.stash:
        try:
            config.stash[key] = make()
        except AuditionError as error:
            config.stash[key] = error
    kept = config.stash[key]
    if isinstance(kept, AuditionError):
        raise kept
    return kept
