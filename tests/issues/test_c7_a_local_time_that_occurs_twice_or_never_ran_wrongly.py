"""PR #118297, kelektiv/node-cron #563, kubernetes/kubernetes #121594, gawel/aiocron #28."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from appliance.automation.occurrences import Cron, following, utc_text

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("day", "hours", "right"),
    [
        ("2026-10-25", 25, ["2026-10-25T00:30:00Z"]),  # occurs twice: the first of the two, once
        ("2027-03-28", 23, ["2027-03-28T01:00:00Z"]),  # does not exist: the first instant after the gap, once
    ],
)
def test_half_past_two_comes_due_once_on_the_days_of_the_change(day: str, hours: int, right: list[str]) -> None:
    start = datetime.fromisoformat(day).replace(tzinfo=BERLIN).timestamp()
    found = []
    for at in following(Cron("30 2 * * *", BERLIN), start - 1):
        if at >= start + hours * 3600:
            break
        found.append(utc_text(at))
    assert found == right
