"""Evals as cases, and cases as evals of files: what one says is what the other says."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from audition.evals import Check, Eval, Turn
from audition.formats.eval_dict import write_eval
from audition.scoring.checks import CATEGORIES
from audition.service.bodies import LONGEST_TEXT
from audition.service.case_evals import read_case_eval, to_eval
from audition.store.service.cases import Case, document_of
from audition.text import shorten
from audition.wire import to_json

KEPT = "audition_case"
"""The key under an eval's `extra` that holds what a case says beyond its eval."""

ADK_KEY = "audition"
"""The key under an eval's `extra` that holds what is ours in an eval set of Google's ADK."""

_BEYOND = ("must_pass", "cluster", "context")
_JUDGED = {"criteria": "criteria", "response": "llm_judge"}
"""The key that holds a text for a judge, by category of check."""


def row_of_eval(an_eval: Eval) -> dict[str, Any]:
    """Return an eval as the row of a case: `eval` and what is said beyond it. Its name is the id it has elsewhere."""
    written = write_eval(an_eval)
    extra: Any = dict(an_eval.extra)
    kept = extra.pop(KEPT, {})
    written.pop("extra", None)
    if extra:
        written["extra"] = extra
    row = {"external_id": an_eval.name, "tags": list(an_eval.tags), **(kept if isinstance(kept, Mapping) else {})}
    return row | {"eval": written}


def case_of_eval(row: Case, written: Mapping[str, Any], *, own_tags: bool) -> Case:
    """Return the case of an eval that is written without fault; `row` holds what is said beyond it.

    An eval that says no more than a scenario and criteria is a plain case. `own_tags`: the row's tags hold in place of
    the eval's.
    """
    an_eval = read_case_eval(written, "eval").evals[0]
    if not own_tags:
        row = replace(row, tags=an_eval.tags)
    canonical = write_eval(an_eval)
    plain = _plain(row, an_eval)
    if plain is not None and _said_by(to_eval(plain)) == _said_by(an_eval):
        return plain
    return replace(
        row,
        scenario=_opening(an_eval),
        expected_criteria=_expected(an_eval),
        context={},
        tool_fixtures=(),
        eval=canonical,
    )


def eval_of_case(case: Case, name: str) -> Eval:
    """Return a case as an eval of that name; what it says beyond an eval stands under `extra`."""
    an_eval = to_eval(case)
    document = document_of(case)
    kept = {key: document[key] for key in _BEYOND if key in document}
    if case.external_id != name:
        kept["external_id"] = case.external_id
    extra = {**an_eval.extra, KEPT: kept} if kept else an_eval.extra
    return replace(an_eval, name=name, tags=case.tags, extra=extra)


def _plain(row: Case, an_eval: Eval) -> Case | None:
    """Return the plain case that may say the same as an eval, None when there is none."""
    if len(an_eval.turns) != 1 or len(an_eval.turns[0].checks) != 1:
        return None
    (turn,) = an_eval.turns
    (check,) = turn.checks
    said = turn.user or ""
    if check.category != "criteria" or not said.strip() or len(said) > LONGEST_TEXT:
        return None
    tools: Any = write_eval(an_eval).get("setup", {})
    return replace(
        row,
        scenario=said,
        expected_criteria=str(check.spec["criteria"]),
        tool_fixtures=tuple(tools.get("tools", ())),
        eval=None,
    )


def _said_by(an_eval: Eval) -> Mapping[str, object]:
    """Return what an eval says; its name and tags are the case's, and the eval set it came from is no part of it."""
    written = {key: value for key, value in write_eval(an_eval).items() if key not in ("name", "tags")}
    extra = {key: value for key, value in an_eval.extra.items() if key != KEPT}
    if isinstance(ours := extra.get(ADK_KEY), Mapping) and ours.keys() == {"eval_set"}:
        del extra[ADK_KEY]
    return {**written, "extra": extra}


def _opening(an_eval: Eval) -> str:
    """Return what the user says first, or what happens first."""
    if an_eval.scenario is not None:
        said = an_eval.scenario.starting_prompt
    elif not an_eval.turns:
        said = f"(the workflow {an_eval.setup.workflow.name})" if an_eval.setup.workflow else "(nothing is said)"
    else:
        first = an_eval.turns[0]
        said = f"(an event: {to_json(first.event)})" if first.user is None else first.user
    return shorten(said, LONGEST_TEXT) if said.strip() else "(nothing is said)"


def _expected(an_eval: Eval) -> str:
    """Return the texts that judges are asked about, one a line; where there are none, what must hold."""
    checks = [check for turn in an_eval.turns for check in turn.checks] + list(an_eval.outcome)
    judged = [text for check in checks if (text := _judged(check))]
    lines = judged or [line for index, turn in enumerate(an_eval.turns) for line in _of_turn(index, turn)]
    if not judged:
        lines += [_described("In the end", check) for check in an_eval.outcome]
    return shorten("\n".join(lines), LONGEST_TEXT)


def _judged(check: Check) -> str | None:
    text = check.spec.get(_JUDGED.get(check.category, ""))
    return text if isinstance(text, str) and text.strip() else None


def _of_turn(index: int, turn: Turn) -> list[str]:
    place = f"On turn {index + 1}"
    silent = [f"{place}: says nothing."] if turn.expect_silence else []
    return silent + [_described(place, check) for check in turn.checks]


def _described(place: str, check: Check) -> str:
    rule = CATEGORIES.get(check.category).rule(check.spec)
    return f"{place}, {check.category}: {rule.describe()}."
