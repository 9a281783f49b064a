"""Runs over HTTP: the seed's endpoints, what may be added to them, and what is refused."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from audition.results import TrialResult
from audition.service.app import create_app
from audition.service.context import Service
from audition.store.service.people import Role

Golden = Callable[[str, str], None]
TrialOf = Callable[..., TrialResult]


def masked(answer: Any) -> str:
    """Return an answer as it came, but for ids and times."""
    body = re.sub(r'"(\w*id)":\d+', r'"\1":1', answer.text)
    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "2026-01-15T10:05:00Z", body) + "\n"


@pytest.mark.parametrize("family", ["agents", "orchestrators"])
def test_the_seeds_bodies_are_byte_for_byte_what_the_seed_shows(
    desk_of: Any, trial_of: TrialOf, golden: Golden, family: str
) -> None:
    desk = desk_of(family)
    created = desk.create()
    run_id = created.json()["id"]
    claim = desk.begin(run_id)
    desk.save(claim, [trial_of(desk.case_ids[0])])
    desk.end(claim)

    golden(f"service/{family}-run-created.json", masked(created))
    golden(f"service/{family}-runs.json", masked(desk.client.get(desk.runs)))
    golden(f"service/{family}-run.json", masked(desk.get(run_id)))


def test_a_new_run_is_pending_and_is_where_it_says(desk: Any) -> None:
    answer = desk.create()

    assert answer.status_code == 201
    assert desk.client.get(answer.headers["Location"]).json() == answer.json() | {"results": []}
    assert desk.service.runs.enqueued == [answer.json()["id"]]
    assert answer.json()["status"] == "pending"


def test_the_subject_keeps_its_own_text(desk: Any) -> None:
    before = desk.client.get(f"/api/v1/agents/{desk.subject_id}").json()

    desk.run()

    assert desk.client.get(f"/api/v1/agents/{desk.subject_id}").json() == before


def test_a_dataset_without_cases_cannot_be_run(desk_of: Any) -> None:
    answer = desk_of(cases=0).create()

    assert (answer.status_code, answer.json()["code"]) == (422, "no_cases")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/candidate_system_prompt"),
        ({"candidate_system_prompt": ""}, "/candidate_system_prompt"),
        ({"candidate_system_prompt": " \n\t"}, "/candidate_system_prompt"),
        ({"candidate_system_prompt": None}, "/candidate_system_prompt"),
        ({"trials": 0}, "/trials"),
        ({"trials": 51}, "/trials"),
        ({"trials": 2, "pass_policy": {"k": 3}}, "/pass_policy/k"),
        ({"pass_policy": "most"}, None),
        ({"concurrency": 65}, "/concurrency"),
        ({"dataset_version": 99}, "/dataset_version"),
        ({"case_ids": [99]}, "/case_ids/0"),
        ({"tool_mode": "guess"}, "/tool_mode"),
        ({"tool_mode": "replay"}, "/tool_mode"),
        ({"replay_of": 1}, "/replay_of"),
        ({"judge": "nobody"}, "/judge"),
        ({"judge": "nobody:x"}, "/judge"),
        ({"judge_votes": 2}, "/judge_votes"),
        ({"subject_model": "nobody:x"}, "/subject_model"),
        ({"max_cost_usd": 0}, "/max_cost_usd"),
        ({"max_calls": 0}, "/max_calls"),
        ({"label": "\u0000"}, None),
    ],
    ids=str,
)
def test_what_cannot_be_run_is_refused_with_its_place(desk: Any, body: dict[str, object], pointer: str | None) -> None:
    needed = {} if "candidate_system_prompt" in body or not body else {"candidate_system_prompt": "Hi."}

    answer = desk.client.post(desk.runs, json=needed | body)

    assert answer.status_code == 422
    assert pointer in (None, answer.json()["errors"][0]["pointer"])
    assert desk.service.runs.enqueued == []


def test_options_are_kept_with_the_run(desk_of: Any) -> None:
    desk = desk_of(cases=3)
    options = {
        "trials": 3,
        "pass_policy": {"k": 2},
        "concurrency": 4,
        "case_ids": desk.case_ids[:2],
        "tool_mode": "mock",
        "judge": "scripted:{}",
        "judge_votes": 3,
        "max_calls": 50,
    }

    shown = desk.full(desk.run(**options, label="try 1"))

    assert options.items() <= shown["options"].items()
    assert (shown["label"], shown["planned"], shown["dataset_version"], shown["judge"]) == (
        "try 1",
        6,
        shown["dataset_version"],
        "scripted:{}",
    )


def test_tags_choose_cases_and_none_with_any_is_refused(desk: Any) -> None:
    tagged = {"scenario": "Hi?", "expected_criteria": "Greets.", "tags": ["smoke"]}
    desk.client.post(f"{desk.dataset}/cases", json=tagged)

    assert desk.full(desk.run(tags=["smoke"]))["planned"] == 1
    assert desk.create(tags=["other"]).json()["code"] == "no_cases"


def test_a_run_pins_the_version_of_the_dataset_it_was_made_for(desk: Any) -> None:
    first = desk.full(desk.run())["dataset_version"]
    desk.client.post(f"{desk.dataset}/cases", json={"scenario": "Hi?", "expected_criteria": "Greets."})

    assert desk.full(desk.run(dataset_version=first))["planned"] == 1
    assert desk.full(desk.run())["planned"] == 2


def test_a_replay_takes_the_latest_recording(desk: Any, trial_of: TrialOf) -> None:
    recorded = desk.finished([trial_of(desk.case_ids[0])], tool_mode="record")
    desk.finished([trial_of(desk.case_ids[0])])

    assert desk.full(desk.run(tool_mode="replay"))["options"]["replay_of"] == recorded


def test_more_runs_than_may_wait_are_refused_for_a_while(desk: Any, service: Service) -> None:
    settings = replace(service.settings, service=replace(service.settings.service, max_pending_runs=2))
    app = create_app(replace(service, settings=settings))
    client = TestClient(app, headers=dict(desk.client.headers))
    body = {"candidate_system_prompt": "Hi."}

    codes = [client.post(desk.runs, json=body).status_code for _ in range(2)]
    refused = client.post(desk.runs, json=body)

    assert codes == [201, 201]
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_runs")
    assert int(refused.headers["Retry-After"]) > 0


def test_more_trials_than_a_run_may_have_are_refused(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audition.service.run_creation.MOST_TRIALS", 2)

    answer = desk.create(trials=3)

    assert (answer.status_code, answer.json()["code"]) == (422, "too_many_trials")


def test_results_come_in_the_order_of_the_cases_as_they_finish(desk_of: Any, trial_of: TrialOf) -> None:
    desk = desk_of(cases=3)
    first, second, third = desk.case_ids
    run_id = desk.run()
    claim = desk.begin(run_id)
    desk.save(claim, [trial_of(third), trial_of(first, "fail")])

    shown = desk.get(run_id).json()

    assert shown["status"] == "running"
    assert [(one["case_id"], one["verdict"]) for one in shown["results"]] == [(first, "fail"), (third, "pass")]
    assert second not in [one["case_id"] for one in shown["results"]]


# case: pydantic/pydantic-ai#2911
def test_a_run_whose_cases_all_broke_tells_so_although_it_completed(desk_of: Any, trial_of: TrialOf) -> None:
    desk = desk_of(cases=3)

    shown = desk.full(desk.finished([trial_of(one, "error") for one in desk.case_ids]))

    assert (shown["status"], shown["counts"]) == ("completed", {"pass": 0, "fail": 0, "error": 3})
    assert {(one["verdict"], one["error_message"]) for one in shown["results"]} == {(None, "the judge did not answer")}
    assert (shown["pass_rate"]["passed"], shown["pass_rate"]["n"]) == (0, 3)


def test_a_cancelled_run_is_failed_for_clients_of_the_seed_and_cancelled_in_full(desk: Any) -> None:
    run_id = desk.run()

    desk.client.post(f"{desk.runs}/{run_id}/cancel")

    assert desk.get(run_id).json()["status"] == "failed"
    assert "cancelled by" in desk.get(run_id).json()["error_message"]
    assert desk.full(run_id)["status"] == "cancelled"


def test_with_trials_a_case_has_the_policys_verdict_and_the_first_trials_answer(desk: Any, trial_of: TrialOf) -> None:
    case_id = desk.case_ids[0]
    results = [
        trial_of(case_id, "fail", number=1, answer="Hello."),
        trial_of(case_id, "pass", number=2),
        trial_of(case_id, "pass", number=3),
    ]

    run_id = desk.finished(results, trials=3, pass_policy="majority")
    (shown,) = desk.get(run_id).json()["results"]
    full = desk.full(run_id)

    assert (shown["verdict"], shown["actual_response"], shown["error_message"]) == ("pass", "Hello.", None)
    assert shown["judge_reasoning"].startswith("2 of 3 trials passed, 2 needed; trial 2: States the specific hours")
    assert [one["verdict"] for one in full["results"][0]["trials"]] == ["fail", "pass", "pass"]
    assert full["results"][0]["trials"][0]["id"] == shown["id"]
    assert [round(one["value"], 4) for one in full["pass_hat_k"]] == [0.6667, 0.3333, 0.0]


def test_a_case_waits_for_all_its_trials_unless_the_run_is_over(desk: Any, trial_of: TrialOf) -> None:
    run_id = desk.run(trials=2)
    claim = desk.begin(run_id)
    desk.save(claim, [trial_of(desk.case_ids[0])])

    assert desk.get(run_id).json()["results"] == []

    desk.end(claim, error="the provider is down")
    (shown,) = desk.get(run_id).json()["results"]

    assert shown["verdict"] is None
    assert "1 of 2 trials were not run" in shown["error_message"]


def test_the_full_view_says_what_is_known_and_null_for_what_is_not(desk: Any, trial_of: TrialOf) -> None:
    usage = '{"agent":{"calls":2,"input_tokens":40,"output_tokens":8,"cost_usd":0.25},"judge":null}'
    known = desk.full(desk.finished([trial_of(desk.case_ids[0])], usage=usage))
    unknown = desk.full(desk.run())

    assert (known["cost_usd"], known["usage"]["agent"]["input_tokens"], known["usage"]["judge"]) == (0.25, 40, None)
    assert (unknown["cost_usd"], unknown["usage"], unknown["worker"], unknown["started_at"]) == (None,) * 4
    assert (known["pass_rate"]["low"], known["pass_rate"]["high"]) == (pytest.approx(0.2065, abs=1e-4), 1.0)
    assert known["progress"] == {"done": 1, "of": 1}
    assert known["subject"][0]["name"] == "Front desk"
    assert known["results"][0]["clauses"][0]["category"] == "criteria"


def test_a_running_run_tells_of_its_worker(desk: Any) -> None:
    run_id = desk.run()
    desk.begin(run_id)

    assert desk.full(run_id)["worker"] is None

    from audition.store.service.workers import Worker, beat

    database = desk.service.database
    worker = Worker(id="w1", host="h", pid=1, version="1")
    database.write(lambda connection: beat(connection, database.insert, database.now_s, worker))

    shown = desk.full(run_id)["worker"]
    assert shown["alive"] is True
    assert shown["seconds_since"] < 5


def test_what_has_not_changed_is_not_sent_again(desk: Any, trial_of: TrialOf) -> None:
    run_id = desk.run()
    tag = desk.get(run_id).headers["ETag"]

    same = desk.get(run_id, headers={"If-None-Match": f'"x", {tag}'})
    claim = desk.begin(run_id)
    desk.save(claim, [trial_of(desk.case_ids[0])])
    other = desk.get(run_id, headers={"If-None-Match": tag})

    assert (same.status_code, same.content) == (304, b"")
    assert (other.status_code, len(other.json()["results"])) == (200, 1)


def test_a_run_that_is_over_is_the_same_however_often_it_is_asked_for(desk: Any, trial_of: TrialOf) -> None:
    run_id = desk.finished([trial_of(desk.case_ids[0])])

    first, second = desk.get(run_id), desk.get(run_id)

    assert (first.content, first.headers["ETag"]) == (second.content, second.headers["ETag"])


def test_nobody_without_a_token_gets_what_is_kept(
    desk: Any, trial_of: TrialOf, client_as: Callable[[Role | None], TestClient]
) -> None:
    run_id = desk.finished([trial_of(desk.case_ids[0])])
    desk.get(run_id)

    assert client_as(None).get(f"{desk.runs}/{run_id}").status_code == 401


def test_a_run_is_gone_with_its_dataset_or_subject(desk: Any, trial_of: TrialOf) -> None:
    run_id = desk.finished([trial_of(desk.case_ids[0])])
    assert desk.get(run_id).status_code == 200

    desk.client.delete(desk.dataset)

    assert desk.get(run_id).status_code == 404
    assert desk.client.get(desk.runs).status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/agents/1/eval-datasets/1/runs/2",
        "/api/v1/agents/1/eval-datasets/2/runs/1",
        "/api/v1/agents/2/eval-datasets/1/runs/1",
        "/api/v1/orchestrators/1/eval-datasets/1/runs/1",
    ],
)
@pytest.mark.parametrize("below", ["", "/events", "/report", "/results", "/results/1/trace"])
def test_what_is_somebody_elses_is_not_there(desk_of: Any, trial_of: TrialOf, path: str, below: str) -> None:
    desk = desk_of()
    desk.finished([trial_of(desk.case_ids[0])])
    desk_of()
    desk_of("orchestrators")

    assert desk.client.get(path + below).status_code == 404


def test_a_viewer_reads_and_changes_nothing(desk: Any, trial_of: TrialOf, viewer: TestClient) -> None:
    run_id = desk.finished([trial_of(desk.case_ids[0])])
    path = f"{desk.runs}/{run_id}"

    read = {viewer.get(one).status_code for one in (desk.runs, path, f"{path}/results", f"{path}/report")}
    body = {"candidate_system_prompt": "Hi."}
    refused = {
        viewer.post(desk.runs, json=body).status_code,
        viewer.delete(path).status_code,
        *(viewer.post(f"{path}/{action}").status_code for action in ("cancel", "retry", "resume", "rejudge")),
    }

    assert (read, refused) == ({200}, {403})


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("status=completed", [1]),
        ("status=pending", [2, 3]),
        ("label=nightly", [3]),
        ("since=2020-01-01T00:00:00Z", [1, 2, 3]),
        ("since=2020-01-01T00:00:00%2B02:00", [1, 2, 3]),
        ("since=2999-01-01T00:00:00Z", []),
        ("prompt_sha=" + "0" * 64, []),
    ],
)
def test_runs_are_found_by_what_they_are(desk: Any, trial_of: TrialOf, query: str, found: list[int]) -> None:
    desk.finished([trial_of(desk.case_ids[0])])
    desk.run()
    desk.run(label="nightly")

    answer = desk.client.get(f"{desk.runs}?{query}")

    assert [one["id"] for one in answer.json()] == found
    assert answer.headers["X-Total-Count"] == str(len(found))


@pytest.mark.parametrize(
    "query",
    [
        "since=2026-01-01T00:00:00",
        "since=yesterday",
        "since=0001-01-01T00:00:00%2B14:00",
        "status=done",
        "prompt_sha=x",
    ],
)
def test_a_filter_that_cannot_be_is_refused(desk: Any, query: str) -> None:
    assert desk.client.get(f"{desk.runs}?{query}").status_code == 422


def test_runs_are_listed_page_by_page(desk: Any) -> None:
    ids = [desk.run() for _ in range(3)]

    first = desk.client.get(f"{desk.runs}?limit=2")
    second = desk.client.get(re.findall(r"<(.*?)>", first.headers["Link"])[0])

    assert [one["id"] for one in first.json() + second.json()] == ids
    assert "Link" not in second.headers


def test_a_run_can_be_tried_out_before_anything_is_spent(desk_of: Any, trial_of: TrialOf) -> None:
    desk = desk_of(cases=2)
    usage = '{"agent":{"cost_usd":0.5},"judge":{"calls":8,"cost_usd":0.5}}'
    desk.finished([trial_of(one) for one in desk.case_ids], usage=usage)

    answer = desk.create(validate_only=True, trials=3)

    shown = answer.json()
    assert answer.status_code == 200
    assert (shown["agent_calls"], shown["judge_calls"]["low"], shown["judge_calls"]["from"]) == (6, 24, "past runs")
    assert shown["cost_usd"] == {"low": 3.0, "mean": 3.0, "high": 3.0, "past_runs": 1}
    assert shown["smallest_detectable_difference"] == pytest.approx(0.6264, abs=1e-4)
    assert shown["missing"] == ["no judge is configured: give judge, or set [judge] model in audition.toml"]
    assert len(desk.service.runs.enqueued) == 1


def test_a_trial_without_a_past_says_that_nobody_knows_the_cost(desk: Any) -> None:
    shown = desk.create(validate_only=True, judge="openai:gpt-4o").json()

    assert shown["cost_usd"] is None
    assert (shown["judge_calls"]["low"], shown["judge_calls"]["from"]) == (2, "cases")
    assert shown["missing"] == ["OPENAI_API_KEY is not set, which openai:gpt-4o needs"]


def test_a_run_at_its_end_can_be_deleted(desk: Any, trial_of: TrialOf) -> None:
    run_id, waiting = desk.finished([trial_of(desk.case_ids[0])]), desk.run()

    deleted, refused = (desk.client.delete(f"{desk.runs}/{one}").status_code for one in (run_id, waiting))

    assert (deleted, refused) == (204, 409)
    assert desk.get(run_id).status_code == 404
    assert [one["id"] for one in desk.client.get(desk.runs).json()] == [waiting]


def test_changes_are_in_the_audit_log(desk: Any, client_as: Callable[[Role | None], TestClient]) -> None:
    run_id = desk.run()
    desk.client.post(f"{desk.runs}/{run_id}/cancel")
    desk.client.post(f"{desk.runs}/{run_id}/cancel")
    desk.client.post(f"{desk.runs}/{run_id}/resume")
    desk.client.delete(f"{desk.runs}/{run_id}")

    log = client_as("owner").get("/api/v1/audit-log?resource_kind=run").json()

    assert sorted(one["action"] for one in log) == ["cancel", "create", "delete", "resume"]


def test_waiting_for_the_end_of_a_run_that_is_over_takes_no_time(desk: Any, trial_of: TrialOf) -> None:
    run_id = desk.finished([trial_of(desk.case_ids[0])])

    answer = desk.get(run_id, headers={"Prefer": "wait=60"})

    assert (answer.status_code, answer.headers["Preference-Applied"]) == (200, "wait")


def test_a_client_that_has_something_else_does_not_wait(desk: Any) -> None:
    answer = desk.get(desk.run(), headers={"Prefer": "wait=60", "If-None-Match": '"old"'})

    assert json.loads(answer.content)["status"] == "pending"
