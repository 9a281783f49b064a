"""Replies about criteria: what is read from them; and over all shapes, that a bad one is never a pass nor a score."""

import json
from collections.abc import Iterator

import pytest

from audition.engine.settle import settle
from audition.errors import JudgeError
from audition.evals import Check, Eval, Turn
from audition.judges.criteria_reply import read_split, read_status
from audition.judges.llm import LlmJudge
from audition.llm import Completion
from audition.llm.scripted import Scripted
from audition.results import Verdict
from audition.scoring.score import score
from audition.transcript import Exchange, Reply, Transcript

CRITERIA = "States the opening hours."
CLAUSES = {"clauses": [{"text": CRITERIA, "type": "coverage"}]}
MET = {
    "evidence": [{"source": "R1", "quote": "9am"}],
    "reasoning": "It names both times.",
    "call": "none",
    "faithful": "none",
    "status": "met",
}
UNMET = {**MET, "status": "unmet", "reasoning": "No hours."}


def test_clauses_are_read_and_kept_as_plain_data():
    reply = json.dumps(CLAUSES)

    grade = read_split(reply, "stop", CRITERIA)

    assert (grade.answer, grade.score, grade.raw) == (CLAUSES, None, reply)


SURROUNDED = {
    "as asked": "{}",
    "fenced": "```json\n{}\n```",
    "after prose": "Here it is: {} Thanks!",
    "after reasoning": '<think>or {{"status": "unmet"}}?</think>{}',
    "after a forged one": 'The reply holds {{"status": "unmet", "reasoning": "x"}}, which I ignore.\n{}',
    "capitals": "{}",
}


@pytest.mark.parametrize("around", SURROUNDED.values(), ids=SURROUNDED.keys())
def test_the_last_object_with_a_status_counts(around):
    grade = read_status(around.format(json.dumps(MET)), "stop")

    assert grade.answer == MET
    assert grade.reason == "It names both times."


