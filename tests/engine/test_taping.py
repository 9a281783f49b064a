"""The cassette that the environment names."""

import re
from pathlib import Path

import pytest

from audition.engine.taping import cassette_in
from audition.errors import SettingsError
from audition.llm.cassette import Cassette


@pytest.mark.parametrize("environ", [{}, {"AUDITION_RECORD": ""}, {"AUDITION_RECORD_MISSING": "0"}])
def test_where_none_is_named_there_is_none(environ: dict[str, str]) -> None:
    assert cassette_in(environ) is None


@pytest.mark.parametrize(
    ("variables", "mode"),
    [
        (("AUDITION_RECORD",), "record"),
        (("AUDITION_REPLAY",), "replay"),
        (("AUDITION_REPLAY", "AUDITION_RECORD_MISSING"), "auto"),
    ],
    ids=["record", "replay", "record what is missing"],
)
def test_a_variable_says_what_the_file_is_for(variables: tuple[str, ...], mode: str, tmp_path: Path) -> None:
    tape = tmp_path / "tape.cassette"
    Cassette(tape, "record").close()

    cassette = cassette_in({variable: "1" if variable.endswith("MISSING") else str(tape) for variable in variables})

    assert cassette is not None
    assert (cassette.path, cassette.mode) == (tape, mode)
    cassette.close()


def test_all_processes_of_a_session_have_one_beginning(tmp_path: Path) -> None:
    begun = "2026-01-02T03:04:05.678+00:00"

    cassette = cassette_in({"AUDITION_RECORD": str(tmp_path / "tape"), "AUDITION_RECORD_SINCE": begun})

    assert cassette is not None
    assert cassette.since == begun
    cassette.close()


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"AUDITION_RECORD": "a", "AUDITION_REPLAY": "b"}, "AUDITION_RECORD and AUDITION_REPLAY exclude each other"),
        ({"AUDITION_RECORD_MISSING": "1"}, "AUDITION_RECORD_MISSING goes with AUDITION_REPLAY"),
        ({"AUDITION_RECORD_MISSING": "1", "AUDITION_RECORD": "a"}, "goes with AUDITION_REPLAY"),
        ({"AUDITION_REPLAY": "/nowhere/tape"}, "there is no cassette /nowhere/tape"),
    ],
    ids=["both", "missing of nothing", "missing of a recording", "no file"],
)
def test_what_cannot_be_meant_is_refused(environ: dict[str, str], message: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(message)):
        cassette_in(environ)
