"""Time, given rather than taken, so that a test can move it; and the owner's day."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, date, datetime, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo


class Clock(Protocol):
    """now: Unix seconds. monotonic: seconds that never go back. sleep: wait that many seconds."""

    def now(self) -> float: ...
    def monotonic(self) -> float: ...
    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The real thing."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(0.0, seconds))


def day_of(at: float, zone: ZoneInfo) -> date:
    """Given Unix seconds and the owner's zone, return the calendar day there."""
    return datetime.fromtimestamp(at, zone).date()


def day_bounds(day: date, zone: ZoneInfo) -> tuple[float, float]:
    """Given a day, return Unix seconds of its first instant and of the next day's: 23, 24 or 25 hours apart."""
    first = datetime(day.year, day.month, day.day, tzinfo=zone)
    following = day + timedelta(days=1)
    return first.timestamp(), datetime(following.year, following.month, following.day, tzinfo=zone).timestamp()


def iso(at: float) -> str:
    """Unix seconds as ISO 8601 in UTC with milliseconds, the form of every stored time."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
