"""`audition judge doctor`, `judge calibrate` and `lint --deep` with a cassette, a budget, and offline."""

import http.server
import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

EVAL = "name: hi\nconversation:\n  - user: hi\n    assert:\n      response:\n        - llm_judge: Names a museum.\n"
LABELS = "criterion,response,label,id\nIs polite.,Hello!,pass,greeting\nIs polite.,Go away.,fail,\n"
COMMANDS = {
    "doctor": ("judge", "doctor", "--repeats", "2"),
    "calibrate": ("judge", "calibrate", "labels.csv"),
    "lint": ("lint", "--deep"),
}


class Judge(http.server.ThreadingHTTPServer):
    """A judge whose answers change from call to call, so that a replay can be told from a second asking."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked = 0
        self.lock = threading.Lock()


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Judge

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.lock:
            self.server.asked += 1
            number = self.server.asked
        said = {"reason": f"reason {number}", "score": number % 5 + 1, "answer": "no" if number % 2 else "yes"}
        body = json.dumps({"choices": [{"message": {"role": "assistant", "content": json.dumps(said)}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def judge() -> Iterator[Judge]:
    """Serve the judge from a thread."""
    with Judge() as serving:
        thread = threading.Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield serving
        serving.shutdown()
        thread.join()


@pytest.fixture
def judged(empty: Any, judge: Judge) -> Any:
    """Return a project with an eval, labels, and that judge."""
    url = f"http://127.0.0.1:{judge.server_port}/v1"
    empty.write(
        "audition.toml", f'[judge]\nmodel = "local:small"\n[providers.local]\nbase_url = "{url}"\nattempts = 1\n'
    )
    empty.write("evals/hi.eval.yaml", EVAL)
    empty.write("labels.csv", LABELS)
    return empty


def trials_on(tape: str) -> list[str]:
    """Return the trials that a cassette holds recordings of."""
    with closing(sqlite3.connect(tape)) as rows:
        return sorted(name for (name,) in rows.execute("SELECT DISTINCT trial FROM recordings"))


def told(project: Any, *command: str) -> tuple[int, Any]:
    """Return the exit code of a command and its report, without the time of day."""
    result = project.invoke(*command, "--format", "json")
    return result.exit_code, {
        key: value for key, value in json.loads(result.stdout).items() if key not in ("standing", "judge")
    }


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_what_a_judge_said_is_played_back_without_asking_it(
    command: tuple[str, ...], judged: Any, judge: Judge
) -> None:
    recorded = told(judged, *command, "--record", "tape.cassette")
    asked = judge.asked

    replayed = told(judged, *command, "--replay", "tape.cassette", "--offline")

    assert asked > 0
    assert replayed == recorded
    assert judge.asked == asked


def test_each_canary_and_each_repeat_is_a_trial_of_its_own(judged: Any, judge: Judge) -> None:
    told(judged, *COMMANDS["doctor"], "--record", "tape.cassette")

    trials = trials_on("tape.cassette")

    assert "canary: a table#1" in trials
    assert "canary: a table#2" in trials
    with closing(sqlite3.connect("tape.cassette")) as rows:
        assert rows.execute("SELECT count(*) FROM recordings").fetchone() == (judge.asked,)


def test_more_repeats_than_were_recorded_borrow_no_answer(judged: Any) -> None:
    told(judged, "judge", "doctor", "--repeats", "1", "--record", "tape.cassette")

    result = judged.invoke("judge", "doctor", "--repeats", "2", "--replay", "tape.cassette")

    assert result.exit_code != 0
    assert "was recorded in 'canary: " in result.stderr


def test_each_label_is_a_trial_called_by_its_id_or_its_place(judged: Any) -> None:
    told(judged, *COMMANDS["calibrate"], "--record", "tape.cassette")

    assert trials_on("tape.cassette") == ["label: 2#1", "label: greeting#1"]


def test_the_texts_of_an_eval_are_a_trial(judged: Any) -> None:
    told(judged, *COMMANDS["lint"], "--record", "tape.cassette")

    assert trials_on("tape.cassette") == ["lint: hi#1"]


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_what_is_missing_is_no_pass_and_asks_nobody(command: tuple[str, ...], judged: Any, judge: Judge) -> None:
    judged.invoke("lint", "--deep", "--judge-model", "local:other", "--record", "tape.cassette")
    asked = judge.asked

    result = judged.invoke(*command, "--replay", "tape.cassette")

    assert result.exit_code == 3
    assert "not on the cassette tape.cassette" in result.stderr
    assert judge.asked == asked


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_what_is_missing_is_recorded_when_asked_for(command: tuple[str, ...], judged: Any, judge: Judge) -> None:
    judged.invoke("lint", "--deep", "--judge-model", "local:other", "--record", "tape.cassette")
    before = judge.asked

    first = told(judged, *command, "--replay", "tape.cassette", "--record-missing")
    asked = judge.asked

    assert asked > before
    assert told(judged, *command, "--replay", "tape.cassette") == first
    assert judge.asked == asked


@pytest.mark.parametrize(("command", "calls"), [(COMMANDS["doctor"], 3), (COMMANDS["calibrate"], 1)])
def test_a_budget_that_is_spent_leaves_the_rest_unanswered(
    command: tuple[str, ...], calls: int, judged: Any, judge: Judge
) -> None:
    result = judged.invoke(*command, "--max-calls", str(calls))

    assert result.exit_code in (1, 3)
    assert f"the budget of {calls} call{'s' if calls > 1 else ''} is spent" in result.stderr
    assert judge.asked == calls


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_offline_a_judge_elsewhere_is_not_asked(command: tuple[str, ...], judged: Any) -> None:
    judged.write(
        "audition.toml",
        '[judge]\nmodel = "far:small"\n[providers.far]\nbase_url = "http://judge.example.com/v1"\nattempts = 1\n',
    )

    result = judged.invoke(*command, "--offline")

    assert result.exit_code == 3
    assert "offline: refused to connect to judge.example.com" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["lint", "--record", "a"], "go with --deep", id="lint asks nobody"),
        pytest.param(["lint", "--deep", "--record", "a", "--replay", "b"], "exclude each other", id="both"),
        pytest.param(["judge", "doctor", "--record-missing"], "goes with --replay", id="missing of nothing"),
        pytest.param(["judge", "calibrate", "labels.csv", "--replay", "no"], "there is no cassette no", id="no file"),
    ],
)
def test_what_cannot_be_meant_is_refused(judged: Any, judge: Judge, arguments: list[str], said: str) -> None:
    result = judged.invoke(*arguments)

    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
    assert judge.asked == 0
