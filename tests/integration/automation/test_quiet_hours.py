"""Nobody is woken: what runs at night waits for the morning, in one message."""

from __future__ import annotations

from dataclasses import replace

import pytest

from appliance.sandbox.approvals import Pending
from appliance.testing.anthropic_replies import Reply
from tests.integration.automation.conftest import Home, Start


async def test_what_a_boundary_forbids_at_night_comes_as_one_digest_in_the_morning(home: Home) -> None:
    await home.command("最近在帶娃，凌晨基本不看手機，別半夜推東西給我啦")
    await home.schedule('--name Backup "30 1 * * *" Check the backup')
    await home.schedule('--name Disk "0 3 * * *" Check the disk')
    home.provider.script(Reply(text="Backup fine."), Reply(text="Disk 80% full."))
    await home.at("2026-12-01T01:30:00Z")
    await home.at("2026-12-01T03:00:00Z")
    await home.at("2026-12-01T06:59:00Z")
    assert home.pocket.got == []
    await home.at("2026-12-01T07:00:01Z")
    await home.at("2026-12-01T07:05:01Z")
    assert len(home.pocket.got) == 1
    assert "2 messages" in home.pocket.got[0]
    assert "01:30 Backup" in home.pocket.got[0]
    assert "Disk 80% full." in home.pocket.got[0]


async def test_quiet_hours_of_the_settings_hold_too_and_one_message_comes_as_it_is(start: Start) -> None:
    home = await start(APPLIANCE_SCHEDULES__QUIET_HOURS='["12:00-14:00"]')
    await home.schedule('"0 13 * * *" Count')
    home.provider.script(Reply(text="42"))
    await home.at("2026-11-30T13:00:00Z")
    assert home.pocket.got == []
    await home.at("2026-11-30T14:00:00Z")
    assert home.pocket.got == ["42"]


async def test_a_boundary_that_was_taken_back_holds_nothing(home: Home) -> None:
    await home.command("Please don't send me messages between 22 and 7.")
    await home.schedule('"0 23 * * *" Count')
    home.provider.script(Reply(text="first"))
    await home.at("2026-11-30T23:00:00Z")
    assert home.pocket.got == []
    await home.command("Forget what I said about messages between 22 and 7.")
    await home.at("2026-11-30T23:00:30Z")
    assert home.pocket.got == ["first"]


async def test_what_is_held_survives_a_restart(start: Start) -> None:
    home = await start(APPLIANCE_SCHEDULES__QUIET_HOURS='["12:00-14:00"]')
    await home.schedule('"0 13 * * *" Count')
    home.provider.script(Reply(text="42"))
    await home.at("2026-11-30T13:00:00Z")
    await home.house.stop()
    again = await start("2026-11-30T15:00:00Z", provider=home.provider)
    await again.quiet()
    assert again.pocket.got == ["42"]


async def test_what_a_person_called_urgent_comes_at_once_and_the_model_cannot_call_it_so(start: Start) -> None:
    home = await start(APPLIANCE_SCHEDULES__QUIET_HOURS='["12:00-14:00"]')
    await home.schedule('--urgent "0 13 * * *" Look at the water alarm')
    home.provider.script(Reply(text="Water!"))
    await home.at("2026-11-30T13:00:00Z")
    assert home.pocket.got == ["Water!"]
    assert "urgent" not in str(home.provider.calls[-1].request)
    [spec] = [tool.spec for tool in home.house.tools._tools.values() if tool.spec.name == "schedule"]
    assert "urgent" not in spec.schema["properties"]


async def test_no_approval_is_asked_for_on_behalf_of_a_schedule_at_night(start: Start) -> None:
    home = await start("2026-11-30T13:00:00Z", APPLIANCE_SCHEDULES__QUIET_HOURS='["12:00-14:00"]')
    request = Pending("p1", "exec", "cron:abc", "owner", "curl https://a.example", "network", (), 0.0, 9e9)
    assert not await home.house.execution.ask(request)
    assert home.pocket.got == []
    assert await home.house.execution.ask(replace(request, session="agent:main:main"))
    home.clock.set("2026-11-30T14:00:01Z")
    assert await home.house.execution.ask(request)
    await home.quiet()
    assert len(home.pocket.got) == 2


@pytest.mark.parametrize(
    ("said", "taken_back", "when", "shown"),
    [
        (
            "Between 10pm and 7am I don't want to hear from you.",
            "Forget what I said about not wanting to hear from you between 10pm and 7am",
            "2026-11-30T23:00:00Z",
            "22:00-07:00",
        ),
        ("週末不要打擾", "忘了我說週末不要打擾那件事吧", "2026-12-05T13:00:00Z", "Sat Sun"),
        ("晚上十点后别给我发消息", "忘掉我说的晚上十点后别发消息", "2026-11-30T23:00:00Z", "22:00-07:00"),
    ],
)
async def test_a_limit_in_fresh_words_is_shown_kept_and_taken_back(
    home: Home, said: str, taken_back: str, when: str, shown: str
) -> None:
    await home.command(said)
    assert shown in await home.command("/memory")
    await home.schedule(f'"0 {int(when[11:13])} * * *" Count')
    home.provider.script(*[Reply(text="counted")] * 9)
    await home.at(when.replace(":00:00Z", ":59:00Z").replace(when[11:13], f"{int(when[11:13]) - 1:02}"))
    home.pocket.got.clear()  # of the days before
    await home.at(when)
    assert home.pocket.got == []
    await home.command(taken_back)
    await home.quiet()
    assert any("counted" in text for text in home.pocket.got)
    assert shown not in await home.command("/memory")
