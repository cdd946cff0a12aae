"""One thread that does the native work of one model, in the order in which it was asked."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from typing import TypeVar

from appliance.local_models.errors import LocalModelError, StoppedError

T = TypeVar("T")
MOST_WAITING = 64


class BusyError(LocalModelError):
    """Too many requests wait already."""


class Worker:
    """A thread with a queue: first come, first served, so no request starves another and none runs beside another."""

    def __init__(self, name: str) -> None:
        self._queue: queue.Queue[Callable[[], None]] = queue.Queue()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many requests wait for their turn."""
        return self._queue.qsize()

    def submit(self, work: Callable[[], None]) -> None:
        """Queue `work`, which must not raise; raise BusyError when too many wait."""
        if self._queue.qsize() >= MOST_WAITING:
            raise BusyError(f"{MOST_WAITING} requests wait for the local model already.", fix="Try again in a while.")
        self._queue.put(work)

    def tidy(self, work: Callable[[], None]) -> None:
        """Queue `work` of the house's own, however many wait: what is no longer used is freed after its last use."""
        self._queue.put(work)

    async def call(self, work: Callable[[threading.Event], T]) -> T:
        """Run `work` in the thread and return what it returns. It is given the flag that a cancelled wait sets."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        cancelled = threading.Event()

        def settle(result: T | None, error: BaseException | None) -> None:
            if future.done():
                return
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(result)  # type: ignore[arg-type]

        def run() -> None:
            result: T | None = None
            error: BaseException | None = None
            try:
                if cancelled.is_set():
                    raise StoppedError("The request was cancelled.")
                result = work(cancelled)
            except Exception as caught:  # noqa: BLE001 - carried to the caller: the thread's edge
                error = caught
            try:
                loop.call_soon_threadsafe(settle, result, error)
            except RuntimeError:
                return  # the service has ended meanwhile; nobody waits

        self.submit(run)
        try:
            return await future
        except asyncio.CancelledError:
            cancelled.set()
            raise

    def _work(self) -> None:
        while True:
            self._queue.get()()
