"""The whole house with a host turned on and no Docker: what is asked for there runs after a yes, and nothing else."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from appliance.testing.anthropic_replies import Reply
from tests.integration.gateway.conftest import Start


async def waiting(client: Any) -> dict[str, Any]:
    """The first request for approval, once it is there."""
    async with asyncio.timeout(90):
        while True:
            found = (await client.get("/api/approvals")).json()["approvals"]
            if found:
                return dict(found[0])
            await asyncio.sleep(0.02)


async def test_a_command_for_the_host_runs_after_a_yes_and_is_audited(start: Start, tmp_path: Path) -> None:
    home = await start(
        APPLIANCE_EXEC__ENABLED="true",
        APPLIANCE_EXEC__DOCKER_HOST=f"unix://{tmp_path}/no-docker.sock",
        APPLIANCE_EXEC__HOSTS='["sandbox", "host"]',
    )
    files = home.house.settings.state / "agents/main/files"
    home.provider.script(
        Reply(tools=[("exec", {"command": "touch by-itself"})]),
        Reply(tools=[("exec", {"command": "touch asked", "host": "host"})]),
        Reply(tools=[("exec", {"command": "touch a; touch b", "host": "host"})]),
        Reply(text="done"),
    )
    await home.leave("make the files", "m1")
    request = await waiting(home.client)
    assert request["text"].splitlines()[0] == "touch asked"
    assert "where: host" in request["text"]
    assert not (files / "asked").exists()
    answer = await home.client.post(f"/api/approvals/{request['id']}", json={"decision": "once"})
    assert answer.status_code == 200
    await home.answered("m1", seconds=60)
    assert sorted(path.name for path in files.iterdir()) == ["asked"]
    sandbox, host, chained = home.prompts()[1:4]
    assert "nothing was run anywhere else" in sandbox
    assert "exit code 0" in host
    assert "Not allowed" in chained
    rows = home.house.core.read("SELECT fields FROM audit WHERE kind = 'exec' ORDER BY seq", ())
    assert [("touch" in row[0], '"host":"host"' in row[0]) for row in rows] == [(True, True)] * 2
