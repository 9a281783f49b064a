"""The seed's walk-through and what goes on from it, through a service with its own worker and scripted models."""

import shutil
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.service_runs import Served, served

FRONT_DESK = Path(__file__).parents[2] / "examples" / "front_desk"
CANDIDATE = {"candidate_system_prompt": "You are a helpful receptionist. We are open 9-5 Mon-Fri."}
HOURS = {
    "scenario": "A customer asks what your business hours are.",
    "expected_criteria": "States specific opening and closing hours or days of the week.",
}
ORDER = {"scenario": "Where is my order A-7?", "expected_criteria": "Says whether the order is on its way."}
FIND_ORDER = {
    "kind": "mock",
    "name": "find_order",
    "parameters": {"type": "object", "properties": {"number": {"type": "string"}}},
    "results": [{"result": {"status": "sent", "day": "yesterday"}}],
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a service in a copy of the example's folder."""
    folder = tmp_path_factory.mktemp("flow") / "front_desk"
    shutil.copytree(FRONT_DESK, folder, ignore=shutil.ignore_patterns(".audition"))
    with served(folder) as one:
        yield one


def made(service: Served, path: str, body: object) -> int:
    """Return the id of what was made."""
    status, answer = service.ask("POST", path, body)
    assert status == 201, answer
    return int(answer["id"])


def text(service: Served, path: str, **headers: str) -> str:
    """Return an answer as it comes."""
    connection = HTTPConnection("127.0.0.1", service.port, timeout=90)
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {service.token}"} | headers)
        return connection.getresponse().read().decode()
    finally:
        connection.close()


def ended(service: Served, path: str) -> Any:
    """Return all there is to say of a run once it is at its end."""
    text(service, path, Prefer="wait=60")
    return service.ask("GET", f"{path}?view=full")[1]


@pytest.fixture(scope="module")
def runs(service: Served) -> str:
    """Return the path of the runs of an agent's dataset with one case."""
    agent = {"name": "Hours FAQ", "base_system_prompt": "You are a receptionist.", "model": "scripted:hours.yaml"}
    datasets = f"/api/v1/agents/{made(service, '/api/v1/agents', agent)}/eval-datasets"
    dataset = f"{datasets}/{made(service, datasets, {'name': 'Hours FAQ'})}"
    made(service, f"{dataset}/cases", HOURS)
    return f"{dataset}/runs"


@pytest.fixture(scope="module")
def run(service: Served, runs: str) -> str:
    """Return the path of a run at its end."""
    path = f"{runs}/{made(service, runs, CANDIDATE)}"
    ended(service, path)
    return path


def test_a_candidate_is_tried_and_graded(service: Served, run: str) -> None:
    shown = service.ask("GET", run)[1]

    (result,) = shown["results"]
    assert (shown["status"], shown["error_message"]) == ("completed", None)
    assert (result["verdict"], result["error_message"]) == ("pass", None)
    assert result["actual_response"] == "We're open Monday through Friday, 9am to 5pm."


def test_its_events_are_told_from_the_claim_to_the_end(service: Served, run: str) -> None:
    told = [line.removeprefix("event: ") for line in text(service, f"{run}/events").splitlines() if "event:" in line]

    assert told == ["run.claimed", "case.started", "case.judged", "run.progress", "run.completed"]


def test_events_of_a_run_under_way_are_streamed_up_to_its_end(service: Served, runs: str) -> None:
    run = f"{runs}/{made(service, runs, CANDIDATE | {'trials': 5})}"

    told = text(service, f"{run}/events")

    assert told.count("event: case.judged") == 5
    assert told.rstrip().splitlines()[-2] == "event: run.completed"


def test_its_conversation_is_judged_again_without_the_agent(service: Served, run: str) -> None:
    again = made(service, f"{run}/rejudge", {})
    path = f"{run.rpartition('/')[0]}/{again}"

    shown = ended(service, path)

    assert (shown["kind"], shown["status"]) == ("rejudge", "completed")
    assert shown["counts"] == {"pass": 1, "fail": 0, "error": 0}


def test_a_retry_of_its_errors_has_nothing_left_to_do(service: Served, run: str) -> None:
    path = f"{run.rpartition('/')[0]}/{made(service, f'{run}/retry', {'scope': 'errors'})}"

    shown = ended(service, path)

    assert (shown["status"], shown["progress"]) == ("completed", {"done": 1, "of": 1})
    assert shown["results"][0]["trials"][0]["copied_from"] is not None


@pytest.mark.parametrize("format", ["json", "md", "html", "junit", "csv"])
def test_its_report_holds_the_answer(service: Served, run: str, format: str) -> None:
    assert "open Monday through Friday, 9am to 5pm" in text(service, f"{run}/report?verbose=true&format={format}")


def test_what_a_run_would_take_is_told_before_it_is_begun(service: Served, runs: str, run: str) -> None:
    status, shown = service.ask("POST", runs, CANDIDATE | {"validate_only": True, "trials": 2})

    assert (status, shown["agent_calls"], shown["missing"]) == (200, 2, [])


def test_an_orchestrator_hands_over_and_its_tools_are_recorded_and_replayed(service: Served) -> None:
    hours = {"name": "Hours FAQ", "base_system_prompt": "You know the hours.", "model": "scripted:hours.yaml"}
    orders = {
        "name": "Orders",
        "base_system_prompt": "You look orders up.",
        "model": "scripted:orders.yaml",
        "tools": [FIND_ORDER],
    }
    agents = [made(service, "/api/v1/agents", one) for one in (hours, orders)]
    desk = {
        "name": "Front desk",
        "instruction": "Hand the caller over to whoever knows.",
        "model": "scripted:front_desk.yaml",
        "agents": agents,
    }
    subject = f"/api/v1/orchestrators/{made(service, '/api/v1/orchestrators', desk)}"
    dataset = f"{subject}/eval-datasets/{made(service, f'{subject}/eval-datasets', {'name': 'Front desk'})}"
    cases = [made(service, f"{dataset}/cases", one) for one in (ORDER, HOURS)]
    before = service.ask("GET", subject)[1]

    recorded = ended(service, f"{dataset}/runs/{made(service, f'{dataset}/runs', CANDIDATE | {'tool_mode': 'record'})}")
    replayed = ended(service, f"{dataset}/runs/{made(service, f'{dataset}/runs', CANDIDATE | {'tool_mode': 'replay'})}")

    assert [(one["case_id"], one["verdict"]) for one in recorded["results"]] == [(case, "pass") for case in cases]
    assert (replayed["options"]["replay_of"], replayed["counts"]["pass"]) == (recorded["id"], 2)
    result_id = replayed["results"][0]["trials"][0]["id"]
    trace = service.ask("GET", f"{dataset}/runs/{replayed['id']}/results/{result_id}/trace")[1]
    calls = [call for call in trace["turns"][0]["tool_calls"] if not call.get("transfer")]
    assert [(call["name"], call["result"]["status"]) for call in calls] == [("find_order", "sent")]
    assert service.ask("GET", subject)[1] == before
