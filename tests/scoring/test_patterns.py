import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from audition.scoring.patterns import BadPattern, PatternTimeout, pattern


@pytest.mark.parametrize(
    ("source", "text"),
    [
        pytest.param(r"TKT-\d{3}", "see tkt-123, please", id="searched, case ignored"),
        pytest.param("(?i)hello", "Hello", id="inline flag"),  # M9
        pytest.param("(?i)refund approved", "Refund Approved.", id="inline flag, words"),  # case: find-comment#127
        pytest.param(r"costs 30\$", "The device costs 30$ today", id="escaped dollar"),  # case: 68791881717
        pytest.param(r"(?<year>\d{4})-\k<year>", "2020-2020", id="named group"),
        pytest.param(r"(?P<year>\d{4})-\k<year>", "2020-2020", id="named group as Python writes it"),
        pytest.param(r"(a)?\1b", "b", id="a group that took no part is nothing"),
        pytest.param(r"a\/b", "a/b", id="escaped slash"),
        pytest.param("/usr/local/", "in /usr/local/bin", id="a path is no delimited pattern"),
        pytest.param(r"\u00e9\x41\u{1F600}\cJ\0\t", "éA😀\n\0\t", id="characters by their code"),
        pytest.param(r"\uD83D\uDE00", "😀", id="a surrogate pair"),
        pytest.param(r"^\p{L}+$", "Größe", id="a property"),
        pytest.param(r"[\p{Script=Greek}]", "π", id="a property in a class"),
        pytest.param(r"[\P{L}]", "1", id="a negated property in a class"),
        pytest.param("café", "cafe\u0301", id="text in NFD"),  # M36
        pytest.param("cafe\u0301", "café", id="pattern in NFD"),  # M36
        pytest.param(r"\s", "\ufeff", id="a byte order mark is a space"),
        pytest.param(r"\bcaf\b", "café", id="word borders are ASCII"),
        pytest.param(r"a\Bb", "ab", id="no word border"),
        pytest.param(r"[\w-.]+x", "a-.x", id="a hyphen after a set is itself"),
        pytest.param(r"[a-\d]", "-", id="a hyphen before a set is itself"),
        pytest.param("[a-]", "-", id="a hyphen at the end of a class"),
        pytest.param("[[:alpha:]]", ":]", id="no POSIX classes"),
        pytest.param(r"[\b]", "\b", id="backspace"),
        pytest.param(r"[^\d\s]", "x", id="a negated class of sets"),
        pytest.param(r"[\D]", "x", id="a negated set in a class"),
        pytest.param("[^]", "\n", id="anything"),
        pytest.param("x{e}", "x{e}", id="a brace that repeats nothing"),
        pytest.param("a{,3}]}", "a{,3}]}", id="loose brackets"),
        pytest.param("(?s)a.b", "a\nb", id="dot for all"),
        pytest.param("(?s:a.)b", "a\nb", id="dot for all in a group"),
        pytest.param("(?m)^b$", "a\nb\nc", id="line by line"),
        pytest.param("(?<!b)a(?!c)(?<=a)(?=d)", "ad", id="looking around"),
        pytest.param("^a{2}b{1,}?c{0,2}$", "aabbc", id="repeats"),
    ],
)
def test_a_pattern_is_found(source: str, text: str) -> None:
    assert pattern(source).found_in(text) is True


@pytest.mark.parametrize(
    ("source", "text"),
    [
        pytest.param("costs 30$", "The device costs 30$ today", id="dollar is the end"),  # case: 68791881717
        pytest.param(r"^\d+$", "12\n", id="the end is the very end"),
        pytest.param("^b$", "a\nb\nc", id="the start is the very start"),
        pytest.param(r"\d", "٣", id="digits are ASCII"),
        pytest.param(r"\w", "é", id="word characters are ASCII"),
        pytest.param(r"\S", "\u00a0\ufeff", id="odd spaces are spaces"),
        pytest.param(r"[\S]", "\u00a0\ufeff", id="odd spaces are spaces in a class"),
        pytest.param(r"[\W]", "sk", id="word characters when case is ignored"),
        pytest.param(".", "\u2028", id="dot stops at line ends"),
        pytest.param("(?s:x)a.b", "xa\nb", id="dot for all ends with its group"),
        pytest.param("[]", "a", id="an empty class is nothing"),
        pytest.param("[^\\n]a", "\na", id="a negated class"),
    ],
)
def test_a_pattern_is_not_found(source: str, text: str) -> None:
    assert pattern(source).found_in(text) is False


