"""Commands that go on in the background, found again after a restart of the gateway or of the runner.

Each has a container of its own outside the pool, a record and a log in the runner's state. The record is written
before the container exists, so that a kill at any moment leaves nothing that nobody knows.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
import time
from pathlib import Path
from typing import Any, Literal

import msgspec

from appliance.crash_points import crash_point
from appliance.errors import SandboxError
from appliance.sandbox import protocol
from appliance.sandbox.copying import Sent
from appliance.sandbox.engine import DockerEngine, EngineError
from appliance.sandbox.far import Carrier
from appliance.sandbox.job_log import JobLog
from appliance.sandbox.output import Frames
from appliance.sandbox.template import LEASE_SECONDS, LOG_MIB, RunnerConfig, container, resolve_work
from appliance.storage import atomic_write
from appliance.tasks import end

State = Literal["starting", "running", "exited", "killed", "timeout", "flooded", "lost"]
_RUNNING = ("starting", "running")
_MOST = 16  # background commands at once
_KEEP = 50  # ended ones that are still listed
_KEEP_SECONDS = 86_400.0
_FLOOD = 1 << 30  # bytes of output after which a command is ended
_PIECE = 4096  # bytes of input in one frame
_READ = 256 * 1024
_SMALL = 1024 * 1024  # bytes of output up to which the engine's log is always compared


class Job(msgspec.Struct, kw_only=True):
    """A background command. Times are Unix seconds; `label` is the gateway's, given back as it was."""

    id: str
    name: str
    work: str
    command: str
    label: str
    profile: str
    until: float
    started: float
    state: State = "starting"
    code: int | None = None
    ended: float | None = None
    told: bool = False
    note: str = ""  # of files that went to another machine and came back


