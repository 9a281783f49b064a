"""Settings: where they are found, what they may hold, and what the environment says over them."""

from pathlib import Path

import pytest

from audition.errors import SettingsError
from audition.providers import Allowance
from audition.settings import MODELS, PROVIDERS, Settings, go_offline, load_settings, options_for, providers_of


def written(folder: Path, text: str, name: str = "audition.toml") -> Path:
    """Write a settings file and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_a_folder_without_a_file_has_the_defaults(tmp_path: Path) -> None:
    settings = load_settings(tmp_path, {})

    assert settings == Settings(root=tmp_path)
    assert (settings.evals, settings.trials, settings.idle_timeout_ms) == (("evals",), 1, 30_000)
    assert settings.history_place == str(tmp_path / ".audition" / "history.db")


def test_every_setting_of_a_file_arrives(tmp_path: Path) -> None:
    text = """
        evals = ["evals", "more"]
        concurrency = 4
        trials = 3
        timeout_s = 120
        history = "kept.db"
        [agent]
        use = "chat:fast"
        temperature = 0.2
        [options]
        idleTimeout = 5000
        judgePassThreshold = 4
        [judge]
        model = "best"
        [users]
        model = "fast"
        [models]
        fast = "local:tiny"
        [providers.local]
        base_url = "http://127.0.0.1:8080/v1"
        headers = { "X-Team" = "qa" }
        timeout_s = 5
        attempts = 2
    """

    settings = load_settings(written(tmp_path, text), {})

    assert (settings.root, settings.file) == (tmp_path, tmp_path / "audition.toml")
    assert settings.evals == ("evals", "more")
    assert (settings.concurrency, settings.trials, settings.timeout_s) == (4, 3, 120)
    assert settings.history_place == str(tmp_path / "kept.db")
    assert (settings.agent, settings.agent_options) == ("chat:fast", {"temperature": 0.2})
    assert (settings.idle_timeout_ms, settings.judge_pass_threshold) == (5000, 4)
    assert settings.judge_model == "best"
    assert settings.user_model == "fast"
    assert settings.models == {"fast": "local:tiny", "best": MODELS["best"]}
    local = settings.providers["local"]
    assert (local.name, local.base_url, local.headers) == ("local", "http://127.0.0.1:8080/v1", {"X-Team": "qa"})
    assert (local.timeout_s, local.attempts) == (5, 2)
    assert settings.providers["ollama"] == PROVIDERS["ollama"]


def test_a_history_may_be_a_database_elsewhere(tmp_path: Path) -> None:
    settings = load_settings(written(tmp_path, 'history = "postgresql://db/audition"'), {})

    assert settings.history_place == "postgresql://db/audition"


def test_one_folder_of_evals_may_be_a_plain_text(tmp_path: Path) -> None:
    assert load_settings(written(tmp_path, 'evals = "checks"'), {}).evals == ("checks",)


def test_options_are_taken_in_snake_case_too(tmp_path: Path) -> None:
    settings = load_settings(written(tmp_path, "[options]\nidle_timeout = 10\njudge_pass_threshold = 2"), {})

    assert (settings.idle_timeout_ms, settings.judge_pass_threshold) == (10, 2)


def test_the_nearest_file_above_is_found(tmp_path: Path) -> None:
    written(tmp_path, "trials = 2")
    below = tmp_path / "deep" / "down"
    below.mkdir(parents=True)

    settings = load_settings(below, {})

    assert (settings.root, settings.trials) == (tmp_path, 2)


def test_pyproject_holds_settings_under_its_tool_table(tmp_path: Path) -> None:
    written(tmp_path, "[tool.audition]\ntrials = 2", "pyproject.toml")

    assert load_settings(tmp_path, {}).trials == 2


def test_audition_toml_wins_over_pyproject(tmp_path: Path) -> None:
    written(tmp_path, "[tool.audition]\ntrials = 2", "pyproject.toml")
    written(tmp_path, "trials = 3")

    assert load_settings(tmp_path, {}).trials == 3


def test_a_pyproject_that_says_nothing_of_us_is_passed_by(tmp_path: Path) -> None:
    written(tmp_path, "trials = 2")
    below = written(tmp_path / "package", "[project]\nname = 'x'", "pyproject.toml")

    assert load_settings(below, {}).root == tmp_path


def test_a_file_with_a_byte_order_mark_and_windows_line_ends_is_read(tmp_path: Path) -> None:
    (tmp_path / "audition.toml").write_bytes(b"\xef\xbb\xbftrials = 2\r\n")

    assert load_settings(tmp_path, {}).trials == 2


FAULTS = [
    pytest.param("evls = 'x'", "audition.toml: evls: unknown key 'evls' in settings; did you mean 'evals'?", id="key"),
    pytest.param("trials = 0", "trials: 'trials' must be at least 1, not 0", id="no trials"),
    pytest.param("concurrency = 0", "concurrency: 'concurrency' must be at least 1, not 0", id="no concurrency"),
    pytest.param("trials = true", "'trials' must be a whole number, not true or false (True)", id="flag for number"),
    pytest.param("timeout_s = 0", "'timeout_s' must be above 0", id="no time"),
    pytest.param("evals = []", "'evals' must not be empty", id="no evals"),
    pytest.param("[options]\nidleTimeout = 0", "options.idleTimeout: 'idleTimeout' must be above 0", id="idle"),
    pytest.param("[options]\njudgePassThreshold = 6", "must be from 1 to 5, not 6", id="threshold"),
    pytest.param("[options]\nidle_timeot = 1", "did you mean 'idleTimeout'?", id="option"),
    pytest.param("[users]\n", "the users table has no 'model'", id="users"),
    pytest.param("[judge]\n", "the judge has no 'model'", id="judge"),
    pytest.param("[agent]\ntemperature = 1", "agent: the agent has no 'use'", id="agent"),
    pytest.param("[agent]\nuse = 5", "agent: the agent has no 'use'", id="agent of a wrong kind"),
    pytest.param("agent = 'function:a:b'", "agent: 'agent' must be an object", id="agent as text"),
    pytest.param("[providers.mine]\nattempts = 2", "providers.mine: the provider needs a base_url", id="no base_url"),
    pytest.param("[providers.mine]\nbase_url = 'ftp://x'", "providers.mine: the provider needs a base_url", id="ftp"),
    pytest.param("[providers.openai]\napi_key = 'x'", "did you mean 'api_key_env'?", id="key in the file"),
    pytest.param("[models]\nfast = 3", "models.fast: 'fast' must be a text", id="model"),
]


@pytest.mark.parametrize(("text", "said"), FAULTS)
def test_a_wrong_setting_is_refused_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(written(tmp_path, text), {})

    assert said in str(caught.value)
    assert str(tmp_path / "audition.toml") in str(caught.value)


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(written(tmp_path, "trials = 0\nfoo = 1\n[options]\njudgePassThreshold = 9"), {})

    assert len(str(caught.value).splitlines()) == 3
    assert caught.value.key == "trials"


BROKEN = [
    pytest.param(b"a = 1\nb = \n", "audition.toml:2:5: Invalid value", id="syntax"),
    pytest.param(b"trials = 1\ntrials = 2\n", "audition.toml:2:11: Cannot overwrite a value", id="twice"),
    pytest.param(b"\xff\xfe", "is not UTF-8 text", id="encoding"),
    pytest.param(b"a = " + b"[" * 5_000, "is nested too deeply", id="nesting"),
]


@pytest.mark.parametrize(("content", "said"), BROKEN)
def test_a_file_that_is_no_toml_is_refused_with_line_and_column(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "audition.toml").write_bytes(content)

    with pytest.raises(SettingsError) as caught:
        load_settings(tmp_path, {})

    assert said in str(caught.value)


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    written(tmp_path, "concurrency = 2\n[agent]\nuse = 'http:http://a'\n[judge]\nmodel = 'fast'")
    environ = {"AUDITION_AGENT": "function:b:c", "AUDITION_JUDGE_MODEL": "best", "AUDITION_CONCURRENCY": "5"}

    settings = load_settings(tmp_path, environ)

    assert (settings.agent, settings.judge_model, settings.concurrency) == ("function:b:c", "best", 5)


@pytest.mark.parametrize("value", ["0", "-1", "many", "1.5", "9" * 5_000])
def test_a_concurrency_that_is_no_whole_number_of_one_or_more_is_refused(tmp_path: Path, value: str) -> None:
    with pytest.raises(SettingsError, match="AUDITION_CONCURRENCY must be a whole number of 1 or more"):
        load_settings(tmp_path, {"AUDITION_CONCURRENCY": value})


def test_a_key_comes_from_the_providers_variable(tmp_path: Path) -> None:
    written(tmp_path, "[providers.mine]\nbase_url = 'https://a'\napi_key_env = 'MINE'")

    providers = load_settings(tmp_path, {"MINE": "k1", "OPENAI_API_KEY": "k2"}).providers

    assert (providers["mine"].api_key, providers["openai"].api_key) == ("k1", "k2")
    assert providers["ollama"].api_key is None


def test_an_empty_variable_is_no_key(tmp_path: Path) -> None:
    assert load_settings(tmp_path, {"OPENAI_API_KEY": ""}).providers["openai"].api_key is None


def test_settings_never_show_keys_and_headers(tmp_path: Path) -> None:
    text = "[agent]\nuse = 'http:http://a'\nheaders = {k = 'canary-1'}\n[providers.openai]\nheaders = {k = 'canary-2'}"

    settings = load_settings(written(tmp_path, text), {"OPENAI_API_KEY": "canary-3"})

    assert "canary" not in repr(settings)


def test_a_file_named_env_is_not_read(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=k\nAUDITION_CONCURRENCY=3\n", encoding="utf-8")

    assert load_settings(tmp_path, {}) == Settings(root=tmp_path)


AGENTS = [
    pytest.param("http:http://b", {"a": 1}, id="same kind"),
    pytest.param("function:b:c", {}, id="another kind"),
]


@pytest.mark.parametrize(("reference", "options"), AGENTS)
def test_options_go_to_agents_of_the_kind_they_are_written_for(
    tmp_path: Path, reference: str, options: dict[str, object]
) -> None:
    settings = load_settings(written(tmp_path, "[agent]\nuse = 'http:http://a'\na = 1"), {})

    assert options_for(settings, reference) == options
    assert load_settings(tmp_path, {"AUDITION_AGENT": reference}).agent_options == options


@pytest.mark.parametrize(
    ("text", "variable", "offline"),
    [
        ("", None, False),
        ("offline = true", None, True),
        ("", "1", True),
        ("offline = true", "0", False),
        ("offline = true", "", True),
    ],
)
def test_offline_holds_for_every_provider(tmp_path: Path, text: str, variable: str | None, offline: bool) -> None:
    environ = {} if variable is None else {"AUDITION_OFFLINE": variable}

    settings = load_settings(written(tmp_path, text), environ)

    assert settings.offline is offline
    assert {provider.offline for provider in settings.providers.values()} == {offline}


@pytest.mark.parametrize(
    "history", ["kept.db", "sqlite:///kept.db", "postgresql://localhost/evals", "postgresql://u:p@127.0.0.1:5432/evals"]
)
def test_offline_a_history_on_this_machine_is_kept(tmp_path: Path, history: str) -> None:
    assert go_offline(Settings(root=tmp_path, history=history)).history == history


@pytest.mark.parametrize(
    "history", ["postgresql://db.example.com/evals", "postgresql+psycopg://u:canary@10.0.0.2/evals"]
)
def test_offline_a_history_elsewhere_is_refused_without_its_password(tmp_path: Path, history: str) -> None:
    with pytest.raises(SettingsError, match="offline: refused to keep the history on") as refused:
        go_offline(Settings(root=tmp_path, history=history))

    assert "canary" not in str(refused.value)


@pytest.mark.parametrize(
    ("judge", "name", "models", "votes"),
    [
        ("model = 'best'", "best", (), None),
        ("model = 'best'\nvotes = 3", "best", (), 3),
        ("models = ['a:x', 'b:y', 'c:z']", "a:x + b:y + c:z", ("a:x", "b:y", "c:z"), None),
        ("models = ['a:x', 'b:y', 'c:z']\nvotes = 9", "a:x + b:y + c:z", ("a:x", "b:y", "c:z"), 9),
    ],
)
def test_one_model_or_several_judge(tmp_path: Path, judge: str, name: str, models: object, votes: int | None) -> None:
    settings = load_settings(written(tmp_path, f"[judge]\n{judge}"), {})

    assert (settings.judge_model, settings.judge_models, settings.judge_votes) == (name, models, votes)


@pytest.mark.parametrize(
    ("judge", "fault"),
    [
        ("model = 'a'\nmodels = ['b']", "both 'model' and 'models'"),
        ("votes = 3", "has no 'model'"),
        ("model = 'a'\nvotes = 2", "an odd number"),
        ("models = ['a', 'b']", "an odd number"),
        ("models = ['a', 'b', 'c']\nvotes = 2", "an odd number"),
        ("models = ['a', 'b', 'c']\nvotes = 5", "the same number for each of 3 models"),
    ],
)
def test_votes_without_a_majority_are_refused(tmp_path: Path, judge: str, fault: str) -> None:
    with pytest.raises(SettingsError, match=fault):
        load_settings(written(tmp_path, f"[judge]\n{judge}"), {})


def test_limits_prices_and_a_budget_may_be_set(tmp_path: Path) -> None:
    text = """
        [budget]
        max_cost_usd = 2.5
        max_calls = 100
        [providers.openai]
        requests_per_minute = 500
        tokens_per_minute = 30_000
        max_at_once = 20
        input_usd_per_million = 0
        output_usd_per_million = 1.5
    """

    settings = load_settings(written(tmp_path, text), {})

    openai = settings.providers["openai"]
    assert settings.budget == Allowance(max_cost_usd=2.5, max_calls=100)
    assert (openai.requests_per_minute, openai.tokens_per_minute, openai.max_at_once) == (500, 30_000, 20)
    assert (openai.input_usd_per_million, openai.output_usd_per_million) == (0, 1.5)
    assert settings.providers["ollama"].requests_per_minute is None


@pytest.mark.parametrize("text", ["max_calls = 0", "max_tokens = 1.5", "max_cost_usd = 0", "max_cost = 5"])
def test_a_budget_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError, match="budget"):
        load_settings(written(tmp_path, f"[budget]\n{text}"), {})


def test_the_responses_api_needs_a_base_url_too(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="needs a base_url"):
        load_settings(written(tmp_path, "[providers.mine]\nprotocol = 'openai_responses'"), {})


def test_scripted_models_need_no_settings_and_know_the_folder_of_their_scripts(tmp_path: Path) -> None:
    text = '[service]\nscripts = "plays"\n[providers.stand_in]\nprotocol = "scripted"\n'

    providers = providers_of(load_settings(written(tmp_path, text), {}))

    assert (providers["scripted"].folder, providers["stand_in"].folder) == (str(tmp_path / "plays"),) * 2
    assert providers["openai"].folder is None
    assert providers_of(Settings(root=tmp_path))["scripted"].folder == str(tmp_path / "scripts")
