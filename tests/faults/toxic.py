"""A TCP proxy in front of a fake that spoils what goes through it, as networks do."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import Awaitable, Callable

from appliance.tasks import end

MODES = ("refuse", "reset", "blackhole", "delay", "drip", "half_open", "cut", "garbage")
DELAY_SECONDS = 2.0
DRIP_SECONDS = 0.05
CUT_BYTES = 700


class Toxic:
    """Given the port of a fake, `url` leads to it. `mode` is one of MODES, or empty for a network that works.

    A new mode is true of open connections too. refuse: nobody listens. reset: RST. blackhole: taken and never
    answered. delay: each piece comes late. drip: byte by byte. half_open: the request arrives, no answer comes back.
    cut: the connection ends after some bytes of the answer. garbage: an answer that is no HTTP.
    """

    def __init__(self, target: int) -> None:
        self._target = target
        self._mode = ""
        self._port = 0
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    async def __aenter__(self) -> Toxic:
        await self._listen()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._deaf()
        await end(self._open)

    async def become(self, mode: str) -> None:
        """Spoil from now on in this way. Connections of a network that changes so break."""
        await self._deaf()
        self._mode = mode
        await end(self._open)
        if mode != "refuse":
            await self._listen()

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._taken, "127.0.0.1", self._port)
        self._port = int(self._server.sockets[0].getsockname()[1])

    async def _deaf(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None

    async def _taken(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        task.add_done_callback(self._open.discard)
        try:
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await self._serve(reader, writer)
        finally:
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        match self._mode:
            case "reset":
                linger = struct.pack("ii", 1, 0)
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            case "blackhole":
                await asyncio.Event().wait()
            case "garbage":
                await reader.read(1)
                writer.write(b"\x16\x03\x01\x02\x00\x01" + bytes(64))
                await writer.drain()
            case mode:
                await self._between(mode, reader, writer)

    async def _between(self, mode: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._target)
        ways = [
            asyncio.create_task(_carry(reader, _plain(up_writer))),
            asyncio.create_task(_carry(up_reader, _spoiling(mode, writer))),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await end(ways)
            await asyncio.gather(*ways, return_exceptions=True)
            up_writer.transport.abort()


async def _carry(reader: asyncio.StreamReader, write: Callable[[bytes], Awaitable[None]]) -> None:
    while data := await reader.read(65_536):
        await write(data)


def _plain(writer: asyncio.StreamWriter) -> Callable[[bytes], Awaitable[None]]:
    async def write(data: bytes) -> None:
        writer.write(data)
        await writer.drain()

    return write


def _spoiling(mode: str, writer: asyncio.StreamWriter) -> Callable[[bytes], Awaitable[None]]:
    plain, left = _plain(writer), CUT_BYTES

    async def write(data: bytes) -> None:
        nonlocal left
        match mode:
            case "delay":
                await asyncio.sleep(DELAY_SECONDS)
                await plain(data)
            case "drip":
                for byte in data:
                    await plain(bytes([byte]))
                    await asyncio.sleep(DRIP_SECONDS)
            case "half_open":
                return
            case "cut":
                await plain(data[:left])
                left -= len(data)
                if left <= 0:
                    raise ConnectionResetError
            case _:
                await plain(data)

    return write
