"""Containers made ahead, each for one command of one work folder and profile; never used twice.

A start costs the engine a fifth of a second, so it happens before there is a command. Who finds the pool empty waits
in line; starts are made for the line first and only then to refill. How many wait ready follows use, up to a limit.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from appliance.errors import SandboxError
from appliance.sandbox.container import Ready
from appliance.tasks import end

Key = tuple[str, str]  # work folder id, profile
_STARTS = 3  # starts at once; more make each slower and none sooner
_AFTER = 0.03  # seconds from giving out a container to making the next
_USE_WINDOW = 120.0  # seconds that a burst is remembered
_IDLE = 900.0  # seconds without a command after which a folder's containers go
_OLD = 3600.0  # seconds after which a waiting container is replaced
_BACKOFF = (1.0, 2.0, 5.0, 15.0, 30.0)


@dataclass(slots=True)
class _Shelf:
    """What the pool knows of one key. `born` is when a command or a wish last came."""

    ready: collections.deque[Ready] = field(default_factory=collections.deque)
    waiting: collections.deque[asyncio.Future[Ready]] = field(default_factory=collections.deque)
    starting: int = 0
    taken: collections.deque[float] = field(default_factory=collections.deque)
    touched: float = field(default_factory=time.monotonic)

    def wanted(self, size: int) -> int:
        """How many should stand ready: one more than were taken in the window, at most `size`."""
        now = time.monotonic()
        while self.taken and self.taken[0] < now - _USE_WINDOW:
            self.taken.popleft()
        if now - self.touched > _IDLE:
            return 0
        return min(size, 1 + len(self.taken))


class Pool:
    """Give out ready containers and replace them.

    boot: make one for a key; raises SandboxError. bury: have one killed and removed behind.
    """

    def __init__(
        self,
        boot: Callable[[Key], Awaitable[Ready]],
        bury: Callable[[str], None],
        *,
        size: int,
        most: int | None = None,
    ) -> None:
        self._boot = boot
        self._bury = bury
        self._size = size
        self._most = most if most is not None else max(size, 1) * 4
        self._shelves: dict[Key, _Shelf] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._starting = 0
        self._failures = 0
        self._retry_at = 0.0
        self.last_error: SandboxError | None = None
        self._closed = False

    @property
    def ready(self) -> int:
        """How many containers wait, over all keys."""
        return sum(len(shelf.ready) for shelf in self._shelves.values())

    @property
    def wanted(self) -> int:
        """How many should wait now, over all keys; none where nobody asked for a while."""
        return sum(shelf.wanted(self._size) for shelf in self._shelves.values())

    @property
    def names(self) -> set[str]:
        return {ready.name for shelf in self._shelves.values() for ready in shelf.ready}

    def warm(self, key: Key) -> None:
        """Keep at least one container ready for `key` from now on."""
        self._shelves.setdefault(key, _Shelf()).touched = time.monotonic()
        self._refill()

    async def take(self, key: Key) -> Ready:
        """Return a ready container, waiting in line when there is none; raises SandboxError when none can be made.

        The caller owns it from here: one command, then bury.
        """
        shelf = self._shelves.setdefault(key, _Shelf())
        shelf.touched = time.monotonic()
        shelf.taken.append(shelf.touched)
        while shelf.ready:
            ready = shelf.ready.popleft()
            if ready.alive():
                # The command goes first: a start in another thread would take its processor time away.
                asyncio.get_running_loop().call_later(_AFTER, self._refill)
                return ready
            self._discard(ready)
        future: asyncio.Future[Ready] = asyncio.get_running_loop().create_future()
        shelf.waiting.append(future)
        self._refill()
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.exception() is None:
                self._shelve(key, future.result())
            raise
        finally:
            with contextlib.suppress(ValueError):
                shelf.waiting.remove(future)

    def tend(self) -> None:
        """Called now and then: drop dead, old and idle containers, try again after failures."""
        now = time.monotonic()
        for key, shelf in list(self._shelves.items()):
            for ready in list(shelf.ready):
                if not ready.alive() or now - ready.born > _OLD or len(shelf.ready) > shelf.wanted(self._size):
                    shelf.ready.remove(ready)
                    self._discard(ready)
            if not shelf.ready and not shelf.waiting and not shelf.starting and now - shelf.touched > _IDLE:
                del self._shelves[key]
        self._refill()

    async def close(self) -> None:
        """Stop making containers and bury those that wait."""
        self._closed = True
        await end(self._tasks)
        for shelf in self._shelves.values():
            for future in shelf.waiting:
                if not future.done():
                    future.set_exception(SandboxError("The sandbox runner is stopping."))
            while shelf.ready:
                self._discard(shelf.ready.popleft())

    def _refill(self) -> None:
        if self._closed:
            return
        while self._starting < _STARTS and (key := self._next()) is not None:
            shelf = self._shelves[key]
            shelf.starting += 1
            self._starting += 1
            task = asyncio.get_running_loop().create_task(self._make(key, shelf))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _next(self) -> Key | None:
        """The key that a start is for: the one whose line is longest unserved, else one that should be refilled."""
        served = max(self._shelves.items(), key=lambda item: len(item[1].waiting) - item[1].starting, default=None)
        if served is not None and len(served[1].waiting) > served[1].starting:
            return served[0]
        if time.monotonic() < self._retry_at or self.ready + self._starting >= self._most:
            return None
        for key, shelf in self._shelves.items():
            if len(shelf.ready) + shelf.starting - len(shelf.waiting) < shelf.wanted(self._size):
                return key if self._size else None
        return None

    async def _make(self, key: Key, shelf: _Shelf) -> None:
        try:
            ready = await self._boot(key)
        except SandboxError as error:
            self.last_error = error
            self._retry_at = time.monotonic() + _BACKOFF[min(self._failures, len(_BACKOFF) - 1)]
            self._failures += 1
            while shelf.waiting:
                future = shelf.waiting.popleft()
                if not future.done():
                    # Whoever waited hears why; waiting for another try would only be slower to fail.
                    future.set_exception(error)
                    break
        else:
            self._failures = 0
            self._retry_at = 0.0
            self.last_error = None
            self._shelve(key, ready)
        finally:
            shelf.starting -= 1
            self._starting -= 1
            asyncio.get_running_loop().call_soon(self._refill)

    def _shelve(self, key: Key, ready: Ready) -> None:
        shelf = self._shelves.setdefault(key, _Shelf())
        while shelf.waiting:
            future = shelf.waiting.popleft()
            if not future.done():
                future.set_result(ready)
                return
        if self._closed:
            self._discard(ready)
        else:
            shelf.ready.append(ready)

    def _discard(self, ready: Ready) -> None:
        ready.close()
        self._bury(ready.name)
