"""Lint: what is wrong with the texts that judges are asked about. Each file is one rule, found by its code.

A rule offers `CODE`, `SEVERITY`, an `EXAMPLE` of what it finds (in the `SCENARIO`, or beside the `TOOLS`, it names)
with a `REWRITE`, and `look(criterion)`, or `compare(evals)` when it looks at several. Its docstring says what is wrong.
Rules are pure and know English; of texts in other languages they say nothing that needs its words.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from types import ModuleType

from audition.errors import UnknownName
from audition.evals import Eval
from audition.registry import Folder
from audition.scoring.lint._criterion import Criterion, LintFinding, Severity, criterion
from audition.scoring.lint._evals import EvalFinding, JudgedText, judged_texts
from audition.text import nearest

__all__ = [
    "RULES",
    "Criterion",
    "EvalFinding",
    "JudgedText",
    "LintFinding",
    "Severity",
    "criterion",
    "judged_texts",
    "known_codes",
    "lint",
    "lint_eval",
    "lint_evals",
    "lint_text",
    "rules",
]

RULES = Folder("lint rule", "audition.scoring.lint")


@cache
def rules() -> tuple[ModuleType, ...]:
    """Return all rules, by the number in their code."""
    return tuple(sorted((RULES.get(name) for name in RULES.names()), key=lambda rule: _number(rule.CODE)))


def known_codes(codes: Iterable[str]) -> frozenset[str]:
    """Return codes of rules in capital letters.

    Raises: UnknownName for one that no rule has.
    """
    wanted = [code.strip().upper() for code in codes]
    known = tuple(rule.CODE for rule in rules())
    for code in wanted:
        if code not in known:
            raise UnknownName("lint rule", code, nearest=nearest(code, known), known=known)
    return frozenset(wanted)


def lint_text(text: str, *, scenario: str | None, tools: Iterable[str] | None) -> list[LintFinding]:
    """Return what is wrong with a text that a judge is asked about, in the order of the text.

    `scenario` is what the user says and the case gives, `tools` the names of all tools that the agent has; None for
    what is not known, and then the rules that need it say nothing.
    """
    return lint(criterion(text, scenario=scenario, tools=tools))


def lint(one: Criterion) -> list[LintFinding]:
    """Return what is wrong with a criterion, in the order of its text."""
    found = (finding for rule in rules() if hasattr(rule, "look") for finding in rule.look(one))
    return sorted(found, key=lambda finding: (finding.start, _number(finding.code)))


def lint_eval(an_eval: Eval, *, tools: Iterable[str] | None = None) -> list[EvalFinding]:
    """Return what is wrong with the texts of an eval that judges are asked about, turn by turn."""
    return [*_of_texts(an_eval, None if tools is None else frozenset(tools))]


def lint_evals(
    evals: Sequence[Eval], *, tools: Collection[str] | None = None, codes: Collection[str] | None = None
) -> list[EvalFinding]:
    """Return what is wrong with evals, each by itself and then beside the others; `codes` None: by all rules."""
    found = [finding for one in evals for finding in lint_eval(one, tools=tools)]
    found += [finding for rule in rules() if hasattr(rule, "compare") for finding in rule.compare(evals)]
    return [one for one in found if codes is None or one.finding.code in codes]


def _of_texts(an_eval: Eval, tools: frozenset[str] | None) -> Iterator[EvalFinding]:
    for judged in judged_texts(an_eval, tools=tools):
        for finding in lint(judged.criterion):
            yield EvalFinding(
                eval_name=judged.eval_name,
                key=judged.key,
                text=judged.criterion.text,
                where=judged.where,
                finding=finding,
            )


def _number(code: str) -> int:
    return int(code[1:])
