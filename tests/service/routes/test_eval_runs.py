"""Runs of all subjects."""

from typing import Any


def test_runs_of_all_subjects_are_listed_newest_first_with_their_owners(desk_of: Any) -> None:
    desks = [desk_of("agents"), desk_of("orchestrators")]
    ids = [desk.run() for desk in desks]

    shown = desks[0].client.get("/api/v1/eval-runs").json()

    assert [one["id"] for one in shown] == ids[::-1]
    assert [(one["agent_id"], one["orchestrator_id"]) for one in shown] == [
        (None, desks[1].subject_id),
        (desks[0].subject_id, None),
    ]


def test_they_come_page_by_page(desk: Any) -> None:
    ids = [desk.run() for _ in range(3)]

    first = desk.client.get("/api/v1/eval-runs?limit=2")
    second = desk.client.get(first.headers["Link"].split(">")[0][1:])

    assert [one["id"] for one in first.json() + second.json()] == ids[::-1]
    assert first.headers["X-Total-Count"] == "3"


def test_runs_of_what_was_deleted_are_left_out(desk_of: Any) -> None:
    kept, deleted = desk_of(), desk_of()
    run_id = kept.run()
    deleted.run()
    deleted.client.delete(deleted.dataset)

    assert [one["id"] for one in kept.client.get("/api/v1/eval-runs").json()] == [run_id]


def test_they_are_found_by_what_they_are(desk: Any) -> None:
    run_id = desk.run(label="nightly")
    desk.run()

    assert [one["id"] for one in desk.client.get("/api/v1/eval-runs?label=nightly&status=pending").json()] == [run_id]