class Jobs:
    """All background commands of this runner. `names` are the containers that belong to one."""

    def __init__(self, config: RunnerConfig, engine: DockerEngine, owner: str, bury: Any, carrier: Carrier) -> None:
        self._config = config
        self._carrier = carrier
        self._engine = engine
        self._owner = owner
        self._bury = bury
        self._folder = config.state / "jobs"
        self._jobs: dict[str, Job] = {}
        self._logs: dict[str, JobLog] = {}
        self._socks: dict[str, socket.socket] = {}
        self._followers: dict[str, asyncio.Task[None]] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._finishing: set[str] = set()
        self._ended = asyncio.Condition()
        self._load()

    @property
    def names(self) -> set[str]:
        return {job.name for job in self._jobs.values() if job.state in _RUNNING}

    def _load(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for path in sorted(self._folder.glob("*.json")):
            try:
                job = msgspec.json.decode(path.read_bytes(), type=Job)
            except (OSError, msgspec.DecodeError):
                continue  # a damaged record: its container is unknown, so the sweep ends it
            self._jobs[job.id] = job
            self._logs[job.id] = JobLog(self._folder, job.id)

    def _save(self, job: Job) -> None:
        atomic_write(self._folder / f"{job.id}.json", msgspec.json.encode(job), mode=0o600)

    def _get(self, id: str) -> Job:  # noqa: A002 - the word of the protocol
        job = self._jobs.get(id)
        if job is None:
            raise SandboxError(f"There is no background command {id}.", fix="List them with action list.")
        return job

    def _shown(self, job: Job) -> dict[str, Any]:
        log = self._logs[job.id]
        shown = {
            key: getattr(job, key) for key in ("id", "work", "command", "label", "profile", "state", "code", "until")
        }
        return {
            **shown,
            "started": job.started,
            "ended": job.ended,
            "note": job.note,
            "output": log.total,
            "first": log.first,
        }

    # -- requests ----------------------------------------------------------------------------------------------------

    async def start(self, request: protocol.Start) -> dict[str, Any]:
        """Start a command and return it; raises SandboxError when it did not start."""
        if len(self.names) >= _MOST:
            raise SandboxError(f"{_MOST} background commands run already.", fix="End one with action kill.")
        work = resolve_work(self._config, request.work)
        engine = await self._engine.features()
        now = time.time()
        id_ = secrets.token_hex(4)
        job = Job(
            id=id_,
            name=f"appliance-{self._owner[:8]}-job-{id_}",
            work=request.work,
            command=request.command[:500],
            label=request.label,
            profile=request.profile,
            until=now + request.timeout,
            started=now,
        )
        body = container(self._config, engine, work, request.profile, owner=self._owner, background=job.until)
        self._jobs[id_] = job
        self._logs[id_] = JobLog(self._folder, id_)
        self._save(job)
        crash_point("background_recorded")
        try:
            await self._engine.create(body, job.name)
            crash_point("background_created")
            if engine.remote:
                sent = await self._carrier.send(job.name, work)
                atomic_write(self._sent(job), msgspec.json.encode(sent), mode=0o600)
            sock = self._socks[id_] = await self._engine.attach(job.name)
            await self._engine.start(job.name)
            lines = request.command.split("\n")
            text = f"-\n{len(lines)}\n{request.command}\n{LEASE_SECONDS}\n"
            await self._send(job, text.encode("utf-8", "surrogateescape"))
        except BaseException as error:
            await self._finish(job, "lost", None)
            if isinstance(error, (SandboxError, asyncio.CancelledError)):
                raise
            raise SandboxError(f"The background command did not start: {error}.") from error
        job.state = "running"
        self._save(job)
        self._followers[id_] = asyncio.get_running_loop().create_task(self._read(job, sock))
        return self._shown(job)

    async def poll(self, request: protocol.Poll) -> tuple[dict[str, Any], bytes]:
        """How a command stands, and its output from byte `start`; waits at most `wait` seconds for its end."""
        job = self._get(request.id)
        if request.wait and job.state in _RUNNING:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(request.wait), self._ended:
                    await self._ended.wait_for(lambda: job.state not in _RUNNING)
        log = self._logs[job.id]
        start = request.start if request.start >= 0 else log.total + request.start
        start = min(max(start, log.first), log.total)
        data = log.read(start, request.limit)
        return {**self._shown(job), "start": start, "next": start + len(data)}, data

    async def write(self, id: str, data: bytes, close: bool) -> dict[str, Any]:  # noqa: A002
        """Give input to a running command."""
        job = self._get(id)
        if job.state not in _RUNNING:
            raise SandboxError(f"Background command {id} has ended ({job.state}).")
        for at in range(0, len(data), _PIECE):
            piece = "".join(f"\\0{byte:03o}" for byte in data[at : at + _PIECE])
            await self._send(job, f"w{piece}\n".encode())
        if close:
            await self._send(job, b"e\n")
        return self._shown(job)

    async def kill(self, id: str, polite: bool = False) -> dict[str, Any]:  # noqa: A002
        """End a command and return how it ended; `polite` only asks it to (SIGTERM)."""
        job = self._get(id)
        if job.state in _RUNNING:
            if polite:
                await self._engine.kill(job.name, "TERM")
            else:
                await self._end(job, "killed")
        return self._shown(job)

    async def list(self) -> list[dict[str, Any]]:
        """All commands, newest first."""
        return [self._shown(job) for job in sorted(self._jobs.values(), key=lambda job: -job.started)]

    async def ended(self, acknowledge: tuple[str, ...] | Any, wait: float) -> Any:
        """Commands that ended and that nobody acknowledged, after waiting at most `wait` seconds for one."""
        for id_ in acknowledge:
            job = self._jobs.get(id_)
            if job is not None and not job.told and job.state not in _RUNNING:
                job.told = True
                self._save(job)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait), self._ended:
                await self._ended.wait_for(self._untold)
        return [self._shown(job) for job in self._untold()]

    def _untold(self) -> Any:
        return [job for job in self._jobs.values() if job.state not in _RUNNING and not job.told]

    # -- life --------------------------------------------------------------------------------------------------------

    async def tend(self) -> None:
        """Adopt what a former runner left, renew leases, end what is over its time, forget what is old."""
        for job in list(self._jobs.values()):
            if job.state in _RUNNING:
                with contextlib.suppress(EngineError):
                    await self._tend_one(job)
        old = [job for job in self._jobs.values() if job.state not in _RUNNING and job.ended is not None]
        old.sort(key=lambda job: -(job.ended or 0))
        for number, job in enumerate(old):
            if number >= _KEEP or time.time() - (job.ended or 0) > _KEEP_SECONDS:
                self._logs.pop(job.id).remove()
                (self._folder / f"{job.id}.json").unlink(missing_ok=True)
                del self._jobs[job.id]

    async def _tend_one(self, job: Job) -> None:
        if time.time() > job.until:
            await self._end(job, "timeout")
        elif job.id not in self._followers:
            await self._adopt(job)
        elif job.state == "running":
            await self._engine.kill(job.name, "USR1")

    async def _adopt(self, job: Job) -> None:
        """Take over a container that a former runner started; raises EngineError while the engine is away."""
        try:
            state = (await self._engine.inspect(job.name)).get("State", {})
        except EngineError as error:
            if not error.gone:
                raise
            await self._finish(job, "lost", None)
            return
        if job.state == "starting":
            await self._finish(job, "lost", None)  # whether it got its command is unknown: it must not run on
        else:
            if state.get("Running"):
                await self._engine.kill(job.name, "USR1")
            task = self._settle(job, seen_whole=False)
            self._followers[job.id] = asyncio.get_running_loop().create_task(task)

    async def _read(self, job: Job, sock: socket.socket) -> None:
        """Write a command's output to its log as it comes, until it ends."""
        loop = asyncio.get_running_loop()
        frames = Frames()
        log = self._logs[job.id]
        while True:
            try:
                data = await loop.sock_recv(sock, _READ)
            except OSError:
                data = b""
            if not data:
                break
            log.add(b"".join(piece for _, piece in frames.feed(data)))
            if log.total > _FLOOD:
                await self._end(job, "flooded")
        await asyncio.sleep(0.1)  # the engine closes the streams a little before it knows that the container ended
        await self._settle(job, seen_whole=True)

    async def _settle(self, job: Job, *, seen_whole: bool) -> None:
        """Stay with a command until it is known how it ended, however long the engine is away.

        `seen_whole`: its output came until its streams closed; they also close when the engine goes away.
        """
        while job.state in _RUNNING:
            try:
                state = (await self._engine.inspect(job.name)).get("State", {})
                if state.get("Running"):
                    seen_whole = False
                    self._keep(job, await self._engine.attach(job.name, output=False))
                if not seen_whole or self._logs[job.id].total < _SMALL:
                    await self._catch_up(job)
                    state = (await self._engine.inspect(job.name)).get("State", {})
            except EngineError as error:
                if error.gone:
                    await self._finish(job, "lost", None)
                    return
                seen_whole = False
                await asyncio.sleep(2.0)
                continue
            if not state.get("Running"):
                code = state.get("ExitCode")
                await self._finish(job, "killed" if code == 137 else "exited", code)
            else:
                await asyncio.sleep(0.2)

    def _keep(self, job: Job, sock: socket.socket) -> None:
        """Use this socket for the command's input from now on."""
        old = self._socks.pop(job.id, None)
        if old is not None:
            old.close()
        self._socks[job.id] = sock

    async def _catch_up(self, job: Job) -> None:
        """Add what the log lacks, from the engine's own, until the container ends or the engine goes away."""
        log = self._logs[job.id]
        since = None if log.logged_as_json() < 2 * LOG_MIB * 1024 * 1024 else log.changed
        skip = log.total if since is None else 0
        if since is not None:
            log.add(b"\n[some output may be missing or doubled here: the runner or the engine was restarted]\n")
        loop = asyncio.get_running_loop()

        def sink(data: bytes) -> None:
            nonlocal skip
            passed = min(skip, len(data))
            skip -= passed
            before = log.total
            log.add(data[passed:])
            if before <= _FLOOD < log.total:
                loop.call_soon_threadsafe(self._flooded, job)

        await self._engine.follow(job.name, sink, since=since)

    def _flooded(self, job: Job) -> None:
        task = asyncio.get_running_loop().create_task(self._end(job, "flooded"))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _end(self, job: Job, state: State) -> None:
        with contextlib.suppress(EngineError):
            await self._engine.kill(job.name)
        await self._finish(job, state, None)

    async def _finish(self, job: Job, state: State, code: int | None) -> None:
        if job.state not in _RUNNING or job.id in self._finishing:
            return
        self._finishing.add(job.id)
        try:
            if state != "lost" and self._sent(job).exists():
                job.note = await self._bring_back(job)
        finally:
            self._finishing.discard(job.id)
        self._sent(job).unlink(missing_ok=True)
        job.state, job.code, job.ended = state, code, time.time()
        self._save(job)
        sock = self._socks.pop(job.id, None)
        follower = self._followers.pop(job.id, None)
        if follower is not None and follower is not asyncio.current_task():
            follower.cancel()
        if sock is not None:
            sock.close()
        self._bury(job.name)
        async with self._ended:
            self._ended.notify_all()

    def _sent(self, job: Job) -> Path:
        """What was copied to another machine for a command, kept until its files are back."""
        return self._folder / f"{job.id}.sent"

    async def _bring_back(self, job: Job) -> str:
        """Copy back the files of an ended command; return what is worth telling of it."""
        try:
            sent = msgspec.json.decode(self._sent(job).read_bytes(), type=Sent)
            return await self._carrier.fetch(job.name, resolve_work(self._config, job.work), sent)
        except (SandboxError, OSError, msgspec.DecodeError) as error:
            what = error.what if isinstance(error, SandboxError) else str(error)
            return f"its files were not copied back: {what}"

    async def _send(self, job: Job, data: bytes) -> None:
        sock = self._socks.get(job.id)
        if sock is None:
            raise SandboxError(f"Background command {job.id} takes no input now.", fix="Try again in some seconds.")
        try:
            await asyncio.wait_for(asyncio.get_running_loop().sock_sendall(sock, data), 10)
        except (OSError, TimeoutError):
            raise SandboxError(f"Background command {job.id} does not read its input.") from None

    async def close(self) -> None:
        """Let go of all commands without ending them: the next runner finds them."""
        await end([*self._followers.values(), *self._ending])
        for sock in self._socks.values():
            sock.close()
