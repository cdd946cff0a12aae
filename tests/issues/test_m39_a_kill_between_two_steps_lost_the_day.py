"""NousResearch/hermes-agent PR 108945: the next run was moved on before the start was recorded."""

from __future__ import annotations

from typing import Any

import pytest

from appliance.automation import cron


class Killed(BaseException):
    """Stands for SIGKILL: nothing after it runs."""


@pytest.mark.parametrize("point", ["cron.before_record", "cron.recorded", "cron.before_start", "cron.started"])
async def test_the_run_of_nine_happens_once_after_the_restart(
    automation: Any, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    home = await automation()
    job = await home.schedule('"0 9 * * *" News')

    def kill(name: str) -> None:
        if name == point:
            raise Killed

    monkeypatch.setattr(cron, "crash_point", kill)
    await home.house.automation.stop()
    home.clock.set("2026-11-30T09:00:00Z")
    with pytest.raises(Killed):
        await home.house.automation.tick()
    monkeypatch.undo()
    await home.house.stop()
    again = await automation("2026-11-30T09:00:30Z", provider=home.provider)
    await again.at("2026-11-30T10:00:00Z")
    assert again.states(job) == ["done"]
    assert len(again.provider.calls) == 1
    assert len(again.pocket.got) + len(home.pocket.got) == 1
