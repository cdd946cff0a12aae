"""Ending tasks for good."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

_AGAIN_SECONDS = 1.0


async def end(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks and wait until each is over, however it ended.

    `asyncio.wait_for` of Python 3.11 can swallow a cancellation that comes as its work ends, so it is repeated.
    """
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        over, pending = await asyncio.wait(pending, timeout=_AGAIN_SECONDS)
        await asyncio.gather(*over, return_exceptions=True)
