"""Cases as files, read again."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audition.service.exporting import ExportFormat, write_cases
from audition.service.importing import ImportFormat, read_rows
from audition.service.problems import Problem
from audition.store.service.cases import Case

EXAMPLES = Path(__file__).parents[2] / "examples"
FORMATS: tuple[ExportFormat, ...] = ("jsonl", "csv", "yaml", "json", "adk")

PLAIN = Case(id=1, scenario="When?", expected_criteria="States the hours.")
FULL = Case(
    id=2,
    scenario="=HYPERLINK(1)\r\nline two",
    expected_criteria="'@quoted \u2028 ünï {x} {{y}}",
    must_pass=True,
    tags=("a", "b, c", "[d"),
    cluster="k",
    external_id="e-1",
    context={"today": "Monday", "open": [9, None, {"x": 1.5}]},
    tool_fixtures=({"name": "look_up", "results": [{"result": 3}]},),
    created_at="2026-01-15T10:00:00.000Z",
)


def examples() -> list[Case]:
    """Return the cases of all examples of ours, one format after the other."""
    files: list[tuple[Path, ImportFormat]] = [(file, "yaml") for file in sorted(EXAMPLES.rglob("*.eval.yaml"))]
    files += [(file, "adk") for file in sorted(EXAMPLES.rglob("*.evalset.json"))]
    drafts = [draft for file, kind in files for _, draft in read_rows(kind, file.read_bytes()).drafts]
    return [replace(draft, id=number) for number, draft in enumerate(drafts, 10)]


def again(wanted: ExportFormat, cases: list[Case]) -> list[Case]:
    """Return cases after they were exported and imported, with the ids they had."""
    rows = read_rows(wanted, write_cases(wanted, cases, "Hours").encode())
    assert rows.faults == []
    return [
        replace(draft, id=case.id, created_at=case.created_at)
        for (_, draft), case in zip(rows.drafts, cases, strict=True)
    ]


@pytest.mark.parametrize("wanted", FORMATS)
def test_cases_come_back_as_they_were(wanted: ExportFormat) -> None:
    assert again(wanted, [PLAIN, FULL]) == [PLAIN, FULL]


@pytest.mark.parametrize("wanted", ["jsonl", "csv", "yaml", "json"])
def test_cases_that_carry_evals_come_back_as_they_were(wanted: ExportFormat) -> None:
    cases = examples()

    assert len(cases) > 20
    assert again(wanted, cases) == cases


def test_evals_that_came_from_an_eval_set_go_back_into_one() -> None:
    cases = [case for case in examples() if case.eval and "trajectory" in str(case.eval.get("outcome"))]

    back = again("adk", cases)

    assert len(cases) == 2
    assert [case.eval["conversation"] for case in back if case.eval] == [
        case.eval["conversation"] for case in cases if case.eval
    ]


def test_tags_that_were_taken_away_from_a_case_do_not_come_back_with_its_eval() -> None:
    cases = [replace(case, tags=()) for case in examples() if case.eval and case.eval.get("tags")]

    assert [case.tags for wanted in ("jsonl", "csv") for case in again(wanted, cases)] == [()] * (2 * len(cases))


def test_what_an_eval_set_of_adks_cannot_say_is_refused_by_name() -> None:
    text = b'{"name": "x", "conversation": [{"user": "hi"}], "outcome": {"criteria": "is kind"}}'
    ((_, draft),) = read_rows("json", text).drafts

    with pytest.raises(Problem, match="the case 5") as caught:
        write_cases("adk", [PLAIN, replace(draft, id=5)], "Hours")

    assert caught.value.status == 422


@pytest.mark.parametrize("wanted", FORMATS)
def test_a_dataset_without_cases_can_be_exported(wanted: ExportFormat) -> None:
    assert read_rows("jsonl", b"").drafts == []
    assert write_cases(wanted, [], "Hours") is not None


def test_two_cases_never_get_one_name() -> None:
    cases = [replace(PLAIN, id=1), replace(PLAIN, id=2, external_id="case-1")]

    names = [one["name"] for one in json.loads(write_cases("json", cases, "Hours"))["evals"]]

    assert names == ["case-1-", "case-1"]
    assert again("json", cases) == cases


_TEXT = st.text(min_size=1, max_size=60).filter(lambda text: "\0" not in text and text.strip() != "")
_DATA = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.text(max_size=9).filter(lambda text: "\0" not in text),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc=@", max_size=3), inner, max_size=3),
    max_leaves=6,
)
_CASES = st.builds(
    Case,
    id=st.just(1),
    scenario=_TEXT,
    expected_criteria=_TEXT,
    must_pass=st.booleans(),
    tags=st.lists(st.text("ab,['=\"@", min_size=1, max_size=5), max_size=3).map(tuple),
    context=st.dictionaries(st.text("abc=", min_size=1, max_size=3), _DATA, max_size=2),
)


@pytest.mark.parametrize("wanted", FORMATS)
@given(case=_CASES)
def test_any_case_comes_back_as_it_was(wanted: ExportFormat, case: Case) -> None:
    assert again(wanted, [case]) == [case]
