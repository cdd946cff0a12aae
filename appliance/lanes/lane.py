"""The queue and the worker of one session."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from appliance.agent.turn import TurnSteering
from appliance.clock import Clock
from appliance.lanes.policy import next_batch, on_arrival
from appliance.messages import Mode, Received, SessionKey

_GATHER_MOST = 3.0
RunBatch = Callable[[Sequence[Received], TurnSteering], Awaitable[None]]
Mutation = Callable[[], Awaitable[None]]


class Lane:
    """Given what runs a batch, keep one session's turns in order.

    `run_batch` must not raise but for cancellation; it commits the answer before it returns. `gate` bounds how many
    lanes run at once. What is sent in one breath (an album, a text that the client cut, two quick lines) is one turn:
    a message's option `gather` says how many seconds more of it are waited for.
    """

    def __init__(
        self,
        key: SessionKey,
        run_batch: RunBatch,
        gate: asyncio.Semaphore,
        mode: Callable[[SessionKey], Mode],
        clock: Clock,
    ) -> None:
        self.key = key
        self._run_batch = run_batch
        self._gate = gate
        self._mode = mode
        self._clock = clock
        self._gather_until = float("-inf")
        self._queue: deque[Received] = deque()
        self._worker: asyncio.Task[None] | None = None
        self._turn: asyncio.Task[None] | None = None
        self._steering: TurnSteering | None = None
        self._batch: Sequence[Received] = ()
        self._mutations: deque[tuple[Mutation, asyncio.Future[None]]] = deque()
        self.closing = False

    @property
    def depth(self) -> int:
        """Messages that wait, those in the running turn not counted."""
        return len(self._queue)

    @property
    def running(self) -> bool:
        return self._turn is not None

    @property
    def idle(self) -> bool:
        return self._worker is None

    def put(self, received: Received) -> None:
        """Take a message that stands in the inbox; it joins the running turn, interrupts it, or waits."""
        act = on_arrival(self._mode_of(received), self.running)
        if act == "queue" or self._steering is None or not self._may_join(received):
            self._queue.append(received)
            more = float(received.inbound.options.get("gather", 0.0))
            self._gather_until = max(self._gather_until, self._clock.monotonic() + more)
            self._wake()
            return
        self._steering.waiting.append(received)
        if act == "interrupt":
            self._steering.interrupted.set()

    def put_back(self, received: Sequence[Received]) -> None:
        """Return messages to the head of the queue (a turn that will be tried again)."""
        self._queue.extendleft(reversed(received))
        self._wake()

    async def alone(self, mutation: Mutation) -> None:
        """Run something that changes the session (a new window, a compaction) between two turns."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._mutations.append((mutation, future))
        self._wake()
        await future

    def stop(self) -> bool:
        """End the running turn; False when none runs. What waits stays."""
        if self._turn is None or self._steering is None:
            return False
        self._steering.stopped = True
        self._turn.cancel()
        return True

    async def close(self, grace: float) -> None:
        """Let the running turn end within `grace` seconds, then cut it; it is resumed at the next start."""
        self.closing = True
        worker = self._worker
        if worker is not None:
            if self._turn is not None:
                await asyncio.wait({self._turn}, timeout=grace)
            worker.cancel()
            await asyncio.gather(worker, return_exceptions=True)

    def _mode_of(self, received: Received) -> Mode:
        return received.inbound.mode or self._mode(self.key)

    def _may_join(self, received: Received) -> bool:
        """Only the person whose turn it is steers it; others in a group get a turn of their own."""
        return bool(self._batch) and received.inbound.person.id == self._batch[0].inbound.person.id

    def _wake(self) -> None:
        if self._worker is None and not self.closing:
            self._worker = asyncio.create_task(self._work(), name=f"lane-{self.key.agent}")

    async def _work(self) -> None:
        try:
            while (self._queue or self._mutations) and not self.closing:
                if self._mutations:
                    await self._mutate(*self._mutations.popleft())
                    continue
                await self._gathered()
                async with self._gate:
                    await self._one_turn()
        finally:
            self._worker = None

    @staticmethod
    async def _mutate(mutation: Mutation, future: asyncio.Future[None]) -> None:
        try:
            await mutation()
        except Exception as error:  # noqa: BLE001 - belongs to whoever asked for the change
            if not future.done():
                future.set_exception(error)
        else:
            if not future.done():
                future.set_result(None)

    async def _gathered(self) -> None:
        """Wait for what belongs to the first message, but not for ever for somebody who types on."""
        latest = self._clock.monotonic() + _GATHER_MOST
        while (pause := min(self._gather_until, latest) - self._clock.monotonic()) > 0:
            await self._clock.sleep(pause)

    async def _one_turn(self) -> None:
        count = next_batch(self._queue, [self._mode_of(r) for r in self._queue])
        batch = [self._queue.popleft() for _ in range(count)]
        # Messages that are read together are one turn: the first one's.
        self._batch = [replace(r, turn=batch[0].turn) for r in batch]
        self._steering = TurnSteering()
        self._turn = asyncio.create_task(_awaited(self._run_batch(self._batch, self._steering)))
        try:
            await self._turn
        except asyncio.CancelledError:
            if not self._turn.done():
                self._turn.cancel()
                await asyncio.gather(self._turn, return_exceptions=True)
            if not self._steering.stopped or self.closing:
                raise
        finally:
            # What came too late to join waits for a turn of its own.
            self._queue.extendleft(reversed(self._steering.waiting))
            self._turn, self._steering, self._batch = None, None, ()


async def _awaited(work: Awaitable[None]) -> None:
    await work
