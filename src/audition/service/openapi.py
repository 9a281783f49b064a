"""What the OpenAPI document says of answers: which there may be, what they hold, and an example of each problem."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from audition.service.problems import CODES, MEDIA_TYPE, title


class DetailOut(BaseModel):
    """One thing wrong with a request."""

    pointer: str = Field(description="a JSON pointer into the body (RFC 6901), or the name of a parameter")
    detail: str


class ProblemOut(BaseModel):
    """What went wrong. Source: RFC 9457."""

    type: str
    title: str
    status: int
    detail: str = Field(description="a sentence for people")
    instance: str
    code: str = Field(description="a stable word for programs")
    errors: list[DetailOut] | None = Field(default=None, description="all that is wrong with the request")
    request_id: str


SECRET_PATHS = ("/api/v1/auth/", "/api/v1/api-tokens")
"""Below these answers show a secret once, and so are never stored: Idempotency-Key is refused rather than ignored."""

_KEY: Mapping[str, Any] = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "any text of your choice; sent again within 24 hours, the first answer is given again",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
}

_ALWAYS = (400, 413, 422, 429, 500, 503)
"""What any endpoint may answer: no JSON, a body too large, a key used twice, too many requests, no database."""

_DETAILS: Mapping[int, str] = {
    400: "the request cannot be read",
    401: "this needs a token: Authorization: Bearer TOKEN",
    403: "this needs the role owner or admin or editor; yours is viewer",
    404: "there is no such dataset",
    409: "what is stored does not allow this change",
    412: "it was changed in the meantime; get it again, then repeat the change on what it is now",
    413: "the body is larger than 10000000 bytes",
    415: "this takes application/json",
    422: "/name: Field required",
    428: "this change needs If-Match with the ETag of what you have seen",
    429: "too many requests; wait 2 seconds",
    500: "audition made a mistake; the log of the service says more",
    503: "the service's database cannot be used now",
    507: "the service's database cannot be used now",
}

Responses = dict[int | str, dict[str, Any]]
"""As FastAPI takes them: `responses=`."""


def answers(
    model: Any,
    *statuses: int,
    status: int = 200,
    description: str | None = None,
    headers: Mapping[str, str] | None = None,
    media_type: str = "application/json",
) -> Responses:
    """Return what an endpoint may answer, for `responses=`: the good answer, and the problems with these statuses.

    `model` is what the good answer holds, a pydantic model or `list[Model]`; None: no body. `status` is its status;
    for anything but 200, give the endpoint's `status_code` too. `headers` maps names of its headers to what they say.
    304 has no body; 400, 413, 422, 429, 500 and 503 are always added.

        @router.get("/{id}", responses=answers(DatasetOut, 304, 401, 404, headers={"ETag": "its version"}))
        @router.post("", status_code=201, responses=answers(DatasetOut, 401, 403, status=201))
        @router.delete("/{id}", status_code=204, responses=answers(None, 401, 403, 404, status=204))
    """
    good: dict[str, Any] = {"description": description or title(status)}
    if model is not None:
        good["model"] = model
    if media_type != "application/json":
        good["content"] = {media_type: {"schema": {"type": "string"}}}
    if headers:
        good["headers"] = {name: {"schema": {"type": "string"}, "description": told} for name, told in headers.items()}
    found: Responses = {status: good}
    for other in sorted({*statuses, *_ALWAYS}):
        found[other] = {"description": title(other)} if other == 304 else _problem(other)
    return found


def _problem(status: int) -> dict[str, Any]:
    code = CODES[status]
    example = {
        "type": f"urn:audition:problem:{code}",
        "title": title(status),
        "status": status,
        "detail": _DETAILS.get(status, title(status)),
        "instance": "/api/v1/agents/1/eval-datasets",
        "code": code,
        "request_id": "5f2d1c0a9b8e7d6c",
    }
    schema = {"$ref": "#/components/schemas/ProblemOut"}
    return {"description": title(status), "content": {MEDIA_TYPE: {"schema": schema, "example": example}}}


def completed(document: dict[str, Any]) -> dict[str, Any]:
    """Return an OpenAPI document with what all endpoints share: problems, and the keys of requests sent twice."""
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for model in (ProblemOut, DetailOut):
        schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
        schema.pop("$defs", None)
        schemas[model.__name__] = schema
    for path, operations in document["paths"].items():
        if "post" in operations and not path.startswith(SECRET_PATHS):
            operations["post"].setdefault("parameters", []).append(_KEY)
        for operation in operations.values():
            if "security" in operation:  # a token may lack the scope
                operation["responses"].setdefault("403", _problem(403))
            _share_problems(operation["responses"], document["components"].setdefault("responses", {}))
    return document


def _share_problems(responses: dict[str, Any], shared: dict[str, Any]) -> None:
    """Write each problem once in the document rather than at each endpoint: it is a fifth as long then."""
    for status, told in responses.items():
        if told.get("content", {}).keys() == {MEDIA_TYPE}:
            shared.setdefault(status, told)
            responses[status] = {"$ref": f"#/components/responses/{status}"} if shared[status] == told else told
