"""Agents and orchestrators as they are kept: versions, children, trees."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from audition.errors import Conflict, NotFound
from audition.store.service import subjects as store
from audition.store.service.database import Connection, Database
from audition.store.service.subjects import StoredSubject, decode_subject, encode_subject, tree
from audition.subjects import Subject

BY = "ada@example.com"


def agent(database: Database, name: str = "Desk", **more: Any) -> StoredSubject:
    """Add an agent."""
    document = {"instruction": f"You are {name}.", "model": "scripted:hi", "description": "", "tools": [], **more}
    return database.write(lambda connection: store.create(connection, "agents", name, document, by=BY))


def orchestrator(
    database: Database, name: str, *, below: Sequence[int] = (), agents: Sequence[int] = ()
) -> StoredSubject:
    """Add an orchestrator."""
    document = {
        "instruction": f"You are {name}.",
        "model": "scripted:hi",
        "sub_orchestrators": [*below],
        "agents": [*agents],
    }
    return database.write(lambda connection: store.create(connection, "orchestrators", name, document, by=BY))


def changed(database: Database, before: StoredSubject, **more: Any) -> StoredSubject:
    """Change the document of a subject."""
    document = {**before.document, **more}
    return database.write(lambda connection: store.change(connection, before, before.name, document, by=BY))


def test_each_change_makes_a_version_and_keeps_the_one_before(database: Database) -> None:
    first = agent(database)

    second = changed(database, first, instruction="Be brief.")
    kept, total = database.read(lambda connection: store.versions(connection, "agents", first.id, limit=10))

    assert (second.version, total) == (2, 2)
    assert [one.document["instruction"] for one in kept] == ["You are Desk.", "Be brief."]
    assert kept[0].created_by == BY


def test_a_change_of_nothing_makes_no_version(database: Database) -> None:
    first = agent(database)

    same = changed(database, first)

    assert same.version == 1


def test_a_version_that_never_was_is_not_found(database: Database) -> None:
    first = agent(database)

    with pytest.raises(NotFound):
        database.read(lambda connection: store.version(connection, "agents", first.id, 2))


def test_a_tree_holds_all_that_hangs_below_a_subject_as_of_now(database: Database) -> None:
    faq = agent(database, "Faq", tools=[{"kind": "mock", "name": "look_up", "results": []}])
    inner = orchestrator(database, "Inner", agents=[faq.id])
    outer = orchestrator(database, "Outer", below=[inner.id], agents=[faq.id])

    found = database.read(lambda connection: tree(connection, "orchestrators", outer.id))

    assert [child.name for child in found.children] == ["Inner", "Faq"]
    assert found.children[0].children[0].tools[0]["name"] == "look_up"
    assert found.children[1].instruction == "You are Faq."


def test_a_subject_is_the_same_after_it_was_encoded() -> None:
    child = Subject(family="agents", id=2, name="Ä", instruction="{x}", model="m:1", tools=({"kind": "mock"},))
    root = Subject(family="orchestrators", id=1, name="Root", instruction="I", model="m:1", children=(child,))

    assert decode_subject(encode_subject(root)) == root


def test_a_tree_that_is_too_large_to_run_is_refused(database: Database) -> None:
    below = agent(database)
    one = orchestrator(database, "O0", agents=[below.id])
    for number in range(10):
        one = orchestrator(database, f"O{number + 1}", below=[one.id, one.id])

    with pytest.raises(Conflict, match="too large"):
        database.read(lambda connection: tree(connection, "orchestrators", one.id))


def test_a_circle_is_found_and_the_fault_names_the_way(database: Database) -> None:
    inner = orchestrator(database, "Inner")
    middle = orchestrator(database, "Middle", below=[inner.id])
    outer = orchestrator(database, "Outer", below=[middle.id])

    faults = database.write(
        lambda connection: store.faults_of_children(connection, inner.id, {"orchestrators": [outer.id], "agents": [99]})
    )

    way = f"{inner.id} > {outer.id} > {middle.id} > {inner.id}"
    assert faults == [
        ("agents", 0, "there is no agent 99"),
        ("orchestrators", 0, f"an orchestrator cannot be below itself: {way}"),
    ]


def test_what_an_orchestrator_has_below_it_cannot_be_deleted(database: Database) -> None:
    below = agent(database)
    orchestrator(database, "Front desk", agents=[below.id])

    with pytest.raises(Conflict, match="'Front desk'"):
        database.write(lambda connection: store.delete(connection, below))


def test_a_deleted_subject_is_not_found_and_its_id_is_not_given_again(database: Database) -> None:
    gone = agent(database)

    database.write(lambda connection: store.delete(connection, gone))

    with pytest.raises(NotFound):
        database.read(lambda connection: store.subject(connection, "agents", gone.id))
    assert agent(database).id > gone.id


def test_subjects_are_found_by_a_part_of_their_names_and_page_by_page(database: Database) -> None:
    for name in ("Desk one", "Other", "DESK two", "100%"):
        agent(database, name)

    first, total = database.read(lambda connection: store.subjects(connection, "agents", limit=1, named="desk"))
    rest, _ = database.read(
        lambda connection: store.subjects(connection, "agents", after=first[0].id, limit=9, named="desk")
    )
    percent, _ = database.read(lambda connection: store.subjects(connection, "agents", limit=9, named="%"))

    assert ([one.name for one in (*first, *rest)], total) == (["Desk one", "DESK two"], 2)
    assert [one.name for one in percent] == ["100%"]


def test_two_who_close_a_circle_at_the_same_time_are_not_both_let(database: Database) -> None:
    first, second = orchestrator(database, "First"), orchestrator(database, "Second")

    def put_below(upper: int, lower: int) -> int:
        def action(connection: Connection) -> int:
            before = store.subject(connection, "orchestrators", upper, to_change=True)
            children: store.Children = {"orchestrators": [lower], "agents": []}
            if store.faults_of_children(connection, upper, children):
                return 0
            document = {**before.document, "sub_orchestrators": [lower]}
            return store.change(connection, before, before.name, document, by=BY).version

        return database.write(action)

    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(put_below, first.id, second.id), pool.submit(put_below, second.id, first.id)]

    assert sorted(future.result() for future in done) == [0, 2]
