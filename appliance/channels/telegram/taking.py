"""One update at a time: taken, tried again, or left out when it can never be taken."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from appliance.channels.base import Counts
from appliance.clock import Clock
from appliance.observability.health import Health, State

log = structlog.get_logger(__name__)

BACKOFF = (1.0, 2.0, 5.0, 10.0)
_TRIES = 3  # handled failures of one update before it is left out
Handle = Callable[[Any], Awaitable[None]]


class Taker:
    """Give it what handles an update and returns once that is on disk."""

    def __init__(self, clock: Clock, handle: Handle, health: Health, counts: Counts, name: str = "telegram") -> None:
        self.name = name
        self._clock = clock
        self._handle = handle
        self._health = health
        self._counts = counts
        self._tries: tuple[int, int] = (0, 0)  # update, handled failures

    async def take(self, update: Any) -> bool:
        """True when the update is done with; False, after a pause, when it is to be tried again."""
        try:
            await self._handle(update)
        except Exception as problem:  # noqa: BLE001 - the edge of one update: whatever it was, later ones must not be lost
            return await self._left_out(update.update_id, problem)
        return True

    async def _left_out(self, update: int, problem: Exception) -> bool:
        tries = self._tries[1] + 1 if self._tries[0] == update else 1
        self._tries = (update, tries)
        # A full or failing disk is not the update's fault: it waits as long as that lasts.
        storage = not isinstance(problem, (LookupError, TypeError, ValueError, AttributeError))
        reason = f"{type(problem).__name__}: {problem}"
        log.error(
            "update not taken", channel=self.name, tries=tries, reason=reason, exc_info=None if storage else problem
        )
        self._health.set(self.name, State.DEGRADED, f"An update could not be stored: {type(problem).__name__}.")
        if not storage and tries >= _TRIES:
            self._counts.message(self.name, "in", "unreadable")
            return True
        await self._clock.sleep(BACKOFF[min(tries, len(BACKOFF)) - 1])
        return False
