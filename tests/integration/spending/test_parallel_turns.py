"""Sixty-four conversations at once against a limit that covers about ten, in the whole house, over HTTP.

How many are answered depends on who comes first: a turn that reads the cache of another costs a tenth. What may not
depend on it: nothing passes the limit, everybody gets a reply, and the books are the provider's bill.
"""

from __future__ import annotations

import asyncio
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx2
import pytest

from appliance.app import Appliance
from appliance.settings.load import load_settings
from appliance.testing.fake_anthropic import FakeAnthropic

TURNS = 64


async def price_of_one(provider: FakeAnthropic, folder: Path) -> int:
    """What a turn like these costs, with nothing in its way."""
    async with Housed(provider, folder, "2.00") as (_, client):
        await _say(client, 999)
    return provider.billed


@pytest.mark.parametrize("wait", ["0", "5"])
async def test_spent_never_passes_the_limit_and_equals_the_providers_bill(tmp_path: Path, wait: str) -> None:
    async with FakeAnthropic() as first:
        one = await price_of_one(first, tmp_path / "one")
    limit = Decimal(one * 10) / 10**12
    async with FakeAnthropic() as provider, Housed(provider, tmp_path / "many", str(limit), wait) as (house, client):
        seen: list[int] = []
        watching = asyncio.create_task(_watch(house, seen))
        replies = await asyncio.gather(*(_say(client, number) for number in range(TURNS)))
        watching.cancel()
        spent, reserved = house.core.read(
            "SELECT cost, reserved FROM spending_totals WHERE scope = 'day' AND key = ''"
        )[0]
        assert (spent, reserved) == (provider.billed, 0)
        assert 0 < spent <= limit * 10**12
        assert max(seen, default=0) <= limit * 10**12
        assert len(replies) == TURNS
        assert all(replies)
        refused = [reply for reply in replies if "/budget raise" in reply]
        assert TURNS - len(refused) == len(provider.calls)


async def _watch(house: Appliance, seen: list[int]) -> None:
    """Spent plus reserved, at every moment that anything else may run."""
    while True:
        rows = house.core.read("SELECT cost + reserved FROM spending_totals WHERE scope = 'day' AND key = ''")
        seen.extend(row[0] for row in rows)
        await asyncio.sleep(0.002)


async def _say(client: httpx2.AsyncClient, number: int) -> str:
    body = {"session": f"s{number:03}", "text": "Tell me something."}
    answer = await client.post("/api/messages", json=body)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["reply"])


class Housed:
    """A house with this provider and limit, and its client."""

    def __init__(self, provider: FakeAnthropic, folder: Path, limit: str, wait: str = "0") -> None:
        self.settings = load_settings(
            environ={
                "APPLIANCE_STATE_DIR": str(folder),
                "APPLIANCE_SERVER__PORT": "0",
                "APPLIANCE_LOCAL__ENABLED": "false",
                "APPLIANCE_EXEC__ENABLED": "false",
                "APPLIANCE_AGENT__PARALLEL_TURNS": str(TURNS),
                "APPLIANCE_MODELS__CHAIN": '["claude-sonnet-5-5"]',
                "APPLIANCE_BUDGET__DAILY_USD": limit,
                "APPLIANCE_BUDGET__AT_LIMIT": "stop",
                "APPLIANCE_BUDGET__WAIT_SECONDS": wait,
                "ANTHROPIC_API_KEY": "sk-ant-test",
                "ANTHROPIC_BASE_URL": provider.url,
            }
        )

    async def __aenter__(self) -> tuple[Appliance, httpx2.AsyncClient]:
        self.house = Appliance(self.settings)
        url = await self.house.start()
        token = (self.settings.state / "token").read_text().strip()
        self.client = httpx2.AsyncClient(
            base_url=url,
            headers={"authorization": f"Bearer {token}"},
            timeout=60.0,
            limits=httpx2.Limits(max_connections=TURNS + 4),
        )
        return self.house, self.client

    async def __aexit__(self, *_: Any) -> None:
        await self.client.aclose()
        await self.house.stop()
