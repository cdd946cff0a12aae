"""The whole house in this process, against a fake provider on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest

from appliance.app import Appliance
from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.fake_telegram import FakeTelegram
from tests.house_settings import client_of, house_settings

OWNER, ANN = 11, 12


class Home:
    """A running house, its provider, and an HTTP client that may talk to it."""

    def __init__(self, house: Appliance, provider: FakeAnthropic, client: httpx2.AsyncClient) -> None:
        self.house = house
        self.provider = provider
        self.client = client

    async def say(self, text: str, *, session: str = "main", **fields: Any) -> dict[str, Any]:
        """Send a message and return the reply's JSON, whatever its status (under "status")."""
        response = await self.client.post("/api/messages", json={"session": session, "text": text, **fields})
        return {"status": response.status_code, **response.json()}

    async def leave(self, text: str, identity: str, *, session: str = "main", **fields: Any) -> None:
        """Send a message without waiting for its answer."""
        body = {"session": session, "text": text, "id": identity, **fields}
        response = await self.client.post("/api/messages?wait=false", json=body)
        assert response.status_code == 202, response.text

    async def rows(self, session: str = "main") -> list[dict[str, Any]]:
        response = await self.client.get(f"/api/sessions/{session}/messages")
        return list(response.json()["messages"])

    async def answered(self, *identities: str, session: str = "main", seconds: float = 20.0) -> list[list[str]]:
        """Wait until all these messages are answered; return `in_reply_to` of each answer, in order."""
        async with asyncio.timeout(seconds):
            while True:
                answers = [row["in_reply_to"] for row in await self.rows(session) if row.get("in_reply_to")]
                if set(identities) <= {identity for answer in answers for identity in answer}:
                    return answers
                await asyncio.sleep(0.01)

    async def asked(self, left: int = 0) -> None:
        """Wait until the provider has been asked and all but `left` replies of the script are under way."""
        async with asyncio.timeout(20):
            while self.provider.left > left:
                await asyncio.sleep(0.01)

    async def idle(self) -> None:
        """Wait until no message waits for its turn's end."""
        async with asyncio.timeout(20):
            while self.house.inbox.counts().get("new"):
                await asyncio.sleep(0.01)

    def prompts(self) -> list[str]:
        """The text of the last user message of each call, as the provider saw it."""
        texts = []
        for seen in self.provider.calls:
            content = seen.request["messages"][-1]["content"]
            blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
            texts.append("\n".join(str(b.get("text") or b.get("content") or "") for b in blocks))
        return texts


Start = Callable[..., Any]


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Start a house: `home = await start(APPLIANCE_BUDGET__DAILY_USD="1")`."""
    stack = AsyncExitStack()

    async def begin(state: Path | None = None, provider: FakeAnthropic | None = None, **environ: str) -> Home:
        if provider is None:
            provider = await stack.enter_async_context(FakeAnthropic())
        settings = house_settings(state or tmp_path / "state", provider.url, **environ)
        house = Appliance(settings)
        url = await house.start()
        stack.push_async_callback(house.stop)
        client = client_of(settings, url)
        await stack.enter_async_context(client)
        return Home(house, provider, client)

    yield begin
    await stack.aclose()


@pytest.fixture
async def home(start: Start) -> Home:
    return await start()


@pytest.fixture
async def telegram() -> AsyncIterator[FakeTelegram]:
    async with FakeTelegram() as fake:
        yield fake


@pytest.fixture
async def household(start: Start, telegram: FakeTelegram) -> Home:
    """A house whose owner and one member, Ann, are paired on Telegram; a report lies in the work folder."""
    home: Home = await start(TELEGRAM_BOT_TOKEN=telegram.world.token, TELEGRAM_API_BASE=telegram.url)
    (channel,) = home.house.channels
    await channel.opened()
    for user, name in ((OWNER, "Sam"), (ANN, "Ann")):
        telegram.people.user(user, name=name)
        invited = await home.client.post("/api/people/invite", json={"role": "member"} if user == ANN else {})
        telegram.people.say(user, invited.json()["code"])
        await until(lambda user=user: telegram.texts(user))  # type: ignore[misc]
    (home.house.workspace("main").files / "report.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    return home


async def until(met: Callable[[], object]) -> None:
    async with asyncio.timeout(30):
        while not met():
            await asyncio.sleep(0.02)
