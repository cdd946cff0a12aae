"""A proxy before the engine's socket, to make the engine slow or have it go away."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path


class EngineProxy:
    """Holds back the answers to creates by `delay` seconds. `sever` cuts every connection and takes no more; `freeze`
    keeps them and passes nothing on until `thaw`."""

    def __init__(self, path: Path, delay: float) -> None:
        self.path = path
        self.delay = delay
        self.creates = 0
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._flowing = asyncio.Event()
        self._flowing.set()

    def freeze(self) -> None:
        self._flowing.clear()

    def thaw(self) -> None:
        self._flowing.set()

    async def start(self) -> None:
        self._server = await asyncio.start_unix_server(self._connected, str(self.path))

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()

    async def sever(self) -> None:
        await self.stop()
        self.path.unlink(missing_ok=True)
        for writer in self._open:
            writer.transport.abort()
        self._open.clear()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_unix_connection("/var/run/docker.sock")
        self._open |= {writer, up_writer}
        hold = asyncio.Event()

        async def there() -> None:
            while data := await reader.read(65_536):
                if b"/containers/create" in data:
                    self.creates += 1
                    hold.set()
                await self._flowing.wait()
                up_writer.write(data)
                await up_writer.drain()
            with contextlib.suppress(OSError):
                up_writer.write_eof()

        async def back() -> None:
            while data := await up_reader.read(65_536):
                if hold.is_set():
                    hold.clear()
                    await asyncio.sleep(self.delay)
                await self._flowing.wait()
                writer.write(data)
                await writer.drain()

        tasks = [asyncio.ensure_future(there()), asyncio.ensure_future(back())]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        with contextlib.suppress(OSError, asyncio.CancelledError):
            await asyncio.gather(*tasks, return_exceptions=True)
        writer.close()
        up_writer.close()
