"""The wall clock jumps and the house stays right: nothing twice, nothing lost without a word."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.integration.automation.conftest import Home


@pytest.mark.parametrize(
    "times",
    [
        ["08:30", "09:30", "08:30", "09:00", "09:30", "10:05"],  # on and back by an hour
        ["08:30", "+09:30", "08:31", "09:00", "10:05", "+09:30"],  # on and back by 25 hours
        ["09:05", "-09:05", "-23:00", "09:05", "10:05"],  # back by 24 and on again
        ["10:05", "-09:05", "-10:05", "10:06", "11:05"],  # back by 25 and on again
    ],
)
async def test_each_occurrence_is_run_once_or_skipped_with_the_reason(home: Home, times: list[str]) -> None:
    job = await home.schedule('"0 * * * *" Count')
    for time in times:
        day = {"+": "12-01", "-": "11-29"}.get(time[0], "11-30")
        await home.at(f"2026-{day}T{time.lstrip('+-')}:01Z")
    rows = home.house.core.read("SELECT planned, state, reason FROM cron_occurrences WHERE job=?", (job,))
    assert set(Counter(planned for planned, _, _ in rows).values()) == {1}
    assert {state for _, state, _ in rows} <= {"done", "skipped"}
    assert all(reason for _, state, reason in rows if state == "skipped")
    done = sum(state == "done" for _, state, _ in rows)
    assert home.paid_calls() == done == len(home.pocket.got)
    hours = [planned for planned, _, _ in rows]
    assert max(hours) - min(hours) == 3600 * (len(hours) - 1), "an hour is missing from the record"


async def test_the_budget_of_a_day_is_not_opened_twice_by_a_clock_that_goes_back(home: Home) -> None:
    job = await home.schedule('--budget 0.03 "*/10 * * * *" Count')
    await home.at("2026-11-30T23:50:00Z")
    await home.at("2026-12-01T00:00:00Z")
    home.clock.set("2026-11-30T23:40:00Z")
    await home.at("2026-11-30T23:59:59Z")
    await home.at("2026-12-01T00:00:00Z")
    planned = [p for p, _, _ in home.log(job)]
    assert len(planned) == len(set(planned))
    assert home.paid_calls() == home.states(job).count("done")
