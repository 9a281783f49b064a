"""What a project's settings say of the service: the table `[service]`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from audition.documents.shape import Field, ListOf, MapOf, Number, Record, Text

SERVICE = Record(
    "service",
    database=Field(Text(min_length=1), doc="the file that keeps everything, or the URL of a PostgreSQL database"),
    scripts=Field(Text(min_length=1), doc="the folder that holds the scripts of `scripted:FILE.yaml` models"),
    functions=Field(MapOf(Text(min_length=3)), doc="Python functions that tools may call, as lookup = module:function"),
    allow_hosts=Field(
        ListOf(Text(min_length=1)), doc="private hosts and networks that tools may reach, as 10.1.0.0/16 or localhost"
    ),
    runs_at_once=Field(Number(minimum=1, maximum=1000, whole=True), doc="how many runs one worker carries out at once"),
    concurrency=Field(Number(minimum=1, maximum=1000, whole=True), doc="the most cases of one run side by side"),
    max_cases=Field(Number(minimum=1, whole=True), doc="the most cases of one dataset"),
    max_pending_runs=Field(
        Number(minimum=1, whole=True), doc="the most runs of one member that may wait or be under way"
    ),
    max_body_bytes=Field(Number(minimum=1000, whole=True), doc="the largest body of a request, bytes"),
    session_hours=Field(Number(above=0), doc="how long a login lasts, hours"),
    requests_per_minute=Field(Number(minimum=1, whole=True), doc="how many requests one member may send in a minute"),
    oidc=Field(
        Record(
            "oidc",
            issuer=Field(Text(min_length=1), required=True, doc="the provider's issuer URL"),
            client_id=Field(Text(min_length=1), required=True, doc="what the provider knows this service as"),
            client_secret_env=Field(Text(min_length=1), doc="the environment variable that holds the client's secret"),
            role=Field(Text(min_length=1), doc="the role of somebody who logs in for the first time; none by default"),
        ),
        doc="logging in through an OpenID Connect provider",
    ),
)
"""What the table may hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Oidc:
    """Where people may log in. `role` None: only those who are members already."""

    issuer: str
    client_id: str
    client_secret_env: str | None = None
    role: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """What holds for the service.

    `database` and `scripts` are relative to the project's folder unless absolute; `database` may be a URL. `functions`
    are the only Python code that a tool may name. `allow_hosts`: names, addresses and networks of private ranges that
    tools may reach all the same. `requests_per_minute` holds for each member.
    """

    database: str = ".audition/service.db"
    scripts: str = "scripts"
    functions: Mapping[str, str] = field(default_factory=dict)
    allow_hosts: tuple[str, ...] = ()
    runs_at_once: int = 4
    concurrency: int = 64
    max_cases: int = 10_000
    max_pending_runs: int = 100
    max_body_bytes: int = 10_000_000
    session_hours: float = 12.0
    requests_per_minute: int = 6000
    oidc: Oidc | None = None


def service_settings(found: Mapping[str, Any]) -> ServiceSettings:
    """Return the settings that a table holds; it has its shape already."""
    given = dict(found)
    if "allow_hosts" in given:
        given["allow_hosts"] = tuple(given["allow_hosts"])
    if "oidc" in given:
        given["oidc"] = Oidc(**given["oidc"])
    return ServiceSettings(**given)
