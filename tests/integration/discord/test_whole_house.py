"""The real gateway process on the fake Discord: reached by its settings, killed where a send is under way."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from appliance.testing.fake_anthropic import FakeAnthropic, Reply
from appliance.testing.fake_discord import TOKEN, FakeDiscord
from appliance.testing.process import GatewayProcess

USER = 111_111_111_111_111_111


def answer(body: dict[str, Any]) -> Reply:
    """An answer that names the messages it answers."""
    found = re.findall(r"number (\d+)\b", str(body["messages"][-1]["content"]))
    return Reply(text="answer " + " ".join(f"<{n}>" for n in found), pieces=3, pace=0.02)


@pytest.mark.parametrize("point", ["after_placeholder", "after_edit"])
async def test_a_kill_while_answering_leaves_one_answer_and_no_stray(
    fake: FakeDiscord, tmp_path: Path, point: str
) -> None:
    async with FakeAnthropic() as provider:
        provider.default(answer)
        state = tmp_path / "state"
        state.mkdir()
        house = GatewayProcess(
            state,
            ANTHROPIC_API_KEY="sk-ant-test",
            ANTHROPIC_BASE_URL=provider.url,
            APPLIANCE_AGENT__MODE="followup",
            DISCORD_BOT_TOKEN=TOKEN,
            DISCORD_API_BASE=fake.url,
        )
        chat = fake.world.direct_channel(USER)
        try:
            await house.start()
            await _until(lambda: fake.identified)
            response = await house.client.post(f"{house.url}/api/people/invite", json={})
            await fake.say(USER, response.json()["code"])
            await _until(lambda: any("Paired" in text for text in fake.texts(chat)))
            await house.stop()
            await house.start(APPLIANCE_CRASH_AT=point)
            await _until(lambda: len(fake.identified) == 2)
            await fake.say(USER, "number 1 你好")
            await _until(lambda: not house.alive)
            await fake.say(USER, "number 2")
            await house.kill()
            await house.start()
            await _until(lambda: fake.texts(chat)[1:] == ["answer <1>", "answer <2>"])
        finally:
            await house.close()


async def _until(met: Callable[[], object], seconds: float = 40.0) -> None:
    until = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < until, "it did not come true in time"
        await asyncio.sleep(0.05)
