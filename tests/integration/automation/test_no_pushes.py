"""Who wants no pushes still gets what the house says by itself, without a sound; answers ring as ever."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import pytest

from appliance.sandbox.approvals import Pending
from appliance.testing.anthropic_replies import Reply
from appliance.testing.fake_discord import TOKEN, FakeDiscord
from appliance.testing.fake_telegram import FakeTelegram
from tests.integration.automation.conftest import Home, Start

THUMB, GAMER = 11, 111_111_111_111_111_111  # the owner on Telegram, on Discord
NO_SOUND = 1 << 12


async def until(met: Callable[[], object], seconds: float = 30.0) -> None:
    async with asyncio.timeout(seconds):
        while not met():
            await asyncio.sleep(0.02)


@dataclass
class Phones:
    """A house, and its owner's Telegram and Discord."""

    home: Home
    telegram: FakeTelegram
    discord: FakeDiscord

    def texts(self) -> tuple[list[str], list[str]]:
        return self.telegram.texts(THUMB), self.discord.texts(self.discord.world.direct_channel(GAMER))

    async def say(self, platform: str, text: str) -> None:
        if platform == "telegram":
            self.telegram.people.say(THUMB, text)
        else:
            await self.discord.say(GAMER, text)

    async def talk(self, text: str, answer: str) -> None:
        """The same on both platforms, each answered."""
        for number, platform in enumerate(("telegram", "discord")):
            self.home.provider.script(Reply(text=f"{answer} {platform}"))
            await self.say(platform, text)
            await until(lambda n=number, p=platform: f"{answer} {p}" in self.texts()[n])  # type: ignore[misc]

    async def rings(self, words: str) -> list[bool]:
        """Once both have a message with these words: whether it came with a sound on Telegram, on Discord."""
        await until(lambda: all(any(words in text for text in texts) for texts in self.texts()))
        [shown] = [m for m in self.telegram.world.visible(THUMB) if words in m.get("text", "")]
        sent = self.telegram.calls("sendMessage")
        [call] = [one for one in sent if one.result and one.result["message_id"] == shown["message_id"]]
        held = self.discord.world.messages[self.discord.world.direct_channel(GAMER)].values()
        [message] = [one for one in held if words in one["content"] and one["author"]["bot"]]
        return ["disable_notification" not in call.params, not message["flags"] & NO_SOUND]


@pytest.fixture
async def phones(start: Start) -> AsyncIterator[Phones]:
    async with FakeTelegram() as telegram:
        discord = FakeDiscord()
        await discord.start()
        home = await start(
            page=True,
            TELEGRAM_BOT_TOKEN=telegram.world.token,
            TELEGRAM_API_BASE=telegram.url,
            DISCORD_BOT_TOKEN=TOKEN,
            DISCORD_API_BASE=discord.url,
            APPLIANCE_TELEGRAM__DRAFTS="false",
        )
        found = Phones(home, telegram, discord)
        await until(lambda: discord.identified)
        for number, platform in enumerate(("telegram", "discord")):
            invited = await home.client.post("/api/people/invite", json={"role": "owner"})
            await found.say(platform, invited.json()["code"])
            await until(lambda n=number: found.texts()[n])  # type: ignore[misc]
        yield found
        await home.house.stop()
        await discord.stop()


async def test_what_comes_unasked_makes_no_sound_for_who_wants_no_pushes(phones: Phones) -> None:
    home = phones.home
    await home.schedule('"0 9 * * *" Say: bins out')
    await home.schedule('--urgent "0 10 * * *" Look at the water alarm')
    await phones.talk("别给我推送", "Noted on")
    home.provider.script(Reply(text="Bins out 倒垃圾"), Reply(text="Water in the cellar"))
    await home.at("2026-11-30T09:00:00Z")
    assert await phones.rings("倒垃圾") == [False, False]
    await home.at("2026-11-30T10:00:00Z")
    assert await phones.rings("Water in the cellar") == [True, True]
    await home.house.owner.tell("The backup is done.")
    assert await phones.rings("The backup is done.") == [False, False]
    asked = Pending("p1", "exec", "agent:main:main", "owner", "curl https://a.example", "network", (), 0.0, 9e9)
    assert await home.house.execution.ask(asked)
    assert await phones.rings("curl https://a.example") == [True, True]


async def test_answers_ring_and_so_does_everything_once_pushes_are_wanted_again(phones: Phones) -> None:
    await phones.talk("no push notifications, please", "Noted on")
    await phones.talk("how are you?", "Fine on")
    sounds = [call for call in phones.telegram.calls("sendMessage") if "disable_notification" in call.params]
    held = phones.discord.world.messages[phones.discord.world.direct_channel(GAMER)].values()
    assert not sounds
    assert not any(message["flags"] & NO_SOUND for message in held)
    await phones.talk("Forget what I said about push notifications.", "Gone on")
    await phones.home.house.owner.tell("The backup is done.")
    assert await phones.rings("The backup is done.") == [True, True]
