"""Discord's own menu of commands, edits of messages, buttons in servers, and what doctor says before it is blamed."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import SecretStr

from appliance.channels.discord import check
from appliance.channels.discord.carrier import PLACEHOLDER
from appliance.messages import Button, Inbound, Role, Source
from appliance.settings import Settings
from appliance.settings.channels import DiscordSettings
from appliance.testing.fake_discord import TOKEN, FakeDiscord
from appliance.testing.fake_discord.state import Fault
from tests.discord_bench import OWNER, DiscordBench

STRANGER = 222_222_222_222_222_222
GUILD = 333_333_333_333_333_333


async def registered(bench: DiscordBench) -> None:
    await bench.until(lambda: bench.database.read("SELECT 1 FROM discord_state WHERE key = 'commands'"))


async def test_the_menu_mirrors_the_chat_and_is_set_only_when_it_changes(discord_bench: DiscordBench) -> None:
    await discord_bench.start()
    await registered(discord_bench)
    assert [command["name"] for command in discord_bench.discord.world.commands] == ["help", "budget"]
    await discord_bench.restart()
    await discord_bench.pair()
    assert len(discord_bench.discord.calls("PUT", "/commands")) == 1


async def test_a_slash_command_is_deferred_and_answered_in_its_place(discord_bench: DiscordBench) -> None:
    await discord_bench.start()
    chat = await discord_bench.pair()
    await registered(discord_bench)
    going = asyncio.Event()

    async def slowly(inbound: Inbound) -> str:
        await going.wait()
        return "Today: $0.10"

    discord_bench.front.answer = slowly
    token = await discord_bench.discord.command(OWNER, "budget", "raise 1")
    await discord_bench.until(lambda: discord_bench.replies(chat) == [PLACEHOLDER])
    assert discord_bench.discord.world.interactions[token].answered == 5
    [heard] = discord_bench.front.heard
    assert (heard.kind, heard.text, heard.session.is_main) == ("command", "/budget raise 1", True)
    going.set()
    await discord_bench.until(lambda: discord_bench.replies(chat) == ["Today: $0.10"])


async def test_a_deferral_that_is_refused_still_brings_the_answer(discord_bench: DiscordBench) -> None:
    await discord_bench.start()
    chat = await discord_bench.pair()
    await registered(discord_bench)
    discord_bench.discord.world.faults.append(Fault("POST", "/callback", 404))
    await discord_bench.discord.command(OWNER, "help")
    await discord_bench.until(lambda: discord_bench.replies(chat) == ["You said: /help"])


async def test_a_restart_after_the_deferral_answers_in_its_place_once(discord_bench: DiscordBench) -> None:
    await discord_bench.start()
    chat = await discord_bench.pair()
    await registered(discord_bench)

    async def never(inbound: Inbound) -> str:
        await asyncio.Event().wait()
        return ""

    discord_bench.front.answer = never
    await discord_bench.discord.command(OWNER, "help")
    await discord_bench.until(lambda: discord_bench.replies(chat) == [PLACEHOLDER])
    await discord_bench.restart()
    discord_bench.front.recover()
    await discord_bench.until(lambda: discord_bench.replies(chat) == ["You said: /help"])


async def test_a_stranger_who_uses_the_menu_is_told_a_code_and_not_heard(discord_bench: DiscordBench) -> None:
    await discord_bench.start()
    await discord_bench.pair()
    await registered(discord_bench)
    await discord_bench.discord.command(STRANGER, "budget", "raise 1000")
    chat = discord_bench.discord.world.direct_channel(STRANGER)
    await discord_bench.until(lambda: any("Your code is" in text for text in discord_bench.discord.texts(chat)))
    assert discord_bench.front.heard == []


async def test_an_edit_is_heard_once_and_a_preview_that_came_is_none(discord_bench: DiscordBench) -> None:
    await discord_bench.start()
    chat = await discord_bench.pair()
    fake = discord_bench.discord
    number = await fake.say(OWNER, "helo")
    await discord_bench.until(lambda: "You said: helo" in discord_bench.replies(chat))
    await fake._tell(chat, fake.world.messages[chat][number], "MESSAGE_UPDATE")
    await fake.edit(OWNER, number, "hello")
    await fake._tell(chat, fake.world.messages[chat][number], "MESSAGE_UPDATE")
    await discord_bench.until(lambda: "You said: hello" in discord_bench.replies(chat))
    assert [(i.kind, i.text) for i in discord_bench.front.heard] == [("message", "helo"), ("edit", "hello")]


async def test_a_button_in_a_listed_server_channel_is_heard_and_elsewhere_not(discord_bench: DiscordBench) -> None:
    fake = discord_bench.discord
    listed, other = fake.world.channel(GUILD), fake.world.channel(GUILD)
    discord_bench.settings = {"channels": [listed]}
    await discord_bench.start()
    await discord_bench.pair()
    carrier = discord_bench.channel.carrier
    for channel in (other, listed):
        place = {"chat": channel, "private": False}
        number = int(await carrier.send(place, {"text": "Run?"}, f"n-{channel}", (Button("Yes", f"o-{channel}"),)))
        await fake.press(OWNER, channel, number, "Yes")
    await discord_bench.until(lambda: discord_bench.front.heard)
    [heard] = discord_bench.front.heard
    assert (heard.kind, heard.text, heard.person.role, heard.source) == (
        "callback",
        f"o-{listed}",
        Role.OWNER,
        Source.OUTSIDE,
    )


@pytest.mark.parametrize(
    ("token", "allowed", "online", "status", "words"),
    [
        (TOKEN, True, True, "pass", "may read"),
        (TOKEN, False, True, "warn", "not heard"),
        ("revoked", True, True, "fail", "does not accept"),
        ("revoked", True, False, "pass", "--online"),
    ],
)
async def test_doctor_says_what_discord_says(
    fake: FakeDiscord, token: str, allowed: bool, online: bool, status: str, words: str
) -> None:
    fake.content_allowed = allowed
    settings = Settings(discord=DiscordSettings(bot_token=SecretStr(token), api_base=fake.url))
    found = await asyncio.to_thread(check.look, settings, online)
    assert found is not None
    assert (found[0], words in found[1], token in "".join(found)) == (status, True, False)


async def test_doctor_says_nothing_of_platforms_that_are_not_used() -> None:
    assert check.look(Settings(), True) is None
