"""Cases as they are kept: what each said in each version."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from audition.errors import Conflict, NotFound
from audition.store.service import cases as store
from audition.store.service import datasets, subjects
from audition.store.service.cases import Case, case_of, cases_at, document_of
from audition.store.service.database import Connection, Database
from audition.store.service.datasets import Dataset

FULL = Case(
    id=7,
    scenario="Asks for hours.",
    expected_criteria="States them.",
    must_pass=True,
    tags=("hours",),
    cluster="c",
    external_id="e",
    context={"open": [9, None]},
    tool_fixtures=({"name": "look_up", "result": 1},),
    eval={"name": "x"},
    created_at="2026-01-15T10:00:00.000Z",
)


@pytest.fixture
def dataset(database: Database) -> Dataset:
    """Return an empty dataset."""

    def add(connection: Connection) -> Dataset:
        document = {"instruction": "Be brief.", "model": "scripted:hi"}
        owner = subjects.create(connection, "agents", "Desk", document, by="ada@example.com")
        return datasets.create(connection, "agents", owner.id, "Hours")

    return database.write(add)


def again(database: Database, dataset: Dataset) -> Dataset:
    """Return the dataset as it is now."""
    return database.read(lambda connection: datasets.dataset(connection, "agents", dataset.subject_id, dataset.id))


def add(database: Database, dataset: Dataset, *drafts: Case, most: int = 100) -> list[Case]:
    """Add cases in one version."""
    return database.write(lambda connection: store.add_cases(connection, dataset, drafts, most=most))


def plain(scenario: str, external_id: str | None = None, tags: tuple[str, ...] = ()) -> Case:
    """Return a draft."""
    return Case(id=0, scenario=scenario, expected_criteria="Answers.", external_id=external_id, tags=tags)


def texts(database: Database, dataset: Dataset, version: int) -> list[str]:
    """Return the scenarios of a version."""
    return [case.scenario for case in database.read(lambda connection: cases_at(connection, dataset.id, version))]


def test_a_case_comes_back_as_it_was_kept() -> None:
    assert case_of(7, json.dumps(document_of(FULL))) == FULL


def test_what_is_at_its_default_is_not_kept() -> None:
    assert document_of(plain("a")) == {"scenario": "a", "expected_criteria": "Answers."}


def test_many_cases_make_one_version_and_keep_their_order(database: Database, dataset: Dataset) -> None:
    made = add(database, dataset, *[plain(str(number)) for number in range(25)])

    assert [case.id for case in made] == sorted(case.id for case in made)
    assert texts(database, dataset, 2) == [str(number) for number in range(25)]
    assert (texts(database, dataset, 1), again(database, dataset).version) == ([], 2)


def test_older_versions_keep_what_a_case_said_and_cases_that_are_gone(database: Database, dataset: Dataset) -> None:
    first, second = add(database, dataset, plain("a"), plain("b"))

    database.write(lambda connection: store.change_case(connection, dataset, replace(first, scenario="A")))
    database.write(lambda connection: store.remove_case(connection, dataset, second.id))

    assert [texts(database, dataset, version) for version in (1, 2, 3, 4)] == [[], ["a", "b"], ["A", "b"], ["A"]]


def test_a_case_that_is_gone_is_not_found(database: Database, dataset: Dataset) -> None:
    (gone,) = add(database, dataset, plain("a"))
    database.write(lambda connection: store.remove_case(connection, dataset, gone.id))
    now = again(database, dataset)

    with pytest.raises(NotFound):
        database.read(lambda connection: store.case_in(connection, now, gone.id))
    assert database.read(lambda connection: store.case_in(connection, now, gone.id, version=2)).scenario == "a"


def test_an_external_id_is_taken_once_within_a_dataset(database: Database, dataset: Dataset) -> None:
    (first,) = add(database, dataset, plain("a", "x"))

    with pytest.raises(Conflict, match=f"taken by the case {first.id}"):
        add(database, dataset, plain("b", "x"))
    with pytest.raises(Conflict, match="another of these"):
        add(database, dataset, plain("b", "y"), plain("c", "y"))
    assert again(database, dataset).version == 2


def test_an_external_id_is_free_again_when_its_case_is_gone(database: Database, dataset: Dataset) -> None:
    (first,) = add(database, dataset, plain("a", "x"))

    database.write(lambda connection: store.remove_case(connection, dataset, first.id))
    (second,) = add(database, dataset, plain("b", "x"))

    assert database.read(lambda connection: store.ids_by_external_id(connection, dataset)) == {"x": second.id}


def test_a_dataset_takes_no_more_cases_than_it_may(database: Database, dataset: Dataset) -> None:
    add(database, dataset, plain("a"), plain("b"), most=2)

    with pytest.raises(Conflict, match="2 cases at most"):
        add(database, dataset, plain("c"), most=2)


def test_cases_are_read_page_by_page_and_by_tag(database: Database, dataset: Dataset) -> None:
    made = add(database, dataset, plain("a", tags=("x",)), plain("b"), plain("c", tags=("x", "y")))

    page, total = database.read(
        lambda connection: store.page_of_cases(connection, dataset.id, 2, after=made[0].id, limit=1)
    )
    tagged, of_tag = database.read(
        lambda connection: store.page_of_cases(connection, dataset.id, 2, after=0, limit=9, tag="x")
    )

    assert ([case.scenario for case in page], total) == (["b"], 3)
    assert ([case.scenario for case in tagged], of_tag) == (["a", "c"], 2)


def test_changes_at_the_same_time_make_a_version_each_and_lose_nothing(database: Database, dataset: Dataset) -> None:
    def add_one(number: int) -> None:
        def action(connection: Connection) -> None:
            found = datasets.dataset(connection, "agents", dataset.subject_id, dataset.id, to_change=True)
            store.add_cases(connection, found, [plain(str(number), str(number % 4))], most=100)

        database.write(action)

    with ThreadPoolExecutor(8) as pool:
        done = [pool.submit(add_one, number) for number in range(12)]
    refused = [future.exception() for future in done if future.exception()]

    assert {type(error) for error in refused} == {Conflict}
    assert (len(refused), again(database, dataset).version) == (8, 5)
    assert len(texts(database, dataset, 5)) == 4
