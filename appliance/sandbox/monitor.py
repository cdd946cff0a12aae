"""Whether commands can run, known at every moment, and told when background commands end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from appliance.errors import SandboxError
from appliance.sandbox.client import SandboxHealth

_HEALTHY_SECONDS = 30.0  # shorter than a runner lingers without a gateway
_SICK_SECONDS = 5.0
_WAIT_SECONDS = 30.0


class Runner(Protocol):
    """The runner as seen from here (sandbox.client.SandboxClient)."""

    async def health(self) -> SandboxHealth: ...

    async def warm(self, work: str) -> None: ...

    async def ended(self, acknowledge: Sequence[str], wait: float) -> Sequence[dict[str, Any]]: ...


class Monitor:
    """Give it the runner, whom to tell of a change of health, and whom to tell of an ended background command.

    changed(health): called at the first look and whenever it turns. ended(job): must have the news stored when it
    returns; a job is told again after a kill in between, so it has to be idempotent by job["id"].
    """

    def __init__(
        self,
        runner: Runner,
        *,
        changed: Callable[[SandboxHealth], None] = lambda health: None,
        ended: Callable[[dict[str, Any]], Awaitable[None]] | None = None,
        keep_warm: Sequence[str] = (),
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._runner = runner
        self._changed = changed
        self._ended = ended
        self._keep_warm = tuple(keep_warm)
        self._sleep = sleep
        self.health = SandboxHealth(False, "The sandbox has not been looked at yet.")
        self._told: SandboxHealth | None = None

    @property
    def usable(self) -> bool:
        """Whether exec can be offered."""
        return self.health.ok

    async def look(self) -> SandboxHealth:
        """Ask once; never raises."""
        self.health = await self._runner.health()
        if self._told is None or (self._told.ok, self._told.reason) != (self.health.ok, self.health.reason):
            self._told = self.health
            self._changed(self.health)
            if self.health.ok:
                for work in self._keep_warm:
                    with contextlib.suppress(SandboxError):  # only the first command is slower for it
                        await self._runner.warm(work)
        return self.health

    async def run(self) -> None:
        """Look for ever, and pass on what ended; cancel it to stop."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._watch_health())
            if self._ended is not None:
                group.create_task(self._watch_jobs(self._ended))

    async def _watch_health(self) -> None:
        while True:
            health = await self.look()
            await self._sleep(_HEALTHY_SECONDS if health.ok else _SICK_SECONDS)

    async def _watch_jobs(self, tell: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        done: list[str] = []
        while True:
            if not self.health.ok:
                await self._sleep(_SICK_SECONDS)
                continue
            try:
                found = await self._runner.ended(done, _WAIT_SECONDS)
            except SandboxError:
                await self._sleep(_SICK_SECONDS)
                continue
            done = []
            for job in found:
                await tell(job)
                done.append(job["id"])
