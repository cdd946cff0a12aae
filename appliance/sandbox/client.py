"""The gateway's side of the runner: ask it, and start it when there is none.

Light to import: the Docker SDK lives in the runner only.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from appliance import __version__
from appliance.errors import SandboxError
from appliance.sandbox import protocol
from appliance.sandbox.address import is_remote
from appliance.sandbox.template import RunnerConfig
from appliance.settings import Settings

_START_SECONDS = 20.0
_SLACK = 90.0  # seconds over a command's own limit: waiting in line, a cold start, an engine that hangs
_COPY_SLACK = 600.0  # more than that: a work folder that is copied to another machine and back
_LONGEST_SOCKET = 100  # bytes; the kernel takes 107
# All that the runner needs of the gateway's environment; in particular no keys and no tokens.
_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "DOCKER_HOST", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY", "SSH_AUTH_SOCK",
              "XDG_RUNTIME_DIR", "VIRTUAL_ENV", "PYTHONPATH", "APPLIANCE_CRASH_AT")  # fmt: skip


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command ended. `code` is set exactly when it exited by itself; bytes are as they came.

    outcome: exited, timeout, died (its container ended first), flooded (too much output), disk (disk nearly full),
    uncopied (it ran on another machine and its files did not come back). `detail` may tell of files after any of them.
    A stream with a non-empty tail was cut: `*_total` says how many bytes there were.
    """

    outcome: str
    code: int | None
    seconds: float
    detail: str
    stdout: bytes
    stdout_tail: bytes
    stdout_total: int
    stderr: bytes
    stderr_tail: bytes
    stderr_total: int


@dataclass(frozen=True, slots=True)
class SandboxHealth:
    """Whether commands can run; otherwise why not and what to do."""

    ok: bool
    reason: str = ""
    fix: str = ""
    facts: dict[str, Any] | None = None


def runner_config(settings: Settings) -> RunnerConfig:
    """What the runner is told, from the owner's settings."""
    state = settings.state
    socket = Path(settings.exec.runner_socket) if settings.exec.runner_socket else _socket(state / "runner")
    return RunnerConfig(
        socket=socket,
        agents=state / "agents",
        state=state / "runner",
        image=settings.exec.image or f"appliance-shell:{__version__}",
        egress_image=f"appliance-egress:{__version__}",
        docker_host=settings.exec.docker_host,
        docker_certificates=settings.exec.docker_cert_path,
        copy_mib=settings.exec.copy_mb,
        runtime=settings.exec.runtime,
        memory_mb=settings.exec.memory_mb,
        pids=settings.exec.pids,
        pool_size=settings.exec.pool_size,
        allow_domains=tuple(settings.exec.allow_domains),
        timezone=settings.owner.zone.key,
        linger_seconds=0.0 if settings.exec.runner_socket else 120.0,
    )


def remote_config(settings: Settings) -> RunnerConfig:
    """What the runner for the host `remote` is told: the same limits, on the other machine's engine."""
    here = runner_config(settings)
    folder = settings.state / "runner-remote"
    return replace(
        here, socket=_socket(folder), state=folder, docker_host=settings.exec.remote_docker_host, linger_seconds=120.0
    )


def _socket(folder: Path) -> Path:
    """The runner's socket in its folder, or elsewhere when that name is too long for the kernel."""
    socket = folder / "socket"
    if len(os.fsencode(socket)) > _LONGEST_SOCKET:
        # The kernel's limit on socket names is short; a folder of this user's own stands in.
        name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
        base = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
        socket = Path(base) / f"appliance-{os.getuid()}-{name}" / "socket"
    return socket


