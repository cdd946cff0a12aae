"""Who watches a turn as it happens: the page, a terminal, a channel's live edits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from appliance.messages import Event, SessionKey

_LIMIT = 20_000
Listener = Callable[[Event], None]


class Events:
    """A hub. `publish` never waits; a subscriber that does not read for 20,000 events is let go."""

    def __init__(self) -> None:
        self._queues: dict[asyncio.Queue[Event | None], SessionKey | None] = {}
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> None:
        """Call `listener` with every event, at once, on the loop's thread. It must not raise or wait."""
        self._listeners.append(listener)

    def publish(self, event: Event) -> None:
        for listener in self._listeners:
            listener(event)
        for queue, wanted in list(self._queues.items()):
            if wanted is not None and wanted != event.session:
                continue
            if queue.qsize() >= _LIMIT:
                self._queues.pop(queue, None)
                queue.put_nowait(None)
            else:
                queue.put_nowait(event)

    @asynccontextmanager
    async def subscribe(self, session: SessionKey | None = None) -> AsyncIterator[AsyncIterator[Event]]:
        """Events of one session, or of all, from now on."""
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        self._queues[queue] = session
        try:
            yield self._read(queue)
        finally:
            self._queues.pop(queue, None)

    @staticmethod
    async def _read(queue: asyncio.Queue[Event | None]) -> AsyncIterator[Event]:
        while (event := await queue.get()) is not None:
            yield event
