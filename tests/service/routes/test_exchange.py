"""Import and export over HTTP."""

import json
from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from audition.service.app import create_app
from audition.service.context import Service
from audition.settings_service import ServiceSettings
from audition.store.service.tables import AUDIT

NOTHING = {"created": 0, "updated": 0, "skipped": 0}


@pytest.fixture(params=["agents", "orchestrators"])
def dataset(request: pytest.FixtureRequest, editor: TestClient) -> str:
    """Return the path of an empty dataset."""
    text = {"agents": "base_system_prompt", "orchestrators": "instruction"}[request.param]
    body = {"name": "Desk", text: "You are a receptionist.", "model": "scripted:hi"}
    subject = editor.post(f"/api/v1/{request.param}", json=body).headers["Location"]
    return str(editor.post(f"{subject}/eval-datasets", json={"name": "Hours"}).headers["Location"])


def lines(*rows: dict[str, Any]) -> str:
    """Return rows as JSONL."""
    return "".join(json.dumps({"expected_criteria": "Answers.", **row}) + "\n" for row in rows)


def load(client: TestClient, dataset: str, content: str | bytes, wanted: str = "jsonl", **more: Any) -> Any:
    """Import an upload."""
    return client.post(f"{dataset}/import", params={"format": wanted, **more}, content=content)


def scenarios(client: TestClient, dataset: str) -> list[str]:
    """Return what the cases say now."""
    return [case["scenario"] for case in client.get(f"{dataset}/cases", params={"limit": 500}).json()]


def test_an_upload_becomes_cases_in_one_version(editor: TestClient, viewer: TestClient, dataset: str) -> None:
    answer = load(editor, dataset, lines({"scenario": "a"}, {"scenario": "b", "external_id": "x"}))

    assert (answer.status_code, answer.json()) == (200, NOTHING | {"created": 2, "errors": [], "warnings": []})
    assert scenarios(viewer, dataset) == ["a", "b"]
    assert len(viewer.get(f"{dataset}/versions").json()) == 2


@pytest.mark.parametrize("media_type", ["application/json", "text/csv", "application/octet-stream", None])
def test_the_body_is_the_file_whatever_its_type_is_called(
    editor: TestClient, dataset: str, media_type: str | None
) -> None:
    headers = {"Content-Type": media_type} if media_type else {}

    answer = editor.post(
        f"{dataset}/import", params={"format": "csv"}, content=b"scenario,expected_criteria\na,b\n", headers=headers
    )

    assert answer.json()["created"] == 1


@pytest.mark.parametrize(
    ("on_conflict", "status", "counts", "after"),
    [
        ("skip", 200, {"created": 1, "updated": 0, "skipped": 2}, ["a", "b", "c"]),
        ("update", 200, {"created": 1, "updated": 1, "skipped": 1}, ["A", "b", "c"]),
        ("fail", 409, NOTHING, ["a", "b"]),
        (None, 409, NOTHING, ["a", "b"]),
    ],
)
def test_rows_that_are_there_already_are_skipped_updated_or_refused(
    editor: TestClient, dataset: str, on_conflict: str | None, status: int, counts: dict[str, int], after: list[str]
) -> None:
    load(editor, dataset, lines({"scenario": "a", "external_id": "1"}, {"scenario": "b", "external_id": "2"}))
    again = lines({"scenario": "A", "external_id": "1"}, {"scenario": "b", "external_id": "2"}, {"scenario": "c"})

    answer = load(editor, dataset, again, **({"on_conflict": on_conflict} if on_conflict else {}))

    assert answer.status_code == status
    assert {name: answer.json()[name] for name in counts} == counts
    assert scenarios(editor, dataset) == after


def test_an_update_keeps_the_id_and_the_time_of_a_case(editor: TestClient, viewer: TestClient, dataset: str) -> None:
    load(editor, dataset, lines({"scenario": "a", "external_id": "1", "tags": ["old"]}))
    before = viewer.get(f"{dataset}/cases").json()[0]

    load(editor, dataset, lines({"scenario": "A", "external_id": "1"}), on_conflict="update")

    after = viewer.get(f"{dataset}/cases", params={"view": "full"}).json()[0]
    assert (after["id"], after["created_at"]) == (before["id"], before["created_at"])
    assert (after["scenario"], after["tags"]) == ("A", [])


def test_all_that_is_wrong_is_told_and_nothing_is_written(editor: TestClient, dataset: str) -> None:
    upload = lines({"scenario": "a"}, {"scenario": ""}, {"scenario": "b", "colour": "red"}) + "nope\n"

    answer = load(editor, dataset, upload)

    assert (answer.status_code, answer.headers["Content-Type"]) == (422, "application/problem+json")
    body = answer.json()
    assert [(fault["line"], fault["pointer"]) for fault in body["errors"]] == [
        (2, "/scenario"),
        (3, "/colour"),
        (4, ""),
    ]
    assert {name: body[name] for name in NOTHING} == NOTHING
    assert body["detail"].startswith("line 2: /scenario")
    assert scenarios(editor, dataset) == []


@pytest.mark.parametrize("upload", [lines({"scenario": "a"}), lines({"scenario": ""})], ids=["right", "wrong"])
def test_a_dry_run_tells_and_writes_nothing(editor: TestClient, service: Service, dataset: str, upload: str) -> None:
    noted = service.database.read(lambda connection: len(connection.execute(select(AUDIT)).all()))

    answer = load(editor, dataset, upload, dry_run=True)

    assert answer.status_code == 200
    assert answer.json()["created"] + len(answer.json()["errors"]) == 1
    assert scenarios(editor, dataset) == []
    assert service.database.read(lambda connection: len(connection.execute(select(AUDIT)).all())) == noted


