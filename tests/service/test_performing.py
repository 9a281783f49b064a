"""What a run is carried out with: subject, judge, models and what they may spend; or why there is no way."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import update
from tests.doubles.service_runs import SUBJECT, add_dataset, add_run, passed

from audition.errors import AuditionError, PlanError, SettingsError
from audition.results import CheckResult, Verdict
from audition.service.grading import result_of
from audition.service.performing import Ready, opener
from audition.settings import Settings, load_settings
from audition.store.service import runs, trials
from audition.store.service.database import Database
from audition.store.service.run_options import RunKind, RunOptions
from audition.store.service.tables import CASE_REVISIONS, RUNS
from audition.subjects import Subject
from audition.transcript import Exchange, Reply, Transcript, Usage

pytestmark = pytest.mark.anyio

SAYS_NINE = {"conversation": [{"user": "When do you open?", "assert": {"response": [{"contains": "nine"}]}}]}
"""An eval that needs no judge."""

Open = Callable[..., Ready]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Return an empty database."""
    opened = Database(f"sqlite:///{tmp_path}/service.db")
    yield opened
    opened.close()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return the settings of a project that sets nothing."""
    return load_settings(tmp_path, {})


@pytest.fixture
def ready(database: Database, settings: Settings) -> Open:
    """Return what makes a run of one case, which a worker begins, and all that it needs."""

    def make(
        *,
        options: RunOptions = RunOptions(),  # noqa: B008  (frozen)
        subject: Subject = SUBJECT,
        eval: object = SAYS_NINE,
        kind: RunKind = "evaluate",
        parent: int | None = None,
        settings: Settings = settings,
        before: Callable[[runs.Connection, runs.Claim], object] = lambda connection, claim: None,
    ) -> Ready:
        def begin(connection: runs.Connection) -> runs.Begun | None:
            dataset = add_dataset(connection, 1)
            written = {"scenario": "When do you open?", "expected_criteria": "names a time"} | (
                {"eval": {"name": "hours", **eval}} if isinstance(eval, dict) else {}
            )
            connection.execute(update(CASE_REVISIONS).values(document=json.dumps(written)))
            run_id = add_run(connection, dataset, options=options, subject=subject, kind=kind)
            connection.execute(update(RUNS).where(RUNS.c.id == run_id).values(parent_id=parent))
            begun = runs.begin(connection, database.now_s, run_id, generation=0, worker="a")
            assert begun is not None
            before(connection, begun.claim)
            return begun

        begun = database.write(begin)
        assert begun is not None
        return opener(settings)(database, begun)

    return make


async def test_a_case_is_answered_by_the_subject_and_judged(ready: Open) -> None:
    result = await ready().perform(1, 1)

    assert (result.verdict, result.eval_name, result.trial) == (Verdict.PASS, "case-1", 1)
    assert result.transcript.exchanges[0].replies[0].text == "We open at nine."


async def test_every_trial_of_every_case_is_to_be_done(ready: Open) -> None:
    found = ready(options=RunOptions(trials=3, concurrency=2))

    results = [await found.perform(1, number) for number in (1, 2, 3)]

    assert (found.trials, found.at_once) == ([(1, 1), (1, 2), (1, 3)], 2)
    assert [result.trial for result in results] == [1, 2, 3]


async def test_another_model_takes_the_place_of_the_roots(ready: Open) -> None:
    found = ready(options=RunOptions(subject_model="scripted:We never open."))

    assert (await found.perform(1, 1)).verdict is Verdict.FAIL


def test_a_run_that_needs_a_judge_and_has_none_cannot_be_carried_out(ready: Open) -> None:
    with pytest.raises(SettingsError, match=r"no judge is configured; set \[judge\] model"):
        ready(eval=None)


def test_a_run_that_needs_no_judge_needs_none(ready: Open) -> None:
    assert ready().judge is None


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"subject": replace(SUBJECT, model="openai:gpt-4o")}, "provider 'openai' .* is not configured"),
        ({"subject": replace(SUBJECT, model="nowhere:gpt")}, "no provider called 'nowhere'"),
        ({"subject": replace(SUBJECT, model="gpt")}, "'gpt' names no language model"),
        ({"options": RunOptions(judge="openai:gpt-4o")}, "provider 'openai' .* is not configured"),
        ({"options": RunOptions(tool_mode="replay")}, "needs recordings"),
    ],
    ids=["no key", "no such provider", "no model", "no key for the judge", "nothing to replay"],
)
def test_a_run_whose_models_cannot_be_used_cannot_be_carried_out(
    ready: Open, changed: dict[str, object], message: str
) -> None:
    with pytest.raises(AuditionError, match=message):
        ready(**changed)


async def test_a_case_that_cannot_be_planned_is_an_error_of_its_own(ready: Open) -> None:
    workflow = {"conversation": [{"user": "Hi", "assert": {"workflow": [{"name": "order", "entered": True}]}}]}

    result = await ready(eval=workflow).perform(1, 1)

    assert result.verdict is Verdict.ERROR
    assert "cannot be observed" in (result.error or "")


def test_what_earlier_workers_spent_is_taken_off_the_budget(ready: Open) -> None:
    spent = Usage(calls=2, input_tokens=10, output_tokens=5, cost_usd=0.1)
    check = CheckResult(category="criteria", check="x", verdict=Verdict.PASS, judge_usage=spent)
    row = result_of(7, replace(passed(7), checks=(check,)))

    def save(connection: runs.Connection, claim: runs.Claim) -> None:
        from sqlalchemy.dialects.sqlite import insert

        trials.save(connection, insert, claim, row)

    with pytest.raises(PlanError, match="the budget of 2 calls is spent"):
        ready(options=RunOptions(max_calls=2), before=save)
    found = ready(options=RunOptions(max_calls=3), before=save)

    found.budget.take("scripted:x", has_price=True)
    with pytest.raises(AuditionError, match="the budget of 1 call is spent"):
        found.budget.take("scripted:x", has_price=True)


async def test_a_run_that_is_judged_again_asks_no_subject(ready: Open, database: Database) -> None:
    told = Exchange(user="When do you open?", replies=(Reply(text="At nine, back then."),))
    said = Transcript(exchanges=(told,), observes=("replies",))

    def save(connection: runs.Connection, claim: runs.Claim) -> None:
        from sqlalchemy.dialects.sqlite import insert

        trials.save(connection, insert, claim, result_of(2, replace(passed(2), transcript=said)))

    ready(before=save)

    again = ready(kind="rejudge", parent=1, subject=replace(SUBJECT, model="openai:gpt-4o"))

    result = await again.perform(2, 1)
    assert (again.trials, result.error) == ([(2, 1)], None)
    assert (result.verdict, result.transcript.exchanges[0].replies[0].text) == (Verdict.PASS, "At nine, back then.")
