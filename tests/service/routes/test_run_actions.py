"""Ending runs, and going on from them."""

from collections.abc import Callable
from typing import Any

import pytest

from audition.results import TrialResult

TrialOf = Callable[..., TrialResult]


def act(desk: Any, run_id: int, action: str, **body: object) -> Any:
    """Return the answer to something done with a run."""
    return desk.client.post(f"{desk.runs}/{run_id}/{action}", json=body)


def test_cancelling_ends_a_run_that_waits_at_once_and_again_changes_nothing(desk: Any) -> None:
    run_id = desk.run()

    first, second = act(desk, run_id, "cancel"), act(desk, run_id, "cancel")

    assert (first.status_code, first.json()["status"]) == (202, "failed")
    assert second.json() == first.json()


def test_cancelling_a_run_under_way_is_told_when_its_end_has_come(desk: Any, trial_of: TrialOf) -> None:
    run_id = desk.run()
    claim = desk.begin(run_id)
    desk.save(claim, [trial_of(desk.case_ids[0])])

    shown = act(desk, run_id, "cancel").json()
    assert (shown["status"], shown["error_message"]) == ("running", None)
    assert desk.full(run_id)["cancel_requested"] is True

    desk.end(claim, error="cancelled")
    assert (desk.full(run_id)["status"], len(desk.get(run_id).json()["results"])) == ("cancelled", 1)


def test_a_run_at_its_end_stays_as_it_is_when_cancelled(desk: Any, trial_of: TrialOf) -> None:
    run_id = desk.finished([trial_of(desk.case_ids[0])])

    assert act(desk, run_id, "cancel").json()["status"] == "completed"


@pytest.mark.parametrize(
    ("scope", "taken_over", "selective"),
    [("errors", ["pass", "fail"], False), ("failed", ["pass"], True), ("all", [], False)],
)
def test_a_retry_takes_over_what_is_not_in_its_scope(
    desk_of: Any, trial_of: TrialOf, scope: str, taken_over: list[str], selective: bool
) -> None:
    desk = desk_of(cases=3)
    words = ["pass", "fail", "error"]
    parent = desk.finished([trial_of(one, word) for one, word in zip(desk.case_ids, words, strict=True)], label="x")

    answer = act(desk, parent, "retry", scope=scope)
    shown = desk.full(answer.json()["id"])

    assert answer.status_code == 201
    assert (shown["kind"], shown["parent_id"], shown["label"], shown["status"]) == ("retry", parent, "x", "pending")
    assert [one["verdict"] for one in shown["results"]] == taken_over
    assert shown["selective"] is selective
    assert desk.service.runs.enqueued[-1] == answer.json()["id"]
    originals = [one["id"] for one in desk.get(parent).json()["results"]]
    assert [one["trials"][0]["copied_from"] for one in shown["results"]] == originals[: len(taken_over)]


def test_results_that_were_drawn_again_stay_marked_in_runs_that_take_them_over(desk: Any, trial_of: TrialOf) -> None:
    parent = desk.finished([trial_of(desk.case_ids[0], "fail")])
    drawn = act(desk, parent, "retry", scope="failed").json()["id"]
    claim = desk.begin(drawn)
    desk.save(claim, [trial_of(desk.case_ids[0])])
    desk.end(claim)

    marked = [act(desk, drawn, "retry", scope=scope).json()["id"] for scope in ("errors", "all")]
    marked.append(act(desk, drawn, "rejudge").json()["id"])

    assert [desk.full(run_id)["selective"] for run_id in marked] == [True, False, True]
    assert "too high" in desk.get(drawn, "/report?format=md").text


def test_a_copy_of_a_copy_names_the_first(desk: Any, trial_of: TrialOf) -> None:
    parent = desk.finished([trial_of(desk.case_ids[0])])
    child = act(desk, parent, "retry").json()["id"]
    desk.end(desk.begin(child))

    grandchild = act(desk, child, "retry").json()["id"]

    original = desk.get(parent).json()["results"][0]["id"]
    assert desk.full(grandchild)["results"][0]["trials"][0]["copied_from"] == original


