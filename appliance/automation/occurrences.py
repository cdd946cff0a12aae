"""When a schedule comes due: pure functions of the schedule, a zone and an instant.

One rule for days on which the clock changes, the one that cron users know:

- A cron expression with a fixed time of day (neither seconds, minutes nor hours begin with `*`) is owed once for each
  local time it names. A time that the clock skips comes due at the first instant after the gap; a time that occurs
  twice comes due at the first of the two.
- Any other cron expression follows the clock on the wall: nothing in the skipped hour, again in the repeated one.
- `every` counts real seconds, whatever the clocks say.

`after`, `before` and `matches` are one function seen from three sides, so they cannot disagree.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import Protocol
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from appliance.errors import InputError

_ALIASES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_LONGEST_OVERLAP = 4 * 3_600  # seconds; no zone has turned its clocks back further in one step since 1970
_LOOK_BACK = (3_600, 86_400, 32 * 86_400, 367 * 86_400, 5 * 366 * 86_400, 30 * 366 * 86_400)


class Rule(Protocol):
    """A schedule. `after(at)` returns the first occurrence later than `at` (Unix seconds), or None at its end."""

    def after(self, at: float) -> float | None: ...


def upcoming(rule: Rule, since: float, count: int) -> list[float]:
    """The first `count` occurrences at or after `since`, in Unix seconds; fewer when the rule ends."""
    return list(islice(following(rule, since - 1e-6), count))


def following(rule: Rule, at: float) -> Iterator[float]:
    """Every occurrence later than `at`, in order."""
    found = rule.after(at)
    while found is not None:
        yield found
        found = rule.after(found)


def before(rule: Rule, at: float) -> float | None:
    """The last occurrence earlier than `at`, or None when there is none within 30 years."""
    for seconds in _LOOK_BACK:
        last = None
        for found in following(rule, at - seconds):
            if found >= at:
                break
            last = found
        if last is not None:
            return last
    return None


def matches(rule: Rule, at: float) -> bool:
    """Whether `at` is an occurrence."""
    return rule.after(at - 1e-6) == at


@dataclass(frozen=True, slots=True)
class Once:
    """One instant, in Unix seconds."""

    at: float

    def after(self, at: float) -> float | None:
        return self.at if self.at > at else None


@dataclass(frozen=True, slots=True)
class Never:
    """No time at all: something else than the clock wakes it."""

    def after(self, at: float) -> float | None:
        return None


@dataclass(frozen=True, slots=True)
class Every:
    """Every `seconds` real seconds, counted from `anchor` (Unix seconds), which itself is no occurrence."""

    seconds: float
    anchor: float

    def after(self, at: float) -> float | None:
        steps = max(0, int((at - self.anchor) // self.seconds))
        following_one = self.anchor + (steps + 1) * self.seconds
        return following_one if following_one > at else following_one + self.seconds


class Cron:
    """Five fields (minute hour day month weekday), six with seconds first, or a name such as @daily, in a zone.

    Raises InputError for what is not such an expression.
    """

    def __init__(self, expression: str, zone: ZoneInfo) -> None:
        self.zone = zone
        self.expression = _ALIASES.get(expression.strip().lower(), " ".join(expression.split()))
        try:
            parsed = CronSim(self.expression, datetime(2000, 1, 1))  # noqa: DTZ001 - wall time; zones are ours
        except CronSimError as error:
            raise InputError(
                f"{expression!r} is not a cron expression: {error}.",
                fix="Write minute hour day month weekday, for example 0 7 * * 1-5.",
            ) from None
        fields = self.expression.split()
        times = fields[: len(fields) - 3]
        self.fixed = not any(field.startswith("*") for field in times)
        days = fields[-3], fields[-1]
        self.both_days = not parsed.day_and and not any(field.startswith("*") for field in days)

    def after(self, at: float) -> float | None:
        for found in self._fixed_from(at) if self.fixed else self._wall_from(at):
            if found > at:
                return found
        return None

    def _naive(self, start: datetime) -> Iterator[datetime]:
        """Local times of the expression later than `start`, as the wall clock would show them on ordinary days."""
        return iter(CronSim(self.expression, start))

    def _fixed_from(self, at: float) -> Iterator[float]:
        for local in self._naive(_wall(at, self.zone)):
            yield instant_of(local, self.zone)

    def _wall_from(self, at: float) -> Iterator[float]:
        # Local times that are about to be repeated lie before the present one: begin that much earlier.
        here = datetime.fromtimestamp(at, self.zone)
        turning_back = _offset(here) - _offset(datetime.fromtimestamp(at + _LONGEST_OVERLAP, self.zone))
        start = _wall(at, self.zone) - max(timedelta(0), turning_back)
        waiting: list[float] = []
        for local in self._naive(start):
            instants = _instants(local, self.zone)
            if not instants:
                continue
            while waiting and waiting[0] <= instants[0]:
                yield heapq.heappop(waiting)
            for instant in instants:
                heapq.heappush(waiting, instant)
            # What can still come is not earlier than this local time's first instant.
            yield heapq.heappop(waiting)
        while waiting:
            yield heapq.heappop(waiting)


@dataclass(frozen=True, slots=True)
class Except:
    """A rule without its occurrences on some local days. `free(day)` answers whether the day is left out."""

    rule: Rule
    zone: ZoneInfo
    free: Callable[[date], bool]

    def after(self, at: float) -> float | None:
        # Ten years of holidays in a row are a mistake in the calendar, not a schedule.
        limit = at + 10 * 366 * 86_400
        for found in following(self.rule, at):
            if found > limit:
                return None
            if not self.free(datetime.fromtimestamp(found, self.zone).date()):
                return found
        return None


def instant_of(local: datetime, zone: ZoneInfo) -> float:
    """A local time (without zone) as Unix seconds: the first of two, or the first instant after the gap it falls in."""
    found = _instants(local, zone)
    if found:
        return found[0]
    # In a gap the two readings lie on either side of the change; look for it between them, to the second.
    low, high = sorted(int(local.replace(tzinfo=zone, fold=fold).timestamp()) for fold in (0, 1))
    after = _offset(datetime.fromtimestamp(high, zone))
    while high - low > 1:
        middle = (low + high) // 2
        if _offset(datetime.fromtimestamp(middle, zone)) == after:
            high = middle
        else:
            low = middle
    return float(high)


def _instants(local: datetime, zone: ZoneInfo) -> list[float]:
    """Every instant at which a wall in the zone shows this time: none in a gap, two in an overlap."""
    found = []
    for fold in (0, 1):
        instant = local.replace(tzinfo=zone, fold=fold).timestamp()
        if _wall(instant, zone) == local and instant not in found:
            found.append(instant)
    return sorted(found)


def _wall(at: float, zone: ZoneInfo) -> datetime:
    return datetime.fromtimestamp(at, zone).replace(tzinfo=None, microsecond=0, fold=0)


def _offset(at: datetime) -> timedelta:
    return at.utcoffset() or timedelta(0)


def utc_text(at: float) -> str:
    """An occurrence as its id and every machine-readable form write it: 2026-03-08T07:00:00Z."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
