"""A clock that moves only when told."""

from __future__ import annotations

import asyncio

from appliance.testing.manual_clock import ManualClock


async def test_sleepers_wake_in_the_order_of_their_times() -> None:
    clock, woken = ManualClock(), []

    async def sleep(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append((name, clock.monotonic() - 1_000))

    tasks = [asyncio.create_task(sleep(name, seconds)) for name, seconds in (("c", 30), ("a", 10), ("b", 20))]
    await clock.advance(25)
    assert woken == [("a", 10), ("b", 20)]
    assert clock.sleepers == 1
    await clock.advance(5)
    assert woken[-1] == ("c", 30)
    await asyncio.gather(*tasks)


async def test_who_sleeps_again_while_woken_is_woken_again_in_the_same_advance() -> None:
    clock, ticks = ManualClock(), []

    async def tick() -> None:
        for _ in range(3):
            await clock.sleep(10)
            ticks.append(clock.now())

    task = asyncio.create_task(tick())
    start = clock.now()
    await clock.advance(60)
    await task
    assert ticks == [start + 10, start + 20, start + 30]
    assert clock.now() == start + 60


async def test_the_wall_clock_can_jump_without_the_other() -> None:
    clock = ManualClock()
    before = clock.monotonic()
    clock.set(5.0)
    assert (clock.now(), clock.monotonic()) == (5.0, before)


async def test_a_cancelled_sleeper_is_forgotten() -> None:
    clock = ManualClock()
    task = asyncio.create_task(clock.sleep(10))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert clock.sleepers == 0
    await clock.advance(20)


async def test_an_automatic_clock_waits_for_nobody() -> None:
    clock = ManualClock(auto=True)
    await clock.sleep(300)
    assert clock.sleeps == [300]
    assert clock.monotonic() == 1_300
