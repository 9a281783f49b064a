"""`*.eval.json`: one eval, a list of them, or an object with a list under `evals`."""

from pathlib import Path

from audition.documents.files import read_document
from audition.formats._format import Reading
from audition.formats.eval_dict import read_evals

SUFFIXES = (".eval.json",)
RUNS_CODE = False


def read(path: Path) -> Reading:
    """Return what is in a file."""
    documents, faults = read_document(path)
    return read_evals(documents, str(path), faults)
