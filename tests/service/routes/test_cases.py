"""The endpoints of cases, of both families."""

import json
from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from audition.service.app import create_app
from audition.service.context import Service
from audition.settings_service import ServiceSettings

CASE = {"scenario": "When are you open?", "expected_criteria": "States the opening hours."}
FIXTURE = {"name": "look_up", "parameters": {"type": "object"}, "results": [{"result": {"open": 9}}]}


@pytest.fixture(params=["agents", "orchestrators"])
def cases(request: pytest.FixtureRequest, editor: TestClient) -> str:
    """Return the path of the cases of an empty dataset."""
    text = {"agents": "base_system_prompt", "orchestrators": "instruction"}[request.param]
    body = {"name": "Desk", text: "You are a receptionist.", "model": "scripted:hi"}
    subject = editor.post(f"/api/v1/{request.param}", json=body).headers["Location"]
    return str(editor.post(f"{subject}/eval-datasets", json={"name": "Hours"}).headers["Location"]) + "/cases"


def test_a_case_with_all_that_it_may_say_comes_back_in_the_full_view(
    editor: TestClient, viewer: TestClient, cases: str
) -> None:
    more = {
        "must_pass": True,
        "tags": ["hours"],
        "cluster": "open",
        "external_id": "e-1",
        "context": {"today": "Monday", "open": [9, 5]},
        "tool_fixtures": [FIXTURE],
    }

    made = editor.post(cases, json={**CASE, **more})
    full = viewer.get(made.headers["Location"], params={"view": "full"}).json()

    assert [*made.json()] == ["id", "dataset_id", "scenario", "expected_criteria", "created_at"]
    assert {name: full[name] for name in more} == more
    assert full["eval"] is None


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        ({"scenario": None}, "/scenario"),
        ({"scenario": " \n "}, "/scenario"),
        ({"scenario": "x" * 100_001}, "/scenario"),
        ({"expected_criteria": ""}, "/expected_criteria"),
        ({"context": {"a": float("nan")}}, "/context"),
        ({"context": [1]}, "/context"),
        ({"tags": "a"}, "/tags"),
        ({"external_id": "a\u0007"}, "/external_id"),
        ({"tool_fixtures": [{"name": "x"}]}, "/tool_fixtures"),
        ({"tool_fixtures": [FIXTURE, FIXTURE]}, "/tool_fixtures"),
        ({"must_pass": "perhaps"}, "/must_pass"),
    ],
    ids=["null", "blank", "long", "empty", "nan", "list", "tags", "bell", "no result", "twice", "flag"],
)
def test_a_case_that_cannot_be_is_refused(editor: TestClient, cases: str, given: dict[str, Any], pointer: str) -> None:

    content = json.dumps({**CASE, **given})

    answer = editor.post(cases, content=content, headers={"Content-Type": "application/json"})

    assert answer.status_code == 422
    assert pointer in [error["pointer"] for error in answer.json()["errors"]]
    assert editor.get(cases).json() == []


def test_a_case_that_is_nested_without_end_is_refused(editor: TestClient, cases: str) -> None:
    context = '{"a":' * 5000 + "1" + "}" * 5000
    content = f'{{"scenario":"a","expected_criteria":"b","context":{context}}}'

    answer = editor.post(cases, content=content, headers={"Content-Type": "application/json"})

    assert answer.status_code in (400, 422)


# case: phoenix CVE-2026-53998
@pytest.mark.parametrize(
    "text",
    [
        "{scenario.__class__.__mro__[1].__subclasses__} {scenario!r:>99999999}",
        "{{ scenario.__class__.__mro__ }} {% for x in y %}",
        "${jndi:ldap://x} %(a)s $HOME `id`",
    ],
    ids=["format", "template", "shell"],
)
def test_text_that_looks_like_a_template_stays_as_it_is(editor: TestClient, cases: str, text: str) -> None:
    made = editor.post(cases, json={"scenario": text, "expected_criteria": text}).json()

    assert (made["scenario"], made["expected_criteria"]) == (text, text)


def test_a_patch_keeps_the_id_and_makes_a_version(editor: TestClient, viewer: TestClient, cases: str) -> None:
    made = editor.post(cases, json={**CASE, "tags": ["a"], "external_id": "e"})
    place = made.headers["Location"]
    seen = viewer.get(place).headers["ETag"]

    after = editor.patch(place, json={"scenario": "And on Sunday?", "tags": None}, headers={"If-Match": seen})
    late = editor.patch(place, json={"scenario": "x"}, headers={"If-Match": seen})

    assert (after.status_code, late.status_code) == (200, 412)
    full = viewer.get(place, params={"view": "full"}).json()
    assert (full["id"], full["scenario"], full["tags"]) == (made.json()["id"], "And on Sunday?", [])
    assert (full["external_id"], full["created_at"]) == ("e", made.json()["created_at"])
    assert viewer.get(place, params={"version": 2}).json()["scenario"] == CASE["scenario"]
    assert viewer.get(cases, params={"version": 2}).json()[0]["scenario"] == CASE["scenario"]
    assert viewer.get(cases, params={"version": 1}).json() == []
    assert viewer.get(cases, params={"version": 9}).status_code == 404


def test_a_patch_of_nothing_makes_no_version(editor: TestClient, viewer: TestClient, cases: str) -> None:
    place = editor.post(cases, json=CASE).headers["Location"]

    editor.patch(place, json={"scenario": CASE["scenario"]})

    assert len(viewer.get(cases.replace("/cases", "/versions")).json()) == 2


