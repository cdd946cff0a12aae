"""All lanes: the bound on how many run at once, and an orderly end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from appliance.clock import Clock, SystemClock
from appliance.lanes.lane import Lane, Mutation, RunBatch
from appliance.messages import Mode, Received, SessionKey


class Pool:
    """Given what runs a batch and how many may run at once, route messages to their lanes."""

    def __init__(
        self, run_batch: RunBatch, parallel: int, mode: Callable[[SessionKey], Mode], clock: Clock | None = None
    ) -> None:
        self._run_batch = run_batch
        self._gate = asyncio.Semaphore(parallel)
        self._mode = mode
        self._clock = clock or SystemClock()
        self._lanes: dict[str, Lane] = {}

    def lane(self, key: SessionKey) -> Lane:
        """The lane of a session, made on first use; idle ones are let go."""
        found = self._lanes.get(key.value)
        if found is None:
            if len(self._lanes) > 256:
                self._lanes = {k: lane for k, lane in self._lanes.items() if not lane.idle}
            found = self._lanes[key.value] = Lane(key, self._run_batch, self._gate, self._mode, self._clock)
        return found

    def put(self, received: Received) -> None:
        self.lane(received.inbound.session).put(received)

    def stop(self, key: SessionKey) -> bool:
        """Stop the running turn of a session; False when none runs."""
        return self.lane(key).stop()

    async def alone(self, key: SessionKey, mutation: Mutation) -> None:
        await self.lane(key).alone(mutation)

    def depths(self) -> dict[str, int]:
        """Waiting messages by session, for /queue and metrics; sessions with nothing to do are left out."""
        return {k: lane.depth for k, lane in self._lanes.items() if lane.depth or lane.running}

    @property
    def running(self) -> int:
        return sum(lane.running for lane in self._lanes.values())

    async def close(self, grace: float = 20.0) -> None:
        """Drain: no new turns, running ones may end within `grace` seconds."""
        await asyncio.gather(*(lane.close(grace) for lane in list(self._lanes.values())))
