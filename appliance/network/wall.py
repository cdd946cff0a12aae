"""The address wall: what a name resolves to is judged where the connection is made, and that address is the one that
is connected to, so that a name server which changes its answer gains nothing.

Everything that a model, a page or a file names goes through here. Endpoints that the owner configured (a model server,
a search service) do not need to: their rooms connect to them directly.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

from appliance.errors import AddressError
from appliance.network.addresses import (
    IPAddress,
    WebAddress,
    inside_name,
    is_home,
    is_public,
    literal,
    parse,
    plain_host,
)

Resolve = Callable[[str, int], Awaitable[list[str]]]
_RESOLVE_SECONDS = 10.0
_FIX = "A home service can be opened when the owner lists it in web.allowed_hosts."


async def system_resolve(host: str, port: int) -> list[str]:
    """The addresses that this machine's resolver knows for a host. Raises OSError."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(_RESOLVE_SECONDS):
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class Wall:
    """Given the hosts that the owner lists (`name` or `name:port`, also addresses), judge addresses."""

    def __init__(self, allowed: Iterable[str] = (), resolve: Resolve = system_resolve) -> None:
        self._allowed = frozenset(_entry(text) for text in allowed)
        self._resolve = resolve

    def check(self, url: str) -> WebAddress:
        """Judge what can be seen without asking a name server. Raises AddressError."""
        address = parse(url)
        self._check_host(address.host, address.port)
        return address

    def allows(self, host: str, port: int) -> bool:
        """True for a host that the owner listed."""
        return (host, 0) in self._allowed or (host, port) in self._allowed

    async def addresses(self, host: str, port: int) -> list[str]:
        """The addresses to connect to for a host, each of them judged. Raises AddressError, also for unknown names."""
        host = plain_host(host.removeprefix("[").removesuffix("]"))
        self._check_host(host, port)
        if literal(host) is not None:
            return [host]
        try:
            found = [ipaddress.ip_address(text.partition("%")[0]) for text in await self._resolve(host, port)]
        except TimeoutError:
            raise AddressError(f"The name server did not answer for {host}.") from None
        except OSError as error:
            raise AddressError(f"{host} cannot be found: {error.strerror or error}.") from None
        if not found:
            raise AddressError(f"{host} has no address.")
        listed = self.allows(host, port)
        for address in found:
            if not (is_home(address) if listed else is_public(address) and not is_ours(address)):
                raise AddressError(f"{host} leads to {address}, which is inside this machine or network.", fix=_FIX)
        return [str(address) for address in found]

    def _check_host(self, host: str, port: int) -> None:
        if self.allows(host, port):
            return
        address = literal(host)
        if address is not None and (not is_public(address) or is_ours(address)):
            raise AddressError(f"{host} is an address inside this machine or network.", fix=_FIX)
        if address is None and inside_name(host):
            raise AddressError(f"{host} is a name inside this machine or network.", fix=_FIX)


def is_ours(address: IPAddress) -> bool:
    """True for an address of this machine, and of the network beside it where that has public IPv6 addresses."""
    if isinstance(address, ipaddress.IPv6Address):
        return any(address in network for network in _own_v6())
    return str(address) in _own_v4()


def _own_v6() -> list[ipaddress.IPv6Network]:
    networks = []
    for line in _lines("/proc/net/if_inet6"):
        digits, _, length, *_ = line.split()
        networks.append(ipaddress.IPv6Network((int(digits, 16), max(int(length, 16), 48)), strict=False))
    return networks


def _own_v4() -> set[str]:
    """Local addresses as the kernel's routing table lists them."""
    found, last = set(), ""
    for line in _lines("/proc/net/fib_trie"):
        words = line.split()
        if words[0] in ("|--", "+--"):
            last = words[1]
        elif words[-2:] == ["host", "LOCAL"]:
            found.add(last)
    return found


def _lines(path: str) -> list[str]:
    try:
        return [line for line in Path(path).read_text(encoding="ascii").splitlines() if line.strip()]
    except OSError:
        return []  # a system without that file


def _entry(text: str) -> tuple[str, int]:
    """`name`, `name:port` or `[address]:port` as a pair; port 0 stands for any. Raises AddressError."""
    text = text.strip()
    if literal(text) is not None:
        return str(ipaddress.ip_address(text)), 0
    host, colon, port = text.rpartition(":")
    if colon and port.isdigit():
        return plain_host(host.removeprefix("[").removesuffix("]")), int(port)
    return plain_host(text.removeprefix("[").removesuffix("]")), 0
