"""#4018, #33092, #12744, #104412: job at 12:37, stopped at 12:36, started at 12:38."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize("back", ["12:38:00", "12:39:30"])
async def test_the_run_is_made_up_for_once(automation: Any, back: str) -> None:
    home = await automation("2026-11-30T12:30:00Z")
    job = await home.schedule('"37 12 * * *" News')
    home.clock.set("2026-11-30T12:36:00Z")
    await home.house.stop()
    again = await automation(f"2026-11-30T{back}Z", provider=home.provider)
    await again.quiet()
    await again.at("2026-11-30T13:00:00Z")
    assert [(state, late) for _, state, late in again.log(job)] == [("done", back > "12:38:30")]
    assert len(again.provider.calls) == 1
    assert len(again.pocket.got) == 1
