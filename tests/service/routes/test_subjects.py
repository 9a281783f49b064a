"""The endpoints of agents and orchestrators."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from audition.service.context import Service
from audition.store.service.subjects import tree
from audition.store.service.tables import AUDIT

AGENT = {"name": "Desk", "base_system_prompt": "You are a receptionist.", "model": "scripted:hi"}
ORCHESTRATOR = {"name": "Front", "instruction": "Hand over.", "model": "scripted:hi"}
SECRET = "sk-live-ABCDEF123456"
HTTP = {
    "kind": "http",
    "name": "look_up",
    "url": "https://api.example.com/hours?api_key=qk-77aa55&day=1",
    "headers": {"Authorization": f"Bearer {SECRET}", "X-Short": "zz-5566"},
    "parameters": {"type": "object", "properties": {"token": {"type": "string", "description": "a token"}}},
}
ANY = {"If-Match": "*"}


def agent(editor: TestClient, **more: Any) -> str:
    """Add an agent and return its path."""
    made = editor.post("/api/v1/agents", json={**AGENT, **more})
    assert made.status_code == 201, made.text
    return str(made.headers["Location"])


def orchestrator(editor: TestClient, **more: Any) -> int:
    """Add an orchestrator and return its id."""
    made = editor.post("/api/v1/orchestrators", json={**ORCHESTRATOR, **more})
    assert made.status_code == 201, made.text
    return int(made.json()["id"])


def test_an_agent_is_shown_with_all_it_is(editor: TestClient, viewer: TestClient) -> None:
    place = agent(editor, description="At the door.")

    shown = viewer.get(place).json()

    assert [*shown] == [
        "id", "name", "description", "base_system_prompt", "model", "tools", "version", "created_at", "updated_at",
    ]  # fmt: skip
    assert {name: shown[name] for name in AGENT} == AGENT
    assert (shown["description"], shown["tools"], shown["version"]) == ("At the door.", [], 1)
    assert viewer.get("/api/v1/agents").json() == [shown]


def test_an_orchestrator_is_shown_with_the_ids_of_what_is_below_it(editor: TestClient, viewer: TestClient) -> None:
    agent(editor)
    inner = orchestrator(editor, name="Inner")
    outer = orchestrator(editor, sub_orchestrators=[inner], agents=[1])

    shown = viewer.get(f"/api/v1/orchestrators/{outer}").json()

    assert [*shown] == [
        "id", "name", "description", "instruction", "model", "tools", "sub_orchestrators", "agents", "version",
        "created_at", "updated_at",
    ]  # fmt: skip
    assert (shown["sub_orchestrators"], shown["agents"]) == ([inner], [1])


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        ({"name": ""}, "/name"),
        ({"name": "x" * 201}, "/name"),
        ({"base_system_prompt": "\t "}, "/base_system_prompt"),
        ({"base_system_prompt": "x" * 100_001}, "/base_system_prompt"),
        ({"model": "nobody:model"}, "/model"),
        ({"model": "no-such-alias"}, "/model"),
        ({"model": "scripted:"}, "/model"),
        ({"tools": [{"kind": "shell", "name": "x"}]}, "/tools/0/kind"),
        ({"tools": [{"name": "x"}]}, "/tools/0"),
        ({"tools": [HTTP, HTTP]}, "/tools/1/name"),
        ({"tools": [{**HTTP, "url": "http://169.254.169.254/latest"}]}, "/tools/0/url"),
        ({"tools": [{"kind": "function", "name": "f", "function": "os:system"}]}, "/tools/0/function"),
    ],
    ids=[
        "empty name", "long name", "blank", "long", "provider", "alias", "no model", "kind", "no kind", "twice", "url",
        "function",
    ],
)  # fmt: skip
def test_an_agent_that_cannot_be_is_refused(editor: TestClient, given: dict[str, Any], pointer: str) -> None:
    answer = editor.post("/api/v1/agents", json={**AGENT, **given})

    assert answer.status_code == 422
    assert pointer in [error["pointer"] for error in answer.json()["errors"]]
    assert editor.get("/api/v1/agents").json() == []


@pytest.mark.parametrize("media_type", ["application/json", "application/merge-patch+json"])
def test_a_patch_changes_what_it_names_and_makes_a_version(
    editor: TestClient, viewer: TestClient, media_type: str
) -> None:
    place = agent(editor, description="old", tools=[HTTP])
    seen = viewer.get(place).headers["ETag"]
    headers = {"If-Match": seen, "Content-Type": media_type}

    after = editor.patch(place, content='{"base_system_prompt": "Be brief.", "description": null}', headers=headers)

    assert (after.status_code, after.json()["version"]) == (200, 2)
    assert (after.json()["base_system_prompt"], after.json()["description"]) == ("Be brief.", "")
    assert (after.json()["name"], len(after.json()["tools"])) == ("Desk", 1)
    assert editor.patch(place, json={"name": "x"}, headers={"If-Match": seen}).status_code == 412
    assert editor.patch(place, json={"name": "x"}).status_code == 428


@pytest.mark.parametrize("name", ["name", "base_system_prompt", "model"])
def test_what_a_subject_must_have_cannot_be_patched_away(editor: TestClient, name: str) -> None:
    assert editor.patch(agent(editor), json={name: None}, headers=ANY).status_code == 422


def test_a_version_can_be_looked_at_and_restored(editor: TestClient, viewer: TestClient) -> None:
    place = agent(editor)
    editor.patch(place, json={"base_system_prompt": "Be brief."}, headers=ANY)

    versions = viewer.get(f"{place}/versions").json()
    restored = editor.post(f"{place}/versions/1/restore")

    assert [version["base_system_prompt"] for version in versions] == [AGENT["base_system_prompt"], "Be brief."]
    assert viewer.get(f"{place}/versions/2").json() == versions[1]
    assert (restored.json()["base_system_prompt"], restored.json()["version"]) == (AGENT["base_system_prompt"], 3)
    assert viewer.get(f"{place}/versions/9").status_code == 404
    assert editor.post(f"{place}/versions/9/restore").status_code == 404


def test_a_version_whose_children_are_gone_cannot_be_restored(editor: TestClient) -> None:
    place = agent(editor)
    outer = orchestrator(editor, agents=[1])
    editor.patch(f"/api/v1/orchestrators/{outer}", json={"agents": None}, headers=ANY)
    editor.delete(place)

    answer = editor.post(f"/api/v1/orchestrators/{outer}/versions/1/restore")

    assert (answer.status_code, "there is no agent 1" in answer.json()["detail"]) == (409, True)


@pytest.mark.parametrize("how", ["patch", "put"])
def test_an_orchestrator_below_itself_is_refused_with_the_way(editor: TestClient, how: str) -> None:
    inner = orchestrator(editor, name="Inner")
    middle = orchestrator(editor, name="Middle", sub_orchestrators=[inner])
    outer = orchestrator(editor, name="Outer", sub_orchestrators=[middle])
    place = f"/api/v1/orchestrators/{inner}" + ("/sub-orchestrators" if how == "put" else "")

    answer = getattr(editor, how)(place, json={"sub_orchestrators": [outer]}, headers=ANY)

    assert answer.status_code == 422
    assert answer.json()["errors"] == [
        {
            "pointer": "/sub_orchestrators/0",
            "detail": f"an orchestrator cannot be below itself: {inner} > {outer} > {middle} > {inner}",
        }
    ]


def test_all_sub_orchestrators_are_put_at_once(editor: TestClient) -> None:
    first, second = orchestrator(editor, name="A"), orchestrator(editor, name="B")
    outer = orchestrator(editor, sub_orchestrators=[first])
    place = f"/api/v1/orchestrators/{outer}/sub-orchestrators"

    assert editor.put(place, json={"sub_orchestrators": [second]}).status_code == 428
    assert editor.put(place, json={"sub_orchestrators": [second]}, headers=ANY).json()["sub_orchestrators"] == [second]
    assert editor.put(place, json={"sub_orchestrators": [second, second]}, headers=ANY).status_code == 422
    assert editor.put(place, json={"sub_orchestrators": [outer]}, headers=ANY).status_code == 422
    assert editor.put(place, json={"sub_orchestrators": [999]}, headers=ANY).status_code == 422


def test_what_an_orchestrator_needs_cannot_be_deleted(editor: TestClient) -> None:
    place = agent(editor)
    orchestrator(editor, agents=[1])

    answer = editor.delete(place)

    assert (answer.status_code, "'Front'" in answer.json()["detail"]) == (409, True)
    assert editor.get(place).status_code == 200


def test_a_deleted_subject_is_gone(editor: TestClient) -> None:
    place = agent(editor)

    assert editor.delete(place, headers={"If-Match": '"x"'}).status_code == 412
    assert editor.delete(place).status_code == 204

    gone = [editor.get(place), editor.delete(place), editor.get(f"{place}/versions"), editor.get(f"{place}/versions/1")]
    assert {answer.status_code for answer in gone} == {404}
    assert editor.get("/api/v1/agents").json() == []


# case: openswarm-ai/openswarm#46, promptfoo/promptfoo#8805
def test_secrets_of_tools_are_never_shown(editor: TestClient, viewer: TestClient, service: Service) -> None:
    made = editor.post("/api/v1/agents", json={**AGENT, "tools": [HTTP]})
    place = made.headers["Location"]
    patched = editor.patch(place, json={"name": "Other"}, headers=ANY)
    restored = editor.post(f"{place}/versions/1/restore")
    audit_log = service.database.read(lambda connection: str(connection.execute(select(AUDIT)).all()))
    read = [viewer.get(path).text for path in (place, "/api/v1/agents", f"{place}/versions", f"{place}/versions/1")]

    shown = " ".join([made.text, patched.text, restored.text, audit_log, *read])

    assert [secret for secret in ("ABCDEF12", "qk-77aa55", "zz-5566") if secret in shown] == []
    assert made.json()["tools"][0]["headers"] == {"Authorization": "***3456", "X-Short": "***"}
    assert made.json()["tools"][0]["url"] == "https://api.example.com/hours?api_key=***&day=1"
    assert made.json()["tools"][0]["parameters"] == HTTP["parameters"]


def test_a_tool_that_comes_back_as_it_was_shown_keeps_its_secrets(editor: TestClient, service: Service) -> None:
    place = agent(editor, tools=[HTTP])
    shown = editor.get(place).json()["tools"]
    shown[0]["description"] = "Looks the hours up."

    after = editor.patch(place, json={"tools": shown}, headers=ANY)

    assert after.status_code == 200
    kept = service.database.read(lambda connection: tree(connection, "agents", 1)).tools[0]
    assert kept == {**HTTP, "description": "Looks the hours up."}


def test_a_mask_that_stands_for_nothing_is_refused(editor: TestClient) -> None:
    place = agent(editor, tools=[HTTP])
    shown = editor.get(place).json()["tools"]
    renamed = [{**shown[0], "name": "other"}]

    answer = editor.patch(place, json={"tools": renamed}, headers=ANY)

    assert answer.status_code == 422
    assert {error["pointer"] for error in answer.json()["errors"]} == {
        "/tools/0/url", "/tools/0/headers/Authorization", "/tools/0/headers/X-Short",
    }  # fmt: skip


def test_a_part_of_a_name_that_no_name_has_is_refused(viewer: TestClient) -> None:
    assert viewer.get("/api/v1/agents", params={"q": "a\0"}).status_code == 422


def test_a_viewer_reads_and_changes_nothing(editor: TestClient, viewer: TestClient) -> None:
    place = agent(editor)

    refused = [
        viewer.post("/api/v1/agents", json=AGENT),
        viewer.patch(place, json={"name": "x"}, headers=ANY),
        viewer.delete(place),
        viewer.post(f"{place}/versions/1/restore"),
        viewer.post("/api/v1/orchestrators", json=ORCHESTRATOR),
        viewer.put("/api/v1/orchestrators/1/sub-orchestrators", json={"sub_orchestrators": []}, headers=ANY),
    ]

    assert {answer.status_code for answer in refused} == {403}
    assert viewer.get(place).json()["version"] == 1
