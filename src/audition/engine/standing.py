"""What is known of the judge that a project asks: which version it is, and what its doctor and people's labels said."""

from pathlib import Path

from audition.llm import Models
from audition.settings import Settings
from audition.store.judges import FILE_NAME, read_standings, standing_of


def judges_file(settings: Settings) -> Path:
    """Return the file that keeps what is known of judges: beside the history, or in `.audition` when that is a URL."""
    if "://" in settings.history:
        return settings.root / ".audition" / FILE_NAME
    return Path(settings.history_place).parent / FILE_NAME


def version_of(settings: Settings, reference: str) -> tuple[str, str]:
    """Return the model, as `PROVIDER:MODEL` whatever alias names it, and the SHA-256 of what judges are told.

    Models that vote are joined by ` + `; where there are more votes than models, their number follows.

    Raises: SettingsError for a model that settings do not name.
    """
    from audition.judges.version import prompt_hash  # most runs ask no judge

    together = settings.judge_models if reference == settings.judge_model else ()
    resolved = map(Models(settings.models, settings.providers).resolve, together or (reference,))
    name = " + ".join(f"{provider.name}:{model}" for provider, model in resolved)
    votes = settings.judge_votes or 1
    return name if votes <= max(1, len(together)) else f"{name}, {votes} votes", prompt_hash()


def fingerprint_of(settings: Settings, reference: str | None) -> str | None:
    """Return the fingerprint that the doctor left of a judge; None without a judge, or when it has not seen it.

    Raises: SettingsError for a model that settings do not name, StoreError when the file of judges cannot be read.
    """
    file = judges_file(settings)
    if reference is None or not file.exists():
        return None
    return standing_of(read_standings(file), *version_of(settings, reference)).fingerprint
