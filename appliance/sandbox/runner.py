"""The sandbox runner: the one process that holds the Docker socket.

It listens on a Unix socket that only its own user may open, takes the few requests of protocol.py and fills in
everything else itself. It outlives the gateway: a new gateway finds it by its socket. Without a gateway and without
background commands it ends by itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import secrets
import signal
import socket
import struct
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import structlog

from appliance.errors import SandboxError
from appliance.sandbox import container, protocol
from appliance.sandbox.background import Jobs
from appliance.sandbox.container import Ran, Ready
from appliance.sandbox.copying import Sent
from appliance.sandbox.egress import Egress
from appliance.sandbox.engine import DockerEngine, EngineError
from appliance.sandbox.far import Carrier
from appliance.sandbox.pool import Key, Pool
from appliance.sandbox.template import RunnerConfig, resolve_work
from appliance.sandbox.template import container as template
from appliance.sandbox.undertaker import Undertaker
from appliance.storage import atomic_write
from appliance.tasks import unless

log = structlog.get_logger()
_SWEEP_SECONDS = 15.0
_MOST_AT_ONCE = 32


class Runner:
    """Everything the process owns, and what each request does."""

    def __init__(self, config: RunnerConfig, *, engine: DockerEngine | None = None) -> None:
        self.config = config
        self.engine = engine or DockerEngine(config)
        self.owner = _owner(config.state)
        self.carrier = Carrier(config, self.engine)
        self.undertaker = Undertaker(self.engine)
        self.pool = Pool(self._boot, self.undertaker.bury, size=config.pool_size)
        self.jobs = Jobs(config, self.engine, self.owner, self.undertaker.bury, self.carrier)
        self.egress = Egress(config, self.engine, self.owner)
        self._booting: set[str] = set()
        self._running: set[str] = set()
        self._gate = asyncio.Semaphore(_MOST_AT_ONCE)
        self._seen = time.monotonic()
        self._connections = 0
        self.released = asyncio.Event()
        self._runs = 0

    def known(self) -> set[str]:
        """Names of all containers that somebody owns."""
        return self._booting | self._running | self.pool.names | self.jobs.names

    async def _boot(self, key: Key, sent: list[Sent] | None = None) -> Ready:
        """Start a container for a key. On another machine's engine what was copied there is added to `sent`."""
        work = resolve_work(self.config, key[0])
        engine = await self.engine.features()
        if key[1] == "allowlist":
            await self.egress.ensure()
        name = f"appliance-{self.owner[:8]}-{secrets.token_hex(6)}"
        body = template(self.config, engine, work, key[1], owner=self.owner, background=None)

        async def copy() -> None:
            if sent is not None:
                sent.append(await self.carrier.send(name, work))

        self._booting.add(name)
        try:
            return await container.boot(self.engine, body, name, work.id, work.path, prepare=copy)
        except BaseException:
            self.undertaker.bury(name)
            raise
        finally:
            self._booting.discard(name)

    async def run(self, request: protocol.Run, given: bytes) -> Ran:
        """Run one command; raises SandboxError when it could not be run at all."""
        self._profile(request.profile)
        resolve_work(self.config, request.work)
        letter_problem = request.argv and request.argv[0].startswith("-")
        if letter_problem:
            raise protocol.RefusedError("Refused: the first word of a command cannot begin with a dash.")
        async with self._gate:
            key = (request.work, request.profile)
            sent: list[Sent] = []
            ready = await (self._boot(key, sent) if self.engine.remote else self.pool.take(key))
            self._running.add(ready.name)
            try:
                if sent:
                    return await self._far(ready, request, given, sent[0])
                return await self._near(ready, request, given)
            finally:
                self._runs += 1
                self._running.discard(ready.name)
                ready.close()
                self.undertaker.bury(ready.name)

    async def _near(self, ready: Ready, request: protocol.Run, given: bytes) -> Ran:
        ran = await container.run(ready, request.command, request.argv, given, request.timeout)
        if ran.outcome == "died":
            return replace(ran, detail=await container.why_died(self.engine, ready.name))
        return ran

    async def _far(self, ready: Ready, request: protocol.Run, given: bytes, sent: Sent) -> Ran:
        """A command on another machine; what it did to its files counts only when they are back."""
        ran = await container.run(
            ready,
            request.command,
            request.argv,
            given,
            request.timeout,
            disk_full=lambda: self.carrier.disk_full(ready.name),
        )
        if ran.outcome == "died":
            why = await container.why_died(self.engine, ready.name)
            return replace(ran, detail=f"{why}; its files were not copied back")
        await self.carrier.still(ready.name)
        try:
            detail = await self.carrier.fetch(ready.name, resolve_work(self.config, ready.work), sent)
        except SandboxError as error:
            detail = f"its files were not copied back: {error.what}"
            return replace(
                ran, outcome="uncopied" if ran.outcome == "exited" else ran.outcome, code=None, detail=detail
            )
        return replace(ran, detail=detail)

    def _warm(self, request: protocol.Warm) -> None:
        self._profile(request.profile)
        resolve_work(self.config, request.work)
        if not self.engine.remote:  # there is nothing to make ahead where every command brings its files
            self.pool.warm((request.work, request.profile))

    def _profile(self, profile: str) -> None:
        if profile == "allowlist" and not self.config.allow_domains:
            raise protocol.RefusedError(
                "Refused: commands have no network, because no domains are listed.",
                fix="List them in exec.allow_domains.",
            )

    async def health(self) -> dict[str, Any]:
        """Whether commands can run, why not, and how it stands."""
        facts: dict[str, Any] = {
            "ready": self.pool.ready,
            "wanted": self.pool.wanted,
            "running": len(self._running),
            "runs": self._runs,
        }
        facts.update(pid=os.getpid(), image=self.config.image, jobs=len(self.jobs.names))
        try:
            version = await self.engine.ping()
            features = await self.engine.features(fresh=self.pool.last_error is not None)
        except EngineError as error:
            return {**facts, "ok": False, "reason": error.what, "fix": error.fix}
        facts.update(engine=version.get("Version", ""), image_id=features.image_id)
        if self.pool.last_error is not None:
            return {**facts, "ok": False, "reason": self.pool.last_error.what, "fix": self.pool.last_error.fix}
        return {**facts, "ok": True, "reason": "", "fix": ""}

    # -- connections -------------------------------------------------------------------------------------------------

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, one request. A client that hangs up has cancelled what it asked for."""
        self._seen = time.monotonic()
        self._connections += 1
        try:
            _check_peer(writer, self.config.allowed_uids)
            line = await asyncio.wait_for(reader.readuntil(b"\n"), 30)
            request = protocol.decode(line)
            size = getattr(request, "input", 0)
            given = await asyncio.wait_for(reader.readexactly(size), 60) if size else b""
            head, bodies = await unless(reader.read(1), self._answer(request, given))
            await protocol.send(writer, {"ok": True, **head}, *bodies)
        except SandboxError as error:
            with contextlib.suppress(ConnectionError):
                refused = isinstance(error, protocol.RefusedError)
                await protocol.send(writer, {"ok": False, "error": error.what, "fix": error.fix, "refused": refused})
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError):
            pass  # the client went away or sends no line; there is nobody to tell
        finally:
            self._seen = time.monotonic()
            self._connections -= 1
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _answer(self, request: protocol.Request, given: bytes) -> tuple[dict[str, Any], list[bytes]]:
        match request:
            case protocol.Run():
                return _ran(await self.run(request, given))
            case protocol.Start():
                self._profile(request.profile)
                if request.profile == "allowlist":
                    await self.egress.ensure()
                return {"job": await self.jobs.start(request)}, []
            case protocol.Poll():
                state, data = await self.jobs.poll(request)
                return {"job": state}, [data]
            case protocol.Write():
                return {"job": await self.jobs.write(request.id, given, request.close)}, []
            case protocol.Kill():
                return {"job": await self.jobs.kill(request.id, request.polite)}, []
            case protocol.List():
                return {"jobs": await self.jobs.list()}, []
            case protocol.Ended():
                return {"jobs": await self.jobs.ended(request.acknowledge, request.wait)}, []
            case protocol.Warm():
                self._warm(request)
                return {}, []
            case protocol.Health():
                return {"health": await self.health()}, []
            case protocol.Release():
                self.released.set()
                return {}, []

    # -- life --------------------------------------------------------------------------------------------------------

    async def tend(self) -> None:
        """Keep house until nobody needs this process any more."""
        swept = 0.0
        while not self._done():
            if time.monotonic() - swept >= _SWEEP_SECONDS:
                with contextlib.suppress(EngineError):
                    await self.jobs.tend()
                    await self.undertaker.sweep(self.owner, self.known)
                swept = time.monotonic()
            self.pool.tend()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.released.wait(), 1.0)
            if self.released.is_set() and not self._done():
                await asyncio.sleep(1.0)

    def _done(self) -> bool:
        if self.jobs.names or self._connections:
            return False
        linger = self.config.linger_seconds
        return self.released.is_set() or bool(linger and time.monotonic() - self._seen > linger)

    async def close(self) -> None:
        await self.pool.close()
        await self.jobs.close()
        for name in self._booting | self._running:
            self.undertaker.bury(name)
        await self.undertaker.close(10.0)
        if self.config.allow_domains and not self.jobs.names:
            await self.egress.close()
        await self.engine.close()


def _ran(ran: Ran) -> tuple[dict[str, Any], list[bytes]]:
    out_head, out_tail = ran.stdout.parts()
    err_head, err_tail = ran.stderr.parts()
    head = {
        "outcome": ran.outcome,
        "code": ran.code,
        "seconds": ran.seconds,
        "detail": ran.detail,
        "totals": [ran.stdout.total, ran.stderr.total],
    }
    return head, [out_head, out_tail, err_head, err_tail]


def _check_peer(writer: asyncio.StreamWriter, allowed: tuple[int, ...]) -> None:
    """Only the user of this runner (and root) may ask; the file mode says so too."""
    sock = writer.get_extra_info("socket")
    _, uid, _ = struct.unpack("3i", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    if uid not in allowed:
        raise protocol.RefusedError(f"Refused: user {uid} may not use this runner.")


def _owner(state: Path) -> str:
    """The name under which this runner's containers are known, the same after a restart."""
    state.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = state / "id"
    with contextlib.suppress(OSError):
        text = path.read_text(encoding="ascii").strip()
        if len(text) == 16 and text.isalnum():
            return text
    fresh = secrets.token_hex(8)
    atomic_write(path, fresh + "\n", mode=0o600)
    return fresh


def _lock(state: Path) -> int | None:
    """Be the only runner of this state; None when another one is."""
    fd = os.open(state / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        return None
    return fd


async def serve(config: RunnerConfig) -> int:
    """Run until released, idle or told to stop; return the exit code (0, or 1 when another runner is there)."""
    config.state.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = _lock(config.state)
    if lock is None:
        log.warning("sandbox_runner_exists", state=str(config.state))
        return 1
    runner = Runner(config)
    config.socket.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    config.socket.unlink(missing_ok=True)
    before = os.umask(0o177)
    try:
        server = await asyncio.start_unix_server(runner.connected, str(config.socket), limit=protocol.MAX_LINE)
    finally:
        os.umask(before)
    loop = asyncio.get_running_loop()
    tending = loop.create_task(runner.tend())
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, tending.cancel)
    log.info("sandbox_runner_ready", socket=str(config.socket), image=config.image)
    try:
        with contextlib.suppress(asyncio.CancelledError):
            await tending
    finally:
        server.close()
        config.socket.unlink(missing_ok=True)
        await runner.close()
        os.close(lock)
    return 0
