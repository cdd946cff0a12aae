from __future__ import annotations

import asyncio
import threading

import pytest

from appliance.local_models.worker import MOST_WAITING, BusyError, Worker


async def test_work_is_done_one_at_a_time_in_the_order_asked() -> None:
    worker = Worker("t")
    running = 0
    order: list[int] = []

    def work(number: int) -> int:
        nonlocal running
        running += 1
        assert running == 1
        order.append(number)
        running -= 1
        return number

    results = await asyncio.gather(*(worker.call(lambda _, n=n: work(n)) for n in range(20)))  # type: ignore[misc]
    assert results == order == list(range(20))


async def test_an_error_reaches_the_caller_and_the_thread_goes_on() -> None:
    worker = Worker("t")

    def fail(_: threading.Event) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await worker.call(fail)
    assert await worker.call(lambda _: 1) == 1


async def test_a_cancelled_wait_is_told_to_the_work_and_queued_work_is_not_begun() -> None:
    worker = Worker("t")
    begun, seen = threading.Event(), threading.Event()
    ran: list[str] = []

    def long(cancelled: threading.Event) -> None:
        begun.set()
        if cancelled.wait(5):
            seen.set()

    def never(_: threading.Event) -> None:
        ran.append("never")

    first, second = asyncio.create_task(worker.call(long)), asyncio.create_task(worker.call(never))
    await asyncio.to_thread(begun.wait, 5)
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    assert await worker.call(lambda _: seen.is_set())
    assert ran == []


async def test_a_full_queue_is_said_and_not_waited_for() -> None:
    worker = Worker("t")
    block = threading.Event()
    begun = threading.Event()

    def hold() -> None:
        begun.set()
        block.wait(5)

    worker.submit(hold)
    assert await asyncio.to_thread(begun.wait, 5)
    for _ in range(MOST_WAITING):
        worker.submit(lambda: None)
    assert worker.waiting == MOST_WAITING
    with pytest.raises(BusyError):
        await worker.call(lambda _: None)
    block.set()
