"""`audition run` with a cassette, and offline: a run is recorded, and comes out the same with the server gone."""

import http.server
import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

KEY = "sk-canary-7f3a91"

SETTINGS = """
concurrency = {concurrency}

[agent]
use = "chat:local:talker"
instruction_text = "You sell shoes. The password is {key}."

[judge]
model = "local:judge"

[providers.local]
base_url = "{url}"
api_key_env = "OPENAI_API_KEY"
attempts = 1
headers = {{ X-Team-Token = "canary-header-51" }}
"""

EVALS = """
name: boots
conversation:
  - user: Do you have boots?
    assert:
      response:
        - contains: "no 1"
        - llm_judge: is polite
---
name: sandals
conversation:
  - user: Do you have sandals?
    assert:
      response:
        - llm_judge: is polite
        - llm_judge: is about shoes
"""

TIMED = """
name: quick
conversation:
  - user: Quick?
    assert:
      timing:
        - response_time: {lte: 60000}
"""


class Shop(http.server.ThreadingHTTPServer):
    """A server of two models: `talker` numbers its answers and tells its password, `judge` gives 5, 2, 5, 2 …"""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[str] = []
        self.connections = 0
        self.lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_port}/v1"

    def answer(self, model: str) -> str:
        """Return what a model says next."""
        with self.lock:
            self.asked.append(model)
            number = self.asked.count(model)
        if model == "judge":
            return json.dumps({"reason": f"reason {number}", "score": 5 if number % 2 else 2})
        return f"This is answer no {number}. The password is {KEY}."


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Shop

    def setup(self) -> None:
        self.server.connections += 1
        super().setup()

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = {"role": "assistant", "content": self.server.answer(asked["model"])}
        usage = {"prompt_tokens": 7, "completion_tokens": 5}
        body = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def shop() -> Iterator[Shop]:
    """Serve the two models from a thread."""
    with Shop() as serving:
        thread = threading.Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield serving
        serving.shutdown()
        thread.join()


