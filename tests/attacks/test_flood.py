"""T30: a person on the list who writes a thousand messages at once holds up nobody else."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from appliance.testing.anthropic_replies import Reply
from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.fake_telegram import TOKEN, FakeTelegram
from appliance.testing.process import GatewayProcess

ANN, BEN = 11, 12
MESSAGES = 1_000
ANSWERED_SECONDS = 30.0  # ten is the aim; this leaves room for a machine that does other things too


def answer(body: dict[str, Any]) -> Reply:
    return Reply(text=f"answer to {str(body['messages'][-1]['content'])[-60:]}", pieces=2, pace=0.02)


@pytest.mark.timeout(180)
async def test_a_thousand_messages_of_one_person_hold_up_nobody_else(tmp_path: Path) -> None:
    async with FakeAnthropic() as provider, FakeTelegram() as telegram:
        provider.default(answer)
        house = GatewayProcess(
            tmp_path / "state", ANTHROPIC_API_KEY="sk-ant-test", ANTHROPIC_BASE_URL=provider.url,
            TELEGRAM_BOT_TOKEN=TOKEN, TELEGRAM_API_BASE=telegram.url, APPLIANCE_TELEGRAM__MEMBERS=f"[{ANN}, {BEN}]",
            APPLIANCE_BUDGET__DAILY_USD="1000",
        )  # fmt: skip
        house.state.mkdir()
        try:
            await house.start()
            telegram.people.say(BEN, "hello")
            await _answered(telegram, 1, 60.0)
            for number in range(MESSAGES):
                telegram.people.say(ANN, f"message {number}")
            telegram.people.say(BEN, "and I?")
            began = time.monotonic()
            await _answered(telegram, 2, 60.0)
            waited = time.monotonic() - began
            await house.get("/healthz")
            assert waited < ANSWERED_SECONDS
        finally:
            await house.close()


async def _answered(telegram: FakeTelegram, count: int, seconds: float) -> None:
    async with asyncio.timeout(seconds):
        while sum("answer" in text for text in telegram.texts(BEN)) < count:
            await asyncio.sleep(0.05)
