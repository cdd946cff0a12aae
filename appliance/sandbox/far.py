"""Commands on another machine's engine: the work folder is copied there, and what the command changed comes back."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from pathlib import Path
from typing import IO

import structlog

from appliance.errors import SandboxError
from appliance.sandbox.container import LOW_DISK
from appliance.sandbox.copying import MOST_ENTRIES, TOO_MUCH_BACK, Sent, pack, unpack
from appliance.sandbox.engine import DockerEngine, EngineError
from appliance.sandbox.merging import merge
from appliance.sandbox.template import RunnerConfig, Work

log = structlog.get_logger()
_LOOK_SECONDS = 3.0  # between looks at the far disk
_TAR_OVERHEAD = 2048  # bytes of headers and padding an entry takes at most, long names included
_SHOWN_LEFT_OUT = 3


class Carrier:
    """Copies work folders to the engine's containers and back."""

    def __init__(self, config: RunnerConfig, engine: DockerEngine) -> None:
        self._engine = engine
        self._limit = config.copy_mib * 1024 * 1024
        self._state = config.state

    async def send(self, name: str, work: Work) -> Sent:
        """Copy the folder into a created container; raise SandboxError when it is too large, or does not arrive."""
        with self._file() as file:
            try:
                sent = await asyncio.to_thread(pack, Path(work.path), file, self._limit)
            except OSError as error:
                raise SandboxError(
                    f"The work folder could not be copied to the engine: {error.strerror} ({error.filename}).",
                    fix="Try again.",
                ) from None
            file.seek(0)
            await self._engine.put(name, file)
        log.info("work_folder_sent", container=name, files=len(sent.files), left_out=len(sent.left_out))
        return sent

    async def fetch(self, name: str, work: Work, sent: Sent) -> str:
        """Bring back what changed; return what is worth telling of it, mostly nothing. Raises SandboxError.

        The container should stand still or have ended. Once all is here, it is merged to its end even when this call is
        cancelled, so that the folder is never left half way.
        """
        file = self._file()
        try:
            if not await self._engine.fetch(name, file, self._limit + _TAR_OVERHEAD * 2 * MOST_ENTRIES):
                raise SandboxError(TOO_MUCH_BACK)
        except BaseException:
            file.close()
            raise
        notes = await asyncio.shield(asyncio.to_thread(self._merge, file, work, sent, name.rpartition("-")[2][:6]))
        log.info("work_folder_fetched", container=name, notes=notes)
        if sent.left_out:
            shown = ", ".join(sent.left_out[:_SHOWN_LEFT_OUT])
            notes.append(f"{len(sent.left_out)} links or special files were not copied there: {shown}")
        return "; ".join(notes)

    def _merge(self, file: IO[bytes], work: Work, sent: Sent, tag: str) -> list[str]:
        try:
            with file, tempfile.TemporaryDirectory(prefix="back-", dir=self._state) as stage:
                file.seek(0)
                back = unpack(file, Path(stage), self._limit)
                return merge(Path(work.path), sent, back, tag)
        except OSError as error:
            raise SandboxError(f"The work folder could not be written: {error.strerror} ({error.filename}).") from None

    def _file(self) -> IO[bytes]:
        return tempfile.TemporaryFile(prefix="copy-", dir=self._state)

    async def still(self, name: str) -> None:
        """Have a container stand still while it is read, where its engine can."""
        with contextlib.suppress(EngineError):
            await self._engine.pause(name)

    async def disk_full(self, name: str) -> None:
        """Return when the far disk under a running container's work folder is nearly full."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            with contextlib.suppress(EngineError):  # the command's own limit ends it, whatever can be seen
                free = await self._engine.free(name)
                if free is not None and free < LOW_DISK:
                    return
