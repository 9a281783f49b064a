"""The report as a page."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from lxml import html

from audition.reports.html import render
from audition.results import CheckResult, Run, TrialResult, Verdict, Vote
from audition.transcript import Exchange, Reply, State, ToolCall, Transcript, Trouble, WorkflowEvent

Golden = Callable[[str, str], None]

ELEMENTS = {
    "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "p", "span", "div", "dl", "dt", "dd",
    "details", "summary", "svg", "rect",
}  # fmt: skip
"""All that the page is made of: nothing that runs, loads, links or sends."""

ATTRIBUTES = {
    "lang", "charset", "http-equiv", "content", "name", "class", "open", "viewbox", "preserveaspectratio", "role",
    "aria-label", "x", "y", "width", "height",
}  # fmt: skip

_SCRIPTS = ("alert(1)", "document.title='pwned'", "fetch('//evil.example')", "top.location='//evil.example'")
_SHAPES = (
    "<script>{}</script>",
    '"><script>{}</script>',
    "'><script>{}</script>",
    "</div><script>{}</script>",
    "</style><script>{}</script>",
    "</title><script>{}</script>",
    "--><script>{}</script><!--",
    "]]><script>{}</script>",
    '<img src=x onerror="{}">',
    "<svg onload={}>",
    "<svg><animate onbegin={} attributeName=x>",
    "<body onload={}>",
    "<details open ontoggle={}>",
    '<a href="javascript:{}">x</a>',
    "[x](javascript:{})",
    "![x](javascript:{})",
    '<iframe src="javascript:{}"></iframe>',
    "<iframe srcdoc='<script>{}</script>'>",
    '<form action="javascript:{}"><button>x',
    '<input autofocus onfocus="{}">',
    '<object data="javascript:{}">',
    '<embed src="javascript:{}">',
    '<math><mtext></mtext><mglyph><style><img src onerror="{}">',
    '<template><img src onerror="{}"></template>',
    '<meta http-equiv="refresh" content="0;url=javascript:{}">',
    '<base href="//evil.example/"><p>{}',
    '<link rel="stylesheet" href="//evil.example/{}">',
    '" onmouseover="{}',
    "' onmouseover='{}",
    "<style>@import '//evil.example/{}'</style>",
)
PAYLOADS = [shape.format(script) for shape in _SHAPES for script in _SCRIPTS]
"""120 texts that would run or fetch something if they were taken for HTML. Source: reliability research, S11."""


def everywhere(text: str) -> TrialResult:
    """Return a result with a text in every field that holds one."""
    data = {text: [text]}
    vote = Vote(reason=text, asked=text, model=text, answer=data, prompt_hash=text, raw=text)
    call = ToolCall(name=text, arguments=data, result=data, within=text)
    failed = ToolCall(name=text, error=text, malformed=text)
    check = CheckResult(
        category=text, check=text, verdict=Verdict.FAIL, expected=text, actual=text, reason=text, where=text,
        note=text, votes=(vote,), warning=text,
    )  # fmt: skip
    exchange = Exchange(
        user=text,
        replies=(Reply(text=text),),
        remarks=(Reply(text=text),),
        tool_calls=(call, failed),
        workflows=(WorkflowEvent(name=text, status=text, input=data),),
        state=State(bot=data, user=data, conversation=data),
        trouble=Trouble(message=text, by_agent=True, detail=text),
    )
    transcript = Transcript(
        exchanges=(exchange, Exchange(event=data)), trouble=Trouble(message=text, by_agent=False, detail=text)
    )
    return TrialResult(
        eval_name=text,
        verdict=Verdict.FAIL,
        tags=(text,),
        error=text,
        checks=(replace(check, turn=0), replace(check, turn=5), check),
        transcript=transcript,
        started_at=text,
    )


def run_of(run: Run, text: str) -> Run:
    """Return a run with a text in every field that holds one."""
    texts = {"id": text, "agent": text, "judge": text, "error": text, "judge_fingerprint": text}
    return replace(run, **texts, paths=(text,), faults=(text,), warnings=(text,), rescored_from=text)  # type: ignore[arg-type] # all of them are texts


def page(run: Run, results: Iterable[TrialResult], **options: Any) -> Any:
    """Return the page as a browser's parser reads it."""
    return html.document_fromstring("".join(render(run, results, **options)))


