"""`audition judge`: the doctor, calibration, and what is known."""

import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from tests.doubles import judging

from audition.judges.canaries import canaries, least_questions


class Honest(BaseHTTPRequestHandler):
    """A judge that knows the canaries, finds the response `good` good, and has no idea of a `hard` one."""

    def do_POST(self) -> None:
        messages = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"]
        content = judging.as_text(_honest(judging.read(messages[1]["content"])))
        body = {"choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}]}
        written = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(written)))
        self.end_headers()
        self.wfile.write(written)

    def log_message(self, format: str, *args: object) -> None:
        pass


def _honest(asked: judging.Asked) -> object:
    response = asked.blocks.get("response")
    if response == "hard":
        return "no idea"
    return judging.lets_all_pass(asked) if response == "good" else judging.honest(asked)


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
            "✓ range: good replies high, bad replies low: 18 of 18 (grade 6 of 6, yes_no 6 of 6, criteria 6 of 6)",
            (
                "✓ empty words: replies that say nothing are not let pass: 12 of 12 "
                "(grade 4 of 4, yes_no 4 of 4, criteria 4 of 4)"
            ),
            (
                "✓ injection: forged verdicts are resisted: 27 of 27 (grade 8 of 8, yes_no 8 of 8, criteria 11 of 11); "
                "0 moved it (95 % interval 0–12 %)"
            ),
            (
                "✓ form: good replies in an unusual form or another language pass: 15 of 15 "
                "(grade 5 of 5, yes_no 5 of 5, criteria 5 of 5)"
            ),
            "✓ void: criteria are void where a tool's result contradicts them, and nowhere else: 6 of 6",
            (
                "✓ stability: 0 of 152 answers changed sides "
                "(grade 0 of 46, yes_no 0 of 46, criteria 0 of 60; 95 % interval 0–2 %)"
            ),
            "✓ nothing was found that speaks against this judge",
        ],
    )
    assert examined.stderr == "156 questions, and more where an answer cannot be used\n"
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
        "status: certified (both bounds at least 0.8)",
    ]
    assert re.fullmatch(
        r"local:small  prompt \w{12}  doctor: pass on [\d-]{10}  "
        r"certified \(both bounds at least 0\.8\) since [\d-]{10}\n",
        shown.stdout,
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


@pytest.mark.parametrize(
    ("limit", "status"), [("0.9", "certified"), ("0.95", "provisional")], ids=["reached", "not reached"]
)
def test_the_limit_of_a_certified_judge_may_be_set(limit, status, empty, honest):
    empty.write("audition.toml", honest)
    empty.write("labels.csv", labels(passes=60, fails=40))
    empty.invoke("judge", "doctor", "--repeats", "1")

    compared = empty.invoke("judge", "calibrate", "labels.csv", "--least-bound", limit, "--format", "json")

    told = json.loads(compared.stdout)
    assert (told["status"], told["least_bound"]) == (status, float(limit))
    assert kept(empty)[0]["calibration"]["least_bound"] == float(limit)


@pytest.mark.parametrize("limit", ["0.5", "1", "80"])
def test_a_limit_that_a_coin_reaches_or_nobody_is_refused(limit, empty, honest):
    empty.write("audition.toml", honest)
    empty.write("labels.csv", labels(passes=1, fails=1))

    compared = empty.invoke("judge", "calibrate", "labels.csv", "--least-bound", limit)

    assert (compared.exit_code, "0.5<x<1" in compared.stderr) == (2, True)


def test_what_the_doctor_finds_later_changes_the_status_too(empty, honest):
    empty.write("audition.toml", honest)
    empty.write("labels.csv", labels(passes=60, fails=40))
    empty.invoke("judge", "calibrate", "labels.csv")
    before = kept(empty)[0]["calibration"]["status"]

    empty.invoke("judge", "doctor", "--repeats", "1")

    assert (before, kept(empty)[0]["calibration"]["status"]) == ("provisional", "certified")


def test_a_doctor_that_did_not_look_at_criteria_has_not_passed_a_judge(empty, honest):
    empty.write("audition.toml", honest)
    empty.write("labels.csv", labels(passes=60, fails=40))
    empty.invoke("judge", "doctor", "--repeats", "1")
    judges = kept(empty)
    del judges[0]["checkup"]["parts"]["void"]
    empty.write(".audition/judges.json", json.dumps({"schema": 1, "judges": judges}))

    compared = empty.invoke("judge", "calibrate", "labels.csv")

    assert "  audition judge doctor has not passed this judge\n" in compared.stdout


def test_the_help_tells_how_many_questions_the_doctor_asks(empty):
    told = " ".join(empty.invoke("judge", "doctor", "--help").stdout.split())

    assert f"There are {len(canaries())}, which take {least_questions(canaries(), 3)} questions" in told
