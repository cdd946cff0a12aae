"""How fast one may write into a chat."""

from __future__ import annotations

from appliance.channels.pacer import GROUP, PRIVATE, Pacer
from appliance.testing.manual_clock import ManualClock


async def times(pacer: Pacer, clock: ManualClock, count: int, chat: str = "1", **kind: bool) -> list[float]:
    began, result = clock.monotonic(), []
    for _ in range(count):
        await pacer.wait(chat, PRIVATE, **kind)
        result.append(round(clock.monotonic() - began, 3))
    return result


async def test_a_small_burst_goes_at_once_and_then_one_a_second() -> None:
    clock = ManualClock(auto=True)
    assert await times(Pacer(clock), clock, 6) == [0, 0, 0, 1, 2, 3]


async def test_edits_are_a_second_apart_from_the_first() -> None:
    clock = ManualClock(auto=True)
    assert await times(Pacer(clock), clock, 4, edit=True) == [0, 1, 2, 3]


async def test_a_group_gets_twenty_a_minute() -> None:
    clock = ManualClock(auto=True)
    pacer = Pacer(clock)
    began = clock.monotonic()
    for _ in range(23):
        await pacer.wait("g", GROUP)
    assert round(clock.monotonic() - began) == 60


async def test_a_held_chat_waits_as_told_and_others_do_not() -> None:
    clock = ManualClock(auto=True)
    pacer = Pacer(clock)
    await pacer.wait("1", PRIVATE)
    pacer.hold("1", 37)
    assert pacer.held("1")
    assert await times(pacer, clock, 1, "2") == [0]
    assert await times(pacer, clock, 1, "1") == [37]
    assert not pacer.held("1")


async def test_a_shorter_hold_does_not_end_a_longer_one() -> None:
    clock = ManualClock(auto=True)
    pacer = Pacer(clock)
    pacer.hold("1", 30)
    pacer.hold("1", 2)
    assert await times(pacer, clock, 1) == [30]


async def test_all_chats_together_stay_under_the_limit_of_the_bot() -> None:
    clock = ManualClock(auto=True)
    pacer = Pacer(clock)
    began = clock.monotonic()
    for chat in range(125):
        await pacer.wait(str(chat), PRIVATE)
    assert 3.9 <= clock.monotonic() - began <= 4.1


async def test_a_clock_that_went_to_sleep_gives_one_burst_and_no_more() -> None:
    clock = ManualClock(auto=True)
    pacer = Pacer(clock)
    await times(pacer, clock, 5)
    await clock.sleep(86_400)
    assert await times(pacer, clock, 5) == [0, 0, 0, 1, 2]
