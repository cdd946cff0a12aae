"""A forward proxy that enforces the wall: the only way out for a browser, and in compose for fetch.

A browser resolves, redirects, opens frames, sockets and workers by itself; whatever it does, the connection is made
here, to an address that was judged. Plain requests are passed on one a connection, so that none rides along to a host
that nobody judged.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from appliance.errors import AddressError
from appliance.network.addresses import parse
from appliance.network.wall import Wall
from appliance.tasks import end

_HEAD_BYTES = 64 * 1024
_HEAD_SECONDS = 30.0
_CONNECT_SECONDS = 20.0
_IDLE_SECONDS = 300.0
_CLOSE_SECONDS = 5.0
_LINGER_SECONDS = 30.0
_PIECE = 64 * 1024
_MOST_CONNECTIONS = 256
_LOOKUPS = 32
REFUSAL = "Refused by the address wall"  # how the reason of a refusal begins, in the status line
# Headers that speak about one connection, not about the message.
_HOP_HEADERS = (b"connection:", b"proxy-connection:", b"proxy-authorization:", b"keep-alive:")


class WallProxy:
    """Given a wall, serve. `refused` is told the host and the reason of everything that is refused."""

    def __init__(self, wall: Wall, refused: Callable[[str, str], None] = lambda host, why: None) -> None:
        self._wall = wall
        self._refused = refused
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.url = ""

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> str:
        """Listen, by default on a port that the kernel chooses; return the proxy's address. Raises OSError."""
        self._server = await asyncio.start_server(self._serve, host, port, limit=_HEAD_BYTES)
        self.url = f"http://{host}:{self._server.sockets[0].getsockname()[1]}"
        return self.url

    async def stop(self) -> None:
        """Stop listening and end every connection."""
        if self._server is None:
            return
        self._server.close()
        await end(self._tasks)
        await asyncio.sleep(0)  # transports that were aborted close in the loop's next round
        await self._server.wait_closed()
        self._server = None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None or len(self._tasks) >= _MOST_CONNECTIONS:
            writer.close()
            return
        self._tasks.add(task)
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError):
                await self._one(reader, writer)
        except asyncio.CancelledError:
            pass  # the proxy stops; asyncio's streams report a cancelled handler as an error
        finally:
            self._tasks.discard(task)
            await _close(writer)

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(_HEAD_SECONDS):
            head = await reader.readuntil(b"\r\n\r\n")
        line, _, rest = head.partition(b"\r\n")
        method, _, tail = line.partition(b" ")
        target = tail.rpartition(b" ")[0].decode("latin-1")
        try:
            if method == b"CONNECT":
                host, _, port = target.rpartition(":")
                if not port.isdigit():
                    raise AddressError("CONNECT names no port.")
                there = await self._connect(host, int(port))
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await self._relay(reader, writer, *there)
                return
            address = parse(target, frozenset({"http"}))
            there = await self._connect(address.host, address.port)
        except AddressError as error:
            self._refused(target[:200], error.what)
            await _answer(writer, 403, f"{REFUSAL}: {error.what}")
            return
        except (OSError, TimeoutError) as error:
            await _answer(writer, 502, f"No connection: {error}")
            return
        # The target goes on as the browser wrote it; only the host has been judged, and the connection is made.
        path = "/" + target.split("://", 1)[1].partition("/")[2]
        first = b"%b %b HTTP/1.1" % (method, path.encode("latin-1"))
        there[1].write(b"\r\n".join([first, _without_hops(rest)]))
        await self._relay(reader, writer, *there, heads=True)

    async def _connect(self, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        failure: Exception | None = None
        for address in await self._wall.addresses(host, port):
            try:
                async with asyncio.timeout(_CONNECT_SECONDS):
                    return await asyncio.open_connection(address, port, limit=_HEAD_BYTES)
            except (OSError, TimeoutError) as error:
                failure = error
        raise failure or OSError(f"{host} has no address")

    async def _relay(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        there: asyncio.StreamReader,
        out: asyncio.StreamWriter,
        *,
        heads: bool = False,
    ) -> None:
        """Pass bytes both ways until one side ends. `heads`: the answer's head is told to close the connection."""
        tasks = (asyncio.create_task(_pass_on(reader, out)), asyncio.create_task(_pass_down(there, writer, heads)))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if not tasks[1].done():  # the client has ended; what is on its way to it may still come
                await asyncio.wait(tasks[1:], timeout=_LINGER_SECONDS)
        finally:
            try:
                await end(tasks)
            finally:
                await _close(out)


async def _pass_down(there: asyncio.StreamReader, writer: asyncio.StreamWriter, heads: bool) -> None:
    if heads:
        await _pass_heads(there, writer)
    await _pass_on(there, writer)


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        async with asyncio.timeout(_IDLE_SECONDS):
            piece = await reader.read(_PIECE)
            if not piece:
                break
            writer.write(piece)
            await writer.drain()
    if writer.can_write_eof():
        with contextlib.suppress(OSError):
            writer.write_eof()


async def _pass_heads(there: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Interim answers as they are, then the head of the real one with `Connection: close`."""
    while True:
        async with asyncio.timeout(_IDLE_SECONDS):
            head = await there.readuntil(b"\r\n\r\n")
        line, _, rest = head.partition(b"\r\n")
        status = line.split(b" ", 2)[1:2]
        if status and status[0].startswith(b"1") and status[0] != b"101":
            writer.write(head)
            continue
        writer.write(line + b"\r\n" + _without_hops(rest))
        return


def _without_hops(rest: bytes) -> bytes:
    """Header lines (with the empty line at their end) for one message on a connection of its own."""
    kept = [line for line in rest.split(b"\r\n") if line and not line.lower().startswith(_HOP_HEADERS)]
    return b"\r\n".join([*kept, b"Connection: close", b"", b""])


async def _close(writer: asyncio.StreamWriter) -> None:
    """Let what is written go out, but not for ever."""
    writer.close()
    try:
        async with asyncio.timeout(_CLOSE_SECONDS):
            await writer.wait_closed()
    except (OSError, TimeoutError, asyncio.CancelledError) as error:
        writer.transport.abort()
        if isinstance(error, asyncio.CancelledError):
            raise


async def _answer(writer: asyncio.StreamWriter, status: int, text: str) -> None:
    """The text stands in the status line too: of a refused tunnel, a client sees nothing else."""
    body = text.encode()
    reason = re.sub(r"[^ -~]", "?", text)[:300]
    writer.write(
        f"HTTP/1.1 {status} {reason}\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
        + body
    )
    with contextlib.suppress(OSError):
        await writer.drain()


async def stand(wall: Wall, host: str, port: int, refused: Callable[[str, str], None]) -> None:
    """Serve until this is cancelled: the proxy as a service of its own. Raises OSError when it cannot listen."""
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(_LOOKUPS, "names"))  # with its few, slow names made all others wait
    proxy = WallProxy(wall, refused)
    await proxy.start(host, port)
    try:
        await asyncio.Event().wait()
    finally:
        await proxy.stop()
