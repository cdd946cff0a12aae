"""How fast one may write into a chat: a small burst, then a steady rate; longer when the platform says so.

Chats do not wait for one another: a chat that is told to wait 37 seconds delays nobody else.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from appliance.clock import Clock

_REMEMBERED = 2048


@dataclass(slots=True)
class Rate:
    """`burst` calls at once, then one every `interval` seconds; edits at least `edit_gap` seconds apart."""

    burst: float
    interval: float
    edit_gap: float


PRIVATE = Rate(burst=3, interval=1.0, edit_gap=1.0)
GROUP = Rate(burst=3, interval=3.0, edit_gap=3.0)
_OVERALL = Rate(burst=25, interval=1 / 25, edit_gap=0.0)


@dataclass(slots=True)
class _Bucket:
    level: float
    at: float
    held_until: float = float("-inf")
    edited_at: float = float("-inf")


class Pacer:
    """Give it a clock; `await wait(...)` before each call and `hold(...)` after a refusal with a time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()
        self._overall = _Bucket(_OVERALL.burst, clock.monotonic())

    async def wait(self, chat: str, rate: Rate, *, edit: bool = False) -> None:
        """Return when a call into `chat` may be made, and count it."""
        while (pause := self._pause(chat, rate, edit=edit)) > 0:
            await self._clock.sleep(pause)
        now = self._clock.monotonic()
        bucket = self._bucket(chat, rate)
        bucket.level -= 1
        self._overall.level -= 1
        if edit:
            bucket.edited_at = now

    def hold(self, chat: str, seconds: float) -> None:
        """The platform refused: no call into `chat` for `seconds` from now."""
        bucket = self._bucket(chat, PRIVATE)
        bucket.held_until = max(bucket.held_until, self._clock.monotonic() + seconds)

    def held(self, chat: str) -> bool:
        """Whether the chat must wait because the platform said so."""
        bucket = self._buckets.get(chat)
        return bucket is not None and bucket.held_until > self._clock.monotonic()

    def _pause(self, chat: str, rate: Rate, *, edit: bool) -> float:
        """Seconds until a call may be made; 0 when it may be made now."""
        now = self._clock.monotonic()
        bucket = self._bucket(chat, rate)
        pause = max(_refill(bucket, rate, now), _refill(self._overall, _OVERALL, now), bucket.held_until - now)
        return max(pause, bucket.edited_at + rate.edit_gap - now) if edit else pause

    def _bucket(self, chat: str, rate: Rate) -> _Bucket:
        bucket = self._buckets.get(chat)
        if bucket is None:
            bucket = self._buckets[chat] = _Bucket(rate.burst, self._clock.monotonic())
            if len(self._buckets) > _REMEMBERED:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(chat)
        return bucket


def _refill(bucket: _Bucket, rate: Rate, now: float) -> float:
    """Bring a bucket up to date; return the seconds until it holds a whole call."""
    bucket.level = min(rate.burst, bucket.level + max(0.0, now - bucket.at) / rate.interval)
    bucket.at = now
    # A hair less than one counts as one: sums of floats must not cause a wait of nothing.
    return 0.0 if bucket.level >= 1 - 1e-9 else (1 - bucket.level) * rate.interval
