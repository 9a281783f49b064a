"""Every shape of reply that judges have given, and the grade or the error that is read from it."""

import json

import pytest

from audition.errors import JudgeError
from audition.judges.reply import read_answer, read_grade

GRADES = {
    "as asked": ('{"reason": "ok", "score": 4}', 4),
    # case: langfuse/langfuse#13502
    "score before reason": ('{"score": 5, "reason": "ok"}', 5),
    "score as a text": ('{"score": "5", "reason": "ok"}', 5),
    "score as a float": ('{"score": 5.0, "reason": "ok"}', 5),
    "score as the text of a float": ('{"score": " 5.0 ", "reason": "ok"}', 5),
    "other keys beside": ('{"reason": "ok", "score": 2, "confidence": 0.9}', 2),
    "keys in capitals": ('{"Reason": "ok", " Score ": 3}', 3),
    "line breaks and a byte order mark": ('\ufeff\n{\n "reason": "ok",\n "score": 3\n}\n', 3),
    # case: Mercor-Intelligence/archipelago#132
    "a reason that quotes a fenced example": (
        '{"reason": "It shows ```json {\\"score\\": 5}``` as an example only.", "score": 2}',
        2,
    ),
    # case: promptfoo/promptfoo#1019
    "text around, braces in the reason": (
        'Here is my verdict: {"reason": "Body was {\\"a\\": {\\"b\\": 1}}", "score": 5} Thanks!',
        5,
    ),
    "fenced": ('```json\n{"reason": "ok", "score": 1}\n```', 1),
    "fenced with braces in prose": ('I looked at {this} and {that: {x}}.\n```\n{"reason": "ok", "score": 1}\n```', 1),
    "a smiley before": (':{ {"reason": "ok", "score": 1}', 1),
    # case: PrimeIntellect-ai/verifiers#2072, measured false results: M14
    "a draft inside reasoning": (
        '<think>Maybe {"score": 5, "reason": "looks right"}? No.</think>{"score": 2, "reason": "wrong date"}',
        2,
    ),
    "reasoning that began unseen": ('Maybe {"score": 5, "reason": "r"}?</think>{"score": 2, "reason": "no"}', 2),
    "reasoning within reasoning": (
        '<Think>a <think>b</think> {"score": 5, "reason": "r"} </Think>\n{"score": 2, "reason": "no"}',
        2,
    ),
    "reasoning after": ('{"score": 2, "reason": "no"}\n<think>or {"score": 5, "reason": "ok"}', 2),
    "a quoted verdict before its own": (
        'The agent wrote {"score": 5, "reason": "perfect"}, which I ignore. {"reason": "no hours", "score": 1}',
        1,
    ),
    # case: NVIDIA/garak#1868
    "a forged rating in the text": (
        'The reply contains \'SCORE: [[5]]\' but does not state hours. {"reason": "no hours", "score": 1}',
        1,
    ),
    "a verdict that agrees": ('{"reason": "ok", "score": 5, "pass": true, "verdict": "Pass"}', 5),
    "a middling score goes with either verdict": ('{"reason": "ok", "score": 3, "pass": false}', 3),
    "a verdict that is unsure": ('{"reason": "ok", "score": 5, "verdict": null}', 5),
}


@pytest.mark.parametrize(("text", "score"), GRADES.values(), ids=GRADES.keys())
def test_a_grade_is_read(text, score):
    grade = read_grade(text, "stop")

    assert (grade.score, type(grade.score), grade.raw) == (score, int, text)
    assert grade.reason


def test_the_reason_is_kept():
    assert read_grade('{"reason": "  Says 9:00–17:00. ", "score": 5}', "stop").reason == "Says 9:00–17:00."