class SandboxClient:
    """Requests to the runner. With `start_runner` a missing runner is started; it outlives this process."""

    def __init__(self, config: RunnerConfig, *, start_runner: bool = True) -> None:
        self._config = config
        self._start_runner = start_runner
        self._starting = asyncio.Lock()
        self._slack = _SLACK + (_COPY_SLACK if is_remote(config.docker_host) else 0.0)

    async def run(
        self,
        work: str,
        command: str = "",
        *,
        argv: list[str] | None = None,
        profile: protocol.Profile = "none",
        limit: float = 120.0,
        given: bytes = b"",
    ) -> CommandResult:
        """Run a script, or exactly the words `argv`, in a fresh container; cancelling ends it.

        `limit` is seconds. Raises SandboxError when it could not be run (never because it failed).
        """
        request = protocol.Run(
            work=work, command=command, argv=argv or [], profile=profile, timeout=limit, input=len(given)
        )
        head, bodies = await self._ask(request, given, limit + self._slack)
        return CommandResult(
            outcome=head["outcome"],
            code=head["code"],
            seconds=head["seconds"],
            detail=head["detail"],
            stdout=bodies[0],
            stdout_tail=bodies[1],
            stdout_total=head["totals"][0],
            stderr=bodies[2],
            stderr_tail=bodies[3],
            stderr_total=head["totals"][1],
        )

    async def start(
        self, work: str, command: str, *, profile: protocol.Profile = "none", lifetime: float = 3600.0, label: str = ""
    ) -> dict[str, Any]:
        """Start a background command that lives at most `lifetime` seconds; return it with its id."""
        request = protocol.Start(work=work, command=command, profile=profile, timeout=lifetime, label=label)
        return await self._job(request)

    async def poll(
        self, job: str, *, start: int = 0, limit: int = 65_536, wait: float = 0.0
    ) -> tuple[dict[str, Any], bytes]:
        """How a background command stands and its output from byte `start` (negative: from the end)."""
        request = protocol.Poll(id=job, start=start, limit=limit, wait=wait)
        head, bodies = await self._ask(request, b"", wait + self._slack)
        return head["job"], bodies[0]

    async def write(self, job: str, data: bytes, *, close: bool = False) -> dict[str, Any]:
        """Give a background command input; `close` ends it."""
        return await self._job(protocol.Write(id=job, input=len(data), close=close), data)

    async def kill(self, job: str, *, polite: bool = False) -> dict[str, Any]:
        """End a background command, or only ask it to."""
        return await self._job(protocol.Kill(id=job, polite=polite))

    async def list(self) -> Sequence[dict[str, Any]]:
        """All background commands, newest first."""
        head, _ = await self._ask(protocol.List(), b"", self._slack)
        return tuple(head["jobs"])

    async def ended(self, acknowledge: Sequence[str], wait: float) -> Sequence[dict[str, Any]]:
        """Ended background commands that nobody acknowledged; waits at most `wait` seconds for one."""
        head, _ = await self._ask(protocol.Ended(acknowledge=[*acknowledge], wait=wait), b"", wait + self._slack)
        return tuple(head["jobs"])

    async def warm(self, work: str) -> None:
        """Have containers ready for this work folder."""
        await self._ask(protocol.Warm(work=work), b"", self._slack)

    async def health(self) -> SandboxHealth:
        """Whether commands can run; never raises."""
        try:
            head, _ = await self._ask(protocol.Health(), b"", self._slack)
        except SandboxError as error:
            return SandboxHealth(False, error.what, error.fix)
        facts = head["health"]
        return SandboxHealth(bool(facts["ok"]), facts["reason"], facts["fix"], facts)

    async def release(self) -> None:
        """Tell a runner that we started that nobody needs it now; background commands keep it."""
        if self._start_runner:
            with contextlib.suppress(SandboxError):
                await self._exchange(protocol.Release(), b"", 10.0)

    # -- transport ---------------------------------------------------------------------------------------------------

    async def _job(self, request: protocol.Request, data: bytes = b"") -> dict[str, Any]:
        head, _ = await self._ask(request, data, self._slack)
        return dict(head["job"])

    async def _ask(self, request: protocol.Request, data: bytes, limit: float) -> tuple[dict[str, Any], Any]:
        try:
            return await self._exchange(request, data, limit)
        except _NoRunnerError:
            if not self._start_runner:
                raise
        # Nothing was sent, so asking again cannot run anything twice.
        await self._start()
        return await self._exchange(request, data, limit)

    async def _exchange(self, request: protocol.Request, data: bytes, limit: float) -> tuple[dict[str, Any], Any]:
        try:
            reader, writer = await asyncio.open_unix_connection(str(self._config.socket), limit=protocol.MAX_LINE)
        except OSError as error:
            raise _NoRunnerError(
                f"The sandbox runner does not answer on {self._config.socket}: {error.strerror}.",
                fix="Start it: appliance sandbox-runner",
            ) from None
        try:
            writer.write(protocol.encode(request) + data)
            async with asyncio.timeout(limit):
                head, bodies = await protocol.receive(reader)
        except TimeoutError:
            raise SandboxError(f"The sandbox runner did not answer within {limit:.0f} s.") from None
        finally:
            writer.close()
        if not head.pop("ok"):
            kind = protocol.RefusedError if head.get("refused") else SandboxError
            raise kind(head["error"], fix=head.get("fix", ""))
        return head, bodies

    async def _start(self) -> None:
        """Start the runner and wait until its socket is there."""
        async with self._starting:
            if await self._listening():
                return
            environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
            self._config.state.mkdir(parents=True, exist_ok=True, mode=0o700)
            with (self._config.state / "log").open("ab") as log:
                leaving = await asyncio.create_subprocess_exec(
                    sys.executable, "-m", "appliance.sandbox", self._config.to_json(),
                    env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                )  # fmt: skip
                await leaving.wait()
            deadline = asyncio.get_running_loop().time() + _START_SECONDS
            while asyncio.get_running_loop().time() < deadline:
                if await self._listening():
                    return
                await asyncio.sleep(0.02)
            raise SandboxError("The sandbox runner did not start.", fix=f"Look at {self._config.state / 'log'}.")

    async def _listening(self) -> bool:
        try:
            _, writer = await asyncio.open_unix_connection(str(self._config.socket))
        except OSError:
            return False
        writer.close()
        return True


class _NoRunnerError(SandboxError):
    """Nobody listens on the socket; the request was not sent."""
