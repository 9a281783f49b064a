"""The tables of the service's database as they are now; `migrations/versions` says how a database gets there.

Times are text, ISO 8601 in UTC with milliseconds and `Z`, but for those that end in `_s`: seconds since the epoch by
the database's own clock, on which processes agree. Documents are JSON. Ids are never given twice. What is deleted stays
with the time of that in `deleted_at`, so that runs and the audit log still mean something.
"""

import sqlalchemy
from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    Index,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData()

Integer = BigInteger().with_variant(sqlalchemy.Integer(), "sqlite")
"""64 bits everywhere: clients may ask for any id. SQLite counts up only what is called INTEGER."""


def _id() -> Column[int]:
    return Column("id", Integer, primary_key=True, autoincrement=True)


def _subjects(name: str) -> Table:
    return Table(
        name,
        METADATA,
        _id(),
        Column("name", Text, nullable=False),
        Column("document", Text, nullable=False),
        Column("version", Integer, nullable=False),
        Column("created_at", Text, nullable=False),
        Column("updated_at", Text, nullable=False),
        Column("deleted_at", Text),
        sqlite_autoincrement=True,
    )


AGENTS = _subjects("agents")
"""`document` holds description, instruction, model, tools."""

ORCHESTRATORS = _subjects("orchestrators")
"""`document` holds description, instruction, model, tools, and the ids in `sub_orchestrators` and `agents`."""

