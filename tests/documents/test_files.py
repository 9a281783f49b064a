"""Files of data: sizes, encodings and line ends, and what cannot be read at all."""

import codecs
import os
import subprocess
import sys
from pathlib import Path

import pytest

from audition.documents.files import MAX_BYTES, MAX_FAULTS, read_document, read_text
from audition.errors import Fault, Where

EURO = "Preis in €? 漢字 ✅"


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


# case: google/adk-python#6690
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(EURO.encode(), id="utf-8"),
        pytest.param(codecs.BOM_UTF8 + EURO.encode(), id="utf-8 with a mark"),
        pytest.param(codecs.BOM_UTF16_LE + EURO.encode("utf-16-le"), id="utf-16 little"),
        pytest.param(codecs.BOM_UTF16_BE + EURO.encode("utf-16-be"), id="utf-16 big"),
        pytest.param(codecs.BOM_UTF32_LE + EURO.encode("utf-32-le"), id="utf-32 little"),
        pytest.param(codecs.BOM_UTF32_BE + EURO.encode("utf-32-be"), id="utf-32 big"),
    ],
)
def test_text_is_the_same_in_every_encoding_that_announces_itself(tmp_path: Path, content: bytes) -> None:
    assert read_text(written(tmp_path / "a.yaml", content)) == EURO


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["unix", "windows", "old mac"])
def test_every_line_end_becomes_a_line_feed(tmp_path: Path, end: str) -> None:
    assert read_text(written(tmp_path / "a.yaml", f"a{end}{end}b{end}".encode())) == "a\n\nb\n"


@pytest.mark.parametrize(
    ("content", "line", "column", "words"),
    [
        (b"a: 1\r\nb: caf\xe9\r\n", 2, 7, "0xe9 is not UTF-8"),
        (b"\xef\xbb\xbfa\n\xff", 2, 1, "0xff is not UTF-8"),
        (codecs.BOM_UTF16_LE + b"a\x00\n\x00\x00\xdc", 2, 1, "is not UTF-16"),
        ("a: 1".encode("utf-16-le"), 1, 2, "zero byte"),
        (b"a: 1\nb: \0", 2, 4, "zero byte"),
    ],
    ids=["latin-1", "after a mark", "broken utf-16", "utf-16 without a mark", "zero byte"],
)
def test_bytes_that_are_no_text_are_a_fault_at_their_place(
    tmp_path: Path, content: bytes, line: int, column: int, words: str
) -> None:
    path = written(tmp_path / "a.yaml", content)

    fault = read_text(path)

    assert isinstance(fault, Fault)
    assert fault.where == Where(str(path), line, column)
    assert words in fault.message


def test_a_file_of_200_megabytes_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    with path.open("wb") as file:
        file.truncate(200_000_000)

    documents, faults = read_document(path)

    assert documents == []
    assert [fault.message for fault in faults] == [
        "the file is too big: 200,000,000 bytes, and at most 5,000,000 are read"
    ]


def test_a_file_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "a.yaml", b"#" * MAX_BYTES)

    assert read_document(path) == ([], [])


@pytest.mark.parametrize("name", ["missing.yaml", "a\0b.yaml", "x" * 300 + ".yaml"], ids=["missing", "zero", "long"])
def test_a_path_that_cannot_be_opened_is_a_fault(tmp_path: Path, name: str) -> None:
    fault = read_text(tmp_path / name)

    assert isinstance(fault, Fault)
    assert fault.message.startswith("the file cannot be read: ")


def test_a_folder_and_a_pipe_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")

    faults = [read_text(tmp_path), read_text(tmp_path / "pipe.yaml")]

    assert faults == [
        Fault("not a file", Where(str(tmp_path))),
        Fault("not a file", Where(str(tmp_path / "pipe.yaml"))),
    ]


@pytest.mark.parametrize("name", ["a.yaml", "a.YML", "a.json"])
def test_the_suffix_picks_the_reader(tmp_path: Path, name: str) -> None:
    assert read_document(written(tmp_path / name, b'{"a": [1]}')) == ([{"a": [1]}], [])


def test_a_suffix_that_nobody_reads_is_a_fault(tmp_path: Path) -> None:
    documents, faults = read_document(written(tmp_path / "a.toml", b"a = 1"))

    assert documents == []
    assert [fault.message for fault in faults] == ["not a file of data"]


def test_places_count_lines_of_a_windows_file_as_an_editor_does(tmp_path: Path) -> None:
    path = written(tmp_path / "a.yaml", b"\xef\xbb\xbfa: 1\r\nb: 2\r\n\r\na: 3\r\n")

    _, faults = read_document(path)

    assert [fault.where for fault in faults] == [Where(str(path), 4, 1)]


def test_of_very_many_faults_the_first_are_told_and_the_rest_counted(tmp_path: Path) -> None:
    path = written(tmp_path / "a.yaml", b"a: 1\n" * (MAX_FAULTS + 11))

    _, faults = read_document(path)

    assert len(faults) == MAX_FAULTS + 1
    assert faults[-1].message == "10 more faults are not shown"


# case: openai/evals#980
def test_the_locale_does_not_matter(tmp_path: Path) -> None:
    path = written(tmp_path / "a.yaml", f"text: {EURO}\n".encode())
    script = "import sys; from pathlib import Path; from audition.documents.files import read_document as r; "
    script += "sys.stdout.write(ascii(r(Path(sys.argv[1]))))"
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], env=environment, capture_output=True, text=True, check=True
    )

    assert done.stdout == ascii(([{"text": EURO}], []))
