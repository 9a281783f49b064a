"""The words Botpress's evals engine has for a check, and ours for the same, by which its reports are written and read.

Source: Botpress evals engine 2.0.2, the `assertion` of a run report.
"""

import json
import re
from collections.abc import Callable, Mapping

from audition.scoring.matchers import OPERATOR_TABLE, shown

FOREIGN = "botpress"
"""The category of an assertion that has no words here; its check is the label as it stands."""

_TEXT = r'"(?:[^"\\]|\\.)*"'
_RESPONSE = re.compile(rf"(contains|not_contains|matches|llm_judge): ({_TEXT})")
_CALLED = re.compile(rf"called: ({_TEXT})( with )?(.*)", re.DOTALL)
_NOT_CALLED = re.compile(rf"not_called: ({_TEXT})")
_ORDER = re.compile(rf"call_order: {_TEXT}(?:, {_TEXT})*")
_STATE = re.compile(rf"(.+?): ((?:not )?changed|{'|'.join(OPERATOR_TABLE)})( and \w+)?\b.*", re.DOTALL)
_WORKFLOW = re.compile(r"(.+?): ((?:not )?(?:entered|completed|failed)\b.*|(?:status|input) .*)", re.DOTALL)
_TIMING = re.compile(r"response_time: (.*)", re.DOTALL)


def label_of(category: str, check: str) -> str:
    """Return what Botpress calls a check; one that it does not know is called `category: check`."""
    label = _LABELS[category](check) if category in _LABELS else None
    return label or f"{category}: {check}"


def check_of(label: str, expected: str) -> tuple[str, str]:
    """Return the category of a label and the check in our words; `expected` is what stands beside it in the report."""
    for form, category, words in _CHECKS:
        if found := form.fullmatch(label):
            return category, words(found, expected)
    return FOREIGN, label


def _response_label(check: str) -> str | None:
    if check in ("a reply", "silence"):
        return "response" if check == "a reply" else "no_response"
    return " and ".join(_response_part(kind, _read(text)) for kind, text in _RESPONSE.findall(check)) or None


def _response_part(kind: str, text: str) -> str:
    return {"matches": f"matches {text}", "llm_judge": f'llm_judge: "{text}"'}.get(kind, f'{kind} "{text}"')


def _tools_label(check: str) -> str | None:
    if found := _CALLED.fullmatch(check):
        return f"tool called: {_read(found[1])}" + (" with params" if found[2] else found[3])
    if found := _NOT_CALLED.fullmatch(check):
        return f"tool not_called: {_read(found[1])}"
    if _ORDER.fullmatch(check):
        return f"call_order: [{' → '.join(map(_read, re.findall(_TEXT, check)))}]"
    return None


def _state_label(check: str) -> str | None:
    found = _STATE.fullmatch(check)
    return f"state: {found[1]} {found[2].replace('not changed', 'unchanged')}{found[3] or ''}" if found else None


def _workflow_label(check: str) -> str | None:
    found = _WORKFLOW.fullmatch(check)
    return f"workflow: {found[1]} {found[2]}" if found else None


def _timing_label(check: str) -> str | None:
    found = _TIMING.fullmatch(check)
    return f"response_time {found[1].replace('gte ', '>= ').replace('lte ', '<= ')}" if found else None


_LABELS: Mapping[str, Callable[[str], str | None]] = {
    "response": _response_label,
    "tools": _tools_label,
    "state": _state_label,
    "workflow": _workflow_label,
    "timing": _timing_label,
    FOREIGN: str,
}


def _kind_and_text(found: re.Match[str], _: str) -> str:
    return f"{found[1]}: {shown(found[2])}"


def _order(found: re.Match[str], _: str) -> str:
    return f"call_order: {', '.join(map(shown, found[1].split(' → ')))}"


def _state(found: re.Match[str], expected: str) -> str:
    what = {"equals": f"equals {expected}", "unchanged": "not changed"}.get(found[2], found[2])
    return f"{found[1]}: {what}"


def _timing(found: re.Match[str], _: str) -> str:
    return f"response_time: {found[1].replace('>= ', 'gte ').replace('<= ', 'lte ')}"


_CHECKS: tuple[tuple[re.Pattern[str], str, Callable[[re.Match[str], str], str]], ...] = (
    (re.compile("response"), "response", lambda *_: "a reply"),
    (re.compile("no_response"), "response", lambda *_: "silence"),
    (re.compile('(contains|not_contains) "(.*)"', re.DOTALL), "response", _kind_and_text),
    (re.compile("(matches) (.*)", re.DOTALL), "response", _kind_and_text),
    (re.compile('(llm_judge): "(.*)"', re.DOTALL), "response", _kind_and_text),
    (re.compile("tool called: (.*) with params"), "tools", lambda found, _: f"called: {shown(found[1])} with params"),
    (re.compile("tool (called|not_called): (.*)"), "tools", _kind_and_text),
    (re.compile(r"call_order: \[(.*)\]"), "tools", _order),
    (re.compile("state: (.*) (equals|changed|unchanged)"), "state", _state),
    (
        re.compile("workflow: (.*?) ((?:not )?(?:entered|completed))"),
        "workflow",
        lambda found, _: ": ".join(found.groups()),
    ),
    (re.compile("response_time (.*)"), "timing", _timing),
)
"""The labels that are known: their form, their category, and what the check is called here."""


def _read(text: str) -> str:
    """Return a text that stands in quotes, as `shown` writes it."""
    return str(json.loads(text, strict=False))
