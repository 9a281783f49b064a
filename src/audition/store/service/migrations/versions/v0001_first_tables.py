"""The first tables of the service."""

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Column, Float, Integer, Text, UniqueConstraint
from sqlalchemy.types import TypeEngine

from audition.store.migrations import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make them all."""
    _subjects()
    _datasets()
    _runs()
    _people()
    _requests()


def _subjects() -> None:
    op.create_table(
        "agents",
        Column("id", _number(), primary_key=True, autoincrement=True),
        Column("name", Text, nullable=False),
        Column("document", Text, nullable=False),
        Column("version", _number(), nullable=False),
        Column("created_at", Text, nullable=False),
        Column("updated_at", Text, nullable=False),
        Column("deleted_at", Text),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "orchestrators",
        Column("id", _number(), primary_key=True, autoincrement=True),
        Column("name", Text, nullable=False),
        Column("document", Text, nullable=False),
        Column("version", _number(), nullable=False),
        Column("created_at", Text, nullable=False),
        Column("updated_at", Text, nullable=False),
        Column("deleted_at", Text),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "subject_versions",
        Column("family", Text, primary_key=True),
        Column("subject_id", _number(), primary_key=True),
        Column("version", _number(), primary_key=True),
        Column("name", Text, nullable=False),
        Column("document", Text, nullable=False),
        Column("created_at", Text, nullable=False),
        Column("created_by", Text, nullable=False),
    )


def _datasets() -> None:
    op.create_table(
        "eval_datasets",
        Column("id", _number(), primary_key=True, autoincrement=True),
        Column("agent_id", _number()),
        Column("orchestrator_id", _number()),
        Column("name", Text, nullable=False),
        Column("description", Text),
        Column("tags", Text, nullable=False, server_default="[]"),
        Column("external_id", Text),
        Column("version", _number(), nullable=False, server_default="1"),
        Column("created_at", Text, nullable=False),
        Column("updated_at", Text, nullable=False),
        Column("deleted_at", Text),
        CheckConstraint("(agent_id IS NULL) <> (orchestrator_id IS NULL)", name="eval_datasets_one_owner"),
        sqlite_autoincrement=True,
    )
    op.create_index("eval_datasets_of_agent", "eval_datasets", ["agent_id"], unique=False)
    op.create_index("eval_datasets_of_orchestrator", "eval_datasets", ["orchestrator_id"], unique=False)
    op.create_table(
        "eval_cases",
        Column("id", _number(), primary_key=True, autoincrement=True),
        Column("dataset_id", _number(), nullable=False),
        Column("created_at", Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_eval_cases_dataset_id", "eval_cases", ["dataset_id"], unique=False)
    op.create_table(
        "eval_case_revisions",
        Column("case_id", _number(), primary_key=True),
        Column("from_version", _number(), primary_key=True),
        Column("to_version", _number()),
        Column("dataset_id", _number(), nullable=False),
        Column("external_id", Text),
        Column("document", Text, nullable=False),
    )
    op.create_index("eval_case_revisions_of_dataset", "eval_case_revisions", ["dataset_id", "to_version"], unique=False)


def _runs() -> None:
    op.create_table(
        "eval_runs",
        Column("id", _number(), primary_key=True, autoincrement=True),
        Column("dataset_id", _number(), nullable=False),
        Column("candidate_system_prompt", Text, nullable=False),
        Column("status", Text, nullable=False),
        Column("error_message", Text),
        Column("created_at", Text, nullable=False),
        Column("started_at", Text),
        Column("finished_at", Text),
        Column("kind", Text, nullable=False, server_default="evaluate"),
        Column("parent_id", _number()),
        Column("dataset_version", _number(), nullable=False),
        Column("subject", Text, nullable=False),
        Column("options", Text, nullable=False, server_default="{}"),
        Column("label", Text),
        Column("prompt_sha", Text, nullable=False),
        Column("judge", Text),
        Column("planned", _number(), nullable=False),
        Column("cancelled", Boolean, nullable=False, server_default="0"),
        Column("generation", _number(), nullable=False, server_default="0"),
        Column("worker", Text),
        Column("usage", Text),
        Column("created_by", Text, nullable=False),
        Column("deleted_at", Text),
        sqlite_autoincrement=True,
    )
    op.create_index("eval_runs_by_status", "eval_runs", ["status"], unique=False)
    op.create_index("eval_runs_of_dataset", "eval_runs", ["dataset_id"], unique=False)
    op.create_table(
        "eval_results",
        Column("id", _number(), primary_key=True, autoincrement=True),
        Column("run_id", _number(), nullable=False),
        Column("case_id", _number(), nullable=False),
        Column("trial", _number(), nullable=False),
        Column("generation", _number(), nullable=False),
        Column("verdict", Text),
        Column("outcome", Text, nullable=False),
        Column("actual_response", Text),
        Column("judge_reasoning", Text),
        Column("error_message", Text),
        Column("document", Text, nullable=False),
        Column("copied_from", _number()),
        Column("created_at", Text, nullable=False),
        UniqueConstraint("run_id", "case_id", "trial", name="eval_results_once"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "eval_attempts",
        Column("run_id", _number(), primary_key=True),
        Column("case_id", _number(), primary_key=True),
        Column("trial", _number(), primary_key=True),
        Column("attempts", _number(), nullable=False),
        Column("worker", Text, nullable=False),
    )
    op.create_table(
        "eval_run_events",
        Column("id", _number(), primary_key=True, autoincrement=True),
        Column("run_id", _number(), nullable=False),
        Column("type", Text, nullable=False),
        Column("data", Text, nullable=False),
        Column("created_at", Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("eval_run_events_of_run", "eval_run_events", ["run_id", "id"], unique=False)
    op.create_table(
        "eval_tool_recordings",
        Column("run_id", _number(), primary_key=True),
        Column("case_id", _number(), primary_key=True),
        Column("trial", _number(), primary_key=True),
        Column("call_hash", Text, primary_key=True),
        Column("nth", _number(), primary_key=True),
        Column("call", Text, nullable=False),
        Column("outcome", Text, nullable=False),
    )
    op.create_table(
        "workers",
        Column("id", Text, primary_key=True),
        Column("host", Text, nullable=False),
        Column("pid", _number(), nullable=False),
        Column("version", Text, nullable=False),
        Column("started_at", Text, nullable=False),
        Column("heartbeat_s", Float, nullable=False),
        Column("stopped_at", Text),
    )


def _people() -> None:
    op.create_table(
        "members",
        Column("id", _number(), primary_key=True, autoincrement=True),
        Column("email", Text, nullable=False),
        Column("name", Text, nullable=False),
        Column("role", Text, nullable=False),
        Column("password_hash", Text),
        Column("created_at", Text, nullable=False),
        Column("updated_at", Text, nullable=False),
        Column("deleted_at", Text),
        UniqueConstraint("email"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "sessions",
        Column("token_hash", Text, primary_key=True),
        Column("member_id", _number(), nullable=False),
        Column("created_at", Text, nullable=False),
        Column("expires_s", Float, nullable=False),
    )
    op.create_index("ix_sessions_member_id", "sessions", ["member_id"], unique=False)
    op.create_table(
        "api_tokens",
        Column("id", _number(), primary_key=True, autoincrement=True),
        Column("member_id", _number(), nullable=False),
        Column("name", Text, nullable=False),
        Column("prefix", Text, nullable=False),
        Column("token_hash", Text, nullable=False),
        Column("role", Text, nullable=False),
        Column("scopes", Text, nullable=False),
        Column("expires_s", Float),
        Column("created_at", Text, nullable=False),
        Column("last_used_at", Text),
        Column("revoked_at", Text),
        UniqueConstraint("token_hash"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_api_tokens_member_id", "api_tokens", ["member_id"], unique=False)


def _requests() -> None:
    op.create_table(
        "rate_counters",
        Column("key", Text, primary_key=True),
        Column("began_s", Float, nullable=False),
        Column("count", _number(), nullable=False),
    )
    op.create_table(
        "audit_log",
        Column("id", _number(), primary_key=True, autoincrement=True),
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
    op.create_table(
        "idempotency_keys",
        Column("key_hash", Text, primary_key=True),
        Column("request_hash", Text, nullable=False),
        Column("status", _number()),
        Column("headers", Text),
        Column("body", Text),
        Column("created_s", Float, nullable=False),
    )


def _number() -> TypeEngine[int]:
    return BigInteger().with_variant(Integer(), "sqlite")
