"""Tasks end, also those that swallow a cancellation."""

from __future__ import annotations

import asyncio

import pytest

from appliance import tasks


async def test_a_task_that_swallows_a_cancellation_is_ended_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "_AGAIN_SECONDS", 0.01)
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
        await tasks.end(running)
    assert swallowed == 3
    assert all(task.done() for task in running)
    await tasks.end([])
