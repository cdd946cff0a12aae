"""Prometheus, Alertmanager, the gateway's webhook and Telegram, all the way, with the shipped files."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx2
import pytest

from appliance.database import Database
from appliance.observability import notices
from appliance.observability.alerts import Alerts
from appliance.observability.notices import Choices, Notices
from appliance.spending.show import event_text
from appliance.testing.fake_telegram import TOKEN, FakeTelegram

from .conftest import Home
from .tools import Gateway, alertmanager, prometheus, until

pytestmark = pytest.mark.prometheus
OWNER = 5001


class Way:
    """The way from a refused call to the owner's phone."""

    def __init__(self, home: Home, telegram: FakeTelegram, gateway: Gateway, told: Notices) -> None:
        self.home = home
        self.telegram = telegram
        self.gateway = gateway
        self.told = told

    def messages(self) -> list[str]:
        """What the owner got, oldest first."""
        return [call.params["text"] for call in self.telegram.world.book if call.method == "sendMessage"]


@asynccontextmanager
async def way(home: Home, tmp_path: Path) -> AsyncIterator[Way]:
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "metrics_token").write_text("house-token")
    (secrets / "alerts_token").write_text("house-token")
    (secrets / "telegram_bot_token").write_text(TOKEN)
    database = Database(tmp_path / "notices.db", {"notices": notices.MIGRATIONS})
    database.open()
    async with FakeTelegram() as telegram, httpx2.AsyncClient() as client:
        telegram.people.user(OWNER)

        async def tell(text: str, choices: Choices) -> None:
            keyboard = [[{"text": label, "callback_data": command} for label, command in choices]]
            body = {"chat_id": OWNER, "text": text, "reply_markup": {"inline_keyboard": keyboard if choices else []}}
            answer = await client.post(f"{telegram.url}/bot{TOKEN}/sendMessage", json=body)
            assert answer.status_code == 200, answer.text

        told = Notices(database, home.house.clock, tell)
        alerts = Alerts(told, home.house.budget, lambda: set())
        gateway = Gateway(home.metrics.render, alerts.receive, "house-token")
        environ = {"TELEGRAM_CHAT_ID": str(OWNER), "TELEGRAM_API_BASE": telegram.url}
        async with (
            gateway.serving() as address,
            alertmanager(environ, f"http://{address}", secrets) as manager,
            prometheus(address, secrets / "metrics_token", manager) as server,
        ):

            async def seen() -> bool:
                return bool(await server.query("appliance_build_info"))

            await until(seen, 15.0)
            yield Way(home, telegram, gateway, told)
    database.close()


async def test_an_exhausted_budget_reaches_the_owner_once_within_one_evaluation(start: Any, tmp_path: Path) -> None:
    home: Home = await start(daily_usd=Decimal("0.001"))
    async with way(home, tmp_path) as path:
        await home.client.post("/api/messages", json={"session": "main", "text": "Hello!"})
        refused_at = time.monotonic()

        async def told() -> list[str]:
            return path.messages()

        await until(told, 10.0)
        # one scrape, one evaluation and one flush of Alertmanager, each a second here
        assert time.monotonic() - refused_at < 5.0
        await asyncio.sleep(4.0)  # Prometheus and Alertmanager send it again and again
        assert path.messages() == [
            "⚠ The budget is used up. The limit of day stopped a call; the house goes on as budget.at_limit says."
        ]
        assert path.gateway.posted
        assert home.provider.billed == 0
        (call,) = [call for call in path.telegram.world.book if call.method == "sendMessage"]
        assert "/budget raise 1" in str(call.params["reply_markup"])


async def test_a_mark_that_the_gateway_has_told_is_not_told_again_by_its_alert(start: Any, tmp_path: Path) -> None:
    home: Home = await start(daily_usd=Decimal("0.001"))
    async with way(home, tmp_path) as path:
        events: list[Any] = []
        home.house.budget._on_event = events.append  # as the composition hears of it
        await home.client.post("/api/messages", json={"session": "main", "text": "Hello!"})
        for event in events:
            await path.told.once(event.notice, event_text(event, home.house.settings.owner.zone))

        async def posted() -> list[dict[str, Any]]:
            return path.gateway.posted

        await until(posted, 10.0)
        await asyncio.sleep(2.0)
        assert len(path.messages()) == 1
        assert "is reached" in path.messages()[0]


async def test_only_the_gateways_own_silence_goes_to_telegram_without_it(start: Any, tmp_path: Path) -> None:
    home: Home = await start()
    async with way(home, tmp_path) as path:
        path.gateway.metrics = _broken  # what a hung gateway looks like to Prometheus

        async def told() -> list[str]:
            return path.messages()

        await until(told, 15.0)
        assert path.messages()[0].startswith("The gateway of your appliance does not answer.")
        assert path.gateway.posted == []


def _broken() -> bytes:
    raise RuntimeError("hung")
