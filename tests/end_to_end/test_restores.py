"""A house that comes back from an archive is the same house: of today, and of an earlier release."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from appliance.backup import restore
from appliance.composition.rooms import core_rooms
from appliance.testing.fake_anthropic import FakeAnthropic
from tests.faults import restores
from tests.faults.migrations import steps

STATES = Path(__file__).parent / "states"


@pytest.mark.timeout(180)
async def test_a_busy_house_restored_elsewhere_says_and_counts_the_same(tmp_path: Path) -> None:
    outcome = await restores.run(tmp_path)  # 20 of them: python tests/faults/restores.py
    assert outcome.wrong == []
    assert outcome.during > 0, "nothing happened while the backup was made"


@pytest.mark.timeout(180)
async def test_a_house_of_an_earlier_release_comes_up_with_everything_and_a_way_back(tmp_path: Path) -> None:
    """The archive was made by an earlier commit, before skills and Discord had tables and cron its second step."""
    archive = tmp_path / "earlier.tar.gz"
    shutil.copy(STATES / "0.1.0-before-skills.tar.gz", archive)
    state = tmp_path / "state"
    restore(archive, state, core_rooms())
    assert {"discord", "skills"} <= set(core_rooms()) - set(steps(state))
    assert steps(state)["cron"] == 1
    async with FakeAnthropic() as provider:
        house = restores.gateway(state, provider)
        try:
            await house.start(APPLIANCE_SCHEDULES__CATCH_UP_SECONDS="0")  # its morning is long past
            assert steps(state) == {room: len(made) for room, made in core_rooms().items()}
            assert (await house.get("/api/spend?day=2026-11-30"))["total"] == pytest.approx(0.0056406)
            assert [row["text"] for row in (await house.get("/api/schedules"))["schedules"]] == ["water the plants"]
            assert "Mia 🐈" in (await restores.replies(house, "main"))["m2"]
            again = await house.post("note it", session="kitchen", id="m3")
            assert again["reply"].endswith("note it")
            assert provider.calls == [], "a message of before was answered a second time"
            assert await restores.remembers(house, "peanuts")
            assert (await house.post("Are you there?"))["cost_usd"] > 0
            await restores.appliance(state, "audit", "verify")  # raises when the chain is broken
            (point,) = (state / "backups").glob("before-upgrade-*.tar.gz")
        finally:
            await house.close()
    restore(point, tmp_path / "back", core_rooms())
    assert steps(tmp_path / "back")["cron"] == 1