def test_a_batch_is_taken_whole_and_makes_one_version(editor: TestClient, viewer: TestClient, cases: str) -> None:
    many = [{"scenario": str(number), "expected_criteria": "Counts."} for number in range(500)]

    made = editor.post(f"{cases}/batch", json={"cases": many})

    assert made.status_code == 201
    assert [case["scenario"] for case in made.json()] == [case["scenario"] for case in many]
    assert viewer.get(cases).headers["X-Total-Count"] == "500"
    assert len(viewer.get(cases.replace("/cases", "/versions")).json()) == 2


@pytest.mark.parametrize(
    ("many", "status"),
    [
        ([CASE, {"scenario": "a"}], 422),
        ([CASE] * 501, 422),
        ([], 422),
        ([{**CASE, "external_id": "x"}, {**CASE, "external_id": "x"}], 409),
        ([CASE, {**CASE, "tool_fixtures": [{}]}], 422),
    ],
    ids=["criteria missing", "too many", "none", "id twice", "fixture"],
)
def test_a_batch_with_a_fault_is_refused_whole(
    editor: TestClient, cases: str, many: list[dict[str, Any]], status: int
) -> None:
    answer = editor.post(f"{cases}/batch", json={"cases": many})

    assert answer.status_code == status
    assert editor.get(cases).json() == []


def test_an_external_id_is_taken_once(editor: TestClient, cases: str) -> None:
    editor.post(cases, json={**CASE, "external_id": "x"})
    other = editor.post(cases, json=CASE).headers["Location"]

    assert editor.post(cases, json={**CASE, "external_id": "x"}).status_code == 409
    assert editor.patch(other, json={"external_id": "x"}).status_code == 409


def test_lint_is_told_in_the_full_view_alone(editor: TestClient, cases: str) -> None:
    wording = {"scenario": "Asks for the hours.", "expected_criteria": "Replies word for word: we are open."}

    full = editor.post(cases, json=wording, params={"view": "full"}).json()
    usual = editor.post(cases, json=wording).json()

    assert "L3" in [finding["code"] for finding in full["lint"]]
    assert "lint" not in usual


@pytest.mark.parametrize("how", ["create", "batch", "patch"])
def test_criteria_that_no_response_can_pass_are_refused_when_the_client_is_strict(
    editor: TestClient, cases: str, how: str
) -> None:
    strict = {"Prefer": "handling=strict"}
    wording = {"scenario": "Asks for the hours.", "expected_criteria": "Replies word for word: we are open."}
    place = editor.post(cases, json=CASE).headers["Location"]
    ask = {
        "create": lambda: editor.post(cases, json=wording, headers=strict),
        "batch": lambda: editor.post(f"{cases}/batch", json={"cases": [CASE, wording]}, headers=strict),
        "patch": lambda: editor.patch(place, json=wording, headers=strict),
    }

    answer = ask[how]()

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"].endswith("/expected_criteria")
    assert len(editor.get(cases).json()) == 1


def test_a_case_can_be_looked_at_without_being_kept(editor: TestClient, cases: str) -> None:
    wording = {"scenario": "Asks for the hours.", "expected_criteria": "Replies word for word: we are open."}

    answer = editor.post(cases, json={**wording, "validate_only": True})

    assert answer.status_code == 200
    assert answer.json()["valid"] is True
    assert "L3" in [finding["code"] for finding in answer.json()["lint"]]
    assert editor.get(cases).json() == []


def test_a_deleted_case_is_gone_and_older_versions_keep_it(editor: TestClient, viewer: TestClient, cases: str) -> None:
    place = editor.post(cases, json=CASE).headers["Location"]

    assert editor.delete(place, headers={"If-Match": '"x"'}).status_code == 412
    assert editor.delete(place).status_code == 204

    assert [viewer.get(place).status_code, editor.delete(place).status_code] == [404, 404]
    assert viewer.get(cases).json() == []
    assert viewer.get(place, params={"version": 2}).json()["scenario"] == CASE["scenario"]


def test_cases_of_another_dataset_are_not_found(editor: TestClient, cases: str) -> None:
    datasets = cases.removesuffix("/cases").rpartition("/")[0]
    other = editor.post(datasets, json={"name": "Other"}).headers["Location"]
    place = editor.post(cases, json=CASE).headers["Location"]
    number = place.rpartition("/")[2]

    answers = [
        editor.get(f"{other}/cases/{number}"),
        editor.patch(f"{other}/cases/{number}", json={"scenario": "x"}),
        editor.delete(f"{other}/cases/{number}"),
    ]

    assert [answer.status_code for answer in answers] == [404, 404, 404]
    assert editor.get(place).json()["scenario"] == CASE["scenario"]


def test_a_dataset_takes_no_more_cases_than_settings_allow(editor: TestClient, service: Service, cases: str) -> None:
    few = replace(service, settings=replace(service.settings, service=ServiceSettings(max_cases=2)))
    with TestClient(create_app(few), headers=dict(editor.headers)) as client:
        answers = [client.post(cases, json=CASE) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [201, 201, 409]


def test_cases_are_chosen_by_tag(editor: TestClient, viewer: TestClient, cases: str) -> None:
    for number in range(4):
        editor.post(cases, json={**CASE, "scenario": str(number), "tags": ["even"] if number % 2 == 0 else []})

    first = viewer.get(cases, params={"tag": "even", "limit": 1})
    second = viewer.get(first.links["next"]["url"])

    assert [case["scenario"] for case in (*first.json(), *second.json())] == ["0", "2"]
    assert (first.headers["X-Total-Count"], "next" in second.links) == ("2", False)
