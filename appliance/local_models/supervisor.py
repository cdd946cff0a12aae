"""Starts the models service as a child when the chain or the embedder names it, and starts it again when it dies.

Light on purpose: the gateway imports this, and neither llama.cpp nor a web framework comes with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from appliance.clock import Clock, SystemClock
from appliance.errors import InputError, NotFoundError
from appliance.local_models.errors import LocalModelError
from appliance.settings import LocalModelSettings, Settings
from appliance.settings.names import PREFIX, SHORT_NAMES
from appliance.tasks import end, first

if TYPE_CHECKING:
    import httpx2

log = structlog.get_logger(__name__)

POLL_SECONDS = 0.5  # while something is being built, fetched or loaded
IDLE_POLL_SECONDS = 5.0  # when it is ready
BACK_OFF_SECONDS = (0.2, 1.0, 5.0, 30.0, 120.0)
STEADY_SECONDS = 60.0  # up for this long: the next death counts as the first again
STOP_SECONDS = 8.0
START_SECONDS = 30.0
REQUEST_SECONDS = 10.0
LAST_LINES = 20
_STARTING: dict[str, Any] = {"phase": "starting", "percent": None, "detail": "the models service starts", "fix": ""}


def needed(settings: Settings) -> tuple[bool, bool]:
    """Whether these settings want a local chat model, and a local embedder."""
    local = settings.local
    if not local.enabled:
        return False, False
    named = [*settings.models_named, *map(settings.cheap, settings.agent_ids)]
    return "local" in named, local.embedder != "off"


def without_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without the appliance's settings: keys and bot tokens are no business of a models process."""
    return {
        name: value
        for name, value in environment.items()
        if not name.startswith(PREFIX) and name.removesuffix("_FILE") not in SHORT_NAMES
    }


