"""Steve-Mcl/node-red-contrib-cron-plus #108."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from appliance.automation.occurrences import Cron, upcoming


@pytest.mark.parametrize("hour", ["2026-10-25T00:00Z", "2026-10-25T01:00Z"])
def test_every_fifteen_seconds_is_240_runs_in_each_of_the_two_hours(hour: str) -> None:
    start = datetime.fromisoformat(hour).timestamp()
    found = upcoming(Cron("*/15 * * * * *", ZoneInfo("Europe/London")), start, 241)
    assert found == [start + 15 * n for n in range(241)]
