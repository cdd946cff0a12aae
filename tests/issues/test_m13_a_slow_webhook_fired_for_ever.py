"""A webhook that was answered late fired again every minute for ever.

Here an update is on disk before its call is answered, so a turn of any length holds nothing up. Where Telegram is
polled, a webhook that is set is removed without dropping updates.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from appliance.channels.telegram.webhook import secret_of
from appliance.gateway.webhooks import WebhookRequest
from appliance.messages import Inbound
from appliance.testing.fake_telegram import FakeTelegram
from tests.telegram_bench import OWNER, Bench


async def test_a_webhook_is_removed_and_what_waited_is_answered(telegram: FakeTelegram, tmp_path: Path) -> None:
    bench = Bench(telegram, tmp_path)
    await bench.start()
    await bench.pair()
    await bench.stop()
    telegram.world.webhook = {"url": "https://example.com/hook"}
    telegram.people.say(OWNER, "waiting")
    await bench.start()
    await bench.until(lambda: "You said: waiting" in bench.replies())
    await bench.stop()
    (removed,) = telegram.calls("deleteWebhook")
    assert removed.params.get("drop_pending_updates", "false") in ("false", "False", "")
    assert telegram.calls("setWebhook") == []


async def test_a_repeated_update_during_a_long_turn_is_handled_once(paired: Bench) -> None:
    going = asyncio.Event()

    async def slowly(inbound: Inbound) -> str:
        await going.wait()
        return f"done {inbound.text}"

    paired.front.answer = slowly
    update = paired.telegram.people.say(OWNER, "long work")["update_id"]
    await paired.until(lambda: paired.front.heard)
    for new_id in (False, True, False, True):
        paired.telegram.people.repeat(update, new_id=new_id)
    await paired.until(lambda: not paired.telegram.world.updates)
    going.set()
    await paired.until(lambda: "done long work" in paired.replies())
    assert len(paired.front.heard) == 1
    assert paired.replies() == ["done long work"]


async def test_a_call_is_answered_while_its_turn_takes_ninety_seconds(telegram: FakeTelegram, tmp_path: Path) -> None:
    bench = Bench(telegram, tmp_path, {"webhook_url": "https://agent.example.com/hooks/telegram"})
    await bench.start()
    await bench.channel.opened()
    going = asyncio.Event()

    async def slowly(inbound: Inbound) -> str:
        await going.wait()
        return "done"

    async def call() -> int:
        headers = {"x-telegram-bot-api-secret-token": secret_of(telegram.world.token)}
        body = json.dumps(telegram.world.everything[-1]).encode()
        return (await bench.channel.webhooks["telegram"](WebhookRequest("POST", headers, {}, body))).status

    telegram.people.say(OWNER, await bench.access.invite())
    await bench.until(lambda: telegram.world.webhook["url"])
    assert await call() == 200
    await bench.until(lambda: bench.access.owners())
    bench.front.answer = slowly
    telegram.people.say(OWNER, "long work")
    for _ in range(5):
        async with asyncio.timeout(1):
            assert await call() == 200
    await bench.until(lambda: bench.front.heard)
    going.set()
    await bench.until(lambda: bench.replies() == ["done"])
    assert len(bench.front.heard) == 1
    await bench.stop()


@pytest.mark.parametrize("broken", [b"", b"[]", b"{", b'{"update_id": "x"}'])
async def test_what_is_no_update_is_refused_and_not_kept(telegram: FakeTelegram, tmp_path: Path, broken: bytes) -> None:
    bench = Bench(telegram, tmp_path, {"webhook_url": "https://agent.example.com/hooks/telegram"})
    await bench.start()
    await bench.channel.opened()
    await bench.until(lambda: telegram.world.webhook["url"])
    headers = {"x-telegram-bot-api-secret-token": secret_of(telegram.world.token)}
    assert (await bench.channel.webhooks["telegram"](WebhookRequest("POST", headers, {}, broken))).status == 400
    assert bench.database.read("SELECT count(*) FROM held_calls") == [(0,)]
    await bench.stop()
