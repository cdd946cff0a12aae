"""The offset of a time zone was cut off instead of converted, so a budget in Tokyo opened nine hours late."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from appliance.testing.manual_clock import ManualClock

from ..unit.spending.books import open_books


async def test_a_day_in_tokyo_resets_at_fifteen_hours_utc(tmp_path: Path) -> None:
    clock = ManualClock(datetime.fromisoformat("2026-07-31T23:00:00+09:00").timestamp())
    async with open_books(tmp_path, clock=clock, zone="Asia/Tokyo") as books:
        day = books.budget.status()[0]
        assert (day["period"], day["resets_at"]) == ("2026-07-31", "2026-07-31T15:00:00.000Z")
        clock.set(datetime.fromisoformat("2026-07-31T15:00:00+00:00").timestamp())
        assert books.budget.status()[0]["period"] == "2026-08-01"
