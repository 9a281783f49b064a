"""Events of runs as a stream."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from audition.results import TrialResult

TrialOf = Callable[..., TrialResult]


def events(answer: Any) -> list[tuple[int, str]]:
    """Return the ids and names of the events of a stream."""
    return [(int(number), name) for number, name in re.findall(r"^id: (\d+)\nevent: (\S+)$", answer.text, re.MULTILINE)]


@pytest.fixture
def finished(desk: Any, trial_of: TrialOf) -> int:
    """Return the id of a run that completed."""
    return int(desk.finished([trial_of(desk.case_ids[0])]))


def test_a_stream_tells_all_that_happened_and_ends_with_the_run(desk: Any, finished: int) -> None:
    answer = desk.get(finished, "/events")

    assert answer.headers["Content-Type"].startswith("text/event-stream")
    assert answer.headers["Cache-Control"] == "no-store"
    assert [name for _, name in events(answer)] == ["run.claimed", "case.judged", "run.progress", "run.completed"]


@pytest.mark.parametrize("how", ["header", "query"])
def test_a_stream_goes_on_after_the_last_event_a_client_has(desk: Any, finished: int, how: str) -> None:
    everything = events(desk.get(finished, "/events"))
    last = everything[1][0]

    if_header = {"headers": {"Last-Event-ID": str(last)}, "path": "/events"}
    if_query = {"path": f"/events?last_event_id={last}"}
    rest = events(desk.get(finished, **(if_header if how == "header" else if_query)))

    assert everything[:2] + rest == everything


def test_a_run_that_was_cancelled_says_so(desk: Any) -> None:
    run_id = desk.run()
    desk.client.post(f"{desk.runs}/{run_id}/cancel")

    assert [name for _, name in events(desk.get(run_id, "/events"))] == ["run.cancelled"]


@pytest.mark.parametrize(
    ("path", "headers"),
    [("/events?last_event_id=-1", {}), ("/events", {"Last-Event-ID": "x"}), ("/events", {"Last-Event-ID": "9" * 40})],
)
def test_the_id_of_no_event_is_refused(desk: Any, finished: int, path: str, headers: dict[str, str]) -> None:
    assert desk.get(finished, path, headers=headers).status_code == 422
