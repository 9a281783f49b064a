"""From evals to an eval set that ADK reads, written as its own managers do: without nulls and defaults."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from audition.documents.located import plain
from audition.evals import Check, Data, Eval, Reference, Scenario, Suite, Turn
from audition.formats._adk_content import (
    calls_of,
    content_of,
    eval_set_of,
    intermediate_of,
    persona_of,
    persona_text,
    scope_and_name,
    state_key,
    text_of,
)
from audition.formats._adk_extras import CASE_KEYS, KEY, TURN_KEYS
from audition.formats._adk_shapes import INVOCATION_KEYS
from audition.formats._eval_writing import write_eval
from audition.scoring.personas import PERSONAS

_NOT_IN_AN_ID = re.compile(r"[^a-zA-Z0-9_]+")
_SESSION = {"app_name": "EvaluationGenerator", "user_id": "test_user_id"}
"""Whose session ADK opens when a case does not say."""

_DEFAULT_MAX_TURNS = Scenario(starting_prompt="", plan="").max_turns


def write_eval_set(suite: Suite, *, eval_set_id: str | None = None) -> dict[str, object]:
    """Return an EvalSet with the evals of a suite; reading it gives the same evals.

    Criteria that came from a config are left out: an eval set has no place for them. Without an id, the set has that of
    the one the evals came from, or the suite's name with nothing but ASCII letters, digits and `_`.
    """
    sets = [eval_set_of(one.extra) for one in suite.evals]
    known = dict(sets[0]) if sets and all(one == sets[0] for one in sets) else {}
    if eval_set_id is not None:
        known["eval_set_id"] = eval_set_id
    written = {"eval_set_id": _NOT_IN_AN_ID.sub("_", suite.name).strip("_") or "evals"} | known
    return written | {"eval_cases": [_case(one) for one in suite.evals]}


def _case(one: Eval) -> dict[str, object]:
    one = replace(one, outcome=tuple(check for check in one.outcome if "metric" not in check.spec))
    session, own_session = _session_input(one)
    final, rest = _final_state(one.outcome)
    case: dict[str, object] = {"eval_id": one.name}
    if one.scenario is None:
        case["conversation"] = [_invocation(turn) for turn in one.turns]
    else:
        case["conversation_scenario"] = _scenario(one.scenario, one.extra)
    case |= {key: plain(value) for key, value in one.extra.items() if key != KEY}
    case |= _given(session_input=session, final_session_state=final)
    ours = _case_extras(replace(one, outcome=rest)) | own_session
    return case | _given(**{KEY: ours})


def _given(**values: object) -> dict[str, object]:
    """Return the values that say something."""
    return {key: value for key, value in values.items() if value}


def _invocation(turn: Turn) -> dict[str, object]:
    reference = turn.reference or Reference()
    written = {key: plain(value) for key, value in turn.extra.items() if key in INVOCATION_KEYS}
    kept: Any = written
    if text_of(kept.get("user_content")) != (turn.user or ""):
        written["user_content"] = content_of(turn.user or "", "user")
    if reference.response is None:
        written.pop("final_response", None)
    elif text_of(kept.get("final_response")) != reference.response:
        written["final_response"] = content_of(reference.response, "model")
    if reference.tool_calls is None:
        written.pop("intermediate_data", None)
    elif calls_of(kept.get("intermediate_data")) != tuple(
        replace(call, arguments=call.arguments or {}) for call in reference.tool_calls
    ):
        written["intermediate_data"] = intermediate_of(reference.tool_calls)
    return {key: written[key] for key in INVOCATION_KEYS if key in written}


def _scenario(scenario: Scenario, extra: Data) -> dict[str, object]:
    written: dict[str, object] = {
        "starting_prompt": scenario.starting_prompt,
        "conversation_plan": scenario.plan,
    }
    ours = extra.get(KEY)
    described = ours.get("user_persona") if isinstance(ours, Mapping) else None
    if isinstance(described, Mapping) and persona_text(described) == scenario.persona:
        written["user_persona"] = plain(described)
    elif scenario.persona is not None:
        known = scenario.persona in PERSONAS
        written["user_persona"] = scenario.persona if known else persona_of(scenario.persona)
    return written


def _session_input(one: Eval) -> tuple[dict[str, object], dict[str, object]]:
    """Return the session input, and what of ours reading it back would not say."""
    session: dict[str, object] = {key: plain(value) for key, value in one.setup.session.items()}
    state = {
        state_key(scope, name): plain(value)
        for scope, values in _sayable_state(one).items()
        for name, value in values.items()
    }
    if not session and not state:
        return {}, {}
    whole = _SESSION | session
    return whole | _given(state=state), {} if whole == session else {"session": session}


def _sayable_state(one: Eval) -> dict[str, Data]:
    """Return the scopes of the state that ADK's way to write keys can say."""
    state = one.setup.state
    scopes = {"bot": state.bot, "user": state.user, "conversation": state.conversation}
    return {
        scope: values
        for scope, values in scopes.items()
        if values and all(scope_and_name(state_key(scope, name)) == (scope, name) for name in values)
    }


def _final_state(outcome: tuple[Check, ...]) -> tuple[dict[str, object], tuple[Check, ...]]:
    """Return what the first checks say of the final state, and the checks from the first one that says more."""
    final: dict[str, object] = {}
    for index, check in enumerate(outcome):
        scope, _, name = str(check.spec.get("path")).partition(".")
        key = state_key(scope, name)
        says_it = check.category == "state" and check.spec.keys() == {"path", "equals"} and key not in final
        if not says_it or scope_and_name(key) != (scope, name):
            return final, outcome[index:]
        final[key] = plain(check.spec["equals"])
    return final, ()


def _case_extras(one: Eval) -> dict[str, object]:
    """Return what goes under our own key of a case."""
    whole: Any = write_eval(one)
    sayable = _sayable_state(one)
    if "setup" in whole:
        setup = whole["setup"]
        state = {scope: values for scope, values in setup.get("state", {}).items() if scope not in sayable}
        whole["setup"] = _given(**{key: setup[key] for key in ("workflow", "tools") if key in setup}, state=state)
    turns = {str(index): _turn_extras(turn, whole["conversation"][index]) for index, turn in enumerate(one.turns)}
    extras: dict[str, object] = _given(**{key: whole.get(key) for key in CASE_KEYS})
    extras |= _given(turns={number: said for number, said in turns.items() if said})
    if one.scenario is not None and one.scenario.max_turns != _DEFAULT_MAX_TURNS:
        extras["scenario"] = {"maxTurns": one.scenario.max_turns}
    return extras


def _turn_extras(turn: Turn, written: Mapping[str, object]) -> dict[str, object]:
    calls = (turn.reference.tool_calls if turn.reference else None) or ()
    keys = [key for key in TURN_KEYS if key != "reference" or any(call.arguments is None for call in calls)]
    return {key: written[key] for key in keys if key in written}
