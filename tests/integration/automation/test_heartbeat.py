"""The heartbeat: free while nothing is due, small when something is, and heard only through its report."""

from __future__ import annotations

import pytest

from appliance.testing.anthropic_replies import Reply
from tests.integration.automation.conftest import Home, Start

ON = {"APPLIANCE_HEARTBEAT__ENABLED": "true"}


def checklist(home: Home, text: str) -> None:
    home.house.workspace("main").write("HEARTBEAT.md", text)


async def test_it_is_off_until_wanted(home: Home) -> None:
    checklist(home, "- [daily 09:00] Look at the calendar")
    await home.quiet()
    await home.at("2026-12-01T09:00:10Z")
    assert home.paid_calls() == 0
    assert "heartbeat: off" in await home.command("/cron")


async def test_nothing_due_is_no_call(start: Start) -> None:
    home = await start(**ON)
    checklist(home, "- [daily 20:00] Look at the calendar")
    await home.quiet()
    for hour in range(9, 20):
        await home.at(f"2026-11-30T{hour:02}:59:00Z")
    assert home.paid_calls() == 0
    assert "heartbeat: on" in await home.command("/cron")


async def test_one_thing_due_is_one_small_call_and_its_report_is_told(start: Start) -> None:
    home = await start(**ON)
    checklist(home, "- [daily 09:00] Look at the calendar\n- [daily 20:00] Look at the garden")
    await home.quiet()
    home.provider.script(Reply(tools=[("report", {"notify": True, "text": "Dentist at 15:00 牙醫"})]))
    await home.at("2026-11-30T09:00:10Z")
    await home.at("2026-11-30T09:10:00Z")
    assert home.pocket.got == ["Dentist at 15:00 牙醫"]
    [call] = home.provider.calls
    assert call.model.startswith("claude-haiku")
    assert "calendar" in str(call.request["messages"])
    assert "garden" not in str(call.request["messages"])
    billed = call.usage["input_tokens"] + call.usage.get("cache_creation_input_tokens", 0)
    assert billed + call.usage.get("cache_read_input_tokens", 0) <= 2_000
    account = (await home.client.get("/api/context?session=heartbeat:main")).json()
    assert account["profile"] == "small"
    assert account["total_tokens"] <= 2_000
    spent = (await home.client.get("/api/spend?by=purpose")).json()["rows"]
    assert [(row["key"], row["calls"]) for row in spent] == [("heartbeat", 1)]


async def test_a_report_that_needs_no_notice_says_nothing(start: Start) -> None:
    home = await start(**ON)
    checklist(home, "- [daily 09:00] Look at the calendar")
    await home.quiet()
    home.provider.script(Reply(tools=[("report", {"notify": False, "text": "HEARTBEAT_OK"})]))
    await home.at("2026-11-30T09:00:10Z")
    assert home.paid_calls() == 1
    assert home.pocket.got == []


async def test_words_without_a_report_are_never_told(start: Start) -> None:
    home = await start(**ON)
    checklist(home, "- [daily 09:00] Look at the calendar")
    await home.quiet()
    home.provider.script(Reply(text="NOTIFY: true. Dentist at 15:00!"))
    await home.at("2026-11-30T09:00:10Z")
    assert home.pocket.got == []
    assert home.paid_calls() == 1


async def test_its_tools_are_few_and_report_belongs_to_it_alone(start: Start) -> None:
    home = await start(**ON)
    checklist(home, "- [daily 09:00] Look at the calendar")
    await home.quiet()
    home.provider.script(Reply(tools=[("report", {"notify": False})]))
    await home.at("2026-11-30T09:00:10Z")
    names = {tool["name"] for tool in home.provider.calls[-1].request["tools"]}
    assert names <= {"report", "read", "memory_search", "exec", "fetch"}
    assert "report" in names
    await home.command("hello")
    assert "report" not in {tool["name"] for tool in home.provider.calls[-1].request["tools"]}


async def test_what_comes_due_outside_its_hours_waits_for_them(start: Start) -> None:
    home = await start(**ON, APPLIANCE_HEARTBEAT__ACTIVE_HOURS="07:00-22:00")
    checklist(home, "- [daily 03:00] Look at the backup")
    await home.quiet()
    await home.at("2026-12-01T03:00:10Z")
    assert home.paid_calls() == 0
    home.provider.script(Reply(tools=[("report", {"notify": False})]))
    await home.at("2026-12-01T07:00:10Z")
    assert home.paid_calls() == 1


async def test_it_rests_after_days_without_a_message_and_goes_on_with_the_next(start: Start) -> None:
    home = await start(**ON, APPLIANCE_HEARTBEAT__IDLE_DAYS="2")
    checklist(home, "- [daily 09:00] Look at the calendar")
    await home.quiet()
    home.provider.default(lambda body: Reply(tools=[("report", {"notify": False})]))
    await home.at("2026-11-30T09:00:10Z")
    await home.at("2026-12-01T09:00:10Z")
    assert home.paid_calls() == 2
    for day in range(3, 20):
        await home.at(f"2026-12-{day:02}T09:00:10Z")
    assert home.paid_calls() == 2
    await home.command("/whoami")
    await home.quiet()
    assert home.paid_calls() == 3


async def test_it_stops_after_three_refused_keys_and_says_so_once(start: Start) -> None:
    home = await start(**ON)
    checklist(home, "- [every 1h] Look at the calendar")
    await home.quiet()
    home.provider.default(lambda body: Reply(status=401, error="authentication_error", message="invalid x-api-key"))
    for minute in range(0, 60 * 12, 7):
        await home.at(f"2026-11-30T{9 + minute // 60:02}:{minute % 60:02}:10Z")
    assert home.paid_calls() <= 3
    told = [text for text in home.pocket.got if "heartbeat stopped" in text]
    assert len(told) == 1
    assert "paused" in await home.command("/cron")
    home.provider.default(lambda body: Reply(tools=[("report", {"notify": True, "text": "fine"})]))
    assert "on" in await home.command("/cron resume heartbeat")


@pytest.mark.parametrize("line", ["- Look at the calendar", "- [sometimes] Look", "- [x] [daily 09:00] Done"])
async def test_lines_that_cannot_be_used_or_are_done_cost_nothing(start: Start, line: str) -> None:
    home = await start(**ON)
    checklist(home, line)
    await home.quiet()
    await home.at("2026-11-30T09:00:10Z")
    await home.at("2026-12-01T09:00:10Z")
    assert home.paid_calls() == 0
