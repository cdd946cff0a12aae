"""Addresses in the words of a command: which no person should be asked about.

This is the first look only. What a name resolves to, and where a redirect leads, is checked by the egress proxy when
the connection is made; a command cannot be trusted to connect to what it names.
"""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import unquote

_SCHEMES = frozenset({"http", "https"})
_TRANSPORTS = _SCHEMES | {"git", "ssh", "git+ssh", "git+https", "rsync", "ftp", "ftps", "sftp", "wss", "ws"}
_LOCAL_NAMES = re.compile(
    r"(.*\.)?(localhost|localdomain|local|internal|intranet|lan|home\.arpa|in-addr\.arpa|docker|kube-system)"
    r"|metadata(\..*)?|instance-data(\..*)?|kubernetes(\..*)?|host\.docker\.internal|gateway\.docker\.internal"
    r"|(.*\.)?(nip\.io|sslip\.io|xip\.io|localtest\.me|lvh\.me|vcap\.me)"
)
_NUMBERS = re.compile(r"(0x[0-9a-f]*|[0-9]+)(\.(0x[0-9a-f]*|[0-9]+)){0,3}", re.IGNORECASE)
_BENCHMARK_NETS = tuple(ipaddress.ip_network(net) for net in ("198.18.0.0/15", "100.64.0.0/10", "192.0.0.0/24"))


def refuse_url(url: str, *, transports: bool = True) -> str:
    """Given a word with a scheme, return why it may not be opened, or "".

    `transports`: git, ssh, rsync and ftp addresses are fine as well as the web's.
    """
    scheme, _, rest = url.partition("://")
    scheme = scheme.lower()
    allowed = _TRANSPORTS if transports else _SCHEMES
    if scheme not in allowed:
        return f"{url}: {scheme or 'this'} is not a scheme that commands may open."
    authority = re.split(r"[/?#\\]", rest, maxsplit=1)[0]
    return refuse_host(authority, shown=url)


def refuse_host(authority: str, *, shown: str = "") -> str:
    """Given `[user@]host[:port]`, return why it leads inside, or "" for a public-looking name or address."""
    shown = shown or authority
    host = unquote(authority).rpartition("@")[2]
    host = host[1 : host.find("]")] if host.startswith("[") else host.partition(":")[0]
    host = host.partition("%")[0].rstrip(".").lower()
    if not host:
        return f"{shown} names no host."
    if not host.isascii():
        return f"{shown}: the host is not written in plain letters."
    address = _address(host)
    if address is not None:
        return "" if _public(address) else f"{shown} is an address inside this machine or network."
    if _NUMBERS.fullmatch(host) or not re.fullmatch(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*", host):
        return f"{shown} hides its host."
    if _LOCAL_NAMES.fullmatch(host):
        return f"{shown} is a name inside this machine or network."
    return ""


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address that a resolver would read: also one number, octal, hexadecimal and short forms."""
    if ":" in host:
        try:
            return ipaddress.IPv6Address(host)
        except ValueError:
            return None
    if not _NUMBERS.fullmatch(host):
        return None
    try:
        parts = [int(part, 16 if part[:2].lower() == "0x" else 8 if part[0] == "0" and len(part) > 1 else 10)
                 for part in host.split(".")]  # fmt: skip
    except ValueError:
        return None
    *leading, last = parts
    if any(part > 255 for part in leading) or last >= 256 ** (4 - len(leading)):
        return None
    number = last
    for index, part in enumerate(leading):
        number += part << (8 * (3 - index))
    return ipaddress.IPv4Address(number)


def _public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and address in ipaddress.ip_network("64:ff9b::/96"):
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return _public(inner)
        if address.teredo is not None:
            return False
    elif any(address in net for net in _BENCHMARK_NETS):
        return False
    return address.is_global and not address.is_multicast
