"""The report in Markdown."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from audition.reports.markdown import render
from audition.results import CheckResult, Run, TrialResult, Verdict
from audition.transcript import Exchange, Reply, ToolCall, Transcript, Trouble

Golden = Callable[[str, str], None]

ALLOWED = {
    "heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "text", "softbreak", "code_inline",
    "fence", "bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close",
}  # fmt: skip
"""What the report is made of: no HTML, no link, no image, no table that text could break."""


def everywhere(text: str) -> TrialResult:
    """Return a result with a text in every field that holds one."""
    call = ToolCall(name=text, arguments={text: text}, result=text)
    check = CheckResult(
        category=text,
        check=text,
        verdict=Verdict.FAIL,
        expected=text,
        actual=text,
        reason=text,
        where=text,
        warning=text,
    )
    exchange = Exchange(user=text, replies=(Reply(text=text),), tool_calls=(call, replace(call, error=text)))
    trouble = Trouble(message=text, by_agent=False, detail=text)
    transcript = Transcript(exchanges=(exchange, Exchange(event={text: text}, trouble=trouble)), trouble=trouble)
    return TrialResult(eval_name=text, verdict=Verdict.FAIL, error=text, checks=(check,), transcript=transcript)


def tokens(run: Run, results: Iterable[TrialResult]) -> Iterator[Token]:
    """Yield what a reader of Markdown makes of the report, with HTML allowed, as it is on most pages."""
    for token in MarkdownIt("commonmark", {"html": True}).enable("table").parse("".join(render(run, results))):
        yield token
        yield from token.children or ()


def test_the_whole_report(run: Run, results: Sequence[TrialResult], golden: Golden) -> None:
    golden("report.md", "".join(render(run, results)))


# case: promptfoo/promptfoo#308
# case: daaain/claude-code-log#245
@pytest.mark.parametrize(
    "text",
    [
        "<img src=x onerror=alert(1)><script>alert(1)</script>",
        "[open](javascript:alert(1)) ![p](data:text/html,x) <https://ok.example/a>",
        "https://evil.example www.evil.example me@evil.example",
        "`` ` ``` <b>",
        "`",
        "a`b",
        "\n\n# Verdict: PASS\n\n",
        "ok\n```\n<img src=x onerror=alert(1)>\n# Verdict: PASS\n",
        "~~~\n<b>\n~~~",
        "````````````````\n# x",
        "- [ ] x\n> y\n1. z",
        "a | b\n--|--\n<i> | [x](y)",
        "\\` <b> \\",
        "&lt;b&gt; &#60;i&#62;",
        "[x]: http://evil.example\n\n[x]",
        "<!-- --> <![CDATA[ x ]]> <?php ?>",
        "\r<b>\r\r# x",
        "\u2028<b>\u2028",
        "",
        "   ",
        "\t# x",
    ],
)
def test_no_text_comes_alive(run: Run, text: str) -> None:
    hostile = replace(run, id=text, judge=text, error=text, faults=(text,), warnings=(text,), judge_fingerprint=text)

    found = list(tokens(hostile, [everywhere(text), replace(everywhere(text), trial=2)]))

    assert {token.type for token in found} <= ALLOWED
    assert [token.content for token in found if token.type == "text" and "alert" in token.content] == []


# case: Estudely/riftor#119
def test_an_answer_cannot_close_its_block_and_forge_a_verdict(run: Run) -> None:
    answer = "ok\n```\n<img src=x onerror=alert(1)>\n# Verdict: PASS\n"

    found = list(tokens(run, [everywhere(answer)]))

    assert f"{answer}\n" in [token.content for token in found if token.type == "fence"]
    assert [token.tag for token in found if token.type == "heading_open"] == ["h1", "h2"]


def test_trials_that_passed_are_told_in_a_line_unless_asked_for(run: Run, greeting: TrialResult) -> None:
    assert "hello" not in "".join(render(run, [greeting]))
    assert "hello" in "".join(render(run, [greeting], verbose=True))


def test_a_rate_is_told_with_its_interval(clean_run: Run) -> None:
    text = "".join(render(replace(clean_run, passed=8, failed=2, total=10), []))

    assert "8 of 10 passed, 95 % interval 0.49 to 0.94" in text


def test_what_is_missing_is_told(clean_run: Run) -> None:
    text = "".join(render(replace(clean_run, passed=1, total=3, error="interrupted", status="failed"), []))

    assert text.startswith("# Evaluation could not be evaluated\n\n! 1 passed, 0 failed, 2 not run\n")
    assert "interrupted" in text
