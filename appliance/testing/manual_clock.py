"""A clock that stands still until a test moves it."""

from __future__ import annotations

import asyncio
import heapq
import itertools


class ManualClock:
    """appliance.clock.Clock for tests. `sleeps` lists every sleep asked for, in seconds.

    A sleep returns when `advance` has moved past its end. With `auto`, a sleep moves the clock itself and returns at
    once, for code whose waiting is beside the point.
    """

    def __init__(self, now: float = 1_800_000_000.0, *, auto: bool = False) -> None:
        self.auto = auto
        self.sleeps: list[float] = []
        self._now = now
        self._monotonic = 1_000.0
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = itertools.count()

    def now(self) -> float:
        return self._now

    def monotonic(self) -> float:
        return self._monotonic

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        if self.auto or seconds <= 0:
            self.move(max(0.0, seconds))
            await asyncio.sleep(0)
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (self._monotonic + seconds, next(self._order), future))
        await future

    def set(self, now: float) -> None:
        """Move the wall clock alone, forwards or back, as an administrator or NTP would."""
        self._now = now

    async def advance(self, seconds: float) -> None:
        """Move on, waking sleepers in the order of their times and letting each run before the next."""
        end = self._monotonic + seconds
        await settle()
        while self._waiting and self._waiting[0][0] <= end:
            until, _, future = heapq.heappop(self._waiting)
            self.move(max(0.0, until - self._monotonic))
            if not future.done():
                future.set_result(None)
            await settle()
        self.move(end - self._monotonic)
        await settle()

    @property
    def sleepers(self) -> int:
        """How many are asleep."""
        return sum(not future.done() for _, _, future in self._waiting)

    def move(self, seconds: float) -> None:
        """Move both clocks at once, waking nobody: for code that only asks what time it is."""
        self._now += seconds
        self._monotonic += seconds


async def settle(rounds: int = 20) -> None:
    """Let everything that can run without time passing do so."""
    for _ in range(rounds):
        await asyncio.sleep(0)
