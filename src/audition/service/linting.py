"""What lint says of the cases of a dataset, whose subject's tools are known."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from audition.evals import Eval
from audition.scoring.lint import EvalFinding, lint_eval, rules
from audition.service.bodies import refuse
from audition.service.case_evals import to_eval
from audition.service.conventions import STRICT
from audition.settings import Settings
from audition.store.service.cases import Case
from audition.subjects import Subject, everyone

_NO_RESPONSE_CAN_PASS = frozenset({"L1", "L2", "L3", "L4"})
"""Source: evals REST API, Criteria no response can pass."""

_NAMED_ELSEWHERE = frozenset({"mcp", "openapi"})
"""Kinds of tools that stand for several, whose names are known when they are opened."""


def tool_names(subject: Subject) -> frozenset[str] | None:
    """Return the names of all tools of a subject and of all below it; None when they are not all known."""
    tools = [tool for one in everyone(subject) for tool in one.tools]
    if any(tool.get("kind") in _NAMED_ELSEWHERE for tool in tools):
        return None
    return frozenset(str(tool.get("name")) for tool in tools)


def lint_case(settings: Settings, case: Case, tools: Iterable[str] | None) -> list[dict[str, object]]:
    """Return the findings in one case, but for those that settings ignore."""
    found = lint_eval(to_eval(case), tools=_with_fixtures(case, tools))
    return [_finding(one) for one in found if one.finding.code not in settings.lint_ignore]


def lint_cases(settings: Settings, cases: Sequence[Case], tools: Iterable[str] | None) -> list[dict[str, object]]:
    """Return the findings in cases, each by itself and then beside the others, with the ids of the cases."""
    ids = {f"case-{case.id}": case.id for case in cases}
    names = None if tools is None else frozenset(tools)
    alone = [one for case in cases for one in lint_eval(to_eval(case), tools=_with_fixtures(case, names))]
    evals = [_with_cluster(to_eval(case), case.cluster) for case in cases]
    beside = [one for rule in rules() if hasattr(rule, "compare") for one in rule.compare(evals)]
    kept = [one for one in (*alone, *beside) if one.finding.code not in settings.lint_ignore]
    return [_finding(one, case_id=ids[one.eval_name]) for one in kept]


def insist_on_passable(findings: Mapping[str, Sequence[Mapping[str, object]]]) -> None:
    """Refuse criteria that no response can pass, when the client asks to be told of everything.

    `findings` are those of each case, by the JSON pointer to the case. Raises: Problem 422 listing them.
    """
    if STRICT.get():
        refuse(
            [
                (f"{place}/expected_criteria", f"{one['code']}: {one['message']}")
                for place, several in findings.items()
                for one in several
                if one["code"] in _NO_RESPONSE_CAN_PASS
            ]
        )


def _with_cluster(one: Eval, cluster: str | None) -> Eval:
    """Return an eval by which lint sees that it is meant to be like others."""
    return one if cluster is None else replace(one, tags=(*one.tags, f"cluster:{cluster}"))


def _with_fixtures(case: Case, tools: Iterable[str] | None) -> frozenset[str] | None:
    if tools is None:
        return None
    return frozenset(tools) | {str(tool.get("name")) for tool in case.tool_fixtures}


def _finding(one: EvalFinding, *, case_id: int | None = None) -> dict[str, object]:
    found = one.finding
    return {
        "code": found.code,
        "severity": found.severity,
        **({} if case_id is None else {"case_id": case_id}),
        "key": one.key,
        "text": one.text,
        "start": found.start,
        "end": found.end,
        "message": found.message,
        "rewrite": found.rewrite,
    }
