"""A bot on the fake Telegram (see channel_bench)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from appliance.channels.base import ChannelParts
from appliance.channels.telegram.channel import TelegramChannel
from appliance.messages import Role
from appliance.settings.channels import TelegramSettings
from appliance.testing.fake_telegram import FakeTelegram
from tests.channel_bench import ChannelBench, echo

__all__ = ["OWNER", "Bench", "bench", "echo", "paired", "telegram"]
OWNER = 11


class Bench(ChannelBench):
    """One running appliance, as far as Telegram goes."""

    channel: TelegramChannel

    @property
    def telegram(self) -> FakeTelegram:
        return self.fake  # type: ignore[no-any-return]

    def make(self, parts: ChannelParts) -> TelegramChannel:
        self.telegram.world.flood.pace = self.pace
        token = SecretStr(self.telegram.world.token)
        # Most tests watch a placeholder being edited, as in groups; drafts have tests of their own.
        plain = {"drafts": False, "ack_reaction": ""}
        return TelegramChannel(
            TelegramSettings(bot_token=token, api_base=self.telegram.url, **(plain | self.settings)), parts
        )

    async def pair(self, user: int = OWNER, role: Role | None = None) -> None:
        await self.channel.opened()
        self.telegram.people.say(user, await self.access.invite(role))
        await self.until(lambda: self.access.check("telegram", str(user)) is not None)
        await self.until(lambda: any("Paired" in text for text in self.telegram.texts(user)))

    def replies(self, chat: int = OWNER) -> list[str]:
        """What the bot's messages say now, but for the greeting."""
        return [text for text in self.telegram.texts(chat) if "Paired" not in text]


@pytest.fixture
async def telegram() -> AsyncIterator[FakeTelegram]:
    async with FakeTelegram() as fake:
        yield fake


@pytest.fixture
async def bench(telegram: FakeTelegram, tmp_path: Path) -> AsyncIterator[Bench]:
    made = Bench(telegram, tmp_path)
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
async def paired(bench: Bench) -> Bench:
    await bench.pair()
    return bench
