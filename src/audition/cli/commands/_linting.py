"""Findings of lint as a person and as a program read them, and which are told."""

import json
from collections.abc import Sequence

from audition.evals import Eval
from audition.scoring.lint import EvalFinding, known_codes, lint_evals, rules
from audition.settings import Settings
from audition.text import shorten

_LONGEST = 160
"""Characters of a text that are shown."""


def codes_wanted(settings: Settings, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> frozenset[str]:
    """Return the codes whose findings are told: those selected, or all, without those ignored here or in the settings.

    What is selected by name is told although the settings ignore it. Raises: UnknownName for a code of no rule.
    """
    chosen = known_codes(_split(select))
    left_out = known_codes(_split(ignore))
    if not chosen:
        chosen = frozenset(rule.CODE for rule in rules()) - known_codes(settings.lint_ignore)
    return chosen - left_out


def findings_of(settings: Settings, evals: Sequence[Eval], codes: frozenset[str]) -> list[EvalFinding]:
    """Return the findings of some rules in evals."""
    return lint_evals(evals, tools=settings.lint_tools, codes=codes)


def in_lines(one: EvalFinding) -> str:
    """Return a finding in lines: where and what, the words it is about, and a better text."""
    found = one.finding
    lines = [str(one), f"    {one.key}: {_one_line(one.text[found.start : found.end])!r}"]
    if found.rewrite:
        first, *more = found.rewrite.splitlines()
        lines += [f"    instead: {first}", *(f"             {line}" for line in more)]
    return "\n".join(lines)


def as_json(findings: Sequence[EvalFinding], evals: int) -> str:
    """Return findings as one JSON object; `start` and `end` are offsets in `text`."""
    listed = [
        {
            "code": one.finding.code,
            "severity": one.finding.severity,
            "eval": one.eval_name,
            "where": str(one.where) if one.where else None,
            "key": one.key,
            "text": one.text,
            "start": one.finding.start,
            "end": one.finding.end,
            "message": one.finding.message,
            "rewrite": one.finding.rewrite,
        }
        for one in findings
    ]
    return json.dumps({"evals": evals, "findings": listed}, ensure_ascii=False, indent=2)


def summary(findings: Sequence[EvalFinding], evals: int) -> str:
    """Return how many there are, in one line."""
    errors = sum(one.finding.severity == "error" for one in findings)
    return f"{_counted(evals, 'eval')}: {_counted(errors, 'error')}, {_counted(len(findings) - errors, 'warning')}"


def _split(codes: Sequence[str]) -> list[str]:
    return [code for given in codes for code in given.split(",") if code.strip()]


def _one_line(text: str) -> str:
    return shorten(" ".join(text.split()), _LONGEST)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