SUBJECT_VERSIONS = Table(
    "subject_versions",
    METADATA,
    Column("family", Text, primary_key=True),
    Column("subject_id", Integer, primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("document", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("created_by", Text, nullable=False),
)
"""Every version a subject has had, the latest too; rows are never changed."""

DATASETS = Table(
    "eval_datasets",
    METADATA,
    _id(),
    Column("agent_id", Integer),
    Column("orchestrator_id", Integer),
    Column("name", Text, nullable=False),
    Column("description", Text),
    Column("tags", Text, nullable=False, server_default="[]"),
    Column("external_id", Text),
    Column("version", Integer, nullable=False, server_default="1"),
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    Column("deleted_at", Text),
    CheckConstraint("(agent_id IS NULL) <> (orchestrator_id IS NULL)", name="eval_datasets_one_owner"),
    Index("eval_datasets_of_agent", "agent_id"),
    Index("eval_datasets_of_orchestrator", "orchestrator_id"),
    sqlite_autoincrement=True,
)
"""`version` goes up by one with each change of its cases."""

CASES = Table(
    "eval_cases",
    METADATA,
    _id(),
    Column("dataset_id", Integer, nullable=False, index=True),
    Column("created_at", Text, nullable=False),
    sqlite_autoincrement=True,
)

CASE_REVISIONS = Table(
    "eval_case_revisions",
    METADATA,
    Column("case_id", Integer, primary_key=True),
    Column("from_version", Integer, primary_key=True),
    Column("to_version", Integer),
    Column("dataset_id", Integer, nullable=False),
    Column("external_id", Text),
    Column("document", Text, nullable=False),
    Index("eval_case_revisions_of_dataset", "dataset_id", "to_version"),
)
"""What a case said from one version of its dataset on, and before which (`to_version`, None: it still does).

The cases of version v are those with from_version <= v and (to_version is null or to_version > v), in order of case_id.
"""

RUNS = Table(
    "eval_runs",
    METADATA,
    _id(),
    Column("dataset_id", Integer, nullable=False),
    Column("candidate_system_prompt", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("error_message", Text),
    Column("created_at", Text, nullable=False),
    Column("started_at", Text),
    Column("finished_at", Text),
    Column("kind", Text, nullable=False, server_default="evaluate"),
    Column("parent_id", Integer),
    Column("dataset_version", Integer, nullable=False),
    Column("subject", Text, nullable=False),
    Column("options", Text, nullable=False, server_default="{}"),
    Column("label", Text),
    Column("prompt_sha", Text, nullable=False),
    Column("judge", Text),
    Column("planned", Integer, nullable=False),
    Column("cancelled", Boolean, nullable=False, server_default="0"),
    Column("generation", Integer, nullable=False, server_default="0"),
    Column("worker", Text),
    Column("usage", Text),
    Column("created_by", Text, nullable=False),
    Column("deleted_at", Text),
    Index("eval_runs_of_dataset", "dataset_id"),
    Index("eval_runs_by_status", "status"),
    sqlite_autoincrement=True,
)
"""`kind`: evaluate, retry, resume or rejudge; `subject` is the tree as it was when the run was created, without the
candidate. `planned`: cases times trials. `cancelled`: somebody asked for it. `generation` goes up each time a worker
begins or takes over the run, `worker` is the one that holds it: only results of the current generation are taken."""

RESULTS = Table(
    "eval_results",
    METADATA,
    _id(),
    Column("run_id", Integer, nullable=False),
    Column("case_id", Integer, nullable=False),
    Column("trial", Integer, nullable=False),
    Column("generation", Integer, nullable=False),
    Column("verdict", Text),
    Column("outcome", Text, nullable=False),
    Column("actual_response", Text),
    Column("judge_reasoning", Text),
    Column("error_message", Text),
    Column("document", Text, nullable=False),
    Column("copied_from", Integer),
    Column("created_at", Text, nullable=False),
    UniqueConstraint("run_id", "case_id", "trial", name="eval_results_once"),
    sqlite_autoincrement=True,
)
"""One row a trial of a case, written once. `document` is the TrialResult; `copied_from` the result it was taken over
from by a retry or resume."""

ATTEMPTS = Table(
    "eval_attempts",
    METADATA,
    Column("run_id", Integer, primary_key=True),
    Column("case_id", Integer, primary_key=True),
    Column("trial", Integer, primary_key=True),
    Column("attempts", Integer, nullable=False),
    Column("worker", Text, nullable=False),
)
"""How often a trial was begun: more than once when a worker died in it."""

EVENTS = Table(
    "eval_run_events",
    METADATA,
    _id(),
    Column("run_id", Integer, nullable=False),
    Column("type", Text, nullable=False),
    Column("data", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Index("eval_run_events_of_run", "run_id", "id"),
    sqlite_autoincrement=True,
)
"""What happened in a run, in order: the source of its stream of events."""

TOOL_RECORDINGS = Table(
    "eval_tool_recordings",
    METADATA,
    Column("run_id", Integer, primary_key=True),
    Column("case_id", Integer, primary_key=True),
    Column("trial", Integer, primary_key=True),
    Column("call_hash", Text, primary_key=True),
    Column("nth", Integer, primary_key=True),
    Column("call", Text, nullable=False),
    Column("outcome", Text, nullable=False),
)
"""What tools returned in a run with `tool_mode` record: the n-th identical call (name and arguments) of a trial."""

WORKERS = Table(
    "workers",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("version", Text, nullable=False),
    Column("started_at", Text, nullable=False),
    Column("heartbeat_s", Float, nullable=False),
    Column("stopped_at", Text),
)

MEMBERS = Table(
    "members",
    METADATA,
    _id(),
    Column("email", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("password_hash", Text),
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    Column("deleted_at", Text),
    sqlite_autoincrement=True,
)
"""`email` in lower case. `password_hash` None: logs in elsewhere (OIDC)."""

SESSIONS = Table(
    "sessions",
    METADATA,
    Column("token_hash", Text, primary_key=True),
    Column("member_id", Integer, nullable=False, index=True),
    Column("created_at", Text, nullable=False),
    Column("expires_s", Float, nullable=False),
)
"""`token_hash` is the SHA-256 of the token, in hexadecimal; the token itself is kept nowhere."""

API_TOKENS = Table(
    "api_tokens",
    METADATA,
    _id(),
    Column("member_id", Integer, nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("prefix", Text, nullable=False),
    Column("token_hash", Text, nullable=False, unique=True),
    Column("role", Text, nullable=False),
    Column("scopes", Text, nullable=False),
    Column("expires_s", Float),
    Column("created_at", Text, nullable=False),
    Column("last_used_at", Text),
    Column("revoked_at", Text),
    sqlite_autoincrement=True,
)

RATES = Table(
    "rate_counters",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("began_s", Float, nullable=False),
    Column("count", Integer, nullable=False),
)
"""How often something was done in the current window, by what is counted."""

AUDIT = Table(
    "audit_log",
    METADATA,
    _id(),
    Column("created_at", Text, nullable=False),
    Column("actor_kind", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("role", Text),
    Column("action", Text, nullable=False),
    Column("resource_kind", Text, nullable=False),
    Column("resource_id", Text, nullable=False),
    Column("before", Text),
    Column("after", Text),
    Column("request_id", Text, nullable=False),
    Column("previous_hash", Text, nullable=False),
    Column("hash", Text, nullable=False),
    sqlite_autoincrement=True,
)
"""Append-only: each row's hash covers the row and the hash before it."""

IDEMPOTENCY = Table(
    "idempotency_keys",
    METADATA,
    Column("key_hash", Text, primary_key=True),
    Column("request_hash", Text, nullable=False),
    Column("status", Integer),
    Column("headers", Text),
    Column("body", Text),
    Column("created_s", Float, nullable=False),
)
"""`key_hash` covers who asks, the path and the key; `status` None: the first request is still being answered."""
