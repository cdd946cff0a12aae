"""A real house with the monitoring's parts beside it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx2
import pytest

from appliance.app import Appliance
from appliance.observability.metrics import Metrics
from appliance.settings import load_settings
from appliance.spending.figures import Figures
from appliance.testing.fake_anthropic import FakeAnthropic


@dataclass
class Record:
    """A finished call, as models tell it."""

    model: str
    provider: str
    seconds: float
    first_token: float | None


@dataclass
class Home:
    """A running house, its provider, its metrics, and a client that may talk to it."""

    house: Appliance
    provider: FakeAnthropic
    client: httpx2.AsyncClient
    metrics: Metrics
    said: list[str] = field(default_factory=list)

    async def say(self, text: str) -> dict[str, Any]:
        response = await self.client.post("/api/messages", json={"session": "main", "text": text})
        assert response.status_code == 200, response.text
        return dict(response.json())


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Any]:
    stack = AsyncExitStack()

    async def begin(daily_usd: Decimal = Decimal("2.00")) -> Home:
        provider = await stack.enter_async_context(FakeAnthropic())
        settings = load_settings(
            environ={
                "APPLIANCE_STATE_DIR": str(tmp_path / "state"),
                "APPLIANCE_SERVER__PORT": "0",
                "APPLIANCE_LOCAL__ENABLED": "false",
                "APPLIANCE_EXEC__ENABLED": "false",
                "APPLIANCE_BUDGET__DAILY_USD": str(daily_usd),
                "APPLIANCE_BUDGET__WAIT_SECONDS": "0",
                "ANTHROPIC_API_KEY": "sk-ant-test",
                "ANTHROPIC_BASE_URL": provider.url,
            }
        )
        house = Appliance(settings)
        url = await house.start()
        stack.push_async_callback(house.stop)
        token = (settings.state / "token").read_text().strip()
        client = httpx2.AsyncClient(base_url=url, headers={"authorization": f"Bearer {token}"}, timeout=30.0)
        await stack.enter_async_context(client)
        figures = Figures(
            house.core,
            house.prices,
            lambda: settings.budget,
            lambda: settings.owner.zone,
            house.clock,
            damage=lambda: house.budget.damage,
        )
        return Home(house, provider, client, Metrics(version="0.1.0", money=figures))

    yield begin
    await stack.aclose()
