"""The proxy of the environment, for libraries that do not look for it themselves; in compose it is the only way out."""

from __future__ import annotations

import urllib.request
from urllib.parse import urlsplit

_SCHEMES = {"ws": "http", "wss": "https"}  # a websocket goes the way of what it begins as


def proxy_for(address: str) -> str | None:
    """The proxy through which an address is reached; None when directly."""
    where = urlsplit(address)
    if urllib.request.proxy_bypass(where.hostname or ""):
        return None
    return urllib.request.getproxies().get(_SCHEMES.get(where.scheme, where.scheme))