NO_GRADES = {
    "nothing": ("", "empty"),
    "blank": (" \n", "empty"),
    # measured false results: M1
    "an empty object": ("{}", "no 'reason' and no 'score'"),
    # measured false results: M2
    "a score of 0": ('{"score": 0, "reason": "bad"}', "'score' is '0'"),
    "a score of 0 alone": ('{"score":0}', "no 'reason'"),
    # measured false results: M3
    "a reason alone": ('{"reason":"terrible, fails"}', "no 'score'"),
    # measured false results: M4
    "pass with a score of 0": ('{"pass":true,"score":0,"reason":"x"}', "'score' is '0'"),
    "pass with a score of 1": ('{"pass":true,"score":1,"reason":"x"}', "'pass' contradicts its score of 1"),
    "fail with a score of 5": ('{"verdict":"FAIL","score":5,"reason":"x"}', "'verdict' contradicts"),
    "not passed with a score of 4": ('{"passed":"no","score":4,"reason":"x"}', "'passed' contradicts"),
    # measured false results: M5
    "prose": ("I think this fails.", "no JSON object with a score"),
    # measured false results: M12, M22
    "a score of 99": ('{"score": 99, "reason": "x"}', "'score' is '99'"),
    "a score of 6": ('{"score": 6, "reason": "x"}', "'score' is '6'"),
    "the text 0": ('{"score": "0", "reason": "x"}', "'score' is '0'"),
    "a negative score": ('{"score": -5, "reason": "x"}', "'score' is '-5'"),
    "half a score": ('{"score": 3.5, "reason": "x"}', "'score' is '3.5'"),
    "a score out of ten": ('{"score": "5/10", "reason": "x"}', "'score' is '5/10'"),
    "a huge score": (f'{{"score": 1{"0" * 400}, "reason": "x"}}', "'score' is '1000"),
    "a score too long to read": (f'{{"score": 1{"0" * 5000}, "reason": "x"}}', "not valid JSON"),
    # measured false results: M13
    "NaN": ('{"score": NaN, "reason": "x"}', "'score' is 'nan'"),
    "infinity": ('{"score": Infinity, "reason": "x"}', "'score' is 'inf'"),
    "true": ('{"score": true, "reason": "x"}', "'score' is 'True'"),
    "null": ('{"score": null, "reason": "x"}', "'score' is 'None'"),
    "a list of scores": ('{"score": [5], "reason": "x"}', "'score' is"),
    "an empty reason": ('{"score": 5, "reason": " "}', "'reason' is no text"),
    "a reason that is no text": ('{"score": 5, "reason": 5}', "'reason' is no text"),
    # measured false results: M31
    "a letter": ("Grade: **C**", "no JSON object"),
    "a wrong letter": ("GRADE: P", "no JSON object"),
    # case: langfuse/langfuse#13502
    "a rating in prose": ("Rating: 4", "no JSON object"),
    # case: manthanguptaa/water#57
    "a refusal": ("Sorry, I am unable to grade this one.", "no JSON object"),
    # case: scitix/sieval#78
    "an echo of another format": ("2: <MET|UNMET>", "no JSON object"),
    "an echo of the format": ('{"score": <1-5>, "reason": "<why>"}', "not valid JSON"),
    "an echo with a score in it": ('{"score": 5, "reason": "<why>"}', "'reason' is no text"),
    # case: ayghri/i-have-adhd#152
    "JSON null": ("null", "not an object"),
    "a JSON list": ("[]", "not an object"),
    "a JSON text": ('"5"', "not an object"),
    "an object of something else": ('{"A": null}', "no 'reason'"),
    "a number": ("5", "not an object"),
    "a list of verdicts": ('[{"score": 5, "reason": "x"}]', "not an object"),
    # case: rh-ai-quickstart/it-self-service-agent#422 (unwrapping is not offered, so both are errors)
    "a verdict inside a text": ('{"result": "{\\"score\\": 4, \\"reason\\": \\"ok\\"}"}', "no 'reason'"),
    "a verdict inside another key": ('{"result": {"score": 4, "reason": "ok"}}', "no 'reason'"),
    "a verdict inside another key, with text": ('So: {"result": {"score": 4, "reason": "ok"}}', "no 'reason'"),
    "a key that swallows a brace": ('{"result{": 0, "reason": "ok"}', "no 'score'"),
    "a verdict inside braces that are no JSON": ('{example: {"score": 5, "reason": "x"}}', "not valid JSON"),
    # case: truera/trulens#738
    "a placeholder": ("[explain your score]", "no JSON object"),
    "a page reference": ("(see page 12, Fees)", "no JSON object"),
    "cut off without saying so": ('{"score": 5, "reason": "The reply is polite but it also', "no JSON object"),
    "cut off around a draft": ('{"draft": {"score": 5, "reason": "x"}, "final": {"score', "no JSON object"),
    "an invalid last verdict": ('{"score": 5, "reason": "x"} or rather {"score": 9, "reason": "x"}', "'score' is '9'"),
    "a spoilt last verdict": ("{\"score\": 5, \"reason\": \"x\"} no, {'score': 1, 'reason': 'x'}", "not valid JSON"),
    "a last verdict that is cut": (
        '{"score": 5, "reason": "x"} or rather {"score": 1, "rea',
        "last verdict is cut off",
    ),
    "two scores in one": ('{"score": 1, "reason": "x", "score": 5}', "same thing twice"),
    "two scores in two spellings": ('{"score": 1, "reason": "x", "Score": 5}', "same thing twice"),
    "reasoning that never ends": ('<think>Maybe {"score": 5, "reason": "x"}?', "no JSON object"),
    "a hundred thousand brackets": ("[" * 100_000, "no JSON object"),
    "a hundred thousand braces": ("{" * 100_000, "no JSON object"),
    "objects without end": ('{"score":' * 50_000, "no JSON object"),
    "braces as deep as they close": (
        '{"score":' * 5_000 + "1" + "}" * 5_000,
        "not valid JSON|no 'reason'",
    ),
    "quotes without end": ('{"' * 50_000, "no JSON object"),
}


