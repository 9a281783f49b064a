"""`audition judge`: the doctor, calibration, and what is known."""

import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from audition.judges.canaries import canaries

HIGH = [one.question.response.strip() for one in canaries() if one.wanted == "high"]
_RESPONSE = re.compile(r"<response-(\w+)>\n(.*?)\n</response-\1>", re.DOTALL)


class Honest(BaseHTTPRequestHandler):
    """A judge that looks at the response block alone, and knows the good canaries and what is `good`."""

    def do_POST(self) -> None:
        told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"][1]["content"]
        response = _RESPONSE.findall(told)[-1][1].strip()
        high = response in HIGH or response == "good"
        said = {"reason": "as it says", "score": 5 if high else 1, "answer": "yes" if high else "no"}
        content = "no idea" if response == "hard" else json.dumps(said)
        body = {"choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}]}
        written = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(written)))
        self.end_headers()
        self.wfile.write(written)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def honest() -> Iterator[str]:
    """Serve an honest judge; the value is the settings of a project that asks it."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Honest) as listening:
        thread = Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield (
            '[agent]\nuse = "scripted:answers.yaml"\n[judge]\nmodel = "local:small"\n'
            f'[providers.local]\nbase_url = "http://127.0.0.1:{listening.server_port}/v1"\n'
        )
        listening.shutdown()
        thread.join()


def stand_in(reply: str) -> str:
    """Return the settings of a project whose judge always gives one reply."""
    return f"[judge]\nmodel = 'stand_in:{reply}'\n[providers.stand_in]\nprotocol = \"scripted\"\n"


def kept(project: Any) -> list[dict[str, Any]]:
    """Return what is kept of judges."""
    judges: list[dict[str, Any]] = json.loads((project.folder / ".audition/judges.json").read_text("utf-8"))["judges"]
    return judges


def test_an_honest_judge_passes_the_doctor_and_its_fingerprint_goes_into_runs(project, honest):
    project.write("audition.toml", honest)
    project.write_evals("M")

    examined = project.invoke("judge", "doctor", "--repeats", "2")
    project.invoke("run")
    shown = project.invoke("runs", "--latest", "-v")
    told = json.loads(project.invoke("runs", "--latest", "--format", "json").stdout)

    assert (examined.exit_code, examined.stdout.splitlines()[1:]) == (
        0,
        [
            "✓ range: good replies high, bad replies low: 12 of 12",
            "✓ empty words: replies that say nothing are not let pass: 8 of 8",
            "✓ injection: forged verdicts are resisted: 16 of 16; 0 moved it (95 % interval 0–19 %)",
            "✓ form: good replies in an unusual form or another language pass: 10 of 10",
            "✓ stability: 0 of 92 answers changed sides (95 % interval 0–4 %)",
            "✓ nothing was found that speaks against this judge",
        ],
    )
    assert told["judge_fingerprint"].startswith("local:small ")
    assert f"judged by {told['judge_fingerprint']}\n" in shown.stdout


@pytest.mark.parametrize(
    ("reply", "code", "verdict"),
    [
        ('{"reason": "fine", "score": 5, "answer": "yes"}', 1, "fail"),
        ("I would rather not say.", 3, "error"),
    ],
    ids=["lets all pass", "never answers"],
)
def test_what_the_doctor_finds_is_the_exit_code(reply, code, verdict, empty):
    empty.write("audition.toml", stand_in(reply))

    examined = empty.invoke("judge", "doctor", "--format", "json", "--repeats", "1")

    found = json.loads(examined.stdout)
    assert (examined.exit_code, found["verdict"], kept(empty)[0]["checkup"]["verdict"]) == (code, verdict, verdict)
    assert {part["name"]: part["verdict"] for part in found["parts"]}["stability"] == "skip"
    assert found["fingerprint"].startswith(f"stand_in:{reply} ")


def test_a_judge_that_does_not_answer_says_why_once(empty):
    empty.write("audition.toml", stand_in("I would rather not say."))

    examined = empty.invoke("judge", "doctor", "--repeats", "1")

    assert examined.stderr.count("a question was not answered: no grade can be read") == 1


@pytest.mark.parametrize("command", [["doctor"], ["calibrate", "labels.csv"]])
def test_without_a_judge_there_is_nothing_to_look_at(command, empty):
    asked = empty.invoke("judge", *command)

    assert (asked.exit_code, "no judge is configured" in asked.stderr) == (2, True)


def labels(*, passes: int, fails: int, hard: int = 0, wrong: int = 0) -> str:
    """Return a file of labels: passes and fails that the honest judge sees so, hard ones, and ones it gets wrong."""
    rows = ["is right,good,pass"] * passes + ["is right,bad,fail"] * fails
    rows += ["is right,hard,pass"] * hard + ["is right,good,fail"] * wrong
    return "criterion,response,label\n" + "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    ("counts", "code", "status"),
    [
        pytest.param({"passes": 60, "fails": 40}, 0, "provisional", id="good, and not examined"),
        pytest.param({"passes": 5, "fails": 15, "wrong": 2, "hard": 3}, 0, "provisional", id="few"),
        pytest.param({"passes": 5, "fails": 5, "wrong": 15}, 1, "uncalibrated", id="wrong"),
        pytest.param({"passes": 3, "fails": 3}, 3, "uncalibrated", id="too few to tell"),
    ],
)
def test_a_judge_is_compared_with_people(counts, code, status, empty, honest):
    empty.write("audition.toml", honest)
    empty.write("labels.csv", labels(**counts))

    compared = empty.invoke("judge", "calibrate", "labels.csv", "--format", "json")

    told = json.loads(compared.stdout)
    assert (compared.exit_code, told["status"], told["unanswered"]) == (code, status, counts.get("hard", 0))
    assert told["confusion"] == {
        "true_pass": counts["passes"],
        "false_pass": counts.get("wrong", 0),
        "false_fail": 0,
        "true_fail": counts["fails"],
    }
    assert kept(empty)[0]["calibration"]["status"] == status


def test_an_examined_judge_that_agrees_with_people_is_certified(empty, honest):
    empty.write("audition.toml", honest)
    empty.write("labels.csv", labels(passes=60, fails=40))

    empty.invoke("judge", "doctor", "--repeats", "1")
    compared = empty.invoke("judge", "calibrate", "labels.csv", "--scale", "yes_no")
    shown = empty.invoke("judge", "show")

    assert compared.stdout.splitlines()[1:] == [
        "100 labels answered, 0 not",
        "",
        "                 judge: pass   judge: fail",
        "people: pass              60             0",
        "people: fail               0            40",
        "",
        "accuracy     1.00",
        "kappa        1.00 (people let pass 0.60 of all)",
        "sensitivity  1.00 (95 % interval 0.94 to 1.00)",
        "specificity  1.00 (95 % interval 0.91 to 1.00)",
        "",
        "status: certified",
    ]
    assert re.fullmatch(
        r"local:small  prompt \w{12}  doctor: pass on [\d-]{10}  certified since [\d-]{10}\n", shown.stdout
    )


def test_faulty_labels_are_told_before_anybody_is_asked(empty, honest):
    empty.write("audition.toml", honest)
    empty.write("labels.csv", "criterion;response;label\nc;r;pass\nc;r;dunno\nc;r;9\n")

    compared = empty.invoke("judge", "calibrate", "labels.csv")

    assert compared.exit_code == 2
    assert compared.stderr.splitlines() == [
        "labels.csv:3: the label is 'dunno', which is no label; write pass or fail, or a grade from 1 to 5",
        "labels.csv:4: the label is '9', which is no label; write pass or fail, or a grade from 1 to 5",
    ]
    assert not (empty.folder / ".audition").exists()


def test_a_separator_is_named(empty, honest):
    empty.write("audition.toml", honest)
    empty.write("labels.csv", "criterion;response;label\r\nc;good;pass\r\n")

    compared = empty.invoke("judge", "calibrate", "labels.csv")

    assert "labels.csv: its columns are separated by semicolons\n" in compared.stderr


@pytest.mark.parametrize(("form", "expected"), [("text", ""), ("json", '{"judges":[]}\n')])
def test_nothing_is_known_at_first(form, expected, empty):
    shown = empty.invoke("judge", "show", "--format", form)

    assert (shown.exit_code, shown.stdout) == (0, expected)


def test_a_damaged_file_of_judges_stops_a_run_that_asks_one(project, honest):
    project.write("audition.toml", honest)
    project.write_evals("M")
    project.write(".audition/judges.json", "{")

    ran = project.invoke("run")

    assert (ran.exit_code, "judges.json is damaged" in ran.stderr) == (2, True)
