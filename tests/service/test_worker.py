"""The processes of the service: what they need, what they say is missing, and how they end."""

import socket
from pathlib import Path

import pytest
from tests.doubles.service_runs import served, until

from audition.errors import SettingsError
from audition.service import worker
from audition.settings import load_settings


@pytest.mark.parametrize("place", [None, "other.db", "{folder}/elsewhere.db", "sqlite:///{folder}/by_url.db"])
def test_the_database_is_where_settings_or_the_caller_say(tmp_path: Path, place: str | None) -> None:
    settings = load_settings(tmp_path, {})
    named = place.format(folder=tmp_path) if place else None

    opened = worker.open_database(settings, named)

    expected = {None: ".audition/service.db"}.get(named, str(named).removeprefix("sqlite:///"))
    assert Path(opened.shown()) == tmp_path / expected
    opened.close()


def test_a_project_without_keys_and_judge_is_told_so(tmp_path: Path) -> None:
    provider, judge = worker.missing_in(load_settings(tmp_path, {}))

    assert "OPENAI_API_KEY" in provider
    assert "[judge] model" in judge


@pytest.mark.parametrize(
    ("toml", "environ"),
    [
        ("", {"OPENAI_API_KEY": "sk-0123456789"}),
        ('[providers.ours]\nbase_url = "http://127.0.0.1:9/v1"\n', {}),
    ],
    ids=["a key", "a provider"],
)
def test_a_project_with_a_provider_and_a_judge_lacks_nothing(
    tmp_path: Path, toml: str, environ: dict[str, str]
) -> None:
    (tmp_path / "audition.toml").write_text(f'{toml}[judge]\nmodel = "scripted:judge.yaml"\n')

    assert worker.missing_in(load_settings(tmp_path, environ)) == []


def test_an_address_that_is_taken_is_refused(tmp_path: Path) -> None:
    database = worker.open_database(load_settings(tmp_path, {}))
    queue = worker.open_queue(database)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(SettingsError, match=f"nobody can listen on 127.0.0.1:{port}"):
            worker.serve(None, queue, None, host="127.0.0.1", port=port, ready=lambda url: None)

    queue.close()
    database.close()


def test_a_service_answers_carries_runs_out_and_ends_when_it_is_told(tmp_path: Path) -> None:
    with served(tmp_path) as service:
        agent = {"name": "Desk", "base_system_prompt": "You answer.", "model": "scripted:We open at nine."}
        case = {"scenario": "When do you open?", "expected_criteria": "names a time"}
        datasets = "/api/v1/agents/1/eval-datasets"
        statuses = [
            service.ask("POST", "/api/v1/agents", agent)[0],
            service.ask("POST", datasets, {"name": "Hours"})[0],
            service.ask("POST", f"{datasets}/1/cases", case)[0],
            service.ask("POST", f"{datasets}/1/runs", {"candidate_system_prompt": "You are the desk."})[0],
        ]

        def ended() -> dict[str, object] | None:
            run: dict[str, object] = service.ask("GET", f"{datasets}/1/runs/1")[1]
            return run if run["status"] in ("completed", "failed") else None

        run = until(ended, within_s=60)
        code = service.end()

    assert statuses == [201] * 4
    assert run is not None
    assert (run["status"], run["results"]) == ("failed", [])
    assert str(run["error_message"]).startswith("no judge is configured; set [judge] model")
    assert code == 0


def test_a_service_without_a_worker_leaves_runs_pending(tmp_path: Path) -> None:
    with served(tmp_path, "--no-worker") as service:
        found = service.ask("GET", "/readyz")
        code = service.end()

    assert found[1]["workers"] == 0
    assert code == 0
