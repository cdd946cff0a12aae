"""A change wakes a job once, and a flood of changes does not."""

from __future__ import annotations

from typing import Any

from tests.integration.automation.conftest import Home, Start


async def test_a_changed_file_wakes_its_job_once_for_each_change(home: Home) -> None:
    file = home.house.workspace("main").files / "inbox.md"
    file.write_text("one")
    job = await home.schedule("watch file inbox.md Read what is new")
    await home.at("2026-11-30T08:01:00Z")
    await home.at("2026-11-30T08:02:00Z")
    assert home.paid_calls() == 0
    file.write_text("two")
    await home.at("2026-11-30T08:03:00Z")
    await home.at("2026-11-30T08:04:00Z")
    assert home.states(job) == ["done"]
    assert "because file inbox.md changed]" in str(home.provider.calls[0].request["messages"])
    assert home.house.automation.jobs.find(job).state == "active"


async def test_a_flood_of_changes_is_one_run_in_thirty_seconds_and_the_last_change_is_not_lost(home: Home) -> None:
    file = home.house.workspace("main").files / "inbox.md"
    file.write_text("0")
    job = await home.schedule("watch file inbox.md Read what is new")
    await home.at("2026-11-30T08:01:00Z")
    for second in range(0, 30, 6):
        file.write_text(str(second + 1))
        await home.at(f"2026-11-30T08:02:{second:02}Z")
    assert home.states(job) == ["done"]
    await home.at("2026-11-30T08:02:40Z")
    await home.at("2026-11-30T08:03:50Z")
    assert home.states(job) == ["done", "done"]


async def test_five_a_minute_in_all(home: Home) -> None:
    files = home.house.workspace("main").files
    for number in range(8):
        (files / f"{number}.md").write_text("a")
        await home.schedule(f"watch file {number}.md Read {number}")
    await home.at("2026-11-30T08:01:00Z")
    for number in range(8):
        (files / f"{number}.md").write_text("b")
    await home.at("2026-11-30T08:02:00Z")
    await home.at("2026-11-30T08:02:30Z")
    assert home.paid_calls() == 5
    await home.at("2026-11-30T08:03:10Z")
    assert home.paid_calls() == 8


async def test_an_alert_wakes_what_watches_it_once_for_each_time_it_fires(start: Start) -> None:
    home = await start()
    job = await home.schedule("watch alert DiskAlmostFull Look what takes the space")
    await home.house._alerted(alert("DiskAlmostFull", "t1"))
    await home.quiet()
    await home.house._alerted(alert("DiskAlmostFull", "t1"))
    await home.house._alerted(alert("SomethingElse", "t1"))
    await home.at("2026-11-30T08:05:00Z")
    assert home.states(job) == ["done"]
    await home.house._alerted(alert("DiskAlmostFull", "t2"))
    await home.at("2026-11-30T08:06:00Z")
    assert home.states(job) == ["done", "done"]


def alert(name: str, since: str) -> dict[str, Any]:
    one = {
        "status": "firing",
        "labels": {"alertname": name},
        "annotations": {"summary": "s", "description": "d"},
        "fingerprint": "f",
        "startsAt": since,
    }
    return {"alerts": [one]}


async def test_a_page_is_read_through_the_wall_and_a_blocked_one_pauses_the_job(home: Home) -> None:
    job = await home.schedule("watch url http://169.254.169.254/latest Tell me")
    for minute in range(0, 130, 11):
        await home.at(f"2026-11-30T{9 + minute // 60:02}:{minute % 60:02}:00Z")
    assert home.paid_calls() == 0
    assert home.house.automation.jobs.find(job).state == "paused"
    assert len(home.pocket.got) == 1


async def test_a_watcher_survives_a_restart_without_telling_old_news(start: Start) -> None:
    home = await start()
    file = home.house.workspace("main").files / "inbox.md"
    file.write_text("one")
    job = await home.schedule("watch file inbox.md Read what is new")
    await home.at("2026-11-30T08:01:00Z")
    await home.house.stop()
    file.write_text("two")
    again = await start("2026-11-30T08:10:00Z", provider=home.provider)
    await again.quiet()
    assert again.states(job) == ["done"]
    await again.house.stop()
    third = await start("2026-11-30T08:20:00Z", provider=home.provider)
    await third.at("2026-11-30T08:21:00Z")
    assert third.states(job) == ["done"]
