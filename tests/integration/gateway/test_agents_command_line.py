"""`--agent` on the command line says and does the same with and without a running gateway."""

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

STUDY = json.dumps({"study": {"chain": ["claude-haiku-5-5"], "daily_usd": "0.50"}})


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    memory = tmp_path / "state/agents/study/MEMORY.md"
    memory.parent.mkdir(parents=True)
    memory.write_text("The exam is in room 204.\n")
    return settle_command_line(monkeypatch, tmp_path / "state", APPLIANCE_AGENTS=STUDY, ANTHROPIC_API_KEY="sk-ant-test")


def run(*words: str) -> Any:
    return CliRunner().invoke(app, list(words))


def read(*words: str) -> Any:
    done = run(*words, "--json")
    assert done.exit_code == 0, done.output + str(done.exception)
    return json.loads(done.output)


def check_both(state: Path) -> None:
    rows = {row["id"]: row for row in read("agents")}
    assert list(rows) == ["main", "study"]
    assert (rows["study"]["limit"], rows["study"]["workspace"]) == (0.5, str(state / "agents/study"))
    assert "study  claude-haiku-5-5  $0.00 of $0.50 today" in run("agents").output
    assert "room 204" in str(read("memory", "search", "exam", "--agent", "study"))
    assert read("memory", "search", "exam") == []
    job = read("cron", "add", "0 7 * * 1-5", "Learn ten words", "--agent", "study")
    assert job["agent"] == "study"
    assert f"{job['id']}  study: Learn ten words" in run("cron", "list").output
    assert run("cron", "remove", job["id"]).exit_code == 0
    assert read("context", "--session", "agent:study:main")["model"] == "claude-haiku-5-5"
    for words in (["memory", "search", "exam"], ["memory", "history"], ["cron", "add", "@daily", "x"]):
        assert "There is no agent 'nobody'" in str(run(*words, "--agent", "nobody").exception)


def test_without_a_gateway(state: Path) -> None:
    check_both(state)


async def test_with_a_gateway(state: Path) -> None:
    async with FakeAnthropic() as provider:
        environ = {"ANTHROPIC_API_KEY": "sk-ant-test", "ANTHROPIC_BASE_URL": provider.url, "APPLIANCE_AGENTS": STUDY}
        house = GatewayProcess(state, **environ)
        try:
            await house.start()
            await asyncio.to_thread(check_both, state)
            said = await asyncio.to_thread(read, "chat", "hello", "--agent", "study")
            assert said["session"] == "agent:study:main"
            kitchen = await asyncio.to_thread(read, "chat", "hello", "--agent", "study", "--session", "kitchen")
            assert kitchen["session"] == "agent:study:web:kitchen"
            refused = await asyncio.to_thread(run, "chat", "hello", "--agent", "nobody")
            assert refused.exit_code == 1
        finally:
            await house.close()
