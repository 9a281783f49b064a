"""A run at its end is sent again without a look at the database, to those who may read it and while it is there."""

from dataclasses import replace

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Connection
from tests.doubles.service_runs import add_dataset, add_run

from audition.service.app import create_app
from audition.service.context import Known, Service
from audition.service.limits import Limiter
from audition.service.recent import Page, Recent
from audition.store.service.api_tokens import Scope
from audition.store.service.linked_runs import forget
from audition.store.service.people import add_member, open_session
from audition.store.service.runs import request_cancel, run_at
from audition.store.service.subjects import create

PATH = "/api/v1/agents/1/eval-datasets/1/runs/1"


class Clock:
    """A clock that only the test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    """Return the clock of what the service keeps in mind."""
    return Clock()


@pytest.fixture
def here(service: Service, clock: Clock) -> Service:
    """Return a service with a cancelled run and one that waits, whose memory goes by the test's clock."""

    def add(connection: Connection) -> None:
        create(connection, "agents", "Desk", {"instruction": "Hi.", "model": "scripted:x"}, by="somebody")
        dataset = add_dataset(connection, 1)
        for _ in range(2):
            add_run(connection, dataset)
        request_cancel(connection, 1, by="somebody")

    service.database.write(add)
    return replace(service, known=Known(clock=clock), recent=Recent(clock=clock), limiter=Limiter(clock=clock))


@pytest.fixture
def owner(here: Service) -> TestClient:
    """Return a client of the owner, who has asked for the run at its end."""

    def add(connection: Connection) -> str:
        member = add_member(connection, email="o@example.com", name="O", role="owner", password_hash=None)
        return open_session(connection, here.database.now_s, member, hours=1)

    client = TestClient(create_app(here), headers={"Authorization": f"Bearer {here.database.write(add)}"})
    assert client.get(PATH).status_code == 200
    return client


def delete_elsewhere(here: Service, run_id: int = 1) -> None:
    """Have another process delete a run."""
    here.database.write(lambda connection: forget(connection, run_at(connection, run_id)))


def test_a_run_at_its_end_is_sent_again_as_it_was(owner: TestClient, here: Service) -> None:
    here.recent.forget()
    first = owner.get(PATH)
    delete_elsewhere(here)

    again = owner.get(PATH)

    passing = ("x-request-id", "ratelimit")
    assert again.status_code == 200
    assert again.content == first.content
    assert [one for one in again.headers.items() if one[0] not in passing] == [
        one for one in first.headers.items() if one[0] not in passing
    ]
    assert set(again.headers) == set(first.headers)


def test_what_another_process_deletes_is_gone_after_a_second(owner: TestClient, here: Service, clock: Clock) -> None:
    delete_elsewhere(here)
    clock.now += Recent.KEPT_S

    assert owner.get(PATH).status_code == 404


@pytest.mark.parametrize("path", [PATH, "/api/v1/agents/1/eval-datasets/1", "/api/v1/agents/1"])
def test_what_a_client_deletes_is_gone_at_once(owner: TestClient, path: str) -> None:
    owner.delete("/api/v1/agents/1/eval-datasets/1/runs/2")
    owner.post("/api/v1/agents/1/eval-datasets/1/runs/2/cancel")
    owner.get(PATH)

    deleted = owner.delete(path)

    assert (deleted.status_code, owner.get(PATH).status_code) == (204, 404)


def test_a_client_that_has_it_is_told_so(owner: TestClient, here: Service) -> None:
    tag = owner.get(PATH).headers["ETag"]
    delete_elsewhere(here)

    answer = owner.get(PATH, headers={"If-None-Match": f"W/{tag}"})

    assert (answer.status_code, answer.content, answer.headers["ETag"]) == (304, b"", tag)


def test_head_is_answered_without_a_body(owner: TestClient, here: Service) -> None:
    length = owner.get(PATH).headers["Content-Length"]
    delete_elsewhere(here)

    answer = owner.head(PATH)

    assert (answer.status_code, answer.content, answer.headers["Content-Length"]) == (200, b"", length)


def test_a_run_that_goes_on_is_read_each_time(owner: TestClient, here: Service) -> None:
    path = PATH.replace("runs/1", "runs/2")
    owner.get(path)
    here.database.write(lambda connection: request_cancel(connection, 2, by="somebody"))

    assert owner.get(path).json()["status"] == "failed"


@pytest.mark.parametrize("query", ["?view=full", "?view=nothing"])
def test_other_questions_are_answered_as_ever(owner: TestClient, here: Service, query: str) -> None:
    delete_elsewhere(here)

    assert owner.get(f"{PATH}{query}").status_code in (404, 422)


@pytest.mark.parametrize("given", [None, "Bearer", "Bearer aud_s_unknown", "Basic abc"])
def test_nobody_is_let_in_without_a_token(owner: TestClient, given: str | None) -> None:
    del owner.headers["Authorization"]

    answer = owner.get(PATH, headers={} if given is None else {"Authorization": given})

    assert answer.status_code == 401


def test_whoever_logs_out_reads_no_more(owner: TestClient) -> None:
    owner.post("/api/v1/auth/logout")

    assert owner.get(PATH).status_code == 401


@pytest.mark.parametrize(("scopes", "status"), [(["read"], 200), (["runs"], 403)], ids=["read", "runs"])
def test_an_api_token_is_for_its_scopes(owner: TestClient, here: Service, scopes: list[Scope], status: int) -> None:
    made = owner.post("/api/v1/api-tokens", json={"name": "CI", "scopes": scopes}).json()["token"]
    asked = {"Authorization": f"Bearer {made}"}
    owner.get("/api/v1/auth/me", headers=asked)
    owner.get(PATH)

    assert owner.get(PATH, headers=asked).status_code == status


def test_who_asks_too_often_is_told_when_to_go_on(here: Service, owner: TestClient) -> None:
    few = replace(here.settings, service=replace(here.settings.service, requests_per_minute=2))
    limited = replace(here, settings=few, limiter=Limiter(clock=Clock()))
    client = TestClient(create_app(limited), headers={"Authorization": owner.headers["Authorization"]})

    answers = [client.get(PATH) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[2].headers["Retry-After"] == "30"


def test_requests_are_counted_by_their_route(owner: TestClient, here: Service) -> None:
    for _ in range(3):
        owner.get(PATH)

    counted = owner.get("/metrics").text

    route = "/api/v1/agents/{agent_id}/eval-datasets/{dataset_id}/runs/{run_id}"
    assert f'audition_http_requests_total{{method="GET",route="{route}",status="200"}} 4' in counted


def page(size: int = 2, *, lasts: bool = True) -> Page:
    """Return an answer of some bytes."""
    return Page(body=b"x" * size, tag='"t"', lasts=lasts)


def test_what_was_read_before_a_change_is_not_kept_after_it() -> None:
    recent = Recent()
    note = recent.noting("/x", None)
    recent.forget()

    note(page())

    assert recent.get("/x") is None


@pytest.mark.parametrize("given", [page(lasts=False), page(200_001)], ids=["may change", "large"])
def test_what_may_change_and_what_is_large_is_not_kept(given: Page) -> None:
    recent = Recent()

    recent.noting("/x", None)(given)

    assert recent.get("/x") is None


def test_only_so_many_are_kept() -> None:
    recent = Recent()

    for number in range(250):
        recent.noting(f"/{number}", None)(page())

    assert 0 < sum(recent.get(f"/{number}") is not None for number in range(250)) <= 100
