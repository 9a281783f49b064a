"""`*.eval.yaml`: one eval, a list of them, `evals:` with a list, or several documents of these."""

from pathlib import Path

from audition.documents.files import read_document
from audition.formats._format import Reading
from audition.formats.eval_dict import read_evals

SUFFIXES = (".eval.yaml", ".eval.yml")
RUNS_CODE = False


def read(path: Path) -> Reading:
    """Return what is in a file. A file that holds nothing, or comments alone, is a warning and no fault."""
    documents, faults = read_document(path)
    written = [document for document in documents if document is not None]
    if not written and not faults:
        return Reading(warnings=(f"{path}: the file holds no eval: it is empty, or all of it is commented out",))
    return read_evals(written, str(path), faults)
