"""`appliance cron` with and without a running gateway says and does the same."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from appliance.cli import app
from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.process import GatewayProcess
from tests.house_settings import settle_command_line

ADD = ["add", "0 7 * * 1-5", "Tell me what's new, 早安", "--name", "News", "--budget", "0.10", "--tz", "Asia/Taipei"]


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return settle_command_line(monkeypatch, tmp_path / "state")


def cron(*words: str) -> Any:
    """Run `appliance cron ...` and return the result; its `exception` is what main() would say."""
    return CliRunner().invoke(app, ["cron", *words])


def check_whole_life() -> None:
    job = json.loads(cron(*ADD, "--json").output)
    assert (job["name"], job["schedule"], job["zone"]) == ("News", "0 7 * * 1-5", "Asia/Taipei")
    assert job["text"] == "Tell me what's new, 早安"
    assert job["next"].endswith("T23:00:00Z")
    listed = json.loads(cron("list", "--json").output)
    assert [row["id"] for row in listed] == [job["id"]]
    assert "News" in cron("list").output
    assert "is not a cron expression" in str(cron("add", "tomorrow", "x").exception)
    assert "no job" in str(cron("remove", "nothing").exception)
    assert cron("remove", "News").exit_code == 0
    assert json.loads(cron("list", "--json").output) == []


def test_without_a_gateway(state: Path) -> None:
    check_whole_life()
    assert "No gateway is running" in str(cron("run", "News").exception)


async def test_with_a_gateway(state: Path) -> None:
    async with FakeAnthropic() as provider:
        house = GatewayProcess(state, ANTHROPIC_API_KEY="sk-ant-test", ANTHROPIC_BASE_URL=provider.url)
        try:
            await house.start()
            await asyncio.to_thread(check_whole_life)
            await asyncio.to_thread(cron, "add", "every 1d", "Count", "--silent", "--name", "Counting")
            done = await asyncio.to_thread(cron, "run", "Counting")
            assert done.exit_code == 0, done.output
            async with asyncio.timeout(20):
                while not provider.calls:
                    await asyncio.sleep(0.02)
        finally:
            await house.close()


def test_a_schedule_that_never_comes_due_or_cannot_be_read_is_a_named_problem(state: Path) -> None:
    assert "lies in the past" in str(cron("add", "at 2020-01-01", "x").exception)
    assert "not a time zone" in str(cron("preview", "* * * * *", "--tz", "Mars/Base").exception)
    assert "not a time" in str(cron("preview", "* * * * *", "--from", "noon").exception)
    assert cron("preview", "* * * * *", "--count", "0").exit_code == 2
    early = cron("preview", "at 2020-01-01", "--tz", "UTC")
    assert "never comes due" in str(early.exception)
    assert json.loads(cron("preview", "at 2020-01-01", "--tz", "UTC", "--json").output) == []
