"""A daily budget was projected to the end of the month, so half a day's spending looked like a disaster."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from appliance.messages import Usage
from appliance.spending.report import Spending
from appliance.spending.show import forecast_text
from appliance.testing.manual_clock import ManualClock

from ..unit.spending.books import call, limit, open_books


@pytest.mark.parametrize(
    ("now", "forecast"),
    [
        ("2026-06-23T12:00+02:00", 12.0),
        ("2026-03-29T12:30+02:00", 12.0),  # 11.5 of 23 hours are over
        ("2026-10-25T11:30+01:00", 12.0),  # 12.5 of 25 hours
        ("2026-06-23T18:00+02:00", 8.0),
    ],
)
async def test_six_spent_by_noon_is_heading_for_twelve_today(tmp_path: Path, now: str, forecast: float) -> None:
    clock = ManualClock(datetime.fromisoformat(now).timestamp())
    async with open_books(tmp_path, settings=limit("10"), clock=clock, zone="Europe/Berlin") as books:
        held = await books.budget.reserve(call(max_tokens=400_000))
        await books.budget.settle(held, Usage(output=400_000))
        found = Spending(books.database, lambda: books.settings, lambda: books.zone, clock).forecast()
        assert (found.spent, found.forecast / 10**12) == (6 * 10**12, forecast)
        assert found.day == now[:10]
        assert found.over == (forecast > 10)
        assert f"heading for ${forecast:.2f}" in forecast_text(found)
