"""Connections that stay on this machine: what `--offline` lets a client make."""

import errno
import socket
from typing import Any

from audition.providers import is_loopback


class RefusedConnection(OSError):
    """A connection was not made because it may not be; `strerror` says why."""

    def __init__(self, why: str) -> None:
        super().__init__(errno.EACCES, why)


class RefusedOffline(RefusedConnection):
    """A connection that would leave this machine was not made."""

    def __init__(self, host: str) -> None:
        super().__init__(f"offline: refused to connect to {host}")


class LoopbackResolver:
    """Knows the names of this machine and asks nobody about others: asking would be a connection, too.

    Source: RFC 6761, section 6.3 (`localhost` and what ends in `.localhost`).
    """

    async def resolve(self, host: str, port: int = 0, family: int = socket.AF_UNSPEC) -> list[dict[str, Any]]:
        """Return the addresses of a name.

        Raises: RefusedOffline for any name but those of this machine.
        """
        if not is_loopback(host):
            raise RefusedOffline(host)
        addresses = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))
        return [
            {"hostname": host, "host": address, "port": port, "family": kind, "proto": 0, "flags": 0}
            for kind, address in addresses
            if family in (socket.AF_UNSPEC, kind)
        ]

    async def close(self) -> None:
        """Close nothing."""


def loopback_socket(address: tuple[Any, ...]) -> socket.socket:
    """Return the socket for an address as `getaddrinfo` gives it.

    Raises: RefusedOffline for one that is not of this machine, whatever name it was found by.
    """
    family, kind, protocol, _, where = address
    if not is_loopback(str(where[0])):
        raise RefusedOffline(str(where[0]))
    return socket.socket(family=family, type=kind, proto=protocol)
