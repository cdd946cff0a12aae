"""NousResearch/hermes-agent#77406: restart at 10:57; jobs at 08:00 and 09:00 missed, 17:00 and 19:30 to come."""

from __future__ import annotations

from typing import Any


async def test_only_what_was_missed_runs_now_and_the_rest_at_its_time(automation: Any) -> None:
    home = await automation("2026-11-30T07:00:00Z")
    jobs = {time: await home.schedule(f'"{time[3:]} {time[:2]} * * *" Job of {time}') for time in TIMES}
    await home.house.stop()
    again = await automation("2026-11-30T10:57:00Z", provider=home.provider)
    await again.quiet()
    assert {time: again.states(job) for time, job in jobs.items()} == {
        "08:00": ["done"], "09:00": ["done"], "17:00": [], "19:30": [],
    }  # fmt: skip
    assert len(again.provider.calls) == 2
    await again.at("2026-11-30T17:00:01Z")
    await again.at("2026-11-30T19:30:01Z")
    assert {time: again.states(job) for time, job in jobs.items()} == {time: ["done"] for time in TIMES}
    assert len(again.provider.calls) == 4


TIMES = ("08:00", "09:00", "17:00", "19:30")
