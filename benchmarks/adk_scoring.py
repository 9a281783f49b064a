"""Scoring invocations by trajectory and word overlap, beside the evaluators of the google-adk that is installed.

`python -m benchmarks.adk_scoring ours|adk COUNT` scores that many in a process of its own, and prints the CPU seconds
that took and how many passed.
"""

import random
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec

from benchmarks.measure import HERE, PYTHON, Cost, Figure, NotRun, Size, best_of, run_child

_WORDS = (  # noqa: SIM905  # a list of words is read more easily as a text
    "the your order has been shipped today and will arrive tomorrow because running devices in kitchen bedroom are"
    " currently set to degrees celsius please confirm booking of rooms for three nights with breakfast included thanks"
).split()
_TOOLS = ("get_device_info", "set_temperature", "list_devices", "transfer_to_agent")
_LENGTH = 20
_ENOUGH = 0.6

Sample = tuple[str, str, list[tuple[str, dict[str, object]]], list[tuple[str, dict[str, object]]]]
"""The reference and the answer, the expected calls and those that were made."""


def figures(size: Size) -> Iterator[Figure]:
    """Yield what scoring costs, and the whole process with it: both score the same, and must agree on it."""
    if find_spec("google.adk") is None or find_spec("rouge_score") is None:
        raise NotRun("google-adk and rouge-score are not both installed")
    count = size.many
    runs = {whose: lambda whose=whose: _scored(whose, count) for whose in ("ours", "adk")}
    cost = best_of(size.rounds, runs)
    (own_s, own_passed), (their_s, their_passed) = (cost[whose].said.split() for whose in ("ours", "adk"))
    if own_passed != their_passed:
        raise NotRun(f"the verdicts differ: {own_passed} passed, and {their_passed} with ADK")
    own, plain = cost["ours"], cost["adk"]
    scoring = f"{count:,} invocations scored, CPU"
    yield Figure(name=scoring, value=float(own_s), unit="s", plain=float(their_s), goal=0.2, goal_is_ratio=True)
    yield Figure(name="the whole process, CPU", value=own.cpu_s, unit="s", plain=plain.cpu_s)
    yield Figure(name="the whole process, peak", value=own.peak_mb, unit="MB", plain=plain.peak_mb)


def samples(count: int) -> list[Sample]:
    """Return invocations with answers of 20 words and one or two calls, the same at every run."""
    draw = random.Random(4)
    found: list[Sample] = []
    for _ in range(count):
        reference = draw.choices(_WORDS, k=_LENGTH)
        answer = [word if draw.random() < 0.7 else draw.choice(_WORDS) for word in reference]
        expected: list[tuple[str, dict[str, object]]] = [
            (draw.choice(_TOOLS), {"location": draw.choice(_WORDS), "value": draw.randrange(9)}) for _ in range(2)
        ]
        found.append((" ".join(reference), " ".join(answer), expected, expected[: draw.choice([1, 2, 2, 2])]))
    return found


def _scored(whose: str, count: int) -> Cost:
    return run_child([PYTHON, "-m", "benchmarks.adk_scoring", whose, str(count)], HERE.parent)


def _ours(count: int) -> tuple[float, int]:
    from audition.evals import Check, Eval, Reference, ToolCallReference, Turn
    from audition.results import CheckResult, Verdict
    from audition.scoring.score import score
    from audition.transcript import Exchange, Reply, ToolCall, Transcript

    checks = Check(category="trajectory", spec={}), Check(category="overlap", spec={"threshold": _ENOUGH})
    pairs = []
    for number, (reference, answer, expected, made) in enumerate(samples(count)):
        good = tuple(ToolCallReference(name=name, arguments=arguments) for name, arguments in expected)
        turn = Turn(user="hi", reference=Reference(response=reference, tool_calls=good))
        calls = tuple(ToolCall(name=name, arguments=dict(arguments)) for name, arguments in made)
        exchange = Exchange(user="hi", replies=(Reply(text=answer),), tool_calls=calls)
        one = Eval(name=str(number), turns=(turn,), outcome=checks)
        pairs.append((one, Transcript(exchanges=(exchange,))))
    begun = time.process_time()
    rows = [row for one, transcript in pairs for row in score(one, transcript, judge_pass_threshold=3)]
    taken = time.process_time() - begun
    return taken, sum(isinstance(row, CheckResult) and row.verdict is Verdict.PASS for row in rows)


def _adk(count: int) -> tuple[float, int]:
    from google.adk.evaluation.eval_case import Invocation
    from google.adk.evaluation.eval_metrics import BaseCriterion, EvalMetric, ToolTrajectoryCriterion
    from google.adk.evaluation.final_response_match_v1 import RougeEvaluator
    from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator

    def invocation(text: str, calls: list[tuple[str, dict[str, object]]]) -> object:
        return Invocation.model_validate(
            {
                "user_content": {"role": "user", "parts": [{"text": "hi"}]},
                "final_response": {"role": "model", "parts": [{"text": text}]},
                "intermediate_data": {"tool_uses": [{"name": name, "args": args} for name, args in calls]},
            }
        )

    pairs = [
        ([invocation(answer, made)], [invocation(reference, expected)])
        for reference, answer, expected, made in samples(count)
    ]
    exact, enough = ToolTrajectoryCriterion(threshold=1.0), BaseCriterion(threshold=_ENOUGH)
    evaluators = (
        TrajectoryEvaluator(eval_metric=EvalMetric(metric_name="tool_trajectory_avg_score", criterion=exact)),
        RougeEvaluator(EvalMetric(metric_name="response_match_score", criterion=enough)),
    )
    begun = time.process_time()
    results = [evaluator.evaluate_invocations(*pair) for pair in pairs for evaluator in evaluators]
    taken = time.process_time() - begun
    return taken, sum(result.overall_eval_status.name == "PASSED" for result in results)


if __name__ == "__main__":
    print(*{"ours": _ours, "adk": _adk}[sys.argv[1]](int(sys.argv[2])))
