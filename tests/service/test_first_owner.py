"""The first owner of a new service."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from audition.errors import SettingsError
from audition.service.context import Service
from audition.service.first_owner import FirstOwner, ensure_owner
from audition.store.service import audit, people


def test_the_environment_says_who_it_is(service: Service) -> None:
    environ = {"AUDITION_OWNER_EMAIL": "Ada@Example.com", "AUDITION_OWNER_PASSWORD": "correct horse battery"}

    found = ensure_owner(service.database, environ)

    assert found == FirstOwner(email="ada@example.com", password=None)
    member = service.database.read(lambda connection: people.member_with(connection, "ada@example.com"))
    assert member is not None
    assert member.role == "owner"
    assert service.passwords.holds("correct horse battery", member.password_hash)


def test_without_it_there_is_a_password_made_up(service: Service) -> None:
    found = ensure_owner(service.database, {})

    assert found is not None
    assert found.email == "owner@localhost"
    assert found.password is not None
    assert len(found.password) >= 20
    member = service.database.read(lambda connection: people.member_with(connection, "owner@localhost"))
    assert member is not None
    assert service.passwords.holds(found.password, member.password_hash)


def test_a_service_that_has_members_gets_no_other(service: Service) -> None:
    ensure_owner(service.database, {})

    assert ensure_owner(service.database, {"AUDITION_OWNER_EMAIL": "eve@example.com"}) is None


@pytest.mark.parametrize(
    ("environ", "key"),
    [
        ({"AUDITION_OWNER_EMAIL": "nobody"}, "AUDITION_OWNER_EMAIL"),
        ({"AUDITION_OWNER_PASSWORD": "short"}, "AUDITION_OWNER_PASSWORD"),
    ],
    ids=["address", "password"],
)
def test_what_cannot_be_used_is_said(service: Service, environ: dict[str, str], key: str) -> None:
    with pytest.raises(SettingsError, match=key) as refused:
        ensure_owner(service.database, environ)

    assert refused.value.key == key
    assert "short" not in refused.value.message.removeprefix(key)


def test_of_several_processes_that_start_at_once_one_makes_the_owner(service: Service) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: ensure_owner(service.database, {}), range(4)))

    assert len([one for one in found if one is not None]) == 1


def test_the_audit_log_tells_of_it_without_the_password(service: Service) -> None:
    ensure_owner(service.database, {"AUDITION_OWNER_PASSWORD": "correct horse battery"})

    (entry,), _ = service.database.read(lambda connection: audit.entries(connection, audit.Filter(), limit=9))
    assert (entry.actor_kind, entry.action, entry.after) == (
        "system",
        "member.add",
        {"email": "owner@localhost", "role": "owner"},
    )
