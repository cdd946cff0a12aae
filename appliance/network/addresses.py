"""Which addresses lie outside: pure functions over URLs, host names and IP addresses.

A browser, a resolver and a library read an odd host in different ways, so what is not written plainly is refused
rather than guessed.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import quote

from appliance.errors import AddressError

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_LONGEST = 4_000
_DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_BAD = re.compile(r"[\x00-\x20\x7f\\<>]")
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
# Names that only mean something inside a house, a container network or a cloud machine.
_INSIDE = re.compile(
    r"(.*\.)?(localhost|localdomain|local|internal|intranet|lan|home|corp|private|docker|arpa|test|invalid)"
)
_METADATA = frozenset(
    ipaddress.ip_address(text) for text in ("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "168.63.129.16")
)
_V4_RESERVED = tuple(
    ipaddress.IPv4Network(text)
    for text in ("100.64.0.0/10", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "240.0.0.0/4")
)
_V6_GLOBAL = ipaddress.IPv6Network("2000::/3")
_V6_RESERVED = tuple(ipaddress.IPv6Network(text) for text in ("2001::/23", "2001:db8::/32", "3fff::/20"))
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


@dataclass(frozen=True, slots=True)
class WebAddress:
    """A URL taken apart: `host` in lower-case ASCII without a trailing dot; `url` is the form to open."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def authority(self) -> str:
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return shown if self.port == _DEFAULT_PORTS[self.scheme] else f"{shown}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"


def parse(url: str, schemes: frozenset[str] = frozenset({"http", "https"})) -> WebAddress:
    """Given a URL as anybody wrote it, return it taken apart. Raises AddressError with the reason."""
    url = url.strip(" \n")
    if not url or len(url) > _LONGEST:
        raise AddressError(f"The address is empty or longer than {_LONGEST} characters.")
    if _BAD.search(url):
        raise AddressError("The address holds characters that no address has.", fix="Write it plainly.")
    scheme, _, rest = url.partition("://")
    scheme = scheme.lower()
    if scheme not in schemes:
        raise AddressError(f"{_shown(url)}: only http and https are opened.")
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    if not authority:
        raise AddressError(f"{_shown(url)} names no host.")
    if "@" in authority:
        raise AddressError(f"{_shown(url)}: an address with a name before the host is not opened.")
    host, port = _host_and_port(authority, url)
    path, mark, query = rest[len(authority) :].partition("#")[0].partition("?")
    target = quote(path or "/", safe="/%:@!$&'()*+,;=~-._")
    if mark:
        target += "?" + quote(query, safe="/%:@!$&'()*+,;=~-._?[]")
    return WebAddress(scheme, plain_host(host), _DEFAULT_PORTS[scheme] if port is None else port, target)


def _host_and_port(authority: str, url: str) -> tuple[str, int | None]:
    if authority.startswith("["):
        host, bracket, tail = authority[1:].partition("]")
        if not bracket or (tail and not tail.startswith(":")):
            raise AddressError(f"{_shown(url)} names no host.")
    else:
        host, colon, tail = authority.partition(":")
        tail = colon + tail
    text = tail[1:]
    if text and not (text.isascii() and text.isdigit() and 0 < int(text[:6]) < 65_536):
        raise AddressError(f"{_shown(url)}: {text[:20]!r} is not a port.")
    return host, int(text) if text else None


def plain_host(host: str) -> str:
    """A host in the one form in which hosts are compared. Raises AddressError for hosts that hide what they are."""
    if ":" in host:
        try:
            if "%" in host:  # a zone: an address beside this machine
                raise ValueError
            return str(ipaddress.IPv6Address(host))
        except ValueError:
            raise AddressError(f"{_shown(host)} is not an address that is opened.") from None
    try:
        ascii_host = host.encode("idna").decode("ascii") if not host.isascii() else host
    except UnicodeError:
        raise AddressError(f"{_shown(host)} is not a host name.") from None
    plain = ascii_host.lower().removesuffix(".")
    labels = plain.split(".")
    if not plain or len(plain) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise AddressError(f"{_shown(host)} is not a host name.")
    if _NUMBER.fullmatch(labels[-1]):
        try:
            return str(ipaddress.IPv4Address(plain))
        except ValueError:
            raise AddressError(f"{_shown(host)} is a number in an odd form and is not opened.") from None
    return plain


def literal(host: str) -> IPAddress | None:
    """The IP address that a plain host is, or None for a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def inside_name(host: str) -> bool:
    """True for a plain host name that cannot be a public one."""
    return "." not in host or _INSIDE.fullmatch(host) is not None


def is_public(address: IPAddress) -> bool:
    """True when the address lies in the public internet, also looking inside of addresses that carry another one."""
    if address in _METADATA or address.is_multicast or address.is_unspecified:
        return False
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global and not any(address in network for network in _V4_RESERVED)
    carried = address.ipv4_mapped
    if carried is None and address in _NAT64:
        carried = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if carried is not None:
        return is_public(carried)
    if address not in _V6_GLOBAL or address.sixtofour is not None or any(address in net for net in _V6_RESERVED):
        return False
    # ISATAP puts an IPv4 address behind this mark; nobody outside uses it.
    return (int(address) >> 32) & 0xFDFFFFFF != 0x00005EFE


def is_home(address: IPAddress) -> bool:
    """True for an address that a service at home has: private, loopback or a VPN's; never metadata or link-local."""
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return not (
        address in _METADATA
        or address.is_link_local
        or address.is_multicast
        or address.is_unspecified
        or (isinstance(address, ipaddress.IPv4Address) and address.is_reserved)
    )


def _shown(text: str) -> str:
    return text if len(text) <= 120 else text[:120] + "…"
