"""A webhook that was answered late fired again every minute for ever.

Here nothing is a webhook: Telegram is polled, one that is set is removed without dropping updates, and a turn of any
length holds nothing up.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

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
