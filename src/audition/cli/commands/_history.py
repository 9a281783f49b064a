"""The history of a project, as commands read it."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager

from audition.settings import Settings
from audition.store import Store
from audition.store.history import open_store
from audition.transcript import Transcript


@contextmanager
def history_of(settings: Settings) -> Iterator[Store]:
    """Open the history of a project, to be read.

    Raises: NotFound when there is none yet.
    """
    with closing(open_store(settings.history_place)) as store:
        yield store


def transcripts_of(settings: Settings, run_id: str) -> Mapping[str, Transcript]:
    """Return the transcripts of a stored run by trial; the first trial of an eval goes by the eval's name alone, too.

    Raises: NotFound when there is no such run, Conflict when several begin so.
    """
    with history_of(settings) as history:
        results = list(history.results(history.run(run_id).id))
    first = {result.eval_name: result.transcript for result in results if result.trial == 1}
    return first | {f"{result.eval_name}#{result.trial}": result.transcript for result in results}
