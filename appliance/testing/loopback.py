"""A small HTTP/1.1 server on loopback for the fakes: starts in milliseconds and adds nothing that could be measured.

Only what the fakes need: requests with a Content-Length, keep-alive, whole and streamed responses, and a connection
that can be broken on purpose.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

from appliance.tasks import end

_MOST_BYTES = 64 * 1024 * 1024
_REASONS = {200: "OK", 400: "Bad Request", 404: "Not Found", 429: "Too Many Requests", 500: "Internal Server Error"}


class CutError(Exception):
    """Raised by a body to break the connection in the middle of a response."""


@dataclass(slots=True)
class Request:
    """`headers` has lower-case names."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(slots=True)
class Response:
    """`body` is bytes, or pieces that are sent as they come. `cut`: close without any response."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | AsyncIterator[bytes] = b""
    cut: bool = False


Handler = Callable[[Request], Awaitable[Response]]


class LoopbackServer:
    """Given a handler, serve it on 127.0.0.1. `async with` it, or `start` and `stop`."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self, port: int = 0, host: str = "127.0.0.1") -> int:
        """Listen and return the port; 0 lets the kernel choose."""
        self._server = await asyncio.start_server(self._serve, host, port, limit=1024 * 1024)
        return int(self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Stop listening and end every connection."""
        if self._server is not None:
            self._server.close()
            await end(self._connections)
            await self._server.wait_closed()
            self._server = None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, CutError, asyncio.CancelledError):
            while await self._one(reader, writer):
                pass
        writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        method, path, _ = lines[0].split(" ", 2)
        pairs = (line.split(":", 1) for line in lines[1:] if ":" in line)
        headers = {name.strip().lower(): value.strip() for name, value in pairs}
        length = int(headers.get("content-length", 0))
        if length > _MOST_BYTES:
            return False
        body = await reader.readexactly(length) if length else b""
        response = await self._handler(Request(method, path, headers, body))
        if response.cut:
            return False
        if isinstance(response.body, bytes):
            response.headers["content-length"] = str(len(response.body))
            writer.write(_head(response) + response.body)
            await writer.drain()
        else:
            await self._stream(response, response.body, reader, writer)
        return headers.get("connection", "").lower() != "close"

    @staticmethod
    async def _stream(
        response: Response, body: AsyncIterator[bytes], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        response.headers["transfer-encoding"] = "chunked"
        writer.write(_head(response))
        try:
            async for piece in body:
                if piece:  # an empty chunk would end the body
                    writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                    await writer.drain()
                if reader.at_eof():
                    raise ConnectionResetError
        finally:
            close = getattr(body, "aclose", None)
            if close is not None:
                await close()
        writer.write(b"0\r\n\r\n")
        await writer.drain()


def _head(response: Response) -> bytes:
    lines = [f"HTTP/1.1 {response.status} {_REASONS.get(response.status, 'Status')}"]
    lines += [f"{name}: {value}" for name, value in response.headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
