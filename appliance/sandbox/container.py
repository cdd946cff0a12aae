"""One command in one container: hand it over, read what comes, know how it ended."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import shlex
import socket
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Literal

from appliance.errors import SandboxError
from appliance.sandbox.engine import DockerEngine, EngineError
from appliance.sandbox.output import FLOOD, Frames, Kept, Stream
from appliance.sandbox.template import READY

Outcome = Literal["exited", "timeout", "died", "flooded", "disk", "uncopied"]
_READ = 256 * 1024
_BOOT_SECONDS = 30.0  # from start to the wrapper's first byte
LOW_DISK = 256 * 1024 * 1024  # bytes left on the work folder's disk at which a command is ended


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended. `code` is None unless it exited; `seconds` is the command's own time.

    uncopied: it exited on another machine, but its files did not come back.
    """

    outcome: Outcome
    code: int | None
    seconds: float
    stdout: Kept
    stderr: Kept
    detail: str = ""


@dataclass(slots=True)
class Ready:
    """A started container whose wrapper waits for its one command."""

    name: str
    work: str
    sock: socket.socket
    path: str
    born: float = field(default_factory=time.monotonic)

    def alive(self) -> bool:
        """False when the container has already ended (the engine restarted, somebody removed it)."""
        try:
            return bool(self.sock.recv(1, socket.MSG_PEEK))
        except BlockingIOError:
            return True
        except OSError:
            return False

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.sock.shutdown(socket.SHUT_RDWR)
        self.sock.close()


async def boot(
    engine: DockerEngine,
    body: dict[str, Any],
    name: str,
    work: str,
    path: str,
    *,
    prepare: Callable[[], Awaitable[None]] | None = None,
) -> Ready:
    """Create, attach and start a container and wait for its wrapper; raise SandboxError when it does not come up.

    `prepare` is called while it is created and not yet started.
    """
    await engine.create(body, name)
    if prepare is not None:
        await prepare()
    sock = await engine.attach(name)
    ready = Ready(name, work, sock, path)
    try:
        await engine.start(name)
        said = await asyncio.wait_for(_first(sock), _BOOT_SECONDS)
    except (OSError, TimeoutError) as error:
        ready.close()
        raise SandboxError(
            f"The sandbox container did not come up: {error or 'no sign of life'}.", fix="Look at the engine's log."
        ) from None
    except BaseException:
        ready.close()
        raise
    if said != READY:
        ready.close()
        text = said.decode(errors="replace").strip() or "it ended at once"
        raise SandboxError(
            f"The sandbox container died at its start: {text[:300]}.",
            fix="The image for commands must have sh, env, head and sleep. Check exec.image, or run scripts/images.",
        )
    return ready


async def _first(sock: socket.socket) -> bytes:
    """The first thing a container says, on either stream."""
    loop = asyncio.get_running_loop()
    frames = Frames()
    said = b""
    while data := await loop.sock_recv(sock, _READ):
        for _, piece in frames.feed(data):
            said += bytes(piece)
        if said.startswith(READY):
            return said
    return said


def letter(command: str, argv: list[str], input_size: int, marker: str) -> bytes:
    """What the wrapper reads before the input itself."""
    if argv:
        if argv[0].startswith("-"):
            raise SandboxError("The first word of a command cannot begin with a dash.")
        command = "exec " + shlex.join(argv)
    lines = command.split("\n")
    return f"{marker}\n{len(lines)}\n{command}\n{input_size}\n".encode("utf-8", "surrogateescape")


async def run(
    ready: Ready,
    command: str,
    argv: list[str],
    given: bytes,
    limit: float,
    *,
    disk_full: Callable[[], Coroutine[Any, Any, None]] | None = None,
) -> Ran:
    """Give a waiting container its command and read until its end or `limit` seconds; the caller removes it.

    `disk_full` returns when the work folder's disk is nearly full; without one this machine's is looked at.
    Raises SandboxError when the container was gone before it could take the command, so nothing ran.
    """
    marker = secrets.token_hex(16)
    message = letter(command, argv, len(given), marker) + given
    out, err = Stream(marker.encode()), Stream(marker.encode())
    loop = asyncio.get_running_loop()
    began = time.monotonic()
    sending = asyncio.ensure_future(loop.sock_sendall(ready.sock, message))
    watch = asyncio.ensure_future(disk_full() if disk_full else _watch_disk(ready.path))
    outcome: Outcome = "exited"
    try:
        reading = asyncio.ensure_future(_read(ready.sock, out, err))
        done, _ = await asyncio.wait({reading, watch}, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        if watch in done:
            outcome = "disk"
        elif reading not in done:
            outcome = "timeout"
        else:
            outcome = reading.result()
    finally:
        for task in (sending, watch, reading):
            task.cancel()
        await asyncio.gather(sending, watch, reading, return_exceptions=True)
    seconds = time.monotonic() - began
    out.finish()
    err.finish()
    return Ran(outcome, out.code if outcome == "exited" else None, seconds, out.kept, err.kept)


async def _read(sock: socket.socket, out: Stream, err: Stream) -> Outcome:
    loop = asyncio.get_running_loop()
    frames = Frames()
    total = 0
    while not (out.ended and err.ended):
        try:
            data = await loop.sock_recv(sock, _READ)
        except OSError:
            data = b""
        if not data:
            return "died"
        total += len(data)
        if total > FLOOD:
            return "flooded"
        for number, piece in frames.feed(data):
            (err if number == 2 else out).feed(piece)
    return "exited"


async def _watch_disk(path: str) -> None:
    """Return when the disk of the work folder is nearly full."""
    while True:
        await asyncio.sleep(0.5)
        with contextlib.suppress(OSError):
            status = os.statvfs(path)
            if status.f_bavail * status.f_frsize < LOW_DISK:
                return


async def why_died(engine: DockerEngine, name: str) -> str:
    """What the engine knows about a container that ended before its command did."""
    try:
        state = (await engine.inspect(name)).get("State", {})
    except EngineError:
        return "its container ended before it did"
    if state.get("OOMKilled"):
        return "it used more memory than it may (exec.memory_mb)"
    return f"its container ended before it did (exit code {state.get('ExitCode')})"
