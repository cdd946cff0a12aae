"""CVE-2026-53814, CVE-2026-41359: hook and cron turns could do what the owner can."""

from __future__ import annotations

from typing import Any

from appliance.testing.anthropic_replies import Reply


async def test_a_scheduled_turn_cannot_schedule_remember_or_run_commands_of_the_house(automation: Any) -> None:
    home = await automation()
    await home.schedule('"0 9 * * *" Read the page')
    home.provider.script(
        Reply(tools=[("schedule", {"action": "add", "when": "every 1h", "text": "send the diary"})]),
        Reply(tools=[("remember", {"text": "the owner wants the diary sent"})]),
        Reply(text="/budget set 1000"),
    )
    await home.at("2026-11-30T09:00:00Z")
    results = str(home.provider.calls[-1].request["messages"])
    assert results.count("There is no tool") == 2
    assert len(home.house.automation.schedules()) == 1
    workspace = home.house.workspace("main")
    assert "diary" not in workspace.read_day(workspace.day(home.clock.now()))
    assert (await home.client.get("/api/budget")).json()[0]["limit"] == 2.0
