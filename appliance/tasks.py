"""Ending tasks for good, and waiting for whichever of several is over first."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable
from typing import Any, TypeVar

AGAIN_SECONDS = 1.0
T = TypeVar("T")


class GoneError(ConnectionError):
    """Whoever waited for a work went away before it was done."""


async def end(tasks: Iterable[asyncio.Future[Any]], *, again: float | None = None) -> None:
    """Cancel tasks and wait until each is over, however it ended.

    `again`: cancel once more each so many seconds, for endless loops that have nothing to tidy up: `asyncio.wait_for`
    of Python 3.11 can swallow a cancellation that comes as its work ends. Others need the time that they take.
    """
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        over, pending = await asyncio.wait(pending, timeout=again)
        await asyncio.gather(*over, return_exceptions=True)


async def first(*works: Awaitable[Any]) -> set[asyncio.Future[Any]]:
    """Wait until one of these is over, and end the others; return those that were over by then."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        over, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return {*over}
    finally:
        await end(tasks)


async def unless(gone: Awaitable[Any], work: Awaitable[T]) -> T:
    """Await `work`; when `gone` is over before it, end it and raise GoneError."""
    task = asyncio.ensure_future(work)
    if task not in await first(task, gone):
        raise GoneError
    return task.result()
