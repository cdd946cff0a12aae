"""What was spent, read from the books' own totals: no figure here is computed a second way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from appliance.clock import Clock, day_bounds
from appliance.database import Database
from appliance.errors import InputError
from appliance.settings.budget import BudgetSettings
from appliance.spending import budget_day, limits
from appliance.spending.money import usd_number

GROUPS = ("model", "purpose", "session", "channel", "agent", "day")
SERIES_DAYS = 30
_LEAST_ELAPSED = 3600.0  # before that a projection says nothing
_FIGURES = "calls, input, cache_read, cache_write, output, cost, electricity, seconds"


@dataclass(frozen=True, slots=True)
class Forecast:
    """What today comes to if it goes on as it began. Money is picodollars; `limit` None without one."""

    day: str
    spent: int
    forecast: int
    limit: int | None

    @property
    def over(self) -> bool:
        return self.limit is not None and self.forecast > self.limit


class Spending:
    """Given the books, the settings as they are now, the owner's zone and a clock, report."""

    def __init__(
        self,
        database: Database,
        settings: Callable[[], BudgetSettings],
        zone: Callable[[], ZoneInfo],
        clock: Clock,
    ) -> None:
        self._read = database.read
        self._settings = settings
        self._zone = zone
        self._clock = clock

    def today(self) -> str:
        """The day that calls are charged to now."""
        return budget_day.current(self._read, self._clock.now(), self._zone()).name

    def spend(self, day: str | None = None, by: str = "model") -> dict[str, Any]:
        """What a day cost, in the form of `appliance spend --json`. `day`: YYYY-MM-DD, today, yesterday; None is today.
        `by` day lists the 30 days up to it.

        Raises InputError for another `day` or `by`.
        """
        name = self._day(day)
        if by not in GROUPS:
            raise InputError(f"Spending is not kept by {by!r}.", fix=f"Use one of {', '.join(GROUPS)}.")
        if by == "day":
            rows = self._read(
                f"SELECT day, {_FIGURES} FROM spending_totals WHERE scope = 'day' AND key = ''"  # noqa: S608 - fixed names
                " AND day BETWEEN ? AND ? AND calls > 0 ORDER BY day",
                (_days_before(name, SERIES_DAYS - 1), name),
            )
        else:
            rows = self._read(
                f"SELECT key, {_FIGURES} FROM spending_totals WHERE day = ? AND scope = ?"  # noqa: S608 - fixed names
                " AND calls > 0 ORDER BY cost DESC, input + cache_read + cache_write + output DESC, key",
                (name, by),
            )
        return {
            "day": name,
            "currency": "USD",
            "total": usd_number(sum(row[6] for row in rows)),
            "rows": [_row(row) for row in rows],
            "electricity": usd_number(sum(row[7] for row in rows)),
        }

    def forecast(self) -> Forecast:
        """Project today's spending to the end of today, by the share of the day that is over (23, 24 or 25 hours)."""
        zone = self._zone()
        day = budget_day.current(self._read, self._clock.now(), zone)
        start, end = day_bounds(date.fromisoformat(day.name), zone)
        elapsed = min(max(self._clock.now() - start, _LEAST_ELAPSED), end - start)
        rows = self._read("SELECT cost FROM spending_totals WHERE day = ? AND scope = 'day' AND key = ''", (day.name,))
        spent = rows[0][0] if rows else 0
        stands = limits.balance(self._read, self._settings(), day.name, "day", "")
        return Forecast(day.name, spent, round(spent * (end - start) / elapsed), stands.limit if stands else None)

    def series(self, days: int = SERIES_DAYS) -> list[dict[str, Any]]:
        """The last `days` days, oldest first, also those on which nothing was spent."""
        last = self.today()
        found = {
            row[0]: row
            for row in self._read(
                f"SELECT day, {_FIGURES} FROM spending_totals WHERE scope = 'day' AND key = '' AND day BETWEEN ? AND ?",  # noqa: S608 - fixed names
                (_days_before(last, days - 1), last),
            )
        }
        names = [_days_before(last, back) for back in range(days - 1, -1, -1)]
        return [_row(found.get(name, (name, 0, 0, 0, 0, 0, 0, 0, 0.0))) for name in names]

    def dearest_turns(self, day: str | None = None, count: int = 10) -> list[dict[str, Any]]:
        """The turns that cost most on a day."""
        rows = self._read(
            "SELECT turn, session, min(at), count(*), sum(input + cache_read + cache_write_5m + cache_write_1h),"
            " sum(output), sum(cost) FROM ledger WHERE day = ? AND turn != '' GROUP BY turn, session"
            " HAVING sum(cost) > 0 ORDER BY sum(cost) DESC, turn LIMIT ?",
            (self._day(day), count),
        )
        names = ("turn", "session", "at", "calls", "prompt", "output", "cost")
        return [dict(zip(names, (*row[:6], usd_number(row[6])), strict=True)) for row in rows]

    def cache_share(self, day: str | None = None) -> float:
        """Which part of a day's prompt tokens came from the cache, 0 to 1."""
        rows = self._read(
            "SELECT cache_read, input + cache_read + cache_write FROM spending_totals"
            " WHERE day = ? AND scope = 'day' AND key = ''",
            (self._day(day),),
        )
        return rows[0][0] / rows[0][1] if rows and rows[0][1] else 0.0

    def _day(self, day: str | None) -> str:
        if day in (None, "", "today"):
            return self.today()
        if day == "yesterday":
            return _days_before(self.today(), 1)
        try:
            return date.fromisoformat(str(day)).isoformat()
        except ValueError:
            raise InputError(f"{day!r} is not a day.", fix="Write it as 2026-11-30, today or yesterday.") from None


def _days_before(day: str, count: int) -> str:
    return (date.fromisoformat(day) - timedelta(days=count)).isoformat()


def _row(row: Any) -> dict[str, Any]:
    key, calls, fresh, read, written, output, cost, electricity, seconds = row
    return {
        "key": key,
        "calls": calls,
        "input": fresh,
        "cache_read": read,
        "cache_write": written,
        "output": output,
        "cost": usd_number(cost),
        "electricity": usd_number(electricity),
        "seconds": round(seconds, 3),
    }