class Supervisor:
    """The gateway's handle on the models service.

    `base_url()` and `status()` never wait: a background task keeps them current. With `settings.url` the service runs
    elsewhere, and is only looked at.
    """

    def __init__(
        self,
        settings: LocalModelSettings,
        folder: Path,
        *,
        chat: bool = True,
        embedder: bool = True,
        clock: Clock | None = None,
        command: Sequence[str] | None = None,
    ) -> None:
        """`folder` is STATE/models; `chat` and `embedder` say what is wanted; `command` replaces the child (tests)."""
        self._settings = settings
        self._folder = folder
        self._chat = chat
        self._embedder = embedder
        self.hears = settings.enabled and settings.transcriber != "off"
        self._clock = clock or SystemClock()
        self._command = command
        self._url = settings.url.rstrip("/") if settings.url else ""
        self.token = settings.token.get_secret_value() or ("" if settings.url else secrets.token_urlsafe(24))
        self._state: dict[str, Any] = dict(_STARTING) if self.wanted else {"phase": "off", "percent": None}
        self._tasks: list[asyncio.Task[None]] = []
        self._process: asyncio.subprocess.Process | None = None
        self._tail: list[str] = []
        self._changed = asyncio.Event()
        self._begun = asyncio.Event()
        self._client: httpx2.AsyncClient | None = None
        self.restarts = 0

    @property
    def wanted(self) -> bool:
        """Whether there is anything to run."""
        return self._chat or self._embedder or self.hears

    @property
    def embeds(self) -> bool:
        """Whether an embedder is wanted."""
        return self._embedder

    @property
    def pid(self) -> int | None:
        """The child's process id while it runs, for tests and the doctor."""
        return self._process.pid if self._process is not None and self._process.returncode is None else None

    def base_url(self) -> str | None:
        """The OpenAI-compatible base (`http://…/v1`) when the service can be reached, else None."""
        return f"{self._url}/v1" if self._url and self._state["phase"] != "starting" else None

    def status(self) -> dict[str, Any]:
        """The last known state, as GET /status of the service gives it: phase, percent, detail, model, window, …"""
        return dict(self._state)

    @property
    def chat_ready(self) -> bool:
        """Whether the chat model answers."""
        return bool(self._state.get("phase") == "ready")

    @property
    def embedder_ready(self) -> bool:
        """Whether texts are embedded."""
        return bool((self._state.get("embedder") or {}).get("phase") == "ready")

    async def start(self) -> None:
        """Begin to run and watch the service; return at once."""
        if not self.wanted or self._tasks:
            return
        if not self._settings.url:
            self._tasks.append(asyncio.create_task(self._keep_running(), name="models-child"))
        self._tasks.append(asyncio.create_task(self._watch(), name="models-watch"))

    async def stop(self) -> None:
        """End the child and the watching; nothing is left running."""
        await end(self._tasks)
        self._tasks.clear()
        await self._end_child()
        if self._client is not None:
            await self._client.aclose()
            self._client = None
        self._url = self._settings.url.rstrip("/")
        self._take({"phase": "off", "percent": None, "detail": "stopped"})

    async def wait(self, condition: Callable[[Supervisor], bool], timeout_seconds: float) -> None:
        """Wait until `condition(self)` holds; raise LocalModelError when it fails for good or the time is over."""
        try:
            async with asyncio.timeout(timeout_seconds):
                while not condition(self):
                    if self._state["phase"] == "failed":
                        raise LocalModelError(str(self._state.get("detail")), fix=str(self._state.get("fix", "")))
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise LocalModelError(
                f"The local model was not ready after {timeout_seconds:.0f} s ({self._state.get('phase')}: "
                f"{self._state.get('detail')})."
            ) from None

    async def pull(self, name: str, progress: Callable[[float | None, str], None]) -> None:
        """Have the service fetch the catalogue model `name`; `progress` gets percent and a sentence.

        Raise NotFoundError for an unknown name, LocalModelError when it cannot be fetched or the service is down.
        """
        await self._request("POST", "/pull", {"name": name})
        while True:
            state = await self._request("GET", "/status")
            self._take(state)
            found = next((pull for pull in state.get("pulls", []) if pull["name"] == name.strip().lower()), None)
            if found is None:
                raise LocalModelError(f"The models service lost sight of {name}; it may have started anew.")
            if found["phase"] == "failed":
                raise LocalModelError(str(found["detail"]))
            progress(found["percent"], str(found["detail"]))
            if found["phase"] == "done":
                return
            await self._clock.sleep(POLL_SECONDS)

    async def _keep_running(self) -> None:
        deaths = 0
        while True:
            begun = self._clock.monotonic()
            code = await self._run_child()
            if self._clock.monotonic() - begun > STEADY_SECONDS:
                deaths = 0
            wait = BACK_OFF_SECONDS[min(deaths, len(BACK_OFF_SECONDS) - 1)]
            deaths += 1
            self.restarts += 1
            why = self._tail[-1] if self._tail else f"exit code {code}"
            log.warning("models_service_died", code=code, why=why, again_in=wait)
            self._url = ""
            self._say(phase="starting", percent=None, detail=f"the models service died ({why}) and starts again")
            self._changed.set()  # a second death with the same words is news too
            await self._clock.sleep(wait)

    async def _run_child(self) -> int:
        """Run the child until it ends; return its exit code (negative: the signal)."""
        command = list(self._command) if self._command is not None else self._child_command()
        environment = {**without_settings(os.environ), "APPLIANCE_LOCAL__TOKEN": self.token}
        self._tail.clear()
        self._process = process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            env=environment, start_new_session=True,
        )  # fmt: skip
        errors = asyncio.create_task(self._read_errors(process))
        try:
            if process.stdout is not None:
                try:
                    line = await asyncio.wait_for(process.stdout.readline(), START_SECONDS)
                except TimeoutError:
                    line = b""
                    with contextlib.suppress(ProcessLookupError):
                        process.kill()
                if line.strip().isdigit():
                    self._url = f"http://127.0.0.1:{int(line)}"
                    self._begun.set()
            return await process.wait()
        finally:
            if process.returncode is None:
                await self._end_child()
            errors.cancel()
            await asyncio.gather(errors, return_exceptions=True)

    def _child_command(self) -> list[str]:
        local = self._settings
        return [
            sys.executable, "-m", "appliance.local_models.service", "--parent", str(os.getpid()),
            "--folder", str(self._folder), "--threads", str(local.threads), "--context", str(local.context),
            "--memory-limit-mb", str(local.memory_limit_mb), "--chat", local.model if self._chat else "off",
            "--embedder", local.embedder if self._embedder else "off",
            "--transcriber", local.transcriber if self.hears else "off",
        ]  # fmt: skip

    async def _read_errors(self, process: asyncio.subprocess.Process) -> None:
        """Keep the last lines that the child wrote: they say why it died."""
        while process.stderr is not None:
            try:
                line = await process.stderr.readline()
            except ValueError:
                continue  # a line longer than the reader's limit tells nothing worth keeping
            if not line:
                return
            text = line.decode(errors="replace").strip()
            if text:
                self._tail.append(text[:500])
                del self._tail[:-LAST_LINES]
                log.info("models_service", line=text[:500])

    async def _end_child(self) -> None:
        process = self._process
        if process is None or process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        try:
            await asyncio.wait_for(asyncio.shield(process.wait()), STOP_SECONDS)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def _watch(self) -> None:
        """Keep the state current; an address that does not answer is a state too."""
        while True:
            if self._url:
                try:
                    self._take(await self._request("GET", "/status"))
                except LocalModelError as error:
                    if self._settings.url:
                        self._say(phase="starting", percent=None, detail=error.what)
                except InputError as error:
                    self._say(phase="failed", percent=None, detail=error.what)
            settled = self._state["phase"] in ("ready", "off") and (self._state.get("embedder") or {}).get("phase") in (
                "ready",
                "off",
                "failed",
            )
            await self._pause(IDLE_POLL_SECONDS if settled else POLL_SECONDS)

    async def _pause(self, seconds: float) -> None:
        """Sleep, but not past a new child's start."""
        self._begun.clear()
        await first(self._clock.sleep(seconds), self._begun.wait())

    async def _request(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        import httpx2

        if not self._url:
            raise LocalModelError("The models service is not up yet.", fix="Try again in a while.")
        if self._client is None:
            headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
            self._client = httpx2.AsyncClient(headers=headers, timeout=REQUEST_SECONDS, trust_env=False)
        try:
            response = await self._client.request(method, f"{self._url}{path}", json=body)
        except httpx2.HTTPError as error:
            raise LocalModelError(
                f"The models service at {self._url} does not answer: {type(error).__name__}."
            ) from error
        try:
            found = response.json()
        except ValueError:
            raise LocalModelError(f"{self._url} answers, but is no models service.") from None
        if response.status_code >= 400 or not isinstance(found, dict):
            said = str((found.get("error") or {}).get("message", "")) if isinstance(found, dict) else ""
            kind = NotFoundError if response.status_code == 404 else InputError
            if response.status_code < 500:
                raise kind(said or f"The models service answered {response.status_code}.")
            raise LocalModelError(said or f"The models service answered {response.status_code}.")
        return found

    def _take(self, state: dict[str, Any]) -> None:
        if state != self._state:
            self._state = state
            self._changed.set()

    def _say(self, **values: Any) -> None:
        self._take({**self._state, **values})
