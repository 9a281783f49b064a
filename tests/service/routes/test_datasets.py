"""The endpoints of datasets, of both families."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from audition.service.context import Service
from audition.store.service import runs
from audition.store.service.runs import NewRun
from audition.store.service.subjects import encode_subject, tree
from audition.store.service.tables import AUDIT, CASE_REVISIONS, DATASETS

FAMILIES = ("agents", "orchestrators")
CASE = {
    "scenario": "A customer asks what your business hours are.",
    "expected_criteria": "States specific opening and closing hours or days of the week.",
}
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def masked(body: str) -> str:
    """Return a body with one time in place of all times, which must be of the seed's form."""
    return _TIME.sub("2026-01-15T10:00:00Z", body)


def subject(editor: TestClient, family: str = "agents", **more: Any) -> str:
    """Add a subject and return the path of its datasets."""
    text = {"agents": "base_system_prompt", "orchestrators": "instruction"}[family]
    body = {"name": "Desk", text: "You are a receptionist.", "model": "scripted:hi", **more}
    made = editor.post(f"/api/v1/{family}", json=body)
    assert made.status_code == 201, made.text
    return f"{made.headers['Location']}/eval-datasets"


def dataset(editor: TestClient, datasets: str, **more: Any) -> str:
    """Add a dataset and return its path."""
    made = editor.post(datasets, json={"name": "Hours FAQ", **more})
    assert made.status_code == 201, made.text
    return str(made.headers["Location"])


@pytest.mark.parametrize("family", FAMILIES)
def test_the_seeds_bodies_are_answered_to_the_letter(
    editor: TestClient, viewer: TestClient, golden: Callable[[str, str], None], family: str
) -> None:
    datasets = subject(editor, family)

    made = editor.post(datasets, json={"name": "Hours FAQ"})
    one = made.headers["Location"]
    case = editor.post(f"{one}/cases", json=CASE)
    answers = {
        "create-dataset": made,
        "get-dataset": viewer.get(one),
        "list-datasets": viewer.get(datasets),
        "create-case": case,
        "list-cases": viewer.get(f"{one}/cases"),
        "delete-case": editor.delete(case.headers["Location"]),
        "delete-dataset": editor.delete(one),
    }

    for name, answer in answers.items():
        golden(f"service/{family}-{name}.json", masked(answer.text))
    statuses = [answer.status_code for answer in answers.values()]
    assert statuses == [201, 200, 200, 201, 200, 204, 204]


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_made_is_found_at_its_location(editor: TestClient, viewer: TestClient, family: str) -> None:
    made = editor.post(subject(editor, family), json={"name": "Hours FAQ"})

    found = viewer.get(made.headers["Location"])

    assert found.json() == made.json()
    assert found.headers["ETag"] == made.headers["ETag"]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/name"),
        ({"name": ""}, "/name"),
        ({"name": "   "}, "/name"),
        ({"name": "x" * 121}, "/name"),
        ({"name": None}, "/name"),
        ({"name": 7}, "/name"),
        ({"name": "x", "tags": ["a\nb"]}, "/tags/0"),
    ],
    ids=["missing", "empty", "blank", "long", "null", "number", "tag"],
)
def test_a_dataset_that_cannot_be_is_refused(editor: TestClient, body: dict[str, Any], pointer: str) -> None:
    answer = editor.post(subject(editor), json=body)

    assert answer.status_code == 422
    assert pointer in [error["pointer"] for error in answer.json()["errors"]]


@pytest.mark.parametrize("text", [r'"a\u0000b"', r'"\ud800"'], ids=["zero", "half"])
def test_text_that_no_database_keeps_is_refused(editor: TestClient, text: str) -> None:
    headers = {"Content-Type": "application/json"}

    answer = editor.post(subject(editor), content=f'{{"name": {text}}}', headers=headers)

    assert answer.status_code == 422


def test_unknown_fields_are_ignored_unless_the_client_is_strict(editor: TestClient) -> None:
    datasets = subject(editor)

    lenient = editor.post(datasets, json={"name": "a", "colour": "red"})
    strict = editor.post(datasets, json={"name": "a", "colour": "red"}, headers={"Prefer": "handling=strict"})

    assert (lenient.status_code, strict.status_code) == (201, 422)
    assert "colour" in strict.json()["detail"]


def test_a_full_view_says_more_and_the_usual_one_does_not(editor: TestClient, viewer: TestClient) -> None:
    one = dataset(editor, subject(editor), description="Times", tags=["a"], external_id="x-1")
    editor.post(f"{one}/cases", json=CASE)

    usual, full = viewer.get(one).json(), viewer.get(one, params={"view": "full"}).json()
    listed = viewer.get(one.rpartition("/")[0], params={"view": "full"}).json()

    assert [*usual] == ["id", "agent_id", "orchestrator_id", "name", "created_at"]
    assert full == usual | {
        "description": "Times",
        "tags": ["a"],
        "external_id": "x-1",
        "version": 2,
        "case_count": 1,
        "updated_at": full["updated_at"],
    }
    assert listed == [full]


