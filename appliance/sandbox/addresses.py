"""Addresses in the words of a command: which no person should be asked about.

This is the first look only. What a name resolves to, and where a redirect leads, is checked by the egress proxy when
the connection is made; a command cannot be trusted to connect to what it names.
"""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import unquote

from appliance.network.addresses import inside_name, is_public

_SCHEMES = frozenset({"http", "https"})
_TRANSPORTS = _SCHEMES | {"git", "ssh", "git+ssh", "git+https", "rsync", "ftp", "ftps", "sftp", "wss", "ws"}
# Beside the names that never lead outside: those of clouds and clusters, and the services that spell an address.
_ALSO_INSIDE = re.compile(
    r"metadata(\..*)?|instance-data(\..*)?|kubernetes(\..*)?|(.*\.)?kube-system"
    r"|(.*\.)?(nip\.io|sslip\.io|xip\.io|localtest\.me|lvh\.me|vcap\.me)"
)
_NUMBERS = re.compile(r"(0x[0-9a-f]*|[0-9]+)(\.(0x[0-9a-f]*|[0-9]+)){0,3}", re.IGNORECASE)


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
        return "" if is_public(address) else f"{shown} is an address inside this machine or network."
    if _NUMBERS.fullmatch(host) or not re.fullmatch(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*", host):
        return f"{shown} hides its host."
    # With a label before it: a bare word may be a remote that ssh knows, so only its own meaning counts.
    if inside_name(f"x.{host}") or _ALSO_INSIDE.fullmatch(host):
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
