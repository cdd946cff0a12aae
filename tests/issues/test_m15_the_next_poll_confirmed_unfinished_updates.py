"""Handlers ran as tasks, so the next poll told Telegram of updates that a kill then lost."""

from __future__ import annotations

import asyncio

from appliance.messages import Inbound
from tests.telegram_bench import OWNER, Bench, echo


async def test_a_turn_cut_short_is_still_in_the_inbox_after_the_restart(paired: Bench) -> None:
    async def never(_: Inbound) -> str:
        await asyncio.sleep(60)
        return "never"

    paired.front.answer = never
    paired.telegram.people.say(OWNER, "hello")
    await paired.until(lambda: paired.front.heard)
    await paired.stop()
    paired.answer = echo
    await paired.start()
    (received,) = paired.front.inbox.open_rows()
    assert received.inbound.text == "hello"
    assert paired.front.heard == []


async def test_an_update_is_confirmed_only_after_it_is_stored(paired: Bench) -> None:
    paired.front.fail_next = 2
    update = paired.telegram.people.say(OWNER, "hello")["update_id"]
    await paired.until(lambda: paired.front.fail_next == 0)
    asked = [int(c.params["offset"]) for c in paired.telegram.calls("getUpdates") if "offset" in c.params]
    assert max(asked) <= update
    await paired.until(lambda: "You said: hello" in paired.replies())