def test_lists_go_on_page_by_page(editor: TestClient, viewer: TestClient) -> None:
    datasets = subject(editor)
    for number in range(5):
        dataset(editor, datasets, name=f"Set {number}")

    names, after = [], f"{datasets}?limit=2"
    while after:
        page = viewer.get(after)
        names += [one["name"] for one in page.json()]
        after = page.links.get("next", {}).get("url", "")

    assert names == [f"Set {number}" for number in range(5)]
    assert page.headers["X-Total-Count"] == "5"
    assert [one["name"] for one in viewer.get(datasets, params={"q": "SET 3"}).json()] == ["Set 3"]


@pytest.mark.parametrize("verb", ["get", "delete", "patch"])
def test_a_dataset_under_another_subject_is_not_found(editor: TestClient, verb: str) -> None:
    own, other = subject(editor), subject(editor)
    orchestrator = subject(editor, "orchestrators")
    one = dataset(editor, own)
    number = one.rpartition("/")[2]
    body: dict[str, Any] = {"json": {"name": "b"}, "headers": {"If-Match": "*"}} if verb == "patch" else {}

    answers = [getattr(editor, verb)(f"{wrong}/{number}", **body) for wrong in (other, orchestrator)]

    assert [answer.status_code for answer in answers] == [404, 404]
    assert editor.get(one).status_code == 200


# case: google/adk-python#5039
@pytest.mark.parametrize(
    "wrong",
    [
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e",
        "C:%5Cx",
        "%5C%5Chost",
        "x%00.json",
        "con",
        "a" * 300,
        "0",
        "-1",
        "1e3",
        "9" * 30,
    ],
)
def test_an_id_that_is_none_is_refused_or_not_found(editor: TestClient, wrong: str) -> None:
    datasets = subject(editor)

    answers = [editor.get(f"{datasets}/{wrong}"), editor.get(f"/api/v1/agents/{wrong}/eval-datasets")]

    assert {answer.status_code for answer in answers} <= {404, 422}


def test_a_patch_needs_the_version_that_was_seen(editor: TestClient, viewer: TestClient) -> None:
    one = dataset(editor, subject(editor), description="old")
    seen = viewer.get(one).headers["ETag"]

    without = editor.patch(one, json={"name": "b"})
    done = editor.patch(one, json={"name": "b", "description": None}, headers={"If-Match": seen})
    late = editor.patch(one, json={"name": "c"}, headers={"If-Match": seen})

    assert (without.status_code, done.status_code, late.status_code) == (428, 200, 412)
    full = viewer.get(one, params={"view": "full"}).json()
    assert (full["name"], full["description"]) == ("b", None)
    assert editor.patch(one, json={"name": "d"}, headers={"If-Match": done.headers["ETag"]}).status_code == 200


def test_what_must_be_there_cannot_be_patched_away(editor: TestClient) -> None:
    one = dataset(editor, subject(editor))

    answer = editor.patch(one, json={"name": None}, headers={"If-Match": "*"})

    assert answer.status_code == 422


def test_who_has_a_dataset_already_is_told_so(editor: TestClient, viewer: TestClient) -> None:
    one = dataset(editor, subject(editor))
    seen = viewer.get(one).headers["ETag"]

    assert viewer.get(one, headers={"If-None-Match": seen}).status_code == 304
    editor.post(f"{one}/cases", json=CASE)
    assert viewer.get(one, headers={"If-None-Match": seen}).status_code == 200


def test_a_deleted_dataset_is_gone_but_its_rows_are_kept(editor: TestClient, service: Service) -> None:
    one = dataset(editor, subject(editor))
    editor.post(f"{one}/cases", json=CASE)

    assert editor.delete(one, headers={"If-Match": '"other"'}).status_code == 412
    assert editor.delete(one).status_code == 204

    assert [editor.get(place).status_code for place in (one, f"{one}/cases")] == [404, 404]
    assert editor.delete(one).status_code == 404
    kept = service.database.read(lambda connection: connection.execute(select(DATASETS.c.deleted_at)).scalar_one())
    assert kept is not None
    assert service.database.read(lambda connection: connection.execute(select(CASE_REVISIONS)).all())


@pytest.mark.parametrize("what", ["dataset", "subject"])
def test_deleting_cancels_the_runs_that_are_not_at_their_end(editor: TestClient, service: Service, what: str) -> None:
    datasets = subject(editor)
    one = dataset(editor, datasets)
    new = NewRun(
        dataset_id=1,
        dataset_version=1,
        subject=encode_subject(service.database.read(lambda connection: tree(connection, "agents", 1))),
        candidate_system_prompt="Be brief.",
        planned=1,
        created_by="ada@example.com",
    )
    run_id = service.database.write(lambda connection: runs.create(connection, new))

    answer = editor.delete(one if what == "dataset" else datasets.removesuffix("/eval-datasets"))

    assert answer.status_code == 204
    assert service.database.read(lambda connection: runs.run_at(connection, run_id)).cancelled


