"""Prometheus, Alertmanager, the gateway's webhook and Telegram, all the way, with the shipped files."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from appliance.testing.fake_telegram import TOKEN

from .conftest import OWNER, Home
from .tools import alertmanager, prometheus, until

pytestmark = pytest.mark.prometheus


@asynccontextmanager
async def watched(home: Home, tmp_path: Path) -> AsyncIterator[str]:
    """Prometheus and Alertmanager around the house; yields Alertmanager's host:port once a scrape was seen."""
    assert home.telegram is not None
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "alerts_token").write_text((home.state / "token").read_text().strip())
    (secrets / "telegram_bot_token").write_text(TOKEN)
    environ = {"TELEGRAM_CHAT_ID": str(OWNER), "TELEGRAM_API_BASE": home.telegram.url}
    async with (
        alertmanager(environ, home.url, secrets) as manager,
        prometheus(home.address, home.state / "metrics_token", manager) as server,
    ):

        async def seen() -> bool:
            return bool(await server.query("appliance_build_info"))

        await until(seen, 15.0)
        yield manager


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
    async with watched(home, tmp_path) as manager:
        home.house.metrics.set("backup_last_success_timestamp_seconds", time.time() - 40 * 3600)
        began = time.monotonic()
        await home.heard(lambda texts: any("no fresh backup" in text for text in texts))
        # one scrape, one evaluation and one flush of Alertmanager, each a second here, and Telegram's own pace
        assert time.monotonic() - began < 6.0
        await asyncio.sleep(4.0)  # Prometheus and Alertmanager send it again and again
        (told,) = [text for text in home.phone() if "no fresh backup" in text]
        assert told.startswith("⚠ There is no fresh backup. The last good backup is 1d 16h 0m")
        sent, failed = await posted(manager, "webhook")
        assert sent >= 1
        assert failed == 0


async def test_an_exhausted_budget_is_told_once_by_the_gateway_and_its_alert(start: Any, tmp_path: Path) -> None:
    home: Home = await start(telegram=True, APPLIANCE_BUDGET__DAILY_USD="0.001", APPLIANCE_BUDGET__WAIT_SECONDS="0")
    await home.pair()
    async with watched(home, tmp_path) as manager:
        await home.say("Hello!")
        await home.heard(lambda texts: any("is reached" in text for text in texts))

        async def alerted() -> bool:
            return (await posted(manager, "webhook"))[0] >= 1

        await until(alerted, 15.0)
        await asyncio.sleep(3.0)
        assert len([text for text in home.phone() if "is reached" in text or "used up" in text]) == 1
        assert (await posted(manager, "webhook"))[1] == 0
        assert home.provider.billed == 0


async def test_an_alert_that_the_owner_chose_pauses_paid_models(start: Any, tmp_path: Path) -> None:
    chosen = '["ApplianceBackupStale"]'
    home: Home = await start(telegram=True, APPLIANCE_BUDGET__PAUSE_ON_ALERTS=chosen)
    await home.pair()
    async with watched(home, tmp_path):
        home.house.metrics.set("backup_last_success_timestamp_seconds", time.time() - 40 * 3600)
        await home.heard(lambda texts: any("/budget resume" in text for text in texts))
        answer = await home.say("Hello!")
        assert "Paid models are paused: There is no fresh backup." in answer["reply"]
        assert home.provider.billed == 0
        await home.house.budget.resume()
        assert "paused" not in (await home.say("Hello again!"))["reply"]
        assert home.provider.billed > 0


async def test_only_the_gateways_own_silence_goes_to_telegram_without_it(start: Any, tmp_path: Path) -> None:
    home: Home = await start(telegram=True)
    await home.pair()
    async with watched(home, tmp_path) as manager:
        await home.house.server.stop()
        await home.heard(lambda texts: any("does not answer" in text for text in texts))
        (told,) = [text for text in home.phone() if "does not answer" in text]
        assert told.startswith("The gateway of your appliance does not answer.")
        assert (await posted(manager, "webhook"))[0] == 0
