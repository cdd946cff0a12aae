"""Waiting for the answer of an inbox row, whoever asks and however often."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from appliance.messages import Attachment, Reply, SessionKey

PICODOLLARS = 1_000_000_000_000


@dataclass(frozen=True, slots=True)
class ReplyView:
    """A reply as the API gives it; `cost_usd` is a decimal number of dollars, exact to the picodollar."""

    text: str
    session: SessionKey
    message_id: str
    model: str
    usage: dict[str, Any]
    cost_usd: float
    error: str | None
    attachments: tuple[Attachment, ...] = ()


def view(reply: Reply) -> ReplyView:
    return ReplyView(
        text=reply.text,
        session=reply.session,
        message_id=reply.message_id,
        model=reply.model,
        usage=reply.usage.as_json(),
        cost_usd=reply.cost / PICODOLLARS,
        error=reply.error or None,
        attachments=reply.attachments,
    )


class Replies:
    """Given how to look a stored reply up, let any number of clients wait for it."""

    def __init__(self, stored: Callable[[int], Reply | None]) -> None:
        self._stored = stored
        self._waiting: dict[int, set[asyncio.Future[Reply]]] = {}

    async def wait(self, row: int, timeout: float | None = None) -> ReplyView:  # noqa: ASYNC109 - part of the contract
        """The answer of a row, at once when it is stored. Raises TimeoutError after `timeout` seconds."""
        found = self._stored(row)
        if found is not None:
            return view(found)
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(row, set()).add(future)
        try:
            async with asyncio.timeout(timeout):
                return view(await future)
        finally:
            waiting = self._waiting.get(row)
            if waiting is not None:
                waiting.discard(future)
                if not waiting:
                    del self._waiting[row]

    def resolve(self, reply: Reply) -> None:
        """Tell everyone who waits for a row of this reply."""
        for row in reply.rows:
            for future in self._waiting.get(row, ()):
                if not future.done():
                    future.set_result(reply)