def test_a_run_that_failed_is_resumed_with_what_it_has(desk_of: Any, trial_of: TrialOf) -> None:
    desk = desk_of(cases=2)
    parent = desk.finished([trial_of(desk.case_ids[0])], error="the provider is down", concurrency=2)

    shown = desk.full(act(desk, parent, "resume").json()["id"])

    assert (shown["kind"], shown["planned"], shown["progress"]) == ("resume", 2, {"done": 1, "of": 2})
    assert shown["options"]["concurrency"] == 2


# case: UKGovernmentBEIS/inspect_ai#2628
def test_a_resumed_run_tells_what_both_halves_took(desk: Any, trial_of: TrialOf) -> None:
    usage = '{{"agent":{{"calls":50,"input_tokens":{}}},"judge":null}}'
    parent = desk.finished([], error="interrupted", usage=usage.format(1000))
    child = act(desk, parent, "resume").json()["id"]
    claim = desk.begin(child)
    desk.save(claim, [trial_of(desk.case_ids[0])])
    desk.end(claim, usage=usage.format(1200))

    shown = desk.full(child)

    assert shown["usage"]["agent"]["input_tokens"] == 1200
    assert shown["with_parents"]["usage"]["agent"]["input_tokens"] == 2200
    assert shown["with_parents"]["started_at"] == desk.full(parent)["started_at"]


def test_judging_again_plans_what_was_said_and_copies_no_verdict(desk: Any, trial_of: TrialOf) -> None:
    parent = desk.finished([trial_of(desk.case_ids[0], "fail")])

    shown = desk.full(act(desk, parent, "rejudge", judge="scripted:{}", judge_votes=3).json()["id"])

    assert (shown["kind"], shown["parent_id"], shown["planned"]) == ("rejudge", parent, 1)
    assert (shown["judge"], shown["options"]["judge"], shown["options"]["judge_votes"]) == ("scripted:{}",) * 2 + (3,)
    assert shown["results"] == []


@pytest.mark.parametrize("action", ["retry", "resume", "rejudge"])
def test_nobody_goes_on_from_a_run_that_is_not_at_its_end(desk: Any, action: str) -> None:
    run_id = desk.run()

    assert act(desk, run_id, action).status_code == 409
    assert desk.service.runs.enqueued == [run_id]


def test_a_run_that_completed_is_not_resumed(desk: Any, trial_of: TrialOf) -> None:
    assert act(desk, desk.finished([trial_of(desk.case_ids[0])]), "resume").status_code == 409


@pytest.mark.parametrize("action", ["retry", "resume"])
def test_what_was_judged_again_is_only_judged_once_more(desk: Any, trial_of: TrialOf, action: str) -> None:
    parent = desk.finished([trial_of(desk.case_ids[0])])
    judged = act(desk, parent, "rejudge").json()["id"]
    desk.client.post(f"{desk.runs}/{judged}/cancel")

    assert act(desk, judged, action).status_code == 409


def test_a_run_without_conversations_is_not_judged_again(desk: Any) -> None:
    assert act(desk, desk.finished([], error="down"), "rejudge").status_code == 409


@pytest.mark.parametrize(
    ("action", "body"),
    [("retry", {"scope": "some"}), ("rejudge", {"judge": "nobody:x"}), ("rejudge", {"judge_votes": 4})],
)
def test_what_cannot_be_done_is_refused(desk: Any, trial_of: TrialOf, action: str, body: dict[str, Any]) -> None:
    run_id = desk.finished([trial_of(desk.case_ids[0])])

    assert act(desk, run_id, action, **body).status_code == 422


@pytest.mark.parametrize("action", ["cancel", "retry", "resume", "rejudge"])
def test_a_run_that_is_not_there_is_not_found(desk: Any, action: str) -> None:
    assert act(desk, 99, action).status_code == 404
