"""The network goes, duplicates come, a turn takes its time: every message is answered once, in order."""

from __future__ import annotations

import asyncio

import pytest

from appliance.messages import Inbound
from appliance.observability.health import State
from tests.telegram_bench import OWNER, Bench

MINUTE, HOUR = 60.0, 3600.0


@pytest.mark.parametrize("seconds", [10.0, 10 * MINUTE, 24 * HOUR])
async def test_what_was_sent_during_an_outage_is_answered_once_and_in_order(paired: Bench, seconds: float) -> None:
    await paired.telegram.stop()
    for number in range(3):
        paired.telegram.people.say(OWNER, f"m{number}")
    await paired.clock.sleep(5)
    paired.clock.leap(seconds - 10)
    await paired.clock.sleep(5)
    if seconds > MINUTE:
        assert paired.health.get("telegram").state is State.DEGRADED  # type: ignore[union-attr]
    await paired.telegram.start()
    repaired = paired.clock.monotonic()
    await paired.until(lambda: len(paired.front.heard) == 3)
    assert paired.clock.monotonic() - repaired < 30
    await paired.until(lambda: len(paired.replies()) == 3 and "…" not in paired.replies())
    assert [i.text for i in paired.front.heard] == ["m0", "m1", "m2"]
    assert sorted(paired.replies()) == [f"You said: m{n}" for n in range(3)]
    assert paired.health.get("telegram").state is State.READY  # type: ignore[union-attr]


async def test_an_answer_that_was_ready_when_the_network_went_arrives_after_it_once(paired: Bench) -> None:
    going = asyncio.Event()

    async def later(inbound: Inbound) -> str:
        await going.wait()
        return "at last"

    paired.front.answer = later
    paired.telegram.people.say(OWNER, "hello")
    await paired.until(lambda: paired.replies() == ["…"])
    await paired.telegram.stop()
    going.set()
    await paired.clock.sleep(20)
    await paired.telegram.start()
    await paired.until(lambda: paired.replies() == ["at last"], 20)


async def test_duplicates_a_minute_apart_during_a_long_turn_are_one_message(paired: Bench) -> None:
    async def ninety_seconds(inbound: Inbound) -> str:
        await paired.clock.sleep(90)
        return f"done {inbound.text}"

    paired.front.answer = ninety_seconds
    update = paired.telegram.people.say(OWNER, "work")["update_id"]
    await paired.clock.sleep(60)
    paired.telegram.people.repeat(update, new_id=True)
    await paired.until(lambda: "done work" in paired.replies(), 15)
    await paired.clock.sleep(5)
    assert paired.replies() == ["done work"]
    assert len(paired.front.heard) == 1


async def test_an_accepted_placeholder_whose_answer_was_lost_is_swept_when_the_reply_goes_on(paired: Bench) -> None:
    paired.telegram.people.fault("sendMessage", drop="after")
    paired.telegram.people.say(OWNER, "hello")
    await paired.until(lambda: "You said: hello" in paired.replies() and "…" not in paired.replies())
    assert paired.replies() == ["You said: hello"]
    assert len([c for c in paired.telegram.calls("deleteMessage") if c.outcome == "ok"]) == 1


async def test_a_network_that_drops_every_third_call_loses_nothing_and_repeats_nothing(paired: Bench) -> None:
    for method in ("sendMessage", "editMessageText", "getUpdates", "sendChatAction"):
        paired.telegram.people.fault(method, every=3, drop="after")
    for number in range(6):
        paired.telegram.people.say(OWNER, f"m{number}")
        await paired.clock.sleep(1)
    wanted = sorted(f"You said: m{n}" for n in range(6))
    await paired.until(lambda: sorted(paired.replies()) == wanted, 40)
    assert [i.text for i in paired.front.heard] == [f"m{n}" for n in range(6)]
