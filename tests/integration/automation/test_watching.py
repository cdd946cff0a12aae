"""A change wakes a job once, and a flood of changes does not."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from typing import Any

import pytest

from appliance.errors import SandboxError
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
    await home.house.alerted(alert("DiskAlmostFull", "t1"))
    await home.quiet()
    await home.house.alerted(alert("DiskAlmostFull", "t1"))
    await home.house.alerted(alert("SomethingElse", "t1"))
    await home.at("2026-11-30T08:05:00Z")
    assert home.states(job) == ["done"]
    await home.house.alerted(alert("DiskAlmostFull", "t2"))
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


async def test_what_a_command_prints_wakes_its_job_and_how_it_ends_does_too(home: Home) -> None:
    printed, asked = [b"0\nfree 80%"], []

    async def run(agent: str, command: str) -> bytes:
        asked.append(command)
        return printed[0]

    home.house.automation.watchers.run = run
    job = await home.schedule("\"watch command df -h |  awk '{print $5}'\" Say what fills the disk")
    for minute in ("01", "07", "13"):
        await home.at(f"2026-11-30T08:{minute}:00Z")
    assert home.paid_calls() == 0
    printed[0] = b"1\nfree 80%"
    await home.at("2026-11-30T08:19:00Z")
    await home.at("2026-11-30T08:20:00Z")
    assert home.states(job) == ["done"]
    assert set(asked) == {"df -h |  awk '{print $5}'"}
    assert len(asked) == 4, "it is looked at every five minutes"


async def test_a_flood_of_output_is_one_run_in_thirty_seconds(home: Home) -> None:
    count = iter(range(1000))

    async def run(agent: str, command: str) -> bytes:
        return b"%d" % next(count)

    home.house.automation.watchers.run = run
    jobs = [await home.schedule(f"'watch command date {number}' Read") for number in range(8)]
    await home.at("2026-11-30T08:01:00Z")
    await home.at("2026-11-30T08:07:00Z")
    assert home.paid_calls() == 5
    await home.at("2026-11-30T08:07:20Z")
    assert home.paid_calls() == 5
    await home.at("2026-11-30T08:08:10Z")
    assert [home.states(job) for job in jobs] == [["done"]] * 8


async def test_a_command_that_cannot_run_pauses_its_job_with_one_notice(home: Home) -> None:
    job = await home.schedule("'watch command true' Read")
    for minute in range(0, 60, 6):
        await home.at(f"2026-11-30T09:{minute:02}:00Z")
    assert home.paid_calls() == 0
    assert home.house.automation.jobs.find(job).state == "paused"
    assert len(home.pocket.got) == 1
    assert "Commands are switched off" in home.pocket.got[0]


async def test_a_page_that_hangs_holds_up_no_other_look(home: Home) -> None:
    hanging = 0

    async def fetch(url: str) -> bytes:
        nonlocal hanging
        hanging += 1
        await asyncio.sleep(0.3)
        raise TimeoutError("it hangs")

    home.house.automation.watchers.fetch = fetch
    for number in range(10):
        await home.schedule(f"'watch url https://a.example/{number}' Read")
    home.clock.set("2026-11-30T09:30:00Z")
    before = hanging
    async with asyncio.timeout(2.0):
        await home.house.automation.tick()
    assert hanging - before == 10


@pytest.mark.docker
async def test_a_watched_command_runs_in_the_sandbox_and_nowhere_else(start: Start) -> None:
    if shutil.which("docker") is None or subprocess.run(["docker", "info"], capture_output=True).returncode != 0:
        pytest.skip("no Docker engine")
    home = await start(APPLIANCE_EXEC__ENABLED="true")
    async with asyncio.timeout(60):
        while not home.house.execution.usable:
            await asyncio.sleep(0.1)
    (home.house.workspace("main").files / "list.txt").write_text("milk\n")
    said = await home.house.execution.watched("main", "cat list.txt; ls /.dockerenv; env; cat /proc/net/route; exit 3")
    assert said.startswith(b"3\nmilk\n/.dockerenv\n")
    assert b"sk-ant" not in said
    assert b"eth0" not in said
    with pytest.raises(SandboxError, match="did not end by itself"):
        await home.house.execution.watched("main", "yes")
    job = await home.schedule("'watch command wc -l < list.txt' Say what is new")
    await home.at("2026-11-30T08:06:00Z")
    (home.house.workspace("main").files / "list.txt").write_text("milk\nbread\n")
    await home.at("2026-11-30T08:12:00Z")
    await home.at("2026-11-30T08:13:00Z")
    assert home.states(job) == ["done"]
