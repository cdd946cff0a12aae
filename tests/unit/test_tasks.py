"""Tasks end, also those that swallow a cancellation."""

from __future__ import annotations

import asyncio

import pytest

from appliance import tasks


async def test_a_task_that_swallows_a_cancellation_is_ended_all_the_same() -> None:
    swallowed = 0

    async def stubborn() -> None:
        nonlocal swallowed
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                swallowed += 1
                if swallowed == 3:
                    raise

    async def broken() -> None:
        raise ValueError("x")

    running = [asyncio.create_task(stubborn()), asyncio.create_task(broken())]
    await asyncio.sleep(0)
    async with asyncio.timeout(10):
        await tasks.end(running, again=0.01)
    assert swallowed == 3
    assert all(task.done() for task in running)
    await tasks.end([])


async def test_a_task_that_tidies_up_is_left_to_it() -> None:
    tidied = False

    async def careful() -> None:
        nonlocal tidied
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.05)
            tidied = True

    task = asyncio.create_task(careful())
    await asyncio.sleep(0)
    await tasks.end([task])
    assert tidied


async def test_work_is_ended_when_whoever_waits_for_it_goes_and_only_then() -> None:
    gone, never = asyncio.Event(), asyncio.Event()

    async def answer() -> str:
        return "done"

    assert await tasks.unless(never.wait(), answer()) == "done"
    work = asyncio.ensure_future(never.wait())
    gone.set()
    with pytest.raises(tasks.GoneError):
        await tasks.unless(gone.wait(), work)
    assert work.cancelled()
