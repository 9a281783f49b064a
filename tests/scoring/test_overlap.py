"""Word overlap: which words a text has, how two texts share them, and what the overlap does not show."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audition.scoring.overlap import rouge_1, told_apart, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Running, runs!", ["run", "run"], id="stems"),
        pytest.param("was is the", ["was", "is", "the"], id="three letters are no stems"),
        pytest.param("order_id don't 24.5", ["order", "id", "don", "t", "24", "5"], id="everything else parts words"),
        pytest.param("ＡＢＣ ﬁle", ["abc", "file"], id="NFKC"),
        pytest.param("在庫がある", ["在", "庫", "が", "あ", "る"], id="Japanese"),
        pytest.param("주문 ok", ["주", "문", "ok"], id="Korean"),
        pytest.param("ครับ", ["ค", "รั", "บ"], id="Thai: a mark belongs to its letter"),
        pytest.param("भेज दिया", ["भेज", "दिया"], id="Hindi"),
        pytest.param("Заказы доставлены", ["заказы", "доставлены"], id="no stems but for ASCII"),
        pytest.param("naïve runners", ["naïve", "runner"], id="accents"),
        pytest.param("👍 ⭐ --", [], id="no words"),
        pytest.param("\ud800 a\x00b", ["a", "b"], id="half a character"),
    ],
)
def test_a_text_has_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("reference", "answer", "expected"),
    [
        # case: google/adk-python#3111
        ("ขอบคุณครับ", "ขอบคุณครับ", 1.0),
        ("आपका ऑर्डर भेज दिया गया", "आपका ऑर्डर भेज दिया गया", 1.0),
        ("Заказ доставлен", "Заказ доставлен", 1.0),
        # case: google/adk-python#6292
        ("Заказ доставлен вчера", "Заказ отменён вчера", 0.666667),
        ("تم الشحن", "تم الشحن اليوم", 0.8),
        ("Το γραφείο είναι κλειστό", "Το γραφείο είναι ανοιχτό", 0.75),
        # case: google/adk-python#4131
        ("在庫があります", "在庫がありません", 0.8),
        # case: google/adk-python#6443
        ("El café está cerrado", "El cafe esta cerrado", 0.5),
        ("café olé", "cafe\u0301 ole\u0301", 1.0),
        ("ＡＢＣ１２３", "ABC123", 1.0),
        ("Não há voos", "Nao ha voos", 0.333333),
        # case: google-research/google-research#239
        ("Balance: 1,250 EUR", "Balance: 1250 EUR", 0.571429),
        ("Total is 3.5 kg", "Total is 3.50 kg", 0.8),
        ("don't worry", "dont worry", 0.4),
        ("order_id 77", "order id 77", 1.0),
        # case: google-research/google-research#168
        ("Step 1: unplug\nStep 2: wait", "Step 1: unplug\r\nStep 2: wait", 1.0),
        ("**Open** Monday to Friday, 9-17", "Open Monday to Friday 9-17", 1.0),
        ("Use <b>Save</b>", "Use Save", 0.666667),
        # case: beyonai/by-framework-python#132
        ("Your order has shipped.", "Your order has shipped.", 1.0),
        # case: promptfoo/promptfoo#10411
        ("", "Your parcel left today", 0.0),
        ("Your parcel left today", "", 0.0),
        ("", "", 0.0),
        ("a b c d", "a b", 0.666667),
        ("a a a", "a", 0.5),
        ("the light is on", "off is light the", 0.75),
    ],
)
def test_the_overlap_is_the_f_measure_of_shared_words(reference: str, answer: str, expected: float) -> None:
    assert rouge_1(reference, answer) == pytest.approx(expected, abs=1e-6)


@given(st.text(), st.text())
def test_the_overlap_is_between_0_and_1_and_the_same_both_ways(one: str, other: str) -> None:
    score = rouge_1(one, other)

    assert 0 <= score <= 1 + 1e-9
    assert rouge_1(other, one) == pytest.approx(score)


@given(st.text())
def test_a_text_with_words_overlaps_with_itself(text: str) -> None:
    assert rouge_1(text, text) == (1.0 if words(text) else 0.0)


@pytest.mark.parametrize(
    ("reference", "answer", "expected"),
    [
        # peers M26
        pytest.param(
            "it is at 21", "it is not at 21", "negations expected: none, said: not", id="a negation in the answer"
        ),
        pytest.param("It isn’t open", "It is open", "negations expected: isn't, said: none", id="a negation left out"),
        pytest.param("在庫があります", "在庫がありません", "negations expected: none, said: ません", id="Japanese"),
        pytest.param("order 9100", "order 1900", "numbers expected: 9100, said: 1900", id="a number"),
        pytest.param("二十一度", "二十二度", "numbers expected: 二十一, said: 二十二", id="a Chinese number"),
        pytest.param(
            "not 5", "6", "numbers expected: 5, said: 6, negations expected: not, said: none", id="both at once"
        ),
        pytest.param("1,250 EUR", "EUR １250", None, id="one number, written in two ways"),
        pytest.param("Do not open it", "Never open it", None, id="two words for no"),
        pytest.param("nothing new", "Nothing new", None, id="the same"),
    ],
)
def test_other_numbers_and_negations_are_told(reference: str, answer: str, expected: str | None) -> None:
    assert told_apart(reference, answer) == expected
