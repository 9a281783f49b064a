"""Datasets as they are kept: whose they are, and their versions."""

import pytest

from audition.errors import NotFound
from audition.store.service import datasets as store
from audition.store.service import subjects
from audition.store.service.cases import Case, add_cases, change_case, remove_case
from audition.store.service.database import Connection, Database
from audition.store.service.datasets import Dataset
from audition.subjects import Family


def add_subject(connection: Connection, family: Family = "agents") -> int:
    """Add a subject and return its id."""
    document = {"instruction": "Be brief.", "model": "scripted:hi"}
    return subjects.create(connection, family, "Desk", document, by="ada@example.com").id


def add(database: Database, family: Family = "agents") -> Dataset:
    """Add a dataset of a new subject."""
    return database.write(lambda connection: store.create(connection, family, add_subject(connection, family), "Hours"))


@pytest.mark.parametrize(("family", "owner"), [("agents", "agent_id"), ("orchestrators", "orchestrator_id")])
def test_a_dataset_belongs_to_one_subject_of_one_family(database: Database, family: Family, owner: str) -> None:
    made = add(database, family)

    assert {made.agent_id, made.orchestrator_id} == {None, getattr(made, owner)}
    assert (made.family, made.subject_id) == (family, getattr(made, owner))


def test_a_dataset_is_found_under_its_own_subject_alone(database: Database) -> None:
    made = add(database)
    other = database.write(add_subject)
    orchestrator = database.write(lambda connection: add_subject(connection, "orchestrators"))
    asked: list[tuple[Family, int]] = [("agents", other), ("orchestrators", orchestrator), ("agents", 999)]

    for family, subject_id in asked:
        with pytest.raises(NotFound):
            database.read(lambda connection: store.dataset(connection, family, subject_id, made.id))  # noqa: B023


def test_the_datasets_of_a_deleted_subject_are_not_found(database: Database) -> None:
    made = add(database)

    def drop(connection: Connection) -> None:
        subjects.delete(connection, subjects.subject(connection, "agents", made.subject_id, to_change=True))

    database.write(drop)

    with pytest.raises(NotFound):
        database.read(lambda connection: store.dataset(connection, "agents", made.subject_id, made.id))


def test_each_version_says_what_became_of_the_cases(database: Database) -> None:
    made = add(database)
    drafts = [Case(id=0, scenario=text, expected_criteria="Answers.") for text in ("a", "b", "c")]

    def change(connection: Connection) -> list[Case]:
        first, second, third = add_cases(connection, made, drafts, most=10)
        change_case(connection, made, Case(id=second.id, scenario="B", expected_criteria="Answers."))
        remove_case(connection, made, third.id)
        return [first, second, third]

    _, second, third = database.write(change)
    found = database.read(lambda connection: store.dataset(connection, "agents", made.subject_id, made.id))
    versions = database.read(lambda connection: store.versions(connection, found, limit=10))
    page = database.read(lambda connection: store.versions(connection, found, after=2, limit=1))

    assert [one.case_count for one in versions] == [0, 3, 3, 2]
    assert [len(one.added) for one in versions] == [0, 3, 0, 0]
    assert (versions[2].changed, versions[3].removed) == ((second.id,), (third.id,))
    assert page == [versions[2]]


def test_a_change_of_the_name_leaves_the_version_of_the_cases(database: Database) -> None:
    made = add(database)

    after = database.write(lambda connection: store.change(connection, made, {"name": "Times", "tags": ["a"]}))

    assert (after.name, after.tags, after.version) == ("Times", ("a",), 1)
