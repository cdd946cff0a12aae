"""Connections that dawdle: uvicorn's HTTP/1.1 protocol with limits on time and size before a request is whole."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEADER_SECONDS = 20.0  # from the first moment of a connection to the end of the first request's headers
HEADER_BYTES = 32 * 1024  # the request line and all headers together
MOST_CONNECTIONS = 2_000


class GuardedProtocol(HttpToolsProtocol):
    """One connection. A client that sends its headers too slowly, or too many, is let go without an answer of ours."""

    _deadline: asyncio.TimerHandle | None = None
    _header_bytes = 0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
            return
        self._deadline = self.loop.call_later(HEADER_SECONDS, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_deadline()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        self._header_bytes = 0
        if self._deadline is None:
            self._deadline = self.loop.call_later(HEADER_SECONDS, self.transport.abort)
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._end_deadline()
        if self._header_bytes > HEADER_BYTES:
            return
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        if self._header_bytes > HEADER_BYTES:
            return
        super().data_received(data)

    def _count(self, size: int) -> None:
        before = self._header_bytes
        self._header_bytes += size
        if before <= HEADER_BYTES < self._header_bytes:
            self.transport.write(
                b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            )
            self.transport.close()

    def _end_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
