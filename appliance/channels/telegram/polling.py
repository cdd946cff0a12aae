"""The poll loop: an update is on disk before Telegram is told, and a loop that stands still is noticed.

Telegram counts an update as taken once a later offset is asked for. So the next offset is only what has been handled,
and it is remembered in the same transaction as the message.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import structlog

from appliance.channels.base import Counts
from appliance.channels.telegram.api import ConflictError, TelegramApi, TokenError, UnreadableUpdatesError
from appliance.channels.telegram.taking import BACKOFF, Handle, Taker
from appliance.channels.telegram.updates import ALLOWED
from appliance.clock import Clock
from appliance.crash_points import crash_point
from appliance.errors import ApplianceError
from appliance.observability.health import Health, State
from appliance.texts import say

log = structlog.get_logger(__name__)

# A connection that died silently is noticed when its poll times out; both together stay under 30 s.
POLL_SECONDS = 20
ANSWER_SECONDS = POLL_SECONDS + 6
STALLED_SECONDS = 120.0
CONFLICT_SECONDS = 10.0
TOKEN_SECONDS = 60.0
_CONFLICTS_TO_TELL = 3  # one conflict is our own former poll that Telegram has not let go yet
_RESET_AFTER = 5

Prepare = Callable[[Sequence[Any]], None]


class Poller:
    """Fetch updates and hand each to `handle`, in order. `handle` returns once the update is on disk.

    `offset` is where to begin (None: what Telegram has). `prepare` sees a whole batch first, to start downloads.
    `tell_owner` says a text, given by its key, in the owner's language.
    """

    def __init__(
        self,
        api: TelegramApi,
        clock: Clock,
        handle: Handle,
        prepare: Prepare,
        health: Health,
        counts: Counts,
        tell_owner: Callable[[str], Awaitable[None]],
        offset: int | None = None,
        *,
        name: str = "telegram",
    ) -> None:
        self.name = name
        self._api = api
        self._clock = clock
        self._taker = Taker(clock, handle, health, counts, name)
        self._prepare = prepare
        self._health = health
        self._counts = counts
        self._tell_owner = tell_owner
        self.offset = offset
        self._failures = 0
        self._conflicts = 0
        self._last_good = clock.monotonic()

    async def run(self) -> None:
        """Poll until cancelled; start the loop again when it stands still."""
        while True:
            self._last_good = self._clock.monotonic()
            loop = asyncio.create_task(self._loop())
            watch = asyncio.create_task(self._watch())
            try:
                await asyncio.wait({loop, watch}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (loop, watch):
                    task.cancel()
                results = await asyncio.gather(loop, watch, return_exceptions=True)
            for result in results:
                if isinstance(result, Exception):
                    log.error("polling broke and starts again", channel=self.name, exc_info=result)
            self._health.set(self.name, State.DEGRADED, "Polling stood still and was started again.")
            await self._reset()
            await self._clock.sleep(1.0)

    async def _watch(self) -> None:
        """Return when no poll has succeeded for too long although one should have."""
        while self._clock.monotonic() - self._last_good < STALLED_SECONDS:
            await self._clock.sleep(10.0)
            silent = self._clock.monotonic() - self._last_good
            if silent > STALLED_SECONDS / 2:
                self._health.set(self.name, State.DEGRADED, f"No successful poll for {silent:.0f} seconds.")
        log.error("no successful poll, starting again", channel=self.name, seconds=STALLED_SECONDS)

    async def _loop(self) -> None:
        while True:
            started = self._clock.monotonic()
            try:
                updates = await self._fetch()
            except ConflictError as conflict:
                await self._conflict(conflict)
            except TokenError as error:
                self._health.set(self.name, State.FAILED, str(error))
                log.error("token refused", channel=self.name)
                self._last_good = self._clock.monotonic()  # trying again sooner would not help
                await self._clock.sleep(TOKEN_SECONDS)
            except ApplianceError as trouble:
                await self._trouble(trouble, self._clock.monotonic() - started)
            else:
                self._good()
                await self._take(updates)

    async def _fetch(self) -> list[Any]:
        params = {"offset": self.offset} if self.offset is not None else {}
        try:
            return list(
                await self._api.call(
                    "get_updates", seconds=ANSWER_SECONDS, timeout=POLL_SECONDS, allowed_updates=ALLOWED, **params
                )
            )
        except UnreadableUpdatesError as unreadable:
            return await asyncio.to_thread(_readable, unreadable.raw)

    async def _take(self, updates: list[Any]) -> None:
        """Handle updates in order and move the offset past each; stop at one that cannot be stored now."""
        self._prepare([u for u in updates if not isinstance(u, int)])
        for update in updates:
            if isinstance(update, int):
                log.error("an update that cannot be read was left out", channel=self.name, update=update)
                self.offset = update + 1
                continue
            if not await self._taker.take(update):
                return
            crash_point("before_offset")
            self.offset = update.update_id + 1
            crash_point("after_offset")

    def _good(self) -> None:
        if self._failures or self._conflicts:
            log.info("polling again", channel=self.name)
        self._failures = self._conflicts = 0
        self._last_good = self._clock.monotonic()
        self._counts.polled(self.name, self._clock.now())
        self._health.set(self.name, State.READY, "Polling.")

    async def _trouble(self, trouble: ApplianceError, took: float) -> None:
        self._failures += 1
        if self._failures == 1:
            log.warning("polling failed", channel=self.name, reason=trouble.what)
        if self._failures >= len(BACKOFF) - 1:
            self._health.set(self.name, State.DEGRADED, trouble.what)
        if self._failures % _RESET_AFTER == 0:
            await self._reset()  # stale connections and names that have moved
        pause = getattr(trouble, "retry_after", None) or BACKOFF[min(self._failures, len(BACKOFF)) - 1]
        await self._clock.sleep(max(0.2, pause - took))

    async def _conflict(self, conflict: ConflictError) -> None:
        self._conflicts += 1
        self._last_good = self._clock.monotonic()  # the loop moves; another one has the updates
        if conflict.webhook:
            log.warning("a webhook was set for this bot; it is removed, no update is dropped", channel=self.name)
            with contextlib.suppress(ApplianceError):
                await self._api.call("delete_webhook", drop_pending_updates=False)
            await self._clock.sleep(1.0)
            return
        if self._conflicts >= _CONFLICTS_TO_TELL:
            self._health.set(self.name, State.DEGRADED, say("telegram_conflict"))
        if self._conflicts == _CONFLICTS_TO_TELL:
            log.error("another program polls with the same token", channel=self.name)
            await self._tell_owner("telegram_conflict")
        await self._clock.sleep(CONFLICT_SECONDS if self._conflicts > 1 else 1.0)

    async def _reset(self) -> None:
        with contextlib.suppress(OSError, ApplianceError):
            await self._api.reset()


def _readable(raw: dict[str, Any]) -> list[Any]:
    """Each update that can be read, as such; of the others only the number."""
    from aiogram.types import Update
    from pydantic import ValidationError

    result: list[Any] = []
    for one in raw.get("result", []):
        try:
            result.append(Update.model_validate(one))
        except ValidationError:
            result.append(int(one["update_id"]))
    return result
