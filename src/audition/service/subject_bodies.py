"""The bodies of agents and orchestrators: what is taken, what is kept of it, and what is shown."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field

from audition.agents.tools import check_tools
from audition.errors import SettingsError
from audition.llm import Models
from audition.llm.egress import Egress
from audition.service.bodies import Data, Id, LongText, Name200, refuse
from audition.service.conventions import Body, seconds
from audition.service.tool_secrets import shown_tools, with_kept_secrets
from audition.settings import Settings
from audition.store.service.subjects import Children, StoredSubject, SubjectVersion
from audition.subjects import Family

TEXT_NAMES: Mapping[Family, str] = {"agents": "base_system_prompt", "orchestrators": "instruction"}
"""What the text is called that the model is told. Source: evals REST API."""

EMPTY: Mapping[str, Any] = {"description": "", "tools": [], "sub_orchestrators": [], "agents": []}
"""What null makes of a field in a merge patch; the others cannot be without a value."""

_Description = Annotated[str, Field(max_length=10_000)]
_Model = Annotated[str, Field(min_length=1, max_length=10_000, description="PROVIDER:MODEL, or a name of [models]")]
_Tools = Annotated[list[Data], Field(max_length=128, description="what the model may call; see the page on tools")]
_Ids = Annotated[list[Id], Field(max_length=100)]


class AgentIn(Body):
    """An agent that is to be."""

    name: Name200
    base_system_prompt: LongText
    model: _Model
    tools: _Tools = Field(default_factory=list)
    description: _Description = ""


class AgentPatch(Body):
    """What is to change of an agent."""

    name: Name200 = Field(default_factory=str)
    base_system_prompt: LongText = Field(default_factory=str)
    model: _Model = Field(default_factory=str)
    tools: _Tools | None = None
    description: _Description | None = None


class OrchestratorIn(Body):
    """An orchestrator that is to be, with the ids of what it may hand over to."""

    name: Name200
    instruction: LongText
    model: _Model
    description: _Description = ""
    tools: _Tools = Field(default_factory=list)
    sub_orchestrators: _Ids = Field(default_factory=list)
    agents: _Ids = Field(default_factory=list)


class OrchestratorPatch(Body):
    """What is to change of an orchestrator."""

    name: Name200 = Field(default_factory=str)
    instruction: LongText = Field(default_factory=str)
    model: _Model = Field(default_factory=str)
    description: _Description | None = None
    tools: _Tools | None = None
    sub_orchestrators: _Ids | None = None
    agents: _Ids | None = None


class SubOrchestratorsIn(Body):
    """The ids of all orchestrators that are to be below one."""

    sub_orchestrators: _Ids


class AgentOut(BaseModel):
    """An agent."""

    id: int
    name: str
    description: str
    base_system_prompt: str
    model: str
    tools: list[dict[str, Any]]
    version: int
    created_at: str
    updated_at: str


class OrchestratorOut(BaseModel):
    """An orchestrator."""

    id: int
    name: str
    description: str
    instruction: str
    model: str
    tools: list[dict[str, Any]]
    sub_orchestrators: list[int]
    agents: list[int]
    version: int
    created_at: str
    updated_at: str


class VersionOut(BaseModel):
    """What a subject was in one version, and who made it so."""

    version: int
    name: str
    description: str
    model: str
    tools: list[dict[str, Any]]
    created_at: str
    created_by: str


def subject_body(one: StoredSubject) -> dict[str, object]:
    """Return a subject as it is shown, without the secrets of its tools."""
    return {
        "id": one.id,
        "name": one.name,
        **_document_body(one.family, one.document),
        "version": one.version,
        "created_at": seconds(one.created_at),
        "updated_at": seconds(one.updated_at),
    }


def version_body(family: Family, one: SubjectVersion) -> dict[str, object]:
    """Return one version of a subject as it is shown, without the secrets of its tools."""
    return {
        "version": one.version,
        "name": one.name,
        **_document_body(family, one.document),
        "created_at": seconds(one.created_at),
        "created_by": one.created_by,
    }


def fields_of(family: Family, before: StoredSubject | None) -> dict[str, Any]:
    """Return what a subject says of itself, by the names of the fields of its body; None: nothing but empty fields."""
    if before is None:
        return dict(EMPTY) if family == "orchestrators" else {name: EMPTY[name] for name in ("description", "tools")}
    return {"name": before.name, **_shaped(family, before.document)}


def document_of(family: Family, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is kept of a subject beside its name."""
    kept = {name: fields[name] for name in fields_of(family, None)}
    return {"instruction": fields[TEXT_NAMES[family]], "model": fields["model"], **kept}


def children_of(fields: Mapping[str, Any]) -> Children:
    """Return the ids of what is to hang below a subject."""
    return {"orchestrators": fields.get("sub_orchestrators", ()), "agents": fields.get("agents", ())}


def checked(settings: Settings, fields: Mapping[str, Any], before: StoredSubject | None) -> dict[str, Any]:
    """Return the fields of a subject with the secrets that are kept in place of their masks.

    A model that nobody knows any more may stay. Raises: Problem 422 naming all that is wrong.
    """
    kept = before.document if before is not None else {}
    faults = [] if fields["model"] == kept.get("model") else _faults_of_model(settings, fields["model"])
    tools, wrong = with_kept_secrets(fields["tools"], kept.get("tools", ()))
    service = settings.service
    if tools != kept.get("tools"):
        wrong += check_tools(tools, functions=service.functions, egress=Egress(service.allow_hosts))
    faults += [(f"/tools{pointer}", message) for pointer, message in wrong]
    for name in ("sub_orchestrators", "agents"):
        if len(set(fields.get(name, ()))) < len(fields.get(name, ())):
            faults.append((f"/{name}", "an id is given twice"))
    refuse(faults)
    return {**fields, "tools": tools}


def _faults_of_model(settings: Settings, reference: str) -> list[tuple[str, str]]:
    try:
        Models(settings.models, settings.providers).resolve(reference)
    except SettingsError as error:
        return [("/model", "; ".join(filter(None, (error.message, error.hint))))]
    return []


def _shaped(family: Family, document: Mapping[str, Any]) -> dict[str, Any]:
    names = ["description", TEXT_NAMES[family], "model", "tools"]
    names += ["sub_orchestrators", "agents"] if family == "orchestrators" else []
    known = {**EMPTY, **document, TEXT_NAMES[family]: document["instruction"]}
    return {name: known[name] for name in names}


def _document_body(family: Family, document: Mapping[str, Any]) -> dict[str, Any]:
    body = _shaped(family, document)
    return {**body, "tools": shown_tools(body["tools"])}
