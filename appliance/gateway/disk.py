"""A disk that takes no writes: waited out, so that what was accepted is answered when there is room again."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import apsw
import structlog

from appliance.clock import Clock
from appliance.observability.health import Health, State
from appliance.storage import atomic_write

log = structlog.get_logger(__name__)
T = TypeVar("T")

_FULL = (errno.ENOSPC, errno.EDQUOT)
_PROBE_BYTES = 256 * 1024  # room for an answer and its records
_LOOK_SECONDS = 2.0
_MOST_SECONDS = 60.0


def is_full(error: BaseException | None) -> bool:
    """True when an error, or what caused it, is a lack of space or inodes."""
    while error is not None:
        if isinstance(error, apsw.FullError) or (isinstance(error, OSError) and error.errno in _FULL):
            return True
        error = error.__cause__ or error.__context__
    return False


@dataclass
class Disk:
    """Given the folder of STATE, wait until it can be written again. `began` and `over` tell the owner, once each."""

    folder: Path
    clock: Clock
    health: Health
    began: Callable[[], Awaitable[None]]
    over: Callable[[], Awaitable[None]]
    _waiting: asyncio.Task[None] | None = field(default=None, init=False)

    async def surely(self, write: Callable[[], Awaitable[T]]) -> T:
        """Run a database write until it is stored; any trouble of the disk is waited out. `write` may run again."""
        pause = _LOOK_SECONDS
        while True:
            try:
                return await write()
            except apsw.Error as error:
                log.error("a result could not be stored, it is tried again", reason=str(error))
                self.health.set("disk", State.FAILED, f"STATE cannot be written: {error}")
            if await asyncio.to_thread(is_full_now, self.folder):
                await self.room()
            else:
                await self.clock.sleep(pause)
                pause = min(_MOST_SECONDS, pause * 2)

    async def room(self) -> None:
        """Wait until there is room. Everybody who waits shares one watch."""
        if self._waiting is None or self._waiting.done():
            self._waiting = asyncio.create_task(self._watch(), name="disk-full")
        await asyncio.shield(self._waiting)

    async def _watch(self) -> None:
        self.health.set("disk", State.FAILED, "The disk that STATE lies on is full. Free space; nothing is lost.")
        log.error("the disk is full, turns wait", folder=str(self.folder))
        await self.attempt(self.began)
        while await asyncio.to_thread(is_full_now, self.folder):
            await self.clock.sleep(_LOOK_SECONDS)
        self.health.set("disk", State.READY)
        log.info("there is room on the disk again")
        await self.attempt(self.over)

    @staticmethod
    async def attempt(words: Callable[[], Awaitable[None]]) -> None:
        """Tell somebody something, if there is room for it."""
        try:
            await words()
        except (apsw.Error, OSError) as error:  # there may be no room for the notice either
            log.warning("the owner could not be told", reason=str(error))


def is_full_now(folder: Path) -> bool:
    """Try a write of the size of an answer in `folder`."""
    probe = folder / ".room"
    try:
        atomic_write(probe, os.urandom(_PROBE_BYTES))
    except OSError as error:
        return error.errno in _FULL
    finally:
        probe.unlink(missing_ok=True)
    return False