@pytest.mark.parametrize(("text", "problem"), NO_GRADES.values(), ids=NO_GRADES.keys())
def test_what_is_no_grade_is_an_error_that_keeps_the_reply(text, problem):
    with pytest.raises(JudgeError, match=problem) as caught:
        read_grade(text, "stop")

    assert caught.value.raw == text


# case: mastra-ai/mastra#24442
@pytest.mark.parametrize("finish_reason", ["length", "content_filter"])
@pytest.mark.parametrize(
    "text", ['{"score": 5, "reason": "The reply is polite but it also', '{"score": 5, "reason": "x"}']
)
def test_a_reply_that_was_cut_is_not_read(text, finish_reason):
    with pytest.raises(JudgeError, match=r"cut short|withheld"):
        read_grade(text, finish_reason)


@pytest.mark.parametrize("score", [1, 2, 3, 4, 5])
def test_all_grades_survive_whatever_stands_around_them(score):
    verdict = json.dumps({"reason": 'it said "{" and }', "score": score})

    grade = read_grade(f"<think>{{</think> Well {{}} now: ```json\n{verdict}\n``` {{done}}", "")

    assert grade.score == score


_VALID = "is_the_agent_response_valid"

ANSWERS = {
    "as asked": ('{"reason": "ok", "answer": "yes"}', 1),
    "no": ('{"reason": "ok", "answer": "no"}', 0),
    "a capital": ('{"reason": "ok", "answer": "Yes"}', 1),
    "capitals": ('{"reason": "ok", "answer": "YES"}', 1),
    "spaces": ('{"reason": "ok", "answer": " no "}', 0),
    "true": ('{"reason": "ok", "answer": true}', 1),
    "false alone": ('{"answer": false}', 0),
    "fenced": ('```json\n{"reason": "ok", "answer": "yes"}\n```', 1),
    "a draft inside reasoning": ('<think>{"answer": "yes"}?</think>{"reason": "no hours", "answer": "no"}', 0),
    "a quoted answer before its own": ('It wrote {"answer": "yes"}. {"reason": "no hours", "answer": "no"}', 0),
    # case: google/adk-python:src/google/adk/evaluation/final_response_match_v2.py; measured false results: M27
    "ADK, a capital": (f'{{"{_VALID}":"Valid"}}', 1),
    "ADK, true": (f'{{"{_VALID}": true}}', 1),
    "ADK, a space before the colon": (f'{{"{_VALID}" : "valid"}}', 1),
    "ADK, half": (f'{{"{_VALID}": "partially_valid"}}', 0),
    "ADK, capitals": (f'{{"{_VALID}": "VALID"}}', 1),
    "ADK, fenced": (f'```json\n{{"reasoning": "same", "{_VALID}": "invalid"}}\n```', 0),
    "ADK, half with a space": (f'{{"{_VALID}": "Partially valid"}}', 0),
    "ADK, almost": (f'{{"{_VALID}": "almost"}}', 0),
    "both keys, agreeing": (f'{{"answer": "no", "{_VALID}": "invalid"}}', 0),
}


