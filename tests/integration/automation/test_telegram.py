"""On a real channel: scheduled from the chat, announced there once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from appliance.testing.anthropic_replies import Reply
from appliance.testing.fake_telegram import FakeTelegram
from tests.integration.automation.conftest import Start

USER = 11


async def until(met: Callable[[], object], seconds: float = 20.0) -> None:
    async with asyncio.timeout(seconds):
        while not met():
            await asyncio.sleep(0.02)


async def test_a_job_made_in_the_chat_is_announced_in_the_chat_once(start: Start) -> None:
    async with FakeTelegram() as telegram:
        home = await start(page=True, TELEGRAM_BOT_TOKEN=telegram.world.token, TELEGRAM_API_BASE=telegram.url)
        invited = await home.client.post("/api/people/invite", json={})
        telegram.people.say(USER, invited.json()["code"])
        await until(lambda: telegram.texts(USER))
        telegram.people.say(USER, '/cron add "0 9 * * *" Say: bins out')
        await until(lambda: any("Scheduled as" in text for text in telegram.texts(USER)))
        home.provider.script(Reply(text="Bins out 倒垃圾"))
        await home.at("2026-11-30T09:00:00Z")
        await until(lambda: any("倒垃圾" in text for text in telegram.texts(USER)))
        await home.at("2026-11-30T09:01:00Z")
        await asyncio.sleep(1.0)
        assert sum("倒垃圾" in text for text in telegram.texts(USER)) == 1
        main = (await home.client.get("/api/sessions/main/messages")).json()["messages"]
        assert not any("倒垃圾" in row["text"] for row in main if row["role"] == "assistant")
        await home.house.stop()
