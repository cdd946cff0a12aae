"""Wrong guesses are counted before they are checked, so that a hundred at once get no more tries than five."""

from __future__ import annotations

import ipaddress

from appliance.clock import Clock

TRIES = 5
TRIES_OVERALL = 25
LOCK_SECONDS = 15 * 60.0
_MOST_CLIENTS = 4096


def client_key(address: str) -> str:
    """One key for one client: IPv4 and its mapped IPv6 form are the same, IPv6 counts by its /64."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:64]
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is not None:
            return str(ip.ipv4_mapped)
        return str(ipaddress.ip_network((ip, 64), strict=False))
    return str(ip)


class Throttle:
    """After TRIES wrong guesses a client waits LOCK_SECONDS; after TRIES_OVERALL everybody does. Loopback too."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._wrong: dict[str, list[float]] = {}

    def take(self, address: str) -> float:
        """Count a guess. Return 0 when it may be checked, else the seconds to wait (then nothing is counted)."""
        now = self._clock.monotonic()
        self._forget(now)
        key = client_key(address)
        mine = self._wrong.get(key, [])
        everybody = sorted(at for times in self._wrong.values() for at in times)
        if len(mine) >= TRIES:
            return max(1.0, mine[-1] + LOCK_SECONDS - now)
        if len(everybody) >= TRIES_OVERALL or len(self._wrong) >= _MOST_CLIENTS:
            return max(1.0, everybody[-1] + LOCK_SECONDS - now)
        self._wrong.setdefault(key, []).append(now)
        return 0.0

    def right(self, address: str) -> None:
        """The guess was right: the client starts afresh."""
        self._wrong.pop(client_key(address), None)

    def lift(self) -> None:
        """Whoever can run `appliance login` on the machine is the owner: end every lock."""
        self._wrong.clear()

    def locked(self, address: str) -> bool:
        return len(self._wrong.get(client_key(address), [])) >= TRIES

    def _forget(self, now: float) -> None:
        for key in [key for key, times in self._wrong.items() if times[-1] + LOCK_SECONDS <= now]:
            del self._wrong[key]
