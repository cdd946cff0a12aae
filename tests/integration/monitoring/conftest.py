"""The whole house on loopback, as monitoring meets it: its own /metrics, its own webhook, its Telegram channel."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from appliance.app import Appliance
from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.fake_telegram import TOKEN, FakeTelegram
from tests.house_settings import client_of, house_settings

from .tools import until

OWNER = 11


@dataclass
class Home:
    """A running house, its provider, a client that may talk to it, and where its secrets lie."""

    house: Appliance
    provider: FakeAnthropic
    client: httpx2.AsyncClient
    url: str
    state: Path
    telegram: FakeTelegram | None

    @property
    def address(self) -> str:
        return self.url.removeprefix("http://")

    async def say(self, text: str) -> dict[str, Any]:
        response = await self.client.post("/api/messages", json={"session": "main", "text": text})
        assert response.status_code == 200, response.text
        return dict(response.json())

    async def pair(self) -> None:
        """The owner's phone: an invitation from the page, redeemed and answered."""
        assert self.telegram is not None
        code = (await self.client.post("/api/people/invite", json={"role": "owner"})).json()["code"]
        self.telegram.people.say(OWNER, f"/start {code}")
        await self.heard(lambda texts: bool(texts))
        before = len(self.phone())
        self.telegram.people.say(OWNER, "/whoami")
        await self.heard(lambda texts: len(texts) > before)

    def phone(self) -> list[str]:
        """What stands on the owner's phone."""
        assert self.telegram is not None
        return self.telegram.texts(OWNER)

    async def heard(self, check: Any, seconds: float = 45.0) -> None:
        async def found() -> bool:
            return bool(check(self.phone()))

        await until(found, seconds, lambda: str(self.phone()))


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Any]:
    """Start a house: `home = await start(APPLIANCE_BUDGET__DAILY_USD="1")`; with `telegram=True` it has a phone."""
    stack = AsyncExitStack()

    async def begin(telegram: bool = False, **environ: str) -> Home:
        provider = await stack.enter_async_context(FakeAnthropic())
        phone = await stack.enter_async_context(FakeTelegram()) if telegram else None
        if phone is not None:
            environ |= {"TELEGRAM_BOT_TOKEN": TOKEN, "TELEGRAM_API_BASE": phone.url}
        settings = house_settings(tmp_path / "state", provider.url, **environ)
        house = Appliance(settings)
        url = await house.start()
        stack.push_async_callback(house.stop)
        client = client_of(settings, url)
        await stack.enter_async_context(client)
        return Home(house, provider, client, url, settings.state, phone)

    yield begin
    await stack.aclose()