def test_versions_say_how_the_cases_changed(editor: TestClient, viewer: TestClient) -> None:
    one = dataset(editor, subject(editor))
    case = editor.post(f"{one}/cases", json=CASE).headers["Location"]
    editor.patch(case, json={"scenario": "Asks for the times."})
    editor.delete(case)

    versions = viewer.get(f"{one}/versions").json()
    diff = viewer.get(f"{one}/versions/3/diff").json()

    assert [version["case_count"] for version in versions] == [0, 1, 1, 0]
    assert viewer.get(f"{one}/versions/2").json() == versions[1]
    assert diff["changed"][0]["before"]["scenario"] == CASE["scenario"]
    assert diff["changed"][0]["after"]["scenario"] == "Asks for the times."
    assert len(viewer.get(f"{one}/versions/4/diff").json()["removed"]) == 1
    assert viewer.get(f"{one}/versions/5").status_code == 404


@pytest.mark.parametrize("target", FAMILIES)
def test_a_clone_has_the_cases_and_another_subject(editor: TestClient, viewer: TestClient, target: str) -> None:
    one = dataset(editor, subject(editor), tags=["a"])
    editor.post(f"{one}/cases", json={**CASE, "external_id": "e-1", "must_pass": True})
    there = subject(editor, target)
    owner = {"agents": "agent_id", "orchestrators": "orchestrator_id"}[target]
    owner_id = int(there.split("/")[4])

    made = editor.post(f"{one}/clone", json={"name": "Copy", owner: owner_id})
    cases = viewer.get(f"{made.headers['Location']}/cases", params={"view": "full"}).json()

    assert made.status_code == 201
    assert made.headers["Location"].startswith(there)
    assert made.json()[owner] == owner_id
    assert [(case["external_id"], case["must_pass"]) for case in cases] == [("e-1", True)]


def test_a_clone_of_an_older_version_has_the_cases_of_then(editor: TestClient, viewer: TestClient) -> None:
    one = dataset(editor, subject(editor))
    case = editor.post(f"{one}/cases", json=CASE).headers["Location"]
    editor.delete(case)

    made = editor.post(f"{one}/clone", json={"version": 2}).headers["Location"]

    assert len(viewer.get(f"{made}/cases").json()) == 1
    assert editor.post(f"{one}/clone", json={"version": 9}).status_code == 404
    assert editor.post(f"{one}/clone", json={"agent_id": 99}).status_code == 404
    assert editor.post(f"{one}/clone", json={"agent_id": 1, "orchestrator_id": 1}).status_code == 422


def test_lint_knows_the_subjects_tools_and_finds_duplicates(editor: TestClient) -> None:
    tool = {"kind": "mock", "name": "look_up_hours", "results": [{"result": "9 to 5"}]}
    one = dataset(editor, subject(editor, tools=[tool]))
    cases = [
        {"scenario": "When are you open?", "expected_criteria": "Calls look_up_hours and states the times."},
        {"scenario": "when are you open", "expected_criteria": "Calls look_up_times and states the times."},
    ]
    editor.post(f"{one}/cases/batch", json={"cases": cases})

    found = editor.post(f"{one}/lint").json()

    assert [(finding["code"], finding["case_id"]) for finding in found] == [("L9", 2), ("L12", 2)]


def test_viewers_read_and_change_nothing(editor: TestClient, viewer: TestClient) -> None:
    datasets = subject(editor)
    one = dataset(editor, datasets)

    refused = [
        viewer.post(datasets, json={"name": "b"}),
        viewer.patch(one, json={"name": "b"}, headers={"If-Match": "*"}),
        viewer.delete(one),
        viewer.post(f"{one}/clone", json={}),
    ]

    assert {answer.status_code for answer in refused} == {403}
    assert viewer.get(datasets).json() == [viewer.get(one).json()]


def test_every_change_is_in_the_audit_log(editor: TestClient, service: Service) -> None:
    one = dataset(editor, subject(editor))
    editor.patch(one, json={"name": "b"}, headers={"If-Match": "*"})
    editor.post(f"{one}/clone", json={})
    editor.delete(one)

    query = select(AUDIT.c.action, AUDIT.c.resource_id).order_by(AUDIT.c.id)
    noted = service.database.read(lambda connection: connection.execute(query).all())

    assert [tuple(row) for row in noted if row.action.startswith("dataset")] == [
        ("dataset.create", "1"),
        ("dataset.update", "1"),
        ("dataset.clone", "2"),
        ("dataset.delete", "1"),
    ]
