"""Containers that must go: killed and removed behind the answer, and looked for again so that none is left."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from appliance.sandbox.engine import DockerEngine, EngineError
from appliance.sandbox.template import KIND_LABEL
from appliance.tasks import end

_AGAIN = 1.0  # seconds between tries at one container
_REMOVERS = 2
_AFTER = 0.02  # seconds; the answer goes out first


class Undertaker:
    """Removes what it is given until the engine no longer knows it; `sweep` finds what nobody gave it."""

    def __init__(self, engine: DockerEngine) -> None:
        self._engine = engine
        self._dying: dict[str, float] = {}
        self._gate = asyncio.Semaphore(_REMOVERS)
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def names(self) -> set[str]:
        return set(self._dying)

    def bury(self, name: str) -> None:
        """Have a container killed and removed soon; returns at once."""
        if name in self._dying:
            return
        self._dying[name] = time.monotonic()
        task = asyncio.get_running_loop().create_task(self._remove(name))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _remove(self, name: str) -> None:
        """Try until the engine has no such container, however long the engine is away."""
        await asyncio.sleep(_AFTER)
        while True:
            async with self._gate:
                try:
                    await self._engine.remove(name)
                    break
                except EngineError as error:
                    if error.gone or error.busy:
                        break
            await asyncio.sleep(_AGAIN)
        self._dying.pop(name, None)

    async def sweep(self, owner: str, known: Callable[[], set[str]]) -> int:
        """Bury every command container of ours that nobody knows; return how many. Raises EngineError."""
        found = await self._engine.ours(owner)
        alive = known() | self.names
        count = 0
        for item in found:
            name = str(item["Names"][0]).removeprefix("/") if item.get("Names") else str(item["Id"])
            if name not in alive and item["Labels"].get(KIND_LABEL) in ("command", "background"):
                self.bury(name)
                count += 1
        return count

    async def close(self, seconds: float) -> None:
        """Wait at most `seconds` for the removals under way."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)
        await end(self._tasks)
