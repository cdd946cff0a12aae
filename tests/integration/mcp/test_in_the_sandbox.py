"""A server that is a program runs in the sandbox unless the owner says otherwise: no network, no variables, no host."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from tests.integration.mcp.conftest import HERE, Home, Start, with_servers
from tests.integration.mcp.test_servers import call, use
from tests.integration.sandbox.conftest import image

__all__ = ["image"]
pytestmark = [pytest.mark.docker]


async def sandboxed(start: Start, kind: str, tmp_path: Path) -> Home:
    """A house whose server lies in the work folder and runs in the sandbox."""
    state = tmp_path / "s"
    files = state / "agents" / "main" / "files"
    files.mkdir(parents=True)
    shutil.copy(HERE / "odd_server.py", files / "odd_server.py")
    section = {"command": "python3", "args": ["/workspace/odd_server.py", kind], "free": ["*"]}
    home: Home = await start(state, APPLIANCE_EXEC__ENABLED="true", **with_servers(notes=section))
    async with asyncio.timeout(60):
        while not home.house.execution.usable:
            await asyncio.sleep(0.1)
    return home


async def test_a_program_runs_in_the_sandbox_without_a_word_about_the_host(
    start: Start,
    image: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_HOUSE", "s3cret-s3cret")
    home = await sandboxed(start, "plain", tmp_path)
    assert "- add: Add a line" in await use(home, call("notes"))
    assert "added 牛奶" in await use(home, call("notes", "add", {"text": "牛奶"}))
    assert (home.house.workspace("main").files / "list.txt").read_text(encoding="utf-8") == "牛奶\n"
    told = await use(home, call("notes", "variables", {}))
    assert "SECRET_OF_THE_HOUSE" not in told
    assert "ANTHROPIC" not in told
    assert "last word" in await use(home, call("notes", "long", {}))
    (job,) = await home.house.execution.client.list()
    assert (job["label"], job["profile"], job["state"]) == ("mcp:notes", "none", "running")
    await home.house.mcp.stop()
    async with asyncio.timeout(30):
        while await home.house.execution.client.ended([], 0.0):
            await asyncio.sleep(0.1)
    (job,) = await home.house.execution.client.list()
    assert job["state"] == "killed"
    assert not home.house.monitoring.notices.known(f"job:{job['id']}")


async def test_a_server_that_dies_in_the_sandbox_is_said_and_started_anew(
    start: Start,
    image: str,
    tmp_path: Path,
) -> None:
    home = await sandboxed(start, "die", tmp_path)
    assert "The server notes went away" in await use(home, call("notes", "look", {}))
    assert "- look" in await use(home, call("notes"))
