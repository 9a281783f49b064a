"""What people said: files of labels, and everything that may be wrong with them."""

from pathlib import Path

import pytest

from audition.errors import LoadError
from audition.judges.labels import Labelled, Labels, read_labels
from audition.scoring.rule import Line

HEAD = "criterion,response,label\n"


def labels(folder: Path, content: str | bytes, name: str = "labels.csv", passes_from: int = 3) -> Labels:
    """Return what is read from a file."""
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_labels(file, passes_from=passes_from)


def faults(folder: Path, content: str, name: str = "labels.csv") -> list[str]:
    """Return what is found wrong with a file, each as `line: message`."""
    with pytest.raises(LoadError) as caught:
        labels(folder, content, name)
    return [f"{fault.where.line}: {fault.message}" for fault in caught.value.faults]


def test_rows_of_csv_are_read(tmp_path: Path) -> None:
    read = labels(tmp_path, HEAD + 'is polite,"Hello,\nyou",pass\nis polite,Go.,fail\n')

    assert read.rows == (
        Labelled(criterion="is polite", response="Hello,\nyou", passes=True),
        Labelled(criterion="is polite", response="Go.", passes=False),
    )
    assert read.remarks == ()


def test_rows_of_json_are_read(tmp_path: Path) -> None:
    row = '{"criterion": "c", "response": "", "label": 4, "id": 7, "scenario": "Hi", "conversation": [%s]}\n\n'
    said = '{"role": "assistant", "content": "Yes?"}, {"speaker": "user", "text": "Open?"}'

    read = labels(tmp_path, row % said, "labels.jsonl")

    lines = (Line(speaker="user", text="Hi"), Line(speaker="agent", text="Yes?"), Line(speaker="user", text="Open?"))
    assert read.rows == (Labelled(criterion="c", response="", passes=True, conversation=lines, id="7"),)


@pytest.mark.parametrize(
    ("content", "remarks"),
    [
        pytest.param(b"\xef\xbb\xbfcriterion,response,label\nc,r,pass\n", (), id="byte order mark"),
        pytest.param(b"criterion,response,label\r\nc,r,pass\r\n", (), id="CRLF"),
        pytest.param(
            b"Criterion;Response;LABEL\nc;r;pass\n", ("its columns are separated by semicolons",), id="semicolons"
        ),
        pytest.param("criterion,response,label\nc,r,pass\n".encode("utf-16"), (), id="UTF-16"),
        pytest.param(b"criterion,response,label,who\nc,r,PASS,me\n", ("not looked at: who",), id="more columns"),
        pytest.param(b"criterion,response,label\n\nc,r,pass", (), id="an empty line"),
    ],
)
def test_spellings_of_the_same(content: bytes, remarks: tuple[str, ...], tmp_path: Path) -> None:
    read = labels(tmp_path, content)

    assert [(row.criterion, row.response, row.passes) for row in read.rows] == [("c", "r", True)]
    assert read.remarks == remarks


@pytest.mark.parametrize(("grade", "passes_from", "passes"), [(3, 3, True), (2, 3, False), (3, 4, False), (5, 5, True)])
def test_a_grade_passes_from_the_threshold_on(grade: int, passes_from: int, passes: bool, tmp_path: Path) -> None:
    read = labels(tmp_path, f"{HEAD}c,r,{grade}\n", passes_from=passes_from)

    assert [row.passes for row in read.rows] == [passes]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(HEAD + "c,r,pass\nc,r,perhaps\n", ["3: the label is 'perhaps', which is no label"], id="label"),
        pytest.param(
            HEAD + "c,r,6\nc,r,0\nc,r,\n",
            [
                "2: the label is '6', which is no label",
                "3: the label is '0', which is no label",
                "4: the label is '', which is no label",
            ],
            id="all faults at once",
        ),
        pytest.param(
            HEAD + '"a\nb",r,pass\nc,r\n', ["4: 2 cells, and the first line names 3 columns"], id="lines, not rows"
        ),
        pytest.param(HEAD + 'c,"r,pass\n', ["2: not readable as CSV: unexpected end of data"], id="open quote"),
        pytest.param(HEAD + ",r,pass\n", ["2: the criterion is empty"], id="no criterion"),
        pytest.param(
            HEAD.strip() + ",id\nc,r,pass,1\nc,r,fail,1\n", ["3: the id '1' is that of line 2 too"], id="id twice"
        ),
        pytest.param(
            "criterion,answer,label\n",
            ["1: there is no column 'response'; the columns are criterion, answer, label"],
            id="missing column",
        ),
        pytest.param(HEAD, ["None: the file holds no label"], id="no rows"),
        pytest.param(
            "",
            ["1: there is no column 'criterion' and no column 'response' and no column 'label'; the columns are "],
            id="empty",
        ),
    ],
)
def test_faults_of_csv_are_told_by_line(content: str, expected: list[str], tmp_path: Path) -> None:
    assert faults(tmp_path, content) == expected


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        pytest.param("[]", "2: not an object", id="list"),
        pytest.param('{"criterion": "c", "label": "pass"}', "2: there is no 'response'", id="missing"),
        pytest.param('{"criterion": "c", "response": 5, "label": "pass"}', "2: the response is no text", id="number"),
        pytest.param(
            '{"criterion": "c", "response": "r", "label": true}', "2: the label is 'True', which is no label", id="true"
        ),
        pytest.param(
            '{"criterion": "c", "response": "r", "label": "pass", "conversation": 5}',
            "2: the conversation is no text and no list",
            id="conversation",
        ),
        pytest.param(
            '{"criterion": "c", "response": "r", "label": "pass", "conversation": [{"role": "system", "text": "x"}]}',
            "2: a line of the conversation is none",
            id="speaker",
        ),
    ],
)
def test_faults_of_json_are_told_by_line(row: str, expected: str, tmp_path: Path) -> None:
    good = '{"criterion": "c", "response": "r", "label": "pass"}'

    assert faults(tmp_path, f"{good}\n{row}\n", "labels.jsonl") == [expected]


def test_text_that_is_no_json_is_told(tmp_path: Path) -> None:
    assert faults(tmp_path, "{\n", "labels.jsonl")[0].startswith("1: not valid JSON: ")


@pytest.mark.parametrize("name", ["labels.xlsx", "labels"])
def test_another_file_is_refused(name: str, tmp_path: Path) -> None:
    assert faults(tmp_path, "x", name) == ["None: not a file of labels"]


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="cannot be read"):
        read_labels(tmp_path / "labels.csv", passes_from=3)
