"""File formats: each file reads evals from one kind of file. Reading runs no code, except where a format says so."""

from audition.formats._botpress_config import with_agent_config
from audition.formats._format import FORMATS, Format, Reading
from audition.formats._gather import Gathered, Readers, gather, load, uncollected, without_code

__all__ = [
    "FORMATS",
    "Format",
    "Gathered",
    "Readers",
    "Reading",
    "gather",
    "load",
    "uncollected",
    "with_agent_config",
    "without_code",
]
