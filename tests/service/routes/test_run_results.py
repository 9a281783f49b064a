"""Results page by page, and the conversations behind them."""

import re
from collections.abc import Callable
from typing import Any

from audition.results import TrialResult

TrialOf = Callable[..., TrialResult]


def test_results_are_listed_page_by_page_with_all_that_is_known(desk_of: Any, trial_of: TrialOf) -> None:
    desk = desk_of(cases=3)
    run_id = desk.finished([trial_of(one) for one in desk.case_ids])

    first = desk.get(run_id, "/results?limit=2")
    second = desk.client.get(re.findall(r"<(.*?)>", first.headers["Link"])[0])

    assert [one["case_id"] for one in first.json() + second.json()] == desk.case_ids
    assert first.json() + second.json() == desk.full(run_id)["results"]
    assert (first.headers["X-Total-Count"], "Link" in second.headers) == ("3", False)
    assert first.json()[0]["trials"][0]["usage"]["agent"]["cost_usd"] == 0.001


def test_results_are_found_by_their_outcome(desk_of: Any, trial_of: TrialOf) -> None:
    desk = desk_of(cases=3)
    words = zip(desk.case_ids, ["pass", "fail", "error"], strict=True)
    run_id = desk.finished([trial_of(one, word) for one, word in words])

    found = {
        outcome: [one["case_id"] for one in desk.get(run_id, f"/results?outcome={outcome}").json()]
        for outcome in ("fail", "subject_error", "void")
    }

    assert found == {"fail": [desk.case_ids[1]], "subject_error": [desk.case_ids[2]], "void": []}


def test_a_trace_is_the_conversation_with_its_tool_calls(desk: Any, trial_of: TrialOf) -> None:
    run_id = desk.finished([trial_of(desk.case_ids[0])])
    result_id = desk.get(run_id).json()["results"][0]["id"]

    shown = desk.get(run_id, f"/results/{result_id}/trace").json()

    (turn,) = shown["turns"]
    assert (turn["replies"], turn["usage"]["input_tokens"]) == (["We're open Monday through Friday, 9am to 5pm."], 20)
    assert turn["tool_calls"] == [
        {"name": "lookup", "arguments": {"day": "Monday"}, "result": {"opens": 9}, "error": None}
    ]
    assert (shown["result_id"], shown["case_id"], shown["trial"]) == (result_id, desk.case_ids[0], 1)


def test_a_result_of_another_run_is_not_there(desk: Any, trial_of: TrialOf) -> None:
    first, second = (desk.finished([trial_of(desk.case_ids[0])]) for _ in range(2))
    result_id = desk.get(first).json()["results"][0]["id"]

    assert desk.get(second, f"/results/{result_id}/trace").status_code == 404
