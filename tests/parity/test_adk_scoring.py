"""Trajectories and word overlap are scored as by the google-adk that is installed, on many generated pairs."""

import random
import warnings
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import pytest

from audition.evals import Check, Eval, Reference, ToolCallReference, Turn
from audition.results import CheckResult, Verdict
from audition.scoring import adk_strict
from audition.scoring._porter import stem
from audition.scoring.overlap import rouge_1, words
from audition.transcript import Exchange, Reply, ToolCall, Transcript

pytestmark = pytest.mark.parity

PAIRS = 12_000
STEMS = 40_000
LONGEST_CASE = 4
"""Turns of a generated case: a case of 1 to 4 has 2.5 on average."""

SCRIPTS = {
    "English": "the agent runs running booked bookings order 24.5 don't news rationally hopefully it is not at 21 C++",
    "Thai": "ขอบคุณครับ สั่งซื้อ สินค้า หมายเลข ๑๒๓ ราคา ไม่มี ฿๕๐",
    "Lao, Khmer, Myanmar": "ສະບາຍດີ ຂອບໃຈ សួស្តី អរគុណ မင်္ဂလာပါ ကျေးဇူးတင်ပါတယ်",
    "Chinese": "订单已发货 您好 价格是一百元 没有 库存 臺灣 𠮷野家",
    "Japanese": "在庫があります ありません カタカナ ﾊﾝｶｸ ご注文 ヴー ゛",
    "Korean": "주문이 발송되었습니다 안녕하세요 없습니다 ㄱㄴ 한글",
    "Arabic": "تم شحن الطلب اليوم لا يوجد مُحَمَّد ١٢٣",
    "Hindi": "आपका ऑर्डर भेज दिया गया नहीं है १२३ क्‍ष",
    "Cyrillic, Greek": "Заказ доставлен вчера ещё ё ΤΟ ΓΡΑΦΕΊΟ κλειστό ς Σ",
    "accents": "café cafe\u0301 naïve Não há İstanbul ı ß ẞ ﬁn ＡＢＣ１２３ ½ ² Ⅷ ŉ",
    "emoji": "👍 🎉 👩‍👩‍👧 ⭐️ 1️⃣ :-) — … “quotes”",
    "marks": "**bold** _a_ <b>x</b> a_b a-b https://x.io/?q=1 \\n \u200b \u00a0 \x00 \ud800",
}

ARGUMENTS: Sequence[dict[str, Any] | None] = (
    None, {}, {"x": 1}, {"x": 1.0}, {"x": True}, {"x": "1"}, {"x": None}, {"x": 2}, {"x": 1, "y": [1, {"z": 0}]},
    {"y": [1, {"z": False}], "x": 1}, {"y": [{"z": 0}, 1], "x": 1}, {"x": "café"}, {"x": "cafe\u0301"},
)  # fmt: skip


@pytest.fixture(scope="module")
def adk() -> Any:
    """Return google-adk's evaluation package, with the modules that are compared with."""
    pytest.importorskip("google.adk", reason="google-adk is not installed: it cannot be compared with")
    pytest.importorskip("rouge_score", reason="rouge-score is not installed, which ADK's overlap needs")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its imports are not ours to judge
        from google.adk import evaluation
        from google.adk.evaluation import eval_case, eval_metrics, final_response_match_v1, trajectory_evaluator
    assert all((eval_case, eval_metrics, final_response_match_v1, trajectory_evaluator))
    return evaluation


def texts(draw: random.Random) -> Iterator[tuple[str, str]]:
    """Yield pairs of texts that share some words: of one script or two, some of them empty, some of any characters."""
    pools = [script.split(" ") for script in SCRIPTS.values()]
    anything = [chr(code) for code in draw.sample(range(0x110000), 4_000)]
    while True:
        pool = [*draw.choice(pools), *draw.choice(pools)]
        if draw.random() < 0.1:
            pool += draw.sample(anything, 20)
        joined = draw.choice(["", " ", " ", "\n", ", "])
        reference = draw.choices(pool, k=draw.choice([0, 1, 3, 8, 15]))
        answer = [word if draw.random() < 0.7 else draw.choice(pool) for word in reference]
        yield joined.join(reference), joined.join(answer[: draw.choice([0, 5, 15])] + draw.choices(pool, k=2))


