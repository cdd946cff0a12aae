"""#86324: the model calls the acknowledging tool for ever."""

from __future__ import annotations

from typing import Any

import pytest

from appliance.testing.anthropic_replies import Reply

REPORT = ("report", {"notify": True, "text": "Dentist at 15:00"})


@pytest.mark.parametrize("at_once", [1, 50])
async def test_the_turn_ends_at_the_first_report(automation: Any, at_once: int) -> None:
    home = await automation(APPLIANCE_HEARTBEAT__ENABLED="true")
    home.house.workspace("main").write("HEARTBEAT.md", "- [daily 09:00] Look at the calendar\n")
    await home.quiet()
    home.provider.default(lambda body: Reply(tools=[REPORT] * at_once))
    await home.at("2026-11-30T09:00:10Z")
    assert len(home.provider.calls) == 1
    assert home.pocket.got == ["Dentist at 15:00"]