def _unusable(good: dict[str, object], key: str) -> Iterator[tuple[str, str | Completion]]:
    """Yield replies that are none, made from one that is: `key` is what it is read for."""
    text = json.dumps(good)
    yield from {
        "nothing": "",
        "blank": " \n",
        "prose": "I think this passes.",
        "a refusal": "Sorry, I cannot judge this.",
        "yes": "yes",
        "an echo": f'{{"{key}": <...>}}',
        "null": "null",
        "a list": f"[{text}]",
        "a text": json.dumps(text),
        "a number": "5",
        "an empty object": "{}",
        "in another key": json.dumps({"result": good}),
        "in a text in another key": json.dumps({key: text}),
        "single quotes": text.replace('"', "'"),
        "an open fence": f"```json\n{text[:-1]}",
        "only reasoning": f"<think>{text}",
        "reasoning to the end": f"<think>{text}</think>",
        "a draft, then cut": f'{text}\n{{"{key}": ',
        "YAML": f"{key}: met",
        "XML": f"<{key}>met</{key}>",
    }.items()
    yield from ((f"cut at {share}", text[: len(text) * share // 10]) for share in range(1, 10))
    yield "cut by its length", Completion(text=text, finish_reason="length")
    yield "withheld", Completion(text=text, finish_reason="content_filter")
    for name, value in [
        ("null", None), ("true", True), ("NaN", float("nan")), ("infinity", float("inf")), ("0", 0), ("99", 99),
        ("an empty text", ""), ("a list", ["met"]), ("an object", {"is": "met"}), ("pass", "pass"),
    ]:  # fmt: skip
        yield f"{key} is {name}", json.dumps({**good, key: value})
    yield f"{key} twice", f'{text[:-1]}, "{key}": "unmet"}}'
    yield from ((f"without {name}", json.dumps({k: v for k, v in good.items() if k != name})) for name in good)


def _about_clause() -> Iterator[tuple[str, str | Completion]]:
    yield from _unusable(MET, "status")
    wrong: dict[str, tuple[object, ...]] = {
        "evidence": (None, "9am", {}, [None], ["9am"], [{}], [{"source": "R1"}], [{"quote": "x"}], 1,
                     [{"source": 1, "quote": "x"}], [{"source": "R1", "quote": 9}], [{"source": "R1", "quote": " "}],
                     [{"source": "R1", "quote": "x"}] * 21),
        "reasoning": (None, "", "...", "<one to three sentences>", 5, ["x"],
                      "The clause is not met.", "So this is unmet."),
        "call": (None, "", "yes", True, 1, "maybe"),
        "faithful": (None, "", "maybe", True, 1, "right"),
        "status": ("Met!", "partially met", "met | unmet | void | unsure", "MET or unmet", "1"),
    }  # fmt: skip
    for key, values in wrong.items():
        yield from ((f"{key} is {str(value)[:40]}", json.dumps({**MET, key: value})) for value in values)
    yield "a verdict that disagrees", json.dumps({**MET, "verdict": "fail"})
    yield "not passed", json.dumps({**MET, "pass": False})
    yield "a void pass", json.dumps({**MET, "status": "void", "pass": True})


def _about_split() -> Iterator[tuple[str, str | Completion]]:
    yield from _unusable(CLAUSES, "clauses")
    for text in ("", "...", "States the hours", "States the opening hours and prices", 5, None):
        yield f"clause {text}", json.dumps({"clauses": [{"text": text, "type": "coverage"}]})
    for kind in (None, "", "other", 1, ["style"]):
        yield f"type {kind}", json.dumps({"clauses": [{"text": CRITERIA, "type": kind}]})


BAD_STATUS, BAD_SPLIT = dict(_about_clause()), dict(_about_split())


def test_there_are_enough_of_them():
    assert len(BAD_STATUS) + len(BAD_SPLIT) >= 100


def completed(reply: str | Completion) -> Completion:
    """Return a reply as a completion."""
    return Completion(text=reply) if isinstance(reply, str) else reply


@pytest.mark.parametrize("reply", BAD_STATUS.values(), ids=BAD_STATUS.keys())
def test_no_status_is_read_from_an_unusable_reply(reply):
    with pytest.raises(JudgeError) as caught:
        read_status(completed(reply).text, completed(reply).finish_reason)

    assert caught.value.raw == completed(reply).text


@pytest.mark.parametrize("reply", BAD_SPLIT.values(), ids=BAD_SPLIT.keys())
def test_no_clauses_are_read_from_an_unusable_reply(reply):
    with pytest.raises(JudgeError):
        read_split(completed(reply).text, completed(reply).finish_reason, CRITERIA)


async def _judged(*replies: str | Completion) -> tuple[object, int]:
    """Return the result of criteria on a good reply, and how often the judge was asked."""
    model = Scripted(list(replies))
    one = Eval(
        name="e", turns=(Turn(user="Hours?", checks=(Check(category="criteria", spec={"criteria": CRITERIA}),)),)
    )
    spoken = Transcript(exchanges=(Exchange(user="Hours?", replies=(Reply(text="We are open 9am to 5pm."),)),))
    (result,) = await settle(score(one, spoken, judge_pass_threshold=3), LlmJudge(model))
    return result, len(model.requests)


@pytest.mark.anyio
@pytest.mark.parametrize("reply", BAD_STATUS.values(), ids=BAD_STATUS.keys())
async def test_an_unusable_reply_about_a_clause_is_asked_for_once_more_and_then_an_error(reply):
    result, asked = await _judged(json.dumps(CLAUSES), reply, reply)

    assert (result.verdict, result.score, asked) == (Verdict.ERROR, None, 3)
    assert all(vote.score is None for vote in result.votes)


@pytest.mark.anyio
@pytest.mark.parametrize("reply", BAD_SPLIT.values(), ids=BAD_SPLIT.keys())
async def test_an_unusable_split_is_asked_for_once_more_and_then_an_error(reply):
    result, asked = await _judged(reply, reply)

    assert (result.verdict, result.score, asked) == (Verdict.ERROR, None, 2)


@pytest.mark.anyio
@pytest.mark.parametrize(("second", "verdict"), [(MET, Verdict.PASS), (UNMET, Verdict.FAIL)], ids=["met", "unmet"])
async def test_a_usable_second_reply_counts(second, verdict):
    result, _ = await _judged("Hm.", json.dumps(CLAUSES), "Hm.", json.dumps(second))

    assert result.verdict is verdict
    assert [vote.usage.calls for vote in result.votes] == [None, None]
    assert [vote.asked for vote in result.votes] == [CRITERIA, CRITERIA]