def calls(draw: random.Random) -> tuple[list[ToolCallReference] | None, list[ToolCall]]:
    """Return what is expected (None: nothing is said of it) and what was called: the same with a few changes."""
    expected = [
        ToolCallReference(name=draw.choice("abc"), arguments=draw.choice(ARGUMENTS)) for _ in range(draw.randrange(4))
    ]
    made = [ToolCall(name=call.name, arguments=call.arguments or {}) for call in expected]
    for _ in range(draw.choice([0, 0, 1, 2])):
        made.insert(
            draw.randint(0, len(made)), ToolCall(name=draw.choice("abc"), arguments=draw.choice(ARGUMENTS) or {})
        )
    for _ in range(draw.choice([0, 0, 0, 1])):
        made = draw.sample(made, max(0, len(made) - draw.randrange(2)))
    return (None if draw.random() < 0.05 else expected), made


def cases(draw: random.Random, pairs: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield the pairs as cases of several turns."""
    cuts = [0]
    while cuts[-1] < len(pairs):
        cuts.append(min(len(pairs), cuts[-1] + draw.randint(1, LONGEST_CASE)))
    return (pairs[begin:end] for begin, end in pairwise(cuts))


def content(text: str) -> dict[str, Any]:
    """Return a text as ADK writes it."""
    return {"role": "model", "parts": [{"text": text}]}


def invocation(adk: Any, *, final_response: Any = None, intermediate_data: Any = None) -> Any:
    """Return a turn as ADK has it."""
    return adk.eval_case.Invocation(
        user_content=content("hi"), final_response=final_response, intermediate_data=intermediate_data
    )


def compared(result: Any) -> tuple[Any, ...]:
    """Return what of ADK's result is compared: the score, the verdict, the score of each turn."""
    scores = tuple(one.score for one in result.per_invocation_results)
    return result.overall_score, result.overall_eval_status.name, scores


def strictly(turns: Sequence[Turn], exchanges: Sequence[Exchange], check: Check) -> tuple[Any, ...]:
    """Return the same of ours in strict mode."""
    eval, transcript = Eval(name="e", turns=tuple(turns), outcome=(check,)), Transcript(exchanges=tuple(exchanges))
    row = adk_strict.score(eval, transcript, judge_pass_threshold=3)[-1]
    assert isinstance(row, CheckResult)
    return row.score, {Verdict.PASS: "PASSED", Verdict.FAIL: "FAILED"}.get(row.verdict), row.turn_scores


def test_word_overlap_is_that_of_adk(adk: Any) -> None:
    generated = texts(random.Random(20_250_701))
    pairs = [next(generated) for _ in range(PAIRS)]

    ours = [rouge_1(reference, answer) for reference, answer in pairs]

    theirs = [
        adk.final_response_match_v1._calculate_rouge_1_scores(answer, reference).fmeasure for reference, answer in pairs
    ]
    assert [pair for pair, own, their in zip(pairs, ours, theirs, strict=True) if own != their] == []


def test_the_words_of_every_character_are_those_of_adk(adk: Any) -> None:
    tokenizer = adk.final_response_match_v1._UnicodeAwareTokenizer(use_stemmer=True)
    chunks = ["".join(map(chr, range(begin, begin + 64))) for begin in range(0, 0x30000, 64)]
    chunks += [f"a{chr(code)}b {chr(code)}{chr(code)}" for code in range(0x3100)]

    assert [chunk for chunk in chunks if words(chunk) != tokenizer.tokenize(chunk)] == []


def test_stems_are_those_that_adk_takes(adk: Any) -> None:
    from nltk.stem.porter import PorterStemmer

    draw, stemmer = random.Random(7), PorterStemmer()
    endings = "ational tional enci izer bli alli entli eli ousli ization ation ator alism iveness fulness iviti biliti"
    endings += " logi fulli icate ative alize ical ful ness ance ence able ant ement ment ent ion sion ou ism ize"
    endings += " s es ies sses ed eed ied ing ly y ying e ll ers"
    ends = ["", *endings.split()]
    generated = {
        "".join(draw.choices("aeiouybcdlmnstrzxw1", k=draw.randint(3, 7))) + draw.choice(ends) + draw.choice(ends)
        for _ in range(STEMS)
    }

    assert [word for word in sorted(generated) if stem(word) != stemmer.stem(word)] == []


@pytest.mark.parametrize("threshold", [0.6, 0.8])
def test_strict_overlap_verdicts_are_those_of_adk(adk: Any, threshold: float) -> None:
    draw = random.Random(99)
    generated = texts(draw)
    metric = adk.eval_metrics.EvalMetric(
        metric_name="response_match_score", criterion=adk.eval_metrics.BaseCriterion(threshold=threshold)
    )
    evaluator = adk.final_response_match_v1.RougeEvaluator(metric)
    check = Check(category="overlap", spec={"threshold": threshold})
    pairs = [(None if draw.random() < 0.05 else one, other) for one, other in (next(generated) for _ in range(1_500))]

    for case in cases(draw, pairs):
        result = evaluator.evaluate_invocations(
            [invocation(adk, final_response=content(said)) for _, said in case],
            [invocation(adk, final_response=None if wanted is None else content(wanted)) for wanted, _ in case],
        )
        turns = [Turn(user="hi", reference=Reference(response=wanted)) for wanted, _ in case]
        exchanges = [Exchange(user="hi", replies=(Reply(text=said),)) for _, said in case]

        assert strictly(turns, exchanges, check) == compared(result), case


@pytest.mark.parametrize("ignore_args", [False, True], ids=["arguments", "names alone"])
@pytest.mark.parametrize("mode", ["EXACT", "IN_ORDER", "ANY_ORDER"])
def test_strict_trajectories_are_those_of_adk(adk: Any, mode: str, ignore_args: bool) -> None:
    draw = random.Random(f"{mode} {ignore_args}")
    threshold = draw.choice([0.5, 1.0])
    spec = {"threshold": threshold, "match_type": mode, "ignore_args": ignore_args}
    criterion = adk.eval_metrics.ToolTrajectoryCriterion(
        threshold=threshold,
        match_type=adk.eval_metrics.ToolTrajectoryCriterion.MatchType[mode],
        ignore_args=ignore_args,
    )
    evaluator = adk.trajectory_evaluator.TrajectoryEvaluator(
        eval_metric=adk.eval_metrics.EvalMetric(metric_name="tool_trajectory_avg_score", criterion=criterion)
    )
    check = Check(category="trajectory", spec=spec)

    for case in cases(draw, [calls(draw) for _ in range(PAIRS // 6)]):
        result = evaluator.evaluate_invocations(
            [invocation(adk, intermediate_data=theirs(made)) for _, made in case],
            [invocation(adk, intermediate_data=theirs(wanted)) for wanted, _ in case],
        )
        references = [None if wanted is None else tuple(wanted) for wanted, _ in case]
        turns = [Turn(user="hi", reference=Reference(tool_calls=wanted)) for wanted in references]
        exchanges = [Exchange(user="hi", replies=(Reply(text="ok"),), tool_calls=tuple(made)) for _, made in case]

        assert strictly(turns, exchanges, check) == compared(result), case


def theirs(made: Sequence[ToolCallReference] | Sequence[ToolCall] | None) -> dict[str, Any] | None:
    """Return calls as ADK has them; the ids differ, and never count."""
    if made is None:
        return None
    return {"tool_uses": [{"id": str(id(call)), "name": call.name, "args": call.arguments} for call in made]}
