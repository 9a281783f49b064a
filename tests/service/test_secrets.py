"""Keys that are stored, and the answers of all endpoints to an owner."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from tests.doubles.service_world import World, world_in

from audition.providers import Provider
from audition.settings import PROVIDERS, Settings

KEY = "sk-live-ABCDEF123456"
PLANTED = (KEY, "hdr-secret-998877", "qk-secret-665544")
FORMATS = {"export": ("jsonl", "csv", "yaml", "json", "adk"), "report": ("json", "md", "html", "junit", "csv")}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Return a world whose judge has a key, and whose subjects have tools with keys."""
    provider = Provider(name="openai", base_url="https://api.example.com/v1", api_key=KEY)
    settings = Settings(root=tmp_path, judge_model="openai:gpt-4o", providers={**PROVIDERS, "openai": provider})
    made = world_in(tmp_path, settings)
    yield made
    made.service.database.close()


# case: openswarm-ai/openswarm#46
@pytest.mark.parametrize("family", ["agents", "orchestrators"])
def test_a_stored_key_is_in_no_answer_to_anybody(world: World, family: str) -> None:
    client = TestClient(world.app, headers={"Authorization": f"Bearer {world.tokens['owner']}"})
    tree, path = world.trees[family]["own"], f"/api/v1/{family}/{world.trees[family]['own'].subject}"
    tool = {
        "kind": "http",
        "name": "find",
        "description": "Finds.",
        "url": f"https://shop.example.com/find?api_key={PLANTED[2]}",
        "headers": {"Authorization": f"Bearer {PLANTED[1]}", "X-Api-Key": KEY},
    }
    tag = client.get(path).headers["ETag"]
    changed = client.patch(path, json={"tools": [tool]}, headers={"If-Match": tag})
    assert changed.status_code == 200, changed.text
    client.post(f"{path}/eval-datasets/{tree.dataset}/runs", json={"candidate_system_prompt": "You help."})

    answers = [changed.text, *_all_answers(world, client, family)]

    assert len(answers) > 20
    found = [text[max(0, text.find(one) - 80) :][:200] for one in PLANTED for text in answers if one[-12:] in text]
    assert found == []


def _all_answers(world: World, client: TestClient, family: str) -> Iterator[str]:
    tree = world.trees[family]["own"]
    numbers = {"agent_id": tree.subject, "orchestrator_id": tree.subject, "dataset_id": tree.dataset}
    numbers |= {"case_id": tree.case, "run_id": tree.run, "result_id": tree.result, "number": 1}
    numbers |= {"member_id": world.target, "token_id": world.token_ids["owner"]}
    for route in world.app.routes:
        if not isinstance(route, APIRoute) or "GET" not in route.methods or "/oidc/" in route.path:
            continue
        if route.path.startswith("/api/v1/agents" if family == "orchestrators" else "/api/v1/orchestrators"):
            continue
        path = re.sub(r"{(\w+)}", lambda found: str(numbers[found[1]]), route.path)
        for wanted in FORMATS.get(path.rpartition("/")[2], ("",)):
            answer = client.get(path, params={"view": "full"} | ({"format": wanted} if wanted else {}))
            assert answer.status_code < 500, path
            yield answer.text
