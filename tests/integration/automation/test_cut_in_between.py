"""A stop between two writes of the heartbeat or the morning digest: told once, never twice, never lost."""

from __future__ import annotations

from types import ModuleType

import pytest

from appliance.automation import heartbeat, outlet
from appliance.testing.anthropic_replies import Reply
from tests.integration.automation.conftest import Home, Start


class Killed(BaseException):
    """Stands for SIGKILL: nothing after it runs."""


async def cut(home: Home, monkeypatch: pytest.MonkeyPatch, module: ModuleType, point: str) -> None:
    """Tick until the point is reached, and then not any further."""

    def kill(name: str) -> None:
        if name == point:
            raise Killed

    await home.house.automation.stop()
    monkeypatch.setattr(module, "crash_point", kill)
    with pytest.raises(Killed):
        await home.quiet()
    monkeypatch.undo()
    await home.house.stop()


@pytest.mark.parametrize("point", ["recorded", "started", "answered", "settled"])
async def test_a_heartbeat_is_told_once(start: Start, monkeypatch: pytest.MonkeyPatch, point: str) -> None:
    home = await start(APPLIANCE_HEARTBEAT__ENABLED="true")
    home.house.workspace("main").write("HEARTBEAT.md", "- [daily 09:00] Look at the calendar\n")
    await home.quiet()
    home.provider.default(lambda body: Reply(tools=[("report", {"notify": True, "text": "Dentist"})]))
    home.clock.set("2026-11-30T09:00:10Z")
    await cut(home, monkeypatch, heartbeat, f"heartbeat.{point}")
    again = await start("2026-11-30T09:01:00Z", provider=home.provider, APPLIANCE_HEARTBEAT__ENABLED="true")
    await again.quiet()
    await again.at("2026-11-30T10:00:00Z")
    assert home.pocket.got + again.pocket.got == ["Dentist"]
    assert len(home.provider.calls) == 1


@pytest.mark.parametrize("point", ["before_digest", "after_digest"])
async def test_the_digest_comes_once(start: Start, monkeypatch: pytest.MonkeyPatch, point: str) -> None:
    home = await start(APPLIANCE_SCHEDULES__QUIET_HOURS='["12:00-14:00"]')
    await home.schedule('"0 13 * * *" Count')
    home.provider.script(Reply(text="42"))
    await home.at("2026-11-30T13:00:00Z")
    home.clock.set("2026-11-30T14:00:10Z")
    await cut(home, monkeypatch, outlet, f"cron.{point}")
    again = await start(
        "2026-11-30T14:01:00Z", provider=home.provider, APPLIANCE_SCHEDULES__QUIET_HOURS='["12:00-14:00"]'
    )
    await again.quiet()
    assert home.pocket.got + again.pocket.got == ["42"]
