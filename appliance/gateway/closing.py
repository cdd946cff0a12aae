"""The end of the server's day: whoever waits is told to come again, instead of holding up the stop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from appliance.errors import StateError


class Closing:
    """Set once by Server.stop. Streams watch `event`; handlers wait inside `waiting`."""

    def __init__(self) -> None:
        self.event = asyncio.Event()
        self._waiting: set[asyncio.Task[object]] = set()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Around a long wait. Raises StateError in the waiter when the server stops."""
        task = asyncio.current_task()
        if task is None or self.event.is_set():
            raise _stopping()
        self._waiting.add(task)
        try:
            yield
        except asyncio.CancelledError:
            if not self.event.is_set():
                raise
            task.uncancel()
            raise _stopping() from None
        finally:
            self._waiting.discard(task)

    def close(self) -> None:
        """End every wait and every stream."""
        self.event.set()
        for task in self._waiting:
            task.cancel()


def _stopping() -> StateError:
    return StateError("The appliance is stopping.", fix="Your message is kept: ask again with the same id.")