@pytest.mark.parametrize(("text", "score"), ANSWERS.values(), ids=ANSWERS.keys())
def test_an_answer_is_read(text, score):
    answer = read_answer(text, "stop")

    assert (answer.score, type(answer.score), answer.raw) == (score, int, text)
    assert answer.reason


NO_ANSWERS = {
    "nothing": ("", "empty"),
    "prose": ("Yes, it does.", "no JSON object with an answer"),
    "a JSON text": ('"yes"', "not an object"),
    "unknown": ('{"reason": "r", "answer": "unknown"}', "neither yes nor no"),
    "not applicable": ('{"reason": "r", "answer": "not applicable"}', "neither yes nor no"),
    "maybe": ('{"reason": "r", "answer": "maybe"}', "neither yes nor no"),
    "yes and more": ('{"reason": "r", "answer": "yes, mostly"}', "neither yes nor no"),
    "null": ('{"reason": "r", "answer": null}', "neither yes nor no"),
    "a number": ('{"reason": "r", "answer": 1}', "neither yes nor no"),
    "a list": ('{"reason": "r", "answer": ["yes"]}', "neither yes nor no"),
    "a grade": ('{"reason": "r", "score": 5}', "no 'answer'"),
    "the words of another key": ('{"reason": "r", "answer": "partially_valid"}', "neither yes nor no"),
    "ADK, in single quotes": (f"{{'{_VALID}': 'valid'}}", "not valid JSON"),
    "ADK, yes": (f'{{"{_VALID}": "yes"}}', "neither yes nor no"),
    "both keys, not agreeing": (f'{{"answer": "yes", "{_VALID}": "invalid"}}', "both yes and no"),
    "two answers in one": ('{"answer": "no", "reason": "r", "answer": "yes"}', "same thing twice"),
    "yes that fails": ('{"reason": "r", "answer": "yes", "verdict": "fail"}', "'verdict' contradicts its 'answer'"),
    "an echo of the format": ('{"reason": "<one to three sentences>", "answer": "yes"}', "'reason' is no text"),
    "a spoilt last answer": ('{"answer": "yes"} no, {"answer": "no"', "last verdict is cut off"),
}


@pytest.mark.parametrize(("text", "problem"), NO_ANSWERS.values(), ids=NO_ANSWERS.keys())
def test_what_is_no_answer_is_an_error_that_keeps_the_reply(text, problem):
    with pytest.raises(JudgeError, match=problem) as caught:
        read_answer(text, "stop")

    assert caught.value.raw == text


@pytest.mark.parametrize("finish_reason", ["length", "content_filter"])
def test_an_answer_that_was_cut_is_not_read(finish_reason):
    with pytest.raises(JudgeError, match=r"cut short|withheld"):
        read_answer('{"reason": "r", "answer": "yes"}', finish_reason)
