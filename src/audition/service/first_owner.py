"""The first owner: somebody has to be able to log in to a new service."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from audition.errors import SettingsError
from audition.service.passwords import LONGEST, SHORTEST, Passwords
from audition.store.service import audit, people
from audition.store.service.database import Connection, Database

EMAIL, PASSWORD = "AUDITION_OWNER_EMAIL", "AUDITION_OWNER_PASSWORD"
"""The environment variables that say who it is."""

_DEFAULT_EMAIL = "owner@localhost"


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstOwner:
    """The owner that was made. `password` is the generated one, to be told once; None when it was given."""

    email: str
    password: str | None


def ensure_owner(database: Database, environ: Mapping[str, str]) -> FirstOwner | None:
    """Make an owner when nobody is a member yet; None when there are members.

    Raises: SettingsError when the environment names an address that is none, or a password that is too short.
    """
    if database.read(people.count_members):
        return None
    email, given = environ.get(EMAIL) or _DEFAULT_EMAIL, environ.get(PASSWORD)
    if email.count("@") != 1 or any(character.isspace() for character in email):
        raise SettingsError(f"{EMAIL} is no address: {email!r}", key=EMAIL)
    if given and not SHORTEST <= len(given) <= LONGEST:
        raise SettingsError(f"{PASSWORD} must have {SHORTEST} to {LONGEST} characters", key=PASSWORD)
    password = given or secrets.token_urlsafe(18)
    password_hash = Passwords().hash(password)

    def adding(connection: Connection) -> bool:
        # Several processes may start at once on one database: the address can be taken by one of them only.
        if people.count_members(connection):
            return False
        made = people.add_member(connection, email=email, name="Owner", role="owner", password_hash=password_hash)
        noted = {"email": email.lower(), "role": "owner"}
        audit.record(
            connection,
            None,
            action="member.add",
            resource_kind="member",
            resource_id=made,
            after=noted,
            request_id="start",
        )
        return True

    if not database.write(adding):
        return None
    return FirstOwner(email=email.lower(), password=None if given else password)
