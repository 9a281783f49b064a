"""How often a password was tried for an account, so that guessing is slow and nobody can lock somebody else out."""

import hashlib
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Any

from sqlalchemy import ColumnElement, Connection, case, delete, select, update

from audition.store.service.database import Database
from audition.store.service.tables import RATES

WINDOW_S = 3600.0
"""A window opens with the first try and lasts an hour; two in a row touch, so any hour sees twice the numbers below."""

_TRIES = 50
"""Failed tries that are checked for one account in a window: at most 100 in any hour. Source: OWASP ASVS 4, 2.2.1."""

_TRIES_OF_STRANGERS = 40
"""Those from places where nobody has logged in to the account lately: the others always keep some."""

_TRIES_OF_PLACE = 20
"""Those from one place, so that one place cannot use up what others may need."""

_REMEMBERED_S = 30 * 86400.0
"""How long a place is known after a login from it."""

_FAILED, _KNOWN = "failed:", "known:"


class TooManyTries(Exception):
    """A try that must not be checked; `wait_s` until the next one may be."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(f"too many tries; the next in {wait_s:.0f} s")
        self.wait_s = wait_s


@dataclass(frozen=True, slots=True)
class Attempt:
    """A try that was counted before it is checked, with the counters it is in."""

    account: str
    place: str
    counters: tuple[str, ...]


def count_try(database: Database, connection: Connection, account: str, address: str) -> Attempt:
    """Count a try to log in to an account from an address, as failed until `forgive` says otherwise.

    Raises: TooManyTries, before anything is changed for good: the transaction must not be committed.
    """
    who, place = _digest(account.lower()), _digest(account.lower() + " " + _network(address))
    counters = [(f"{_FAILED}{place}", _TRIES_OF_PLACE), (f"{_FAILED}{who}", _TRIES)]
    if not _is_known(connection, database.now_s, place):
        counters.insert(1, (f"{_FAILED}{who}:strangers", _TRIES_OF_STRANGERS))
    for key, most in counters:
        count, wait_s = _count(database, connection, key)
        if count > most:
            raise TooManyTries(wait_s)
    return Attempt(who, place, tuple(key for key, _ in counters))


def forgive(database: Database, connection: Connection, attempt: Attempt, *, succeeded: bool = True) -> None:
    """Take a try back that turned out right, or was not checked after all. A right one makes its place known."""
    query = update(RATES).where(RATES.c.key.in_(attempt.counters), RATES.c.count > 0)
    connection.execute(query.values(count=RATES.c.count - 1))
    if succeeded:
        connection.execute(delete(RATES).where(RATES.c.key == attempt.counters[0]))
        _count(database, connection, f"{_KNOWN}{attempt.place}", window_s=0.0)


def purge_tries(connection: Connection, now_s: ColumnElement[float]) -> None:
    """Forget windows that are over and places not seen for long."""
    for prefix, kept_s in ((_FAILED, WINDOW_S), (_KNOWN, _REMEMBERED_S)):
        connection.execute(delete(RATES).where(RATES.c.key.startswith(prefix), RATES.c.began_s <= now_s - kept_s))


def _is_known(connection: Connection, now_s: ColumnElement[float], place: str) -> bool:
    query = select(RATES.c.key).where(RATES.c.key == f"{_KNOWN}{place}", RATES.c.began_s > now_s - _REMEMBERED_S)
    return connection.execute(query).one_or_none() is not None


def _count(database: Database, connection: Connection, key: str, *, window_s: float = WINDOW_S) -> tuple[int, float]:
    """Count one more and return how many the window holds now, and in how many seconds it is over."""
    now_s = database.now_s
    is_over = RATES.c.began_s <= now_s - window_s
    fresh: Any = database.insert(RATES).values(key=key, began_s=now_s, count=1)
    counted = fresh.on_conflict_do_update(
        index_elements=["key"],
        set_={
            "began_s": case((is_over, now_s), else_=RATES.c.began_s),
            "count": case((is_over, 1), else_=RATES.c.count + 1),
        },
    ).returning(RATES.c.count, (RATES.c.began_s + window_s - now_s))
    row = connection.execute(counted).one()
    return int(row[0]), max(float(row[1]), 1.0)  # row.count would be a method of tuples


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


def _network(address: str) -> str:
    """Return where an address belongs: one home or office has a whole /64 of IPv6."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address) and found.ipv4_mapped is None:
        return str(IPv6Address(int(found) >> 64 << 64))
    return str(found)
