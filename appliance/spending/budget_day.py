"""Which day a call belongs to: the owner's calendar day, held by a mark that a clock cannot turn back.

A clock that jumps backwards (a flat battery, a wrong time server, a zone change) does not open yesterday's or 1970's
empty budget: the newest day seen stays the day. When the clock goes on behind that mark for 24 hours it is believed, so
that a jump far forward and back again costs one day, not a year.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

import apsw

from appliance.clock import day_bounds, day_of
from appliance.spending.ledger import Query

HOLD_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True)
class BudgetDay:
    """`name` is YYYY-MM-DD. `resets_at` is Unix seconds. `held_since` is set while the clock is behind the mark."""

    name: str
    resets_at: float
    held_since: float | None = None


def current(query: Query, now: float, zone: ZoneInfo) -> BudgetDay:
    """Given the time and the owner's zone, return the day; nothing is written."""
    state: dict[str, str] = dict(query("SELECT key, value FROM spending_state WHERE key IN ('day', 'held_since')", ()))
    today = day_of(now, zone).isoformat()
    newest = state.get("day", today)
    if today >= newest:
        return BudgetDay(today, day_bounds(date.fromisoformat(today), zone)[1])
    since = float(state["held_since"]) if "held_since" in state else now
    if now < since:  # it jumped back once more
        since = now
    if now - since >= HOLD_SECONDS:
        return BudgetDay(today, day_bounds(date.fromisoformat(today), zone)[1])
    end = day_bounds(date.fromisoformat(newest), zone)[1]
    return BudgetDay(newest, min(end, since + HOLD_SECONDS), since)


def remember(connection: apsw.Connection, day: BudgetDay) -> None:
    """Move the mark, in the transaction that relies on it."""
    connection.execute(
        "INSERT INTO spending_state VALUES ('day', ?1) ON CONFLICT DO UPDATE SET value = ?1 WHERE value != ?1",
        (day.name,),
    )
    if day.held_since is None:
        connection.execute("DELETE FROM spending_state WHERE key = 'held_since'")
    else:
        connection.execute(
            "INSERT INTO spending_state VALUES ('held_since', ?1) ON CONFLICT DO UPDATE SET value = ?1",
            (repr(day.held_since),),
        )


def local_time(at: float, zone: ZoneInfo) -> str:
    """Given Unix seconds, return the time for a person: `2026-12-01 00:00 (Europe/Berlin)`."""
    return f"{datetime.fromtimestamp(at, zone):%Y-%m-%d %H:%M} ({zone.key})"