@pytest.mark.parametrize("dry_run", [True, False])
def test_more_cases_than_a_dataset_may_have_are_refused(
    editor: TestClient, service: Service, dataset: str, dry_run: bool
) -> None:
    few = replace(service, settings=replace(service.settings, service=ServiceSettings(max_cases=2)))
    with TestClient(create_app(few), headers=dict(editor.headers)) as client:
        answer = load(client, dataset, lines({"scenario": "a"}) * 3, dry_run=dry_run)

    assert "at most 2" in answer.text
    assert scenarios(editor, dataset) == []


@pytest.mark.parametrize("wanted", ["jsonl", "csv", "yaml", "json", "adk"])
def test_what_is_exported_can_be_imported_elsewhere(
    editor: TestClient, viewer: TestClient, dataset: str, wanted: str
) -> None:
    fixture = {"name": "t", "results": [{"result": 1}]}
    rows: list[dict[str, Any]] = [
        {"scenario": "=1+1", "external_id": "1", "must_pass": True, "tags": ["a", "b, c"], "context": {"k": [None]}},
        {"scenario": "line\nbreak \u2028 ü", "cluster": "c", "tool_fixtures": [fixture]},
    ]
    load(editor, dataset, lines(*rows))
    other = editor.post(dataset.rpartition("/")[0], json={"name": "Other"}).headers["Location"]

    file = viewer.get(f"{dataset}/export", params={"format": wanted})
    answer = load(editor, other, file.content, wanted)

    assert (file.status_code, answer.json()["created"]) == (200, 2)
    assert 'filename="dataset-' in file.headers["Content-Disposition"]
    assert told(viewer, other) == told(viewer, dataset)


def told(client: TestClient, dataset: str) -> list[dict[str, Any]]:
    """Return what the cases of a dataset say, without what another dataset cannot have."""
    cases = client.get(f"{dataset}/cases", params={"view": "full"}).json()
    own = ("id", "dataset_id", "created_at")
    return [{name: value for name, value in case.items() if name not in own} for case in cases]


def test_an_older_version_can_be_exported(editor: TestClient, viewer: TestClient, dataset: str) -> None:
    load(editor, dataset, lines({"scenario": "a", "external_id": "1"}))
    load(editor, dataset, lines({"scenario": "A", "external_id": "1"}), on_conflict="update")

    file = viewer.get(f"{dataset}/export", params={"format": "jsonl", "version": 2})

    assert json.loads(file.text)["scenario"] == "a"
    assert viewer.get(f"{dataset}/export", params={"format": "jsonl", "version": 9}).status_code == 404


EVAL = {"name": "two", "conversation": [{"user": "hi"}, {"user": "bye"}], "outcome": {"criteria": "is kind"}}


def test_a_case_that_carries_an_eval_is_changed_through_it_alone(
    editor: TestClient, viewer: TestClient, dataset: str
) -> None:
    load(editor, dataset, json.dumps(EVAL), "json")
    case = f"{dataset}/cases/{viewer.get(f'{dataset}/cases').json()[0]['id']}"

    refused = editor.patch(case, json={"scenario": "x"})
    tagged = editor.patch(case, json={"must_pass": True, "tags": ["a"]})
    plain = editor.patch(case, json={"eval": None, "scenario": "x"}, params={"view": "full"})

    assert (refused.status_code, tagged.status_code, plain.status_code) == (422, 200, 200)
    assert (plain.json()["eval"], plain.json()["scenario"], plain.json()["must_pass"]) == (None, "x", True)


def test_what_cannot_be_said_in_a_format_is_refused_by_name(editor: TestClient, dataset: str) -> None:
    load(editor, dataset, json.dumps(EVAL), "json")

    answer = editor.get(f"{dataset}/export", params={"format": "adk"})

    assert (answer.status_code, "the case " in answer.json()["detail"]) == (422, True)


@pytest.mark.parametrize(
    "params", [{}, {"format": "exe"}, {"format": "jsonl", "on_conflict": "explode"}], ids=["none", "format", "conflict"]
)
def test_options_that_nobody_knows_are_refused(editor: TestClient, dataset: str, params: dict[str, str]) -> None:
    assert editor.post(f"{dataset}/import", params=params, content=b"").status_code == 422


def test_viewers_export_and_do_not_import(viewer: TestClient, dataset: str) -> None:
    assert load(viewer, dataset, lines({"scenario": "a"})).status_code == 403
    assert viewer.get(f"{dataset}/export", params={"format": "csv"}).status_code == 200


def test_a_dataset_that_is_not_there_takes_nothing(editor: TestClient, dataset: str) -> None:
    editor.delete(dataset)

    assert load(editor, dataset, lines({"scenario": "a"})).status_code == 404
    assert editor.get(f"{dataset}/export", params={"format": "csv"}).status_code == 404


def test_an_import_is_in_the_audit_log(editor: TestClient, service: Service, dataset: str) -> None:
    load(editor, dataset, lines({"scenario": "a"}))

    query = select(AUDIT.c.after).where(AUDIT.c.action == "case.import")
    noted = service.database.read(lambda connection: connection.execute(query).scalar_one())

    assert json.loads(noted) == {"dataset_version": 2, "created": [1], "updated": []}
