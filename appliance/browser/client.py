"""The gateway's hand on the browser's service: one that runs elsewhere, or a child that is started with the first page.

Light on purpose: neither Playwright nor a web server is imported here.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from appliance.browser.wire import Condition, Fault, Outcome, Step
from appliance.errors import ToolError
from appliance.network.proxy import WallProxy
from appliance.network.wall import Wall

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")
_STEP_SECONDS = 300.0  # a page that is slow, and then a large download
_STATUS_SECONDS = 5.0
_START_SECONDS = 30.0
_STOP_SECONDS = 8.0
# All that the child, Playwright's driver and Chromium get of the gateway's environment: no keys and no tokens.
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "TZ", "VIRTUAL_ENV", "PYTHONPATH", "FONTCONFIG_PATH", "FONTCONFIG_FILE")
# Where cookies of a session are kept between windows: load and save.
Load = Callable[[str], dict[str, Any] | None]
Save = Callable[[str, dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Place:
    """Where the service answers: `unix:/path/of/socket` or `http://host:port`, and its token."""

    url: str
    token: str


class Service(Protocol):
    """Says where the service is; starts it where that is ours to do."""

    async def place(self) -> Place: ...
    async def stop(self) -> None: ...


class Elsewhere:
    """A service that somebody else runs."""

    def __init__(self, url: str, token: str) -> None:
        self._place = Place(url, token)

    async def place(self) -> Place:
        return self._place

    async def stop(self) -> None:
        """It is not ours to stop."""


class Child:
    """A service on this machine, started with the first page and gone when no page is open.

    Its way out is a proxy in this process, so that addresses are judged, and names looked up, behind the wall.
    """

    def __init__(self, wall: Wall, *, executable: str = "", close_idle: float = 600.0) -> None:
        self._proxy = WallProxy(wall)
        self._executable = executable
        self._close_idle = close_idle
        self._starting = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._token = secrets.token_urlsafe(24)

    @property
    def pid(self) -> int | None:
        """The child's process while it runs."""
        return self._process.pid if self._process is not None and self._process.returncode is None else None

    async def place(self) -> Place:
        """Raises ToolError when it does not start."""
        async with self._starting:
            if self.pid is None:
                await self._end()
                try:
                    await self._start()
                except BaseException:
                    await self._end()
                    raise
            return Place(f"unix:{self._socket}", self._token)

    async def stop(self) -> None:
        async with self._starting:
            await self._end()

    @property
    def _socket(self) -> Path:
        if self._folder is None:
            raise ToolError("The browser's service was stopped.")
        return Path(self._folder.name) / "socket"

    async def _start(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="appliance-browser-", ignore_cleanup_errors=True)
        folder = Path(self._folder.name)
        token = folder / "token"
        token.touch(mode=0o600)
        token.write_text(self._token, encoding="ascii")
        environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        self._process = process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "appliance.browser.service", "--socket", str(self._socket),
            "--token-file", str(token), "--proxy", await self._proxy.start(), "--executable", self._executable,
            "--close-idle-seconds", str(self._close_idle), "--leave-unused", "--parent", str(os.getpid()),
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, env={**environment, "HOME": str(folder)},
            start_new_session=True,
        )  # fmt: skip
        said = b""
        if process.stdout is not None:
            with contextlib.suppress(TimeoutError):
                said = await asyncio.wait_for(process.stdout.readline(), _START_SECONDS)
        if not said:
            raise ToolError("The browser's service does not start.", fix="The gateway's log says why.")

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            try:
                async with asyncio.timeout(_STOP_SECONDS):
                    await process.wait()
            except TimeoutError:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        await self._proxy.stop()
        if self._folder is not None:
            await asyncio.to_thread(self._folder.cleanup)
            self._folder = None


class Pages:
    """Given the service, do steps through it. `allowed` are the hosts of web.allowed_hosts.

    `usable` is False while a service elsewhere does not answer: `look` finds out.
    """

    def __init__(
        self, service: Service, allowed: tuple[str, ...] = (), *, load: Load | None = None, save: Save | None = None
    ) -> None:
        self._service = service
        self._allowed = allowed
        self._load = load
        self._save = save
        self.usable = True

    async def act(self, step: Step) -> Outcome:
        """Raises ToolError with what the service says, or when it is not there."""
        step.allowed = self._allowed
        if self._load is not None:
            step.keep, step.state = True, self._load(step.session)
        outcome = await self._ask("POST", "/act", _STEP_SECONDS, Outcome, msgspec.json.encode(step))
        if self._save is not None and outcome.state is not None:
            self._save(step.session, outcome.state)
        return outcome

    async def look(self) -> Condition:
        """How the service is; also when it is not there."""
        try:
            condition = await self._ask("GET", "/status", _STATUS_SECONDS, Condition)
        except ToolError as error:
            condition = Condition(missing=error.what)
        self.usable = not condition.missing
        return condition

    async def stop(self) -> None:
        await self._service.stop()

    async def _ask(self, method: str, path: str, seconds: float, answer: type[T], body: bytes = b"") -> T:
        import httpx2  # slow to import, and only needed once a page is opened

        for last in (False, True):
            place = await self._service.place()
            try:
                async with _client(place, seconds) as client:
                    response = await client.request(method, path, content=body)
            except httpx2.ConnectError as error:
                if last:  # a child that had just left is started once more: nothing was sent to it
                    raise ToolError(f"The browser's service does not answer at {place.url}.") from error
                continue
            except httpx2.HTTPError as error:
                raise ToolError(f"The browser's service broke off: {str(error) or type(error).__name__}.") from error
            break
        try:
            if response.status_code == 200:
                return msgspec.json.decode(response.content, type=answer)
            fault = msgspec.json.decode(response.content, type=Fault)
        except ValueError:
            raise ToolError(f"What answers at {place.url} is no browser's service.") from None
        raise ToolError(fault.what, fix=fault.fix)


def _client(place: Place, seconds: float) -> httpx2.AsyncClient:
    import httpx2  # slow to import, and only needed once a page is opened

    path = place.url.removeprefix("unix:")
    transport = httpx2.AsyncHTTPTransport(uds=path if path != place.url else None, trust_env=False)
    return httpx2.AsyncClient(
        transport=transport,
        base_url="http://browser" if path != place.url else place.url,
        headers={"authorization": f"Bearer {place.token}"},
        timeout=seconds,
        trust_env=False,
    )