def test_the_whole_page(run: Run, results: Sequence[TrialResult], golden: Golden) -> None:
    golden("report.html", "".join(render(run, results)))


# case: promptfoo/promptfoo#308
# case: daaain/claude-code-log#245
@pytest.mark.parametrize("payload", PAYLOADS)
def test_no_text_becomes_part_of_the_page(run: Run, payload: str) -> None:
    read = page(run_of(run, payload), [everywhere(payload), replace(everywhere(payload), trial=2)])

    assert {element.tag for element in read.iter()} == ELEMENTS
    assert {name for element in read.iter() for name in element.attrib} == ATTRIBUTES
    assert read.xpath("//style/text()") == page(run, []).xpath("//style/text()")


@pytest.mark.parametrize("payload", PAYLOADS[:: len(_SCRIPTS)])
def test_an_answer_is_there_in_full(run: Run, payload: str) -> None:
    read = page(run, [everywhere(payload)])

    assert payload in [element.text_content() for element in read.xpath("//div[@class='text plain']")]


def test_very_long_answers_are_not_cut(run: Run) -> None:
    assert "x" * 300_000 in "".join(render(run, [everywhere("x" * 300_000)]))


# case: promptfoo/promptfoo#4550
def test_marked_characters_are_escaped(run: Run) -> None:
    assert "Is 3&lt;5 &amp; &quot;x&quot; set?" in "".join(render(run, [everywhere('Is 3<5 & "x" set?')]))


def test_the_page_asks_for_nothing_and_may_not(run: Run, results: Sequence[TrialResult]) -> None:
    text = "".join(render(run, results))

    assert re.search(r"url\(|@import|<link|src=|href=", text) is None
    assert "default-src 'none'; style-src 'sha256-" in html.document_fromstring(text).xpath(
        "string(//meta[2]/@content)"
    )


def test_trials_that_did_not_pass_are_open(run: Run, results: Sequence[TrialResult]) -> None:
    read = page(run, results)

    assert read.xpath("count(//details[contains(@class,'trial')][@open])") == 4
    assert read.xpath("count(//details[contains(@class,'trial pass')][@open])") == 0
    assert page(run, results, verbose=True).xpath("count(//details[contains(@class,'trial pass')][@open])") == 1


@pytest.mark.parametrize(
    ("changed", "title"),
    [
        ({"passed": 1, "total": 1}, "Evaluation passed"),
        ({"passed": 1, "failed": 1, "total": 2}, "Evaluation failed"),
        ({"passed": 1, "errors": 1, "total": 2}, "Evaluation could not be evaluated"),
        ({"passed": 1, "total": 2}, "Evaluation could not be evaluated"),
        ({"passed": 0, "total": 0}, "Evaluation could not be evaluated"),
        ({"passed": 0, "skipped": 1, "total": 1}, "Evaluation could not be evaluated"),
        ({"passed": 1, "total": 1, "error": "interrupted"}, "Evaluation could not be evaluated"),
    ],
    ids=["passed", "failed", "error", "missing", "nothing", "skipped", "broken off"],
)
def test_the_page_says_first_what_the_run_comes_to(clean_run: Run, changed: dict[str, Any], title: str) -> None:
    assert title in page(replace(clean_run, **changed), []).xpath("string(//h1)")


def test_a_rate_is_told_with_its_interval(clean_run: Run) -> None:
    read = page(replace(clean_run, passed=8, failed=1, errors=1, total=10), [])

    assert "8 of 10 passed, 95 % interval 0.49 to 0.94" in read.xpath("string(//main)")


def test_the_key_in_an_agents_url_is_not_shown(run: Run) -> None:
    assert "s3cret" not in "".join(render(run, []))
