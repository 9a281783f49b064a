"""What those who run the service ask it; none of it needs a token."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

from audition.errors import StoreError
from audition.service.app import create_app
from audition.service.context import Service
from audition.store.service.database import Connection
from audition.store.service.tables import WORKERS


@pytest.fixture
def client(service: Service) -> TestClient:
    """Return a client without a token."""
    return TestClient(create_app(service))


def test_a_service_that_lives_says_so(client: TestClient) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}


def test_a_service_is_ready_without_a_judge_and_says_that_there_is_none(client: TestClient) -> None:
    answer = client.get("/readyz")

    assert answer.status_code == 200
    assert answer.json() == {"status": "ready", "database": "ok", "judge": "missing", "workers": 0}


def test_it_says_that_there_is_a_judge_and_a_worker(service: Service) -> None:
    worker = {"id": "w", "host": "h", "pid": 1, "version": "1", "started_at": "", "heartbeat_s": 4e9}
    service.database.write(lambda connection: connection.execute(WORKERS.insert().values(**worker)))
    judged = replace(service, settings=replace(service.settings, judge_model="openai:gpt-4o"))

    found = TestClient(create_app(judged)).get("/readyz").json()

    assert (found["judge"], found["workers"]) == ("configured", 1)


def test_without_its_database_it_is_not_ready(service: Service) -> None:
    class Gone:
        """A database that cannot be reached."""

        now_s = service.database.now_s

        def read(self, action: Callable[[Connection], object]) -> object:
            """Fail."""
            raise StoreError("the database at /secret/place cannot be used")

    broken = replace(service, database=Gone())  # type: ignore[arg-type]  # all of a database that is asked

    answer = TestClient(create_app(broken)).get("/readyz")

    assert answer.status_code == 503
    assert answer.json()["status"] == "not_ready"
    assert "/secret/place" not in answer.text
    assert TestClient(create_app(broken)).get("/healthz").status_code == 200


def test_metrics_are_text_for_prometheus(client: TestClient) -> None:
    client.get("/healthz")

    answer = client.get("/metrics")

    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert 'audition_http_requests_total{method="GET",route="/healthz",status="200"} 1' in answer.text
    assert "audition_workers 0" in answer.text


def test_the_openapi_document_needs_no_token_and_says_what_does(client: TestClient) -> None:
    document = client.get("/openapi.json").json()

    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    assert document["paths"]["/api/v1/members"]["get"]["security"] == [{"token": []}]
    assert "security" not in document["paths"]["/api/v1/auth/login"]["post"]


def test_the_page_of_endpoints_asks_nobody_for_anything(client: TestClient) -> None:
    answer = client.get("/docs")

    assert answer.headers["Content-Type"].startswith("text/html")
    assert "<script" not in answer.text
    assert "http" not in answer.text
    assert "/api/v1/agents/{agent_id}/eval-datasets" in answer.text
    assert "script-src" not in answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