def test_case_counts_when_asked_for() -> None:
    assert pattern("Hello", case_sensitive=True).found_in("hello") is False
    assert pattern("(?i)Hello", case_sensitive=True).found_in("hello") is True
    assert pattern("(?i:H)ello", case_sensitive=True).found_in("hello") is True
    assert pattern("(?-i:H)ello").found_in("hello") is False


@pytest.mark.parametrize(
    ("source", "message"),
    [
        pytest.param("/hello/i", "slashes are literal; leave them out", id="delimited"),  # M9, case: find-comment#127
        pytest.param("/refund approved/", "slashes are literal; leave them out", id="delimited without flags"),
        pytest.param("(", "not a pattern: a ')' is missing", id="open group"),
        pytest.param("a)", "not a pattern: a ')' has no '('", id="stray bracket"),
        pytest.param("[a", "not a pattern: a ']' is missing", id="open class"),
        pytest.param(r"\A", r"not a pattern: unknown escape \A", id="start as Python writes it"),
        pytest.param("\\", "not a pattern: unknown escape \\", id="backslash at the end"),
        pytest.param(r"\u{110000}", "not a pattern: there is no character 110000", id="no such character"),
        pytest.param(r"\p", r"not a pattern: \p without a property", id="no property"),
        pytest.param(r"\p{Nonsense}", "not a pattern: unknown property", id="unknown property"),
        pytest.param(r"\k", r"not a pattern: \k without a name", id="no group name"),
        pytest.param("*a", "not a pattern: nothing to repeat at '*a'", id="nothing to repeat"),
        pytest.param("a++", "not a pattern: nothing to repeat at '+'", id="repeated twice"),
        pytest.param("(?x)a", "unknown flag 'x' in (?x)", id="unknown flag"),
        pytest.param("(?>a)", "not a pattern: unknown group '(?>a'", id="unknown group"),
        pytest.param("[b-a]", "not a pattern: bad character range", id="range backwards"),
        pytest.param("x" * 10_001, "the pattern is longer than 10000 characters", id="too long"),
        pytest.param("(" * 51 + ")" * 51, "the pattern is nested too deeply", id="too deep"),
        pytest.param("a{1000000000}", "the pattern is too large: it repeats something too often", id="too large"),
        pytest.param("(?:(?:a{99}){99}){99}", "the pattern is too large: it repeats something too often", id="nested"),
        pytest.param("a{9999999999}", "the pattern is too large: it repeats something too often", id="huge"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_reason(source: str, message: str) -> None:
    with pytest.raises(BadPattern) as caught:
        pattern(source)

    assert caught.value.message == message


def test_a_refused_anchor_says_what_to_write() -> None:
    with pytest.raises(BadPattern) as caught:
        pattern(r"end\Z")

    assert caught.value.hint == "write $ for the end of the text"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        # case: NVIDIA-NeMo/Guardrails#2271
        pytest.param("(x|xx)+$", "x" * 40 + "y", id="alternatives"),
        pytest.param("a.*b.*c.*d", "a" * 1_000_000, id="a very long text"),
    ],
)
def test_a_search_that_takes_too_long_is_given_up(source: str, text: str) -> None:
    with pytest.raises(PatternTimeout, match="pattern took longer than 1 s"):
        pattern(source).found_in(text)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        # case: NVIDIA-NeMo/Guardrails#2271, ezylang/EvalEx#572
        pytest.param("^(a+)+$", "a" * 30 + "!", id="nested repeats"),
        pytest.param("(.*)(.*)(.*)=", "y" * 20_000, id="many repeats"),
        pytest.param(r"^(\w+\s?)*$", "a" * 40 + "!", id="words"),
    ],
)
def test_an_evil_pattern_is_never_found_by_chance(source: str, text: str) -> None:
    try:
        found = pattern(source).found_in(text)
    except PatternTimeout:
        found = False

    assert found is False


@given(st.text())
@example("30$")
@example("a/b(c)[d]{e}\\.^|*+?-")
def test_a_text_escaped_letter_by_letter_is_found_in_itself(text: str) -> None:
    escaped = "".join(f"\\{char}" if not char.isalnum() and char.isascii() else char for char in text)

    assert pattern(escaped).found_in(text) is True


@given(st.text(alphabet="ab.(|)[]^$*+?{}\\1dwsb<>=!:-,", max_size=25), st.text(alphabet="ab1 -\n", max_size=20))
def test_any_pattern_is_either_refused_or_searched_for(source: str, text: str) -> None:
    try:
        found: object = pattern(source).found_in(text)
    except (BadPattern, PatternTimeout) as error:
        found = error

    assert found in (True, False) or isinstance(found, BadPattern | PatternTimeout)