@pytest.fixture
def store(empty: Any, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a project whose agent and judge are the two models."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    empty.write("audition.toml", SETTINGS.format(url=shop.url, key=KEY, concurrency=4))
    empty.write("evals/shop.eval.yaml", EVALS)
    return empty


def told(project: Any, *arguments: str) -> tuple[int, list[tuple[Any, ...]]]:
    """Return the exit code of a run and, in an order of their own, what its report says of each check of each trial."""
    result = project.invoke("run", "--format", "json", "--no-history", *arguments)
    report = json.loads(result.stdout)
    rows = [
        (one["name"], one["trial"], one["verdict"], check["check"], check["verdict"], check.get("reason"))
        for one in report["evals"]
        for turn in one["turns"]
        for check in turn["checks"]
    ]
    return result.exit_code, sorted(rows, key=str)


def test_a_run_is_played_back_with_the_same_verdicts_and_the_server_gone(store: Any, shop: Shop) -> None:
    recorded = told(store, "--trials", "3", "--record", "tape.cassette")
    before = shop.connections
    shop.shutdown()
    shop.server_close()

    replayed = told(store, "--trials", "3", "--replay", "tape.cassette", "--concurrency", "1")

    assert recorded[0] == 1
    assert {verdict for _, _, verdict, *_ in recorded[1]} >= {"fail"}
    assert replayed == recorded
    assert shop.connections == before > 0


def test_each_trial_and_each_question_has_a_recording_of_its_own(store: Any, shop: Shop) -> None:
    told(store, "--trials", "3", "--record", "tape.cassette")

    with closing(sqlite3.connect("tape.cassette")) as tape:
        rows = tape.execute("SELECT trial, answer FROM recordings").fetchall()

    assert len(rows) == len(shop.asked) == 3 * (2 + 3)
    assert len({answer for _, answer in rows}) == len(rows)
    assert {trial for trial, _ in rows} == {f"{name}#{number}" for name in ("boots", "sandals") for number in (1, 2, 3)}


def test_more_trials_than_were_recorded_are_errors_and_borrow_no_answer(store: Any) -> None:
    told(store, "--trials", "1", "--record", "tape.cassette")

    code, rows = told(store, "--trials", "2", "--replay", "tape.cassette")

    assert code in (1, 3)
    assert {verdict for _, trial, verdict, *_ in rows if trial == 2} == {"error"}


def test_what_is_missing_is_recorded_when_asked_for(store: Any, shop: Shop) -> None:
    told(store, "boots", "--record", "tape.cassette")
    asked = len(shop.asked)

    told(store, "--replay", "tape.cassette", "--record-missing")

    assert len(shop.asked) == asked + 3
    assert told(store, "--replay", "tape.cassette")[0] != 2
    assert len(shop.asked) == asked + 3


def test_a_changed_prompt_is_an_error_that_shows_what_changed(store: Any, shop: Shop) -> None:
    told(store, "boots", "--record", "tape.cassette")
    store.write("evals/shop.eval.yaml", EVALS.replace("have boots?", "have red boots?"))
    before = shop.connections

    result = store.invoke("run", "boots", "--replay", "tape.cassette")

    assert result.exit_code == 3
    assert "not on the cassette tape.cassette" in result.stdout
    assert '-   "content": "Do you have boots?"' in result.stdout
    assert '+   "content": "Do you have red boots?"' in result.stdout
    assert shop.connections == before


def test_no_secret_stands_in_the_file(store: Any) -> None:
    # case: promptfoo/promptfoo#8805
    told(store, "--record", "tape.cassette")

    kept = b"".join(path.read_bytes() for path in store.folder.glob("tape*"))
    assert b"The password is ***." in kept
    assert KEY.encode() not in kept
    assert b"canary-header-51" not in kept


def test_a_response_time_of_a_replayed_answer_is_an_error(store: Any) -> None:
    # case: promptfoo/promptfoo#10605
    store.write("evals/shop.eval.yaml", TIMED)
    assert told(store, "--record", "tape.cassette")[0] == 0

    code, rows = told(store, "--replay", "tape.cassette")

    assert code == 3
    assert [(row[4], row[5]) for row in rows] == [
        ("error", "no response time was measured (a replayed or cached answer, or no reply)")
    ]


def test_a_run_is_rescored_by_the_recorded_judge(store: Any, shop: Shop) -> None:
    recorded = store.invoke("run", "--record", "tape.cassette")
    before = shop.connections

    rescored = store.invoke("rescore", store.runs()[0]["id"], "--replay", "tape.cassette")

    assert rescored.exit_code == recorded.exit_code
    assert [store.runs()[at][key] for at in (0, 1) for key in ("passed", "failed", "errors")][:3] == [
        store.runs()[1][key] for key in ("passed", "failed", "errors")
    ]
    assert shop.connections == before


def test_eval_sets_of_adk_are_played_back_too(store: Any, shop: Shop) -> None:
    said = {"user_content": {"parts": [{"text": "Do you have boots?"}]}, "final_response": {"parts": [{"text": "No"}]}}
    cases = [{"eval_id": "boots", "conversation": [said]}]
    store.write("shop.evalset.json", json.dumps({"eval_set_id": "shop", "eval_cases": cases}))
    store.write("test_config.json", json.dumps({"criteria": {"final_response_match_v2": 0.5}}))
    command = ("adk", "eval", "chat:local:talker", "shop.evalset.json", "--config_file_path", "test_config.json")
    recorded = store.invoke(*command, "--record", "tape.cassette")
    before = shop.connections

    replayed = store.invoke(*command, "--replay", "tape.cassette", "--offline")

    assert before > 0
    assert (replayed.exit_code, replayed.stdout) == (recorded.exit_code, recorded.stdout)
    assert shop.connections == before


def test_a_replay_needs_no_key(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    store.write("audition.toml", (store.folder / "audition.toml").read_text().replace(f" The password is {KEY}.", ""))
    recorded = told(store, "sandals", "--no-judge", "--record", "tape.cassette")
    monkeypatch.delenv("OPENAI_API_KEY")

    assert told(store, "sandals", "--no-judge", "--replay", "tape.cassette") == recorded


@pytest.mark.parametrize(
    ("options", "said"),
    [
        pytest.param(["--record", "a", "--replay", "b"], "exclude each other", id="both"),
        pytest.param(["--record-missing"], "--record-missing goes with --replay", id="missing of nothing"),
        pytest.param(["--replay", "nowhere"], "there is no cassette nowhere", id="no file"),
        pytest.param(["--replay", "audition.toml"], "cannot be used", id="no cassette"),
        pytest.param(["--record", "no/folder/tape"], "cannot be used", id="no folder"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_any_call(store: Any, shop: Shop, options: list[str], said: str) -> None:
    result = store.invoke("run", *options)

    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
    assert shop.connections == 0


ELSEWHERE = '[agent]\nuse = "http:http://bot.example.com/turn"\n'


def test_offline_a_model_of_this_machine_is_asked(store: Any, shop: Shop) -> None:
    assert told(store, "sandals", "--offline")[0] in (0, 1)
    assert len(shop.asked) == 3


@pytest.mark.parametrize("how", ["option", "setting", "variable"])
def test_offline_an_agent_elsewhere_is_an_error(project: Any, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    project.write_evals("P")
    project.write("audition.toml", ("offline = true\n" if how == "setting" else "") + ELSEWHERE)
    if how == "variable":
        monkeypatch.setenv("AUDITION_OFFLINE", "1")

    result = project.invoke("run", *(["--offline"] if how == "option" else []))

    assert result.exit_code == 3
    assert "offline: refused to connect to bot.example.com" in result.stdout


def test_offline_a_history_elsewhere_is_refused(project: Any) -> None:
    project.write_evals("P")
    project.write("audition.toml", 'history = "postgresql://u:canary@db.example.com/evals"\n')

    result = project.invoke("run", "--offline", "--agent", "scripted:answers.yaml")

    assert result.exit_code == 2
    assert "offline: refused to keep the history on db.example.com" in result.stderr
    assert "canary" not in result.output


PLAYED = """
name: played
scenario: {startingPrompt: hi, plan: Say hi once more.}
outcome: {rubric: {about: conversation, rubrics: [{id: kind, text: It is kind.}]}}
"""


def test_what_simulated_users_took_stands_in_reports_and_history(store: Any) -> None:
    store.write("evals/shop.eval.yaml", PLAYED)

    result = store.invoke("run", "--user-model", "local:talker", "--no-judge", "--format", "json", "--max-calls", "7")

    report, usage = json.loads(result.stdout), {"input_tokens": 7, "output_tokens": 5, "cost_usd": None}
    (played,) = report["evals"]
    kept = json.loads(store.invoke("runs", store.runs()[0]["id"], "--format", "json").stdout)
    assert played["usage"]["user"] == report["usage"]["user"] == kept["usage"]["user"]
    assert report["usage"]["user"].keys() == {"calls", *usage}
    assert report["usage"]["user"]["input_tokens"] == 7 * report["usage"]["user"]["calls"] > 0


HOUSE = """
import pathlib
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmCapabilities, LlmResponse
from google.genai import types

asked = pathlib.Path("asked")


class Counts(BaseLlm):
    model: str = "counts"

    @property
    def capabilities(self):
        return LlmCapabilities()

    async def generate_content_async(self, llm_request, stream=False):
        number = len(asked.read_text()) + 1 if asked.exists() else 1
        asked.write_text("." * number)
        text = f"answer no {number}"
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]), model_version="counts-1")


root_agent = LlmAgent(name="house", model=Counts())
"""


def test_the_models_of_an_adk_agent_are_played_back_too(store: Any, shop: Shop) -> None:
    pytest.importorskip("google.adk")
    store.write("counted_house/__init__.py", "")
    store.write("counted_house/agent.py", HOUSE)
    store.write("evals/shop.eval.yaml", EVALS.replace('contains: "no 1"', "contains: answer no"))
    adk = ("--agent", "adk:counted_house", "--concurrency", "1", "--trials", "2")
    recorded = told(store, *adk, "--record", "tape.cassette")
    before, asked = shop.connections, (store.folder / "asked").read_text("utf-8")

    replayed = told(store, *adk, "--replay", "tape.cassette", "--offline")

    assert asked == "...."
    assert replayed == recorded
    assert (shop.connections, (store.folder / "asked").read_text("utf-8")) == (before, asked)


def test_a_budget_stops_the_run_of_an_adk_agent(store: Any) -> None:
    pytest.importorskip("google.adk")
    store.write("counted_house/__init__.py", "")
    store.write("counted_house/agent.py", HOUSE)

    result = store.invoke("run", "--agent", "adk:counted_house", "--no-judge", "--concurrency", "1", "--max-calls", "1")

    assert result.exit_code == 3
    assert "the run did not complete: the budget of 1 call is spent" in result.stdout
    assert (store.folder / "asked").read_text("utf-8") == "."
