"""A bot on the fake Discord (see channel_bench)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from appliance.channels.base import ChannelParts
from appliance.channels.discord.channel import DiscordChannel
from appliance.messages import Role
from appliance.settings.channels import DiscordSettings
from appliance.testing.fake_discord import TOKEN, FakeDiscord
from tests.channel_bench import ChannelBench

OWNER = 111_111_111_111_111_111


class DiscordBench(ChannelBench):
    """One running appliance, as far as Discord goes."""

    channel: DiscordChannel
    token = TOKEN

    @property
    def discord(self) -> FakeDiscord:
        return self.fake  # type: ignore[no-any-return]

    def make(self, parts: ChannelParts) -> DiscordChannel:
        token = SecretStr(self.token)
        return DiscordChannel(DiscordSettings(bot_token=token, api_base=self.discord.url, **self.settings), parts)

    async def connected(self) -> None:
        """Return once a session stands and the gap before it is filled."""
        await self.until(
            lambda: (part := self.health.get(self.channel.name)) and part.detail.startswith(("Connected", "It "))
        )

    async def pair(self, user: int = OWNER, role: Role | None = None) -> int:
        """Pair somebody; return their private channel."""
        await self.connected()
        await self.discord.say(user, await self.access.invite(role))
        chat = self.discord.world.direct_channel(user)
        await self.until(lambda: any("Paired" in text for text in self.discord.texts(chat)))
        return chat

    def replies(self, chat: int) -> list[str]:
        """What the bot's messages say now, but for the greeting."""
        return [text for text in self.discord.texts(chat) if "Paired" not in text]


@pytest.fixture
async def fake() -> AsyncIterator[FakeDiscord]:
    async with FakeDiscord() as running:
        yield running


@pytest.fixture
async def discord_bench(fake: FakeDiscord, tmp_path: Path) -> AsyncIterator[DiscordBench]:
    made = DiscordBench(fake, tmp_path)
    yield made
    await made.stop()
