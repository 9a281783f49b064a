"""What is known of the judges of a project, kept in one small file beside its history."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from audition.errors import StoreError

FILE_NAME = "judges.json"
_SCHEMA = 1
_SHORT = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkup:
    """What the doctor found. `verdict` is that of the whole, `parts` are those of its parts by name.

    `results` is the SHA-256 of all answers; `date` is ISO 8601 in UTC.
    """

    verdict: str
    parts: dict[str, str]
    repeats: int
    results: str
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """How a judge compared with people's labels: the four counts, what it left unanswered, and what that makes of it.

    `scale` is how it was asked; `labels` is the SHA-256 of the file; `date` is ISO 8601 in UTC. `least_bound` is what
    both lower 95 % bounds had to reach to be certified, None when that was not kept.
    """

    status: str
    scale: str
    true_pass: int
    false_pass: int
    false_fail: int
    true_fail: int
    unanswered: int
    labels: str
    date: str
    least_bound: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is known of one version of a judge: of a `model` (`PROVIDER:MODEL`) told a prompt of this SHA-256."""

    model: str
    prompt: str
    checkup: Checkup | None = None
    calibration: Calibration | None = None

    @property
    def fingerprint(self) -> str | None:
        """Return the judge and what the doctor found on which day, on one line; None when it has not seen it."""
        if self.checkup is None:
            return None
        found, day = self.checkup, self.checkup.date[:10]
        return f"{self.model} {self.prompt[:_SHORT]} {found.results[:_SHORT]} {found.verdict} {day}"


def read_standings(file: Path) -> tuple[Standing, ...]:
    """Return what is known of all judges; nothing when there is no such file.

    Raises: StoreError when it cannot be read, or was written by a newer audition.
    """
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        if document["schema"] > _SCHEMA:
            raise StoreError(f"{file} was made by a newer audition", hint="upgrade audition: pip install -U audition")
        return tuple(_standing(row) for row in document["judges"])
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise StoreError(f"{file} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        hint = "delete it, and run audition judge doctor again"
        raise StoreError(f"{file} is damaged: {type(error).__name__}: {error}", hint=hint) from error


def standing_of(standings: Sequence[Standing], model: str, prompt: str) -> Standing:
    """Return what is known of one version of a judge."""
    known = (one for one in standings if (one.model, one.prompt) == (model, prompt))
    return next(known, Standing(model=model, prompt=prompt))


def keep_checkup(file: Path, model: str, prompt: str, checkup: Checkup) -> Standing:
    """Keep what the doctor found, in place of what it had found before, and return all that is known of that judge.

    Raises: StoreError when the file cannot be read or written.
    """
    standings = read_standings(file)
    return _keep(file, standings, replace(standing_of(standings, model, prompt), checkup=checkup))


def keep_calibration(file: Path, model: str, prompt: str, calibration: Calibration) -> Standing:
    """Keep how a judge compared with people, in place of an earlier comparison, and return all that is known of it.

    Raises: StoreError when the file cannot be read or written.
    """
    standings = read_standings(file)
    return _keep(file, standings, replace(standing_of(standings, model, prompt), calibration=calibration))


def _keep(file: Path, standings: Sequence[Standing], new: Standing) -> Standing:
    others = [one for one in standings if (one.model, one.prompt) != (new.model, new.prompt)]
    document = {"schema": _SCHEMA, "judges": [asdict(one) for one in (*others, new)]}
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        beside.replace(file)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise StoreError(f"{file} cannot be written: {error.strerror}") from error
    return new


def _standing(row: dict[str, Any]) -> Standing:
    checkup, calibration = row["checkup"], row["calibration"]
    return Standing(
        model=str(row["model"]),
        prompt=str(row["prompt"]),
        checkup=None if checkup is None else Checkup(**checkup),
        calibration=None if calibration is None else Calibration(**calibration),
    )
