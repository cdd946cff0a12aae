"""A bot on the fake Discord, with the real inbox, outbox and delivery; only the agent is a function."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from appliance.agent import sessions
from appliance.channels import access
from appliance.channels.attachments import AttachmentStore
from appliance.channels.discord import state
from appliance.channels.discord.channel import DiscordChannel
from appliance.database import Database
from appliance.gateway import inbox, outbox
from appliance.gateway.delivery import Delivery
from appliance.gateway.inbox import Inbox
from appliance.gateway.outbox import Outbox
from appliance.messages import Role
from appliance.observability.health import Health
from appliance.settings_discord import DiscordSettings
from appliance.testing.fake_discord import TOKEN, FakeDiscord
from tests.telegram_bench import Answer, Counted, Front, HurriedClock, echo

OWNER = 111_111_111_111_111_111


@dataclass
class DiscordBench:
    """One running appliance, as far as Discord goes. `restart` is a new process over the same STATE."""

    discord: FakeDiscord
    folder: Path
    settings: dict[str, Any] = field(default_factory=dict)
    answer: Answer = echo
    token: str = TOKEN
    running: bool = False

    async def start(self) -> None:
        self.clock = HurriedClock(10.0)
        rooms = {
            "access": access.MIGRATIONS,
            "sessions": sessions.MIGRATIONS,
            "inbox": inbox.MIGRATIONS,
            "outbox": outbox.MIGRATIONS,
            "discord": state.MIGRATIONS,
        }
        self.database = Database(self.folder / "core.db", rooms)
        self.database.open()
        self.access = access.Access(self.database, self.clock)
        self.health = Health()
        self.counts = Counted()
        self.delivery = Delivery(Outbox(self.database, self.clock), self.clock)
        self.front = Front(Inbox(self.database, self.clock), self.delivery, self.clock, self.answer)
        self.channel = DiscordChannel(
            DiscordSettings(bot_token=SecretStr(self.token), api_base=self.discord.url, **self.settings),
            self.database,
            self.clock,
            self.access,
            self.front,
            AttachmentStore(self.folder / "files", self.clock),
            self.health,
            self.counts,
        )
        await self.channel.start()
        self.delivery.attach(self.channel.carrier)
        self.running = True

    async def stop(self) -> None:
        if self.running:
            self.running = False
            await self.channel.pause()
            for task in list(self.front.tasks):
                task.cancel()
            await asyncio.gather(*self.front.tasks, return_exceptions=True)
            await self.delivery.close(grace=0.1)
            await self.channel.stop()
            self.database.close()

    async def connected(self) -> None:
        """Return once a session stands and the gap before it is filled."""
        await self.until(lambda: (part := self.health.get("discord")) and part.detail.startswith(("Connected", "It ")))

    async def pair(self, user: int = OWNER, role: Role | None = None) -> int:
        """Pair somebody; return their private channel."""
        await self.connected()
        await self.discord.say(user, await self.access.invite(role))
        chat = self.discord.world.direct_channel(user)
        await self.until(lambda: any("Paired" in text for text in self.discord.texts(chat)))
        return chat

    async def until(self, met: Callable[[], object], seconds: float = 20.0) -> None:
        """Wait for something to come true, or fail saying so."""
        async with asyncio.timeout(seconds):
            while not met():
                await asyncio.sleep(0.01)

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
