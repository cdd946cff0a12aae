"""Prometheus, Alertmanager, the gateway's webhook and Telegram, all the way, with the shipped files."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from appliance.errors import UnpricedModelError
from appliance.messages import Purpose
from appliance.spending.budget import CallSpec
from appliance.testing.fake_telegram import TOKEN

from .conftest import OWNER, Home
from .tools import Prometheus, alertmanager, prometheus, until

pytestmark = pytest.mark.prometheus


@asynccontextmanager
async def watched(home: Home, tmp_path: Path) -> AsyncIterator[tuple[str, Prometheus]]:
    """Prometheus and Alertmanager around the house; yields Alertmanager's host:port and Prometheus after a scrape."""
    assert home.telegram is not None
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "alerts_token").write_text((home.state / "alerts_token").read_text().strip())
    (secrets / "telegram_bot_token").write_text(TOKEN)
    environ = {"TELEGRAM_CHAT_ID": str(OWNER), "TELEGRAM_API_BASE": home.telegram.url}
    async with (
        alertmanager(environ, home.url, secrets) as manager,
        prometheus(home.address, home.state / "metrics_token", manager) as server,
    ):

        async def seen() -> bool:
            return bool(await server.query("appliance_build_info"))

        await until(seen, 30.0)
        yield manager, server


async def posted(manager: str, receiver: str) -> tuple[float, float]:
    """(notifications, failed ones) that Alertmanager has sent by webhook or telegram."""
    async with httpx2.AsyncClient() as client:
        text = (await client.get(f"http://{manager}/metrics")).text

    def value(name: str) -> float:
        found = [
            line for line in text.splitlines() if line.startswith(f"{name}{{") and f'integration="{receiver}"' in line
        ]
        return sum(float(line.rpartition(" ")[2]) for line in found)

    return value("alertmanager_notifications_total"), value("alertmanager_notifications_failed_total")


async def test_an_alert_reaches_the_owners_phone_once_within_one_evaluation(start: Any, tmp_path: Path) -> None:
    home: Home = await start(telegram=True)
    await home.pair()
    async with watched(home, tmp_path) as (manager, server):
        home.house.budget._damage = "a row of this test"
        await home.heard(lambda texts: any("books are damaged" in text for text in texts))
        gauge = await server.samples("appliance_budget_books_damaged")
        scraped = next(at for at, value in gauge if value == 1)
        fired = (await server.samples('ALERTS{alertname="ApplianceBooksDamaged",alertstate="firing"}'))[0][0]
        # Evaluations are a second apart here; on a machine that is busy with other tests one may be missed.
        assert fired - scraped <= 2.0
        await asyncio.sleep(4.0)  # Prometheus and Alertmanager send it again and again
        (told,) = [text for text in home.phone() if "books are damaged" in text]
        assert told.startswith("⚠ The spending books are damaged, so no paid model is called. Totals and rows")
        sent, failed = await posted(manager, "webhook")
        assert sent >= 1
        assert failed == 0


async def test_an_exhausted_budget_is_told_once_by_the_gateway_and_its_alert(start: Any, tmp_path: Path) -> None:
    home: Home = await start(telegram=True, APPLIANCE_BUDGET__DAILY_USD="0.001", APPLIANCE_BUDGET__WAIT_SECONDS="0")
    await home.pair()
    async with watched(home, tmp_path) as (manager, _):
        await home.say("Hello!")
        await home.heard(lambda texts: any("is reached" in text for text in texts))

        async def alerted() -> bool:
            return (await posted(manager, "webhook"))[0] >= 1

        await until(alerted, 30.0)
        await asyncio.sleep(3.0)
        assert len([text for text in home.phone() if "is reached" in text or "used up" in text]) == 1
        assert (await posted(manager, "webhook"))[1] == 0
        assert home.provider.billed == 0


async def test_an_alert_that_the_owner_chose_pauses_paid_models(start: Any, tmp_path: Path) -> None:
    home: Home = await start(telegram=True, APPLIANCE_BUDGET__PAUSE_ON_ALERTS='["ApplianceUnpricedModel"]')
    await home.pair()
    async with watched(home, tmp_path):
        unknown = CallSpec(
            model="house-brand-9", provider="nas", local=False, purpose=Purpose.CHAT, session="agent:main:main",
            agent="main", channel="web", turn="t", characters=40, input_tokens=None, max_tokens=100,
        )  # fmt: skip
        with pytest.raises(UnpricedModelError):
            await home.house.budget.reserve(unknown)
        await home.heard(lambda texts: any("/budget resume" in text for text in texts))
        answer = await home.say("Hello!")
        assert "Paid models are paused: A model without a known price was asked for." in answer["reply"]
        assert home.provider.billed == 0
        await home.house.budget.resume()
        assert "paused" not in (await home.say("Hello again!"))["reply"]
        assert home.provider.billed > 0


async def test_only_the_gateways_own_silence_goes_to_telegram_without_it(start: Any, tmp_path: Path) -> None:
    home: Home = await start(telegram=True)
    await home.pair()
    async with watched(home, tmp_path) as (manager, _):
        await home.house.server.stop()
        await home.heard(lambda texts: any("does not answer" in text for text in texts))
        (told,) = [text for text in home.phone() if "does not answer" in text]
        assert told.startswith("The gateway of your appliance does not answer.")
        assert (await posted(manager, "webhook"))[0] == 0
