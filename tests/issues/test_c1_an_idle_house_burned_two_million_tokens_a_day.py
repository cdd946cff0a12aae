"""#64293, #81186, #67308: 24 hours without a message, default settings."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest


@pytest.mark.parametrize(("days", "step_minutes"), [(1, 5), (21, 60)])
async def test_idle_by_default_nothing_is_paid(automation: Any, days: int, step_minutes: int) -> None:
    home = await automation()
    home.house.workspace("main").write("HEARTBEAT.md", "- [daily 09:00] Look at the calendar\n")
    assert await idle(home, days, step_minutes) == 0


@pytest.mark.parametrize(("days", "step_minutes"), [(1, 5), (21, 60)])
async def test_a_heartbeat_with_nothing_to_look_after_is_free_too(
    automation: Any, days: int, step_minutes: int
) -> None:
    home = await automation(APPLIANCE_HEARTBEAT__ENABLED="true", APPLIANCE_HEARTBEAT__IDLE_DAYS="0")
    assert await idle(home, days, step_minutes) == 0


async def idle(home: Any, days: int, step_minutes: int) -> int:
    """Let the days pass in steps; return how many calls were made and what was said to nobody's question."""
    began = datetime.fromtimestamp(home.clock.now(), UTC)
    for step in range(1, days * 24 * 60 // step_minutes + 1):
        home.clock.set((began + timedelta(minutes=step * step_minutes)).isoformat())
        await home.house.automation.tick()
    await home.quiet()
    return len(home.provider.calls) + len(home.pocket.got)
