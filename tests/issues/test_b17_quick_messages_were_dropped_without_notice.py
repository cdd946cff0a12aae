"""Of 20 quick messages one was dropped without notice."""

from __future__ import annotations

import asyncio

from appliance.messages import Inbound
from tests.telegram_bench import OWNER, Bench


async def test_all_25_messages_sent_while_busy_are_kept_and_answered_in_order(paired: Bench) -> None:
    gate = asyncio.Lock()

    async def slowly(inbound: Inbound) -> str:
        async with gate:
            await asyncio.sleep(0.01)
            return f"re {inbound.text}"

    paired.front.answer = slowly
    await gate.acquire()
    for number in range(25):
        paired.telegram.people.say(OWNER, f"m{number}")
    await paired.until(lambda: len(paired.front.heard) == 25)
    gate.release()
    await paired.until(lambda: len(paired.replies()) == 25 and "…" not in paired.replies(), 30)
    assert sorted(paired.replies()) == sorted(f"re m{number}" for number in range(25))
    assert [i.text for i in paired.front.heard] == [f"m{number}" for number in range(25)]
