"""What the OpenAPI document says of answers."""

from typing import Any

import pytest
from fastapi import APIRouter, Depends, FastAPI
from fastapi.security import HTTPBearer

from audition.service.app import create_app
from audition.service.context import Service
from audition.service.openapi import answers, completed
from audition.service.problems import MEDIA_TYPE


def document_of(**route: Any) -> dict[str, Any]:
    """Return the document of an app with one endpoint."""
    app, router = FastAPI(), APIRouter()
    router.add_api_route("/api/v1/x", lambda: None, **route)
    app.include_router(router)
    return completed(app.openapi())


def test_an_answer_names_its_model_and_the_problems() -> None:
    document = document_of(methods=["POST"], status_code=201, responses=answers(dict[str, int], 401, 404, status=201))

    told = document["paths"]["/api/v1/x"]["post"]["responses"]
    assert set(told) == {"201", "400", "401", "404", "413", "422", "429", "500", "503"}
    assert told["404"] == {"$ref": "#/components/responses/404"}
    shared = document["components"]["responses"]["404"]["content"]
    assert list(shared) == [MEDIA_TYPE]
    assert shared[MEDIA_TYPE]["example"]["code"] == "not_found"


def test_what_takes_a_token_may_refuse_it_for_want_of_a_scope() -> None:
    bearer = [Depends(HTTPBearer(scheme_name="token"))]

    with_token = document_of(methods=["GET"], responses=answers(None, 401), dependencies=bearer)
    without = document_of(methods=["GET"], responses=answers(None, 401))

    assert "403" in with_token["paths"]["/api/v1/x"]["get"]["responses"]
    assert "403" not in without["paths"]["/api/v1/x"]["get"]["responses"]


@pytest.mark.parametrize("status", [204, 304])
def test_an_answer_without_a_body_has_none(status: int) -> None:
    document = document_of(methods=["DELETE"], status_code=204, responses=answers(None, 304, status=204))

    assert "content" not in document["paths"]["/api/v1/x"]["delete"]["responses"][str(status)]


def test_posts_take_a_key() -> None:
    document = document_of(methods=["POST"], responses=answers(None))

    names = [one["name"] for one in document["paths"]["/api/v1/x"]["post"]["parameters"]]
    assert names == ["Idempotency-Key"]


def test_every_operation_of_the_service_tells_its_answers_and_what_it_does(service: Service) -> None:
    document = create_app(service).openapi()

    operations = [
        (f"{method} {path}", operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    assert [name for name, operation in operations if not operation.get("description")] == []
    assert [name for name, operation in operations if "422" not in operation["responses"]] == []
    needing = [one for one in operations if "security" in one[1]]
    assert [name for name, operation in needing if "401" not in operation["responses"]] == []


def test_names_of_operations_are_unique(service: Service) -> None:
    document = create_app(service).openapi()

    ids = [one["operationId"] for methods in document["paths"].values() for one in methods.values()]
    assert len(ids) == len(set(ids))
