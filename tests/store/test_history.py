"""Opening the history that settings name."""

from contextlib import closing
from pathlib import Path

import pytest

from audition.errors import NotFound, StoreError
from audition.results import Run
from audition.store.history import open_recorder, open_store
from audition.store.sql import SqlStore, sqlite_url
from audition.store.sqlite_recorder import SqliteRecorder

RUN = Run(id="r1", started_at="", agent="a:b")


@pytest.mark.parametrize("as_url", [True, False], ids=["url", "path"])
def test_what_a_recorder_writes_can_be_read(tmp_path: Path, as_url: bool) -> None:
    path = tmp_path / ".audition" / "history.db"
    history = sqlite_url(path) if as_url else str(path)

    with closing(open_recorder(history)) as recorder:
        recorder.begin(RUN)

    with closing(open_store(history)) as store:
        assert store.run("r1") == RUN


def test_a_path_is_recorded_into_by_the_light_recorder(tmp_path: Path) -> None:
    with closing(open_recorder(str(tmp_path / "history.db"))) as recorder:
        assert type(recorder) is SqliteRecorder


def test_a_url_is_recorded_into_by_the_full_store(tmp_path: Path) -> None:
    with closing(open_recorder(sqlite_url(tmp_path / "history.db"))) as recorder:
        assert type(recorder) is SqlStore


def test_reading_makes_no_history(tmp_path: Path) -> None:
    path = tmp_path / ".audition" / "history.db"

    with pytest.raises(NotFound, match="there is no history at") as caught:
        open_store(str(path))

    assert caught.value.hint == "audition run makes one"
    assert not path.parent.exists()


def test_a_url_that_leads_nowhere_is_refused() -> None:
    with pytest.raises(StoreError, match="no history can be kept in 'redis'"):
        open_recorder("redis://host")
