"""Which addresses may be reached on behalf of somebody who is not trusted, and connections that reach no other.

What is not a public address is refused, unless settings allow it. A host is looked up once, every address it has is
checked, and connections are made to the checked addresses; so an answer that changes afterwards changes nothing.
"""

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable, Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any
from urllib.parse import urlsplit

from audition.errors import SettingsError
from audition.llm._loopback import RefusedConnection

Lookup = Callable[[str, int], Awaitable[Iterable[str]]]
"""Returns the addresses that a host has; raises OSError when it has none."""

_Address = IPv4Address | IPv6Address
_Network = IPv4Network | IPv6Network

_SPECIAL_4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
            "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
            "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
            "168.63.129.16/32",  # looks public, and is the host's own service on machines of one cloud
        ),
    )
)  # fmt: skip
"""Source: IANA IPv4 Special-Purpose Address Registry, and the addresses of clouds' metadata services."""

_PUBLIC_6 = IPv6Network("2000::/3")
_SPECIAL_6 = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")))
"""Within the public range: protocol assignments with Teredo, documentation, 6to4.

Source: IANA IPv6 Special-Purpose Address Registry. Outside of the public range nothing is reachable but what is
embedded in `_EMBEDDING_6`.
"""

_EMBEDDING_6 = tuple(map(IPv6Network, ("::ffff:0:0/96", "64:ff9b::/96")))
"""Addresses that are another way to write an IPv4 address: mapped, and NAT64 (RFC 6052)."""

_BAD_PORTS = frozenset({
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
    111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
    540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
    6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211,
})  # fmt: skip
"""Ports of services that may take an HTTP request for commands. Source: Fetch Standard, port blocking; two caches."""

_HOST = re.compile(
    r"(?=.{1,253}\Z)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\Z"
)
_LAST_IS_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)\Z")
"""What some resolvers take for an address. Source: URL Standard, host parsing (ends in a number)."""

_UNSEEMLY = re.compile(r"[\x00-\x20\x7f\\]")
_LONGEST_URL = 8000


class RefusedEgress(RefusedConnection):
    """A connection that may not be made was not made; the message says why."""


class Egress:
    """Which addresses may be reached: public ones, and what is allowed beside them.

    `allow_hosts`: names (all their addresses may be reached), addresses and networks. `lookup` None: the system's.

    Raises: SettingsError for a host that is none.
    """

    def __init__(self, allow_hosts: Iterable[str] = (), *, lookup: Lookup | None = None) -> None:
        self._lookup = lookup or _system_lookup
        self._names: set[str] = set()
        self._networks: list[_Network] = []
        for host in allow_hosts:
            self._allow(host)

    def _allow(self, host: str) -> None:
        text = host.strip().lower().removesuffix(".")
        try:
            self._networks.append(ip_network(text.strip("[]"), strict=False))
        except ValueError:
            if not _HOST.match(text) or _LAST_IS_NUMBER.match(text):
                hint = "write a host without scheme and port, an address or a network, as 10.1.0.0/16"
                raise SettingsError(f"{host!r} is no host", key="service.allow_hosts", hint=hint) from None
            self._names.add(text)

    def fault(self, url: str) -> str | None:
        """Return why a URL is never asked, None when it may be; nothing is looked up, so that names are not judged."""
        if len(url) > _LONGEST_URL:
            return f"it is longer than {_LONGEST_URL:,} characters"
        if _UNSEEMLY.search(url):
            return "it holds a space, a backslash or a control character"
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            return "it is no URL"
        if parts.scheme not in ("http", "https"):
            return "its scheme is neither http nor https"
        if "@" in parts.netloc:
            return "it holds a user or password; those belong in a header"
        if port == 0 or port in _BAD_PORTS:
            return f"its port {port} is not one of web servers"
        return self._fault_of_host(host or "", bracketed="[" in parts.netloc)

    def _fault_of_host(self, host: str, *, bracketed: bool) -> str | None:
        if bracketed or _LAST_IS_NUMBER.match(host):
            try:
                address = ip_address(host)
            except ValueError:
                return "its host is not an address as it is usually written"
            return None if self.permits(address) else f"its host {host} is not a public address"
        if not _HOST.match(host):
            return "its host is not a name of letters, digits and hyphens without a dot at its end"
        return None

    def permits(self, address: _Address) -> bool:
        """Say whether an address may be reached, by whatever name."""
        if any(address in network for network in self._networks if network.version == address.version):
            return True
        return _is_public(address)

    def insist(self, url: str) -> None:
        """Insist that a URL may be asked, as far as that can be told without a look-up.

        Raises: RefusedEgress.
        """
        why = self.fault(url)
        if why is not None:
            raise RefusedEgress(why)

    async def addresses(self, host: str, port: int) -> tuple[str, ...]:
        """Return the addresses of a host, all of them checked: connect to these, and look up no more.

        Raises: RefusedEgress when any of them may not be reached, OSError when there are none.
        """
        literal = _address(host)
        found = [literal] if literal else [_address(text) for text in await self._lookup(host, port)]
        if host.lower().removesuffix(".") not in self._names:
            for address in found:
                if address is None or not self.permits(address):
                    raise RefusedEgress("its host has an address that is not public")
        known = tuple(dict.fromkeys(str(address) for address in found if address is not None))
        if not known:
            raise OSError("no address")
        return known


class Guard:
    """The connections of one HTTP client: it resolves hosts and makes sockets for nothing but what may be reached."""

    def __init__(self, egress: Egress) -> None:
        self._egress = egress
        self._checked: set[str] = set()

    async def resolve(self, host: str, port: int = 0, family: int = socket.AF_UNSPEC) -> list[dict[str, Any]]:
        """Return the addresses of a host, as the client's resolver does.

        Raises: RefusedEgress.
        """
        addresses = await self._egress.addresses(host, port)
        self._checked.update(addresses)
        return [
            {"hostname": host, "host": address, "port": port, "family": kind, "proto": 0, "flags": 0}
            for address in addresses
            if family in (socket.AF_UNSPEC, kind := _family(address))
        ]

    async def close(self) -> None:
        """Close nothing."""

    def socket(self, address: tuple[Any, ...]) -> socket.socket:
        """Return the socket for an address: the last look before a connection is made.

        Raises: RefusedEgress.
        """
        family, kind, protocol, _, where = address
        target = _address(str(where[0]))
        if target is None or not (str(target) in self._checked or self._egress.permits(target)):
            raise RefusedEgress("its address is not public")
        return socket.socket(family=family, type=kind, proto=protocol)


def _is_public(address: _Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _SPECIAL_4)
    if any(address in network for network in _EMBEDDING_6):
        return _is_public(IPv4Address(int(address) & 0xFFFFFFFF))
    return address in _PUBLIC_6 and not any(address in network for network in _SPECIAL_6)


def _address(text: str) -> _Address | None:
    """Return an address, None for what is none, and for one that holds only on one interface."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return None if isinstance(address, IPv6Address) and address.scope_id else address


def _family(address: str) -> int:
    return socket.AF_INET6 if ":" in address else socket.AF_INET


async def _system_lookup(host: str, port: int) -> list[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(where[0]) for *_, where in found]
