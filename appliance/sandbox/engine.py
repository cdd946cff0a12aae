"""The Docker engine, as much of it as the runner needs. The only module that imports the Docker SDK.

The SDK blocks, so its calls run in a few threads. Whatever it raises, its own errors, those of its HTTP library on a
time-out, or an OSError, comes out as EngineError.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any, TypeVar

import docker
import docker.errors
import requests.exceptions
import urllib3.exceptions

from appliance.errors import SandboxError
from appliance.sandbox.address import Address, Local, locate
from appliance.sandbox.template import KIND_LABEL, OWNER_LABEL, WORKSPACE, Engine, RunnerConfig
from appliance.sandbox.tunnel import Tunnel

T = TypeVar("T")
_THREADS = 8
_FAILURES = (
    docker.errors.DockerException,
    requests.exceptions.RequestException,
    urllib3.exceptions.HTTPError,
    OSError,
    ValueError,
    KeyError,
)


class EngineError(SandboxError):
    """The engine refused or did not answer. `gone`: it knows no such container; `busy`: it is removing it already."""

    def __init__(self, what: str, *, fix: str = "", gone: bool = False, busy: bool = False) -> None:
        super().__init__(what, fix=fix)
        self.gone = gone
        self.busy = busy


class DockerEngine:
    """Calls to one engine. Connects on first use and again after a failure."""

    def __init__(self, config: RunnerConfig) -> None:
        self._config = config
        self._timeout = config.engine_seconds
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="docker")
        self._api: docker.APIClient | None = None
        self._features: Engine | None = None
        self._address: Address | None = None
        self._tunnel: Tunnel | None = None

    @property
    def remote(self) -> bool:
        """Whether the engine is another machine's, which sees no folder of this one. Raises EngineError."""
        return not isinstance(self._located(), Local)

    def _located(self) -> Address:
        if self._address is None:
            try:
                address = locate(self._config.docker_host, self._config.docker_certificates)
            except SandboxError as error:
                raise EngineError(error.what, fix=error.fix) from None
            if isinstance(address, Local):
                # Not kept: an engine that comes later may have another socket.
                return address
            self._tunnel = Tunnel(address, self._config.socket.parent)
            self._address = address
        return self._address

    async def call(self, work: Callable[[docker.APIClient], T]) -> T:
        """Run `work` with the client in a thread; raise EngineError."""
        if self.remote and self._tunnel is not None:
            try:
                await self._tunnel.open()
            except SandboxError as error:
                raise EngineError(error.what, fix=error.fix) from None
        return await asyncio.get_running_loop().run_in_executor(self._threads, functools.partial(self._call, work))

    def _call(self, work: Callable[[docker.APIClient], T]) -> T:
        try:
            if self._api is None:
                self._api = self._connect()
            return work(self._api)
        except docker.errors.NotFound as error:
            raise EngineError(f"Docker: {error.explanation}.", gone=True) from None
        except docker.errors.APIError as error:
            busy = error.status_code == 409
            raise EngineError(f"Docker: {error.explanation}.", busy=busy) from None
        except _FAILURES as error:
            if self._tunnel is not None and self._tunnel.trouble:
                raise EngineError(self._tunnel.trouble) from None
            raise EngineError(_reason(error), fix="Is the Docker engine running? Try: docker info") from None

    def _connect(self) -> docker.APIClient:
        address = self._located()
        path = address.path if isinstance(address, Local) else str(self._tunnel.path if self._tunnel else "")
        # The SDK leaves a socket open when it cannot connect, and hides why behind its own words.
        with socket.socket(socket.AF_UNIX) as probe_socket:
            probe_socket.settimeout(self._timeout)
            probe_socket.connect(path)
        where: dict[str, Any] = {"base_url": f"unix://{path}", "timeout": int(self._timeout)}
        # Asked by hand: the SDK's own "auto" leaves its sockets open when nobody answers.
        probe = docker.APIClient(version="1.41", **where)
        try:
            version = str(probe.version(api_version=False)["ApiVersion"])
        finally:
            probe.close()
        return docker.APIClient(version=version, **where)

    async def features(self, *, fresh: bool = False) -> Engine:
        """What engine and image can do; raises EngineError with the fix when there is no image."""
        if self._features is None or fresh:
            self._features = await self.call(self._look)
        return self._features

    def _look(self, api: docker.APIClient) -> Engine:
        info = api.info()
        name = self._config.image
        try:
            image = api.inspect_image(name)  # type: ignore[no-untyped-call]
        except docker.errors.ImageNotFound:
            fix = "Build it: scripts/images" if name.startswith("appliance-") else f"Get it: docker pull {name}"
            if self.remote:
                fix = f"Bring it there: docker save {name} | docker --host {self._config.docker_host or '…'} load"
            raise EngineError(f"The image {name} for commands is missing.", fix=fix) from None
        labels = (image.get("Config") or {}).get("Labels") or {}
        gvisor = _gvisor(info, self._config.runtime)
        return Engine(
            quota=bool(info.get("CpuCfsQuota") or info.get("CPUCfsQuota")),
            image_id=image["Id"],
            # gVisor cannot start what it may not read; there it is its own rule that keeps pid 1 from being traced.
            init="" if gvisor else labels.get("appliance.init", ""),
            shell="sh" if gvisor else labels.get("appliance.shell", "sh"),
            rootless="name=rootless" in (info.get("SecurityOptions") or []),
            remote=self.remote,
            networkless="--network=none" in (_runtime(info, self._config.runtime).get("runtimeArgs") or ()),
        )

    async def create(self, body: dict[str, Any], name: str) -> None:
        """Create a container under a name of ours, so that it can be removed even when the answer never comes."""
        await self.call(lambda api: api.create_container_from_config(body, name))  # type: ignore[no-untyped-call]

    async def start(self, name: str) -> None:
        await self.call(lambda api: api.start(name))

    async def attach(self, name: str, *, output: bool = True) -> socket.socket:
        """Return the container's streams as one non-blocking socket: write its input, read Docker's frames."""
        return await self.call(lambda api: _attach(api, name, output))

    async def put(self, name: str, file: IO[bytes]) -> None:
        """Unpack a tar file in the container's work folder."""
        done = await self.call(lambda api: api.put_archive(name, WORKSPACE, file))
        if not done:
            raise EngineError("The work folder was not taken by the engine.")

    async def fetch(self, name: str, file: IO[bytes], limit: int) -> bool:
        """Write the container's work folder as a tar file; False when it is more than `limit` bytes."""

        def work(api: docker.APIClient) -> bool:
            stream, _ = api.get_archive(name, WORKSPACE)
            size = 0
            for piece in stream:
                size += len(piece)
                if size > limit:
                    stream.close()
                    return False
                file.write(piece)
            return True

        return await self.call(work)

    async def pause(self, name: str) -> None:
        """Let all processes of a container stand still."""
        await self.call(lambda api: api.pause(name))

    async def free(self, name: str) -> int | None:
        """Bytes left on the disk under a running container's work folder; None when it cannot be told."""

        def work(api: docker.APIClient) -> int | None:
            made = api.exec_create(name, ["df", "-kP", WORKSPACE])
            words = bytes(api.exec_start(made["Id"])).decode(errors="replace").split()
            return int(words[-3]) * 1024 if len(words) > 6 and words[-3].isdigit() else None

        return await self.call(work)

    async def kill(self, name: str, signal: str = "KILL") -> None:
        await self.call(lambda api: api.kill(name, signal))

    async def remove(self, name: str) -> None:
        """Kill and remove a container with its anonymous volumes."""
        await self.call(lambda api: api.remove_container(name, force=True, v=True))

    async def inspect(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = await self.call(lambda api: api.inspect_container(name))
        return found

    async def follow(self, name: str, sink: Callable[[bytes], None], *, since: float | None) -> None:
        """Hand a container's logged output to `sink`, in a thread of its own, until the container ends.

        From the beginning, or from `since` (Unix seconds) on. The engine answers only when there is output, so the
        thread may outlive a cancelled call until the container is removed.
        """
        loop = asyncio.get_running_loop()
        over: asyncio.Future[None] = loop.create_future()
        stopped = threading.Event()

        def end() -> None:
            if not over.done():
                over.set_result(None)

        def pump(api: docker.APIClient) -> None:
            with contextlib.suppress(*_FAILURES):  # the engine went away; the caller asks it how the container is
                for data in api.logs(name, stdout=True, stderr=True, stream=True, follow=True, since=since):
                    if stopped.is_set():
                        break
                    sink(data)
            with contextlib.suppress(RuntimeError):  # the loop is closed already
                loop.call_soon_threadsafe(end)

        api = await self.call(lambda api: api)
        threading.Thread(target=pump, args=(api,), name=f"log-{name}", daemon=True).start()
        try:
            await over
        finally:
            stopped.set()

    async def logs(self, name: str) -> bytes:
        """What the engine logged of a container so far."""
        found: bytes = await self.call(lambda api: api.logs(name, stdout=True, stderr=True, stream=False))
        return found

    async def ours(self, owner: str) -> list[dict[str, Any]]:
        """Every container that carries this owner's label, running or not."""
        found: list[dict[str, Any]] = await self.call(
            lambda api: api.containers(all=True, filters={"label": [f"{OWNER_LABEL}={owner}", KIND_LABEL]})
        )
        return found

    async def ping(self) -> dict[str, Any]:
        found: dict[str, Any] = await self.call(lambda api: api.version())
        return found

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._api is not None:
            self._api.close()
        if self._tunnel is not None:
            await self._tunnel.close()


def _runtime(info: dict[str, Any], runtime: str) -> dict[str, Any]:
    """What the engine says of the runtime that containers get; raises EngineError when it has no such one."""
    runtimes = info.get("Runtimes") or {}
    if runtime and runtime not in runtimes:
        raise EngineError(
            f"The engine has no runtime {runtime}.", fix="Install it and add it to the engine's daemon.json."
        )
    name = runtime or info.get("DefaultRuntime", "")
    return {**runtimes.get(name, {}), "name": name}


def _gvisor(info: dict[str, Any], runtime: str) -> bool:
    found = _runtime(info, runtime)
    return "runsc" in found["name"] or "runsc" in str(found.get("path", ""))


def _attach(api: docker.APIClient, name: str, output: bool) -> socket.socket:
    parameters = {"stdin": 1, "stream": 1, "stdout": int(output), "stderr": int(output)}
    answer = api.attach_socket(name, params=parameters)
    raw = getattr(answer, "_sock", answer)
    # The SDK's object closes its socket when it is collected; ours must live until we close it.
    ours: socket.socket = raw.dup()
    ours.setblocking(False)
    return ours


def _reason(error: Exception) -> str:
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, (requests.exceptions.Timeout, urllib3.exceptions.TimeoutError)) or "timed out" in text:
        return "The Docker engine did not answer in time."
    if "FileNotFoundError" in text:
        return "There is no Docker engine on this machine (no socket)."
    if "Permission" in text:
        return "This user may not use the Docker socket."
    if "refused" in text:
        return "The Docker engine does not answer on its socket."
    return f"The Docker engine cannot be used: {str(error)[:300]}"
