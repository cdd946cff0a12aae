"""How bytes get to a server that talks over standard input and output: a program of this machine, or a command in the
sandbox."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from appliance.errors import SandboxError
from appliance.mcp_client.connection import LinkError

_PIECE = 64 * 1024
_GRACE_SECONDS = 2.0
_INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TZ")
_LIFETIME = 86_400.0  # seconds; the longest that a background command may run
_QUICK, _SLOW = 0.02, 2.0  # seconds between two looks at a command's output


class Channel(Protocol):
    """`read` returns b"" at the end. All raise LinkError. `last_words` is what it said of its own end."""

    async def read(self) -> bytes: ...

    async def write(self, data: bytes) -> None: ...

    async def close(self) -> None: ...

    @property
    def last_words(self) -> str: ...


class Program:
    """A program of this machine, in a process group of its own, with few variables and a folder of its own."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._errors: deque[bytes] = deque(maxlen=4)
        self._reading = asyncio.create_task(self._read_errors(), name="mcp-stderr")

    @classmethod
    async def start(cls, words: Sequence[str], environment: Mapping[str, str], folder: Path) -> Program:
        """Raises LinkError when it cannot be started."""
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        try:
            await asyncio.to_thread(folder.mkdir, mode=0o700, parents=True, exist_ok=True)
            process = await asyncio.create_subprocess_exec(
                *words,
                env={**inherited, **environment},
                cwd=folder,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise LinkError(f"{words[0]} cannot be started: {reason}") from None
        return cls(process)

    async def _read_errors(self) -> None:
        """Keep the newest of what it writes to standard error, so that it never waits for a reader."""
        assert self._process.stderr is not None
        while piece := await self._process.stderr.read(1024):
            self._errors.append(piece)

    @property
    def last_words(self) -> str:
        lines = b"".join(self._errors).decode(errors="replace").strip().splitlines()
        code = self._process.returncode
        ended = f"it ended with code {code}" if code is not None else "it closed its output"
        return f"{ended}: {lines[-1][:200]}" if lines else ended

    async def read(self) -> bytes:
        assert self._process.stdout is not None
        data = await self._process.stdout.read(_PIECE)
        if not data:
            with contextlib.suppress(TimeoutError):  # for its last words
                await asyncio.wait_for(self._process.wait(), 0.5)
        return data

    async def write(self, data: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(data)
            await self._process.stdin.drain()
        except (ConnectionError, RuntimeError):
            raise LinkError("it does not read its input") from None

    async def close(self) -> None:
        """Close its input, then ask it and everything it started to end, then make them."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), _GRACE_SECONDS)
            # The group also when its first process has ended: what that one started would stay.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), _GRACE_SECONDS)
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)
        with contextlib.suppress(AttributeError, ProcessLookupError):
            self._process._transport.close()  # type: ignore[attr-defined]  # a survivor may hold the pipes


class SandboxJobs(Protocol):
    """Background commands in the sandbox (sandbox.client.SandboxClient)."""

    async def start(
        self, work: str, command: str, *, profile: Any = "none", lifetime: float = 3600.0, label: str = ""
    ) -> dict[str, Any]: ...

    async def poll(
        self, job: str, *, start: int = 0, limit: int = 65_536, wait: float = 0.0
    ) -> tuple[dict[str, Any], bytes]: ...

    async def write(self, job: str, data: bytes, *, close: bool = False) -> dict[str, Any]: ...

    async def kill(self, job: str, *, polite: bool = False) -> dict[str, Any]: ...

    async def list(self) -> Sequence[dict[str, Any]]: ...


LABEL = "mcp:"  # a background command with this label is a server's, not the agent's


class Command:
    """A background command in the sandbox. Its output is looked at often after a request, and seldom otherwise."""

    last_words = "its command in the sandbox ended"

    def __init__(self, jobs: SandboxJobs, job: str) -> None:
        self._jobs = jobs
        self._job = job
        self._at = 0
        self._pace = _QUICK
        self._written = asyncio.Event()

    @classmethod
    async def start(cls, jobs: SandboxJobs, name: str, words: Sequence[str], *, network: bool) -> Command:
        """End what an earlier life left of it, and start it anew. Raises LinkError."""
        label = f"{LABEL}{name}"
        try:
            for left in await jobs.list():
                if left["label"] == label and left["state"] in ("starting", "running"):
                    await jobs.kill(left["id"])
            job = await jobs.start(
                "main",
                f"exec {shlex.join(words)} 2>/dev/null",  # both streams share one log, and only one is the protocol's
                profile="allowlist" if network else "none",
                lifetime=_LIFETIME,
                label=label,
            )
        except SandboxError as error:
            raise LinkError(f"the sandbox cannot run it: {error}") from None
        return cls(jobs, str(job["id"]))

    async def read(self) -> bytes:
        while True:
            self._written.clear()
            try:
                state, data = await self._jobs.poll(self._job, start=self._at, limit=4 * _PIECE)
            except SandboxError as error:
                raise LinkError(f"the sandbox: {error}") from None
            if state["start"] > self._at:
                raise LinkError("it sent more than could be read")
            if data:
                self._at = state["next"]
                self._pace = _QUICK
                return data
            if state["state"] not in ("starting", "running"):
                return b""
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._written.wait(), self._pace)
            self._pace = min(self._pace * 1.3, _SLOW)

    async def write(self, data: bytes) -> None:
        try:
            await self._jobs.write(self._job, data)
        except SandboxError as error:
            raise LinkError(f"the sandbox: {error}") from None
        self._pace = _QUICK
        self._written.set()

    async def close(self) -> None:
        with contextlib.suppress(SandboxError):  # its lifetime ends it, and the next start does
            await self._jobs.kill(self._job)
