"""The gateway as a process of its own, to be started, killed and asked over HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import httpx2

START_SECONDS = 60.0


class GatewayProcess:
    """Given STATE, start Python with `command` on it (the gateway with a tally tool), the kernel choosing the port.

    `environ` adds to a clean environment. `under` are words put before Python: a tracer. Output goes to STATE.log
    beside the folder.
    """

    def __init__(self, state: Path, *command: str, **environ: str) -> None:
        self.state = state
        self._command = command or ("-m", "appliance.testing.gateway")
        self._environ = environ
        self.under: tuple[str, ...] = ()
        self._process: asyncio.subprocess.Process | None = None
        self.client = httpx2.AsyncClient(timeout=120.0)
        self.url = ""
        self.ready_seconds = 0.0

    async def start(self, **more: str) -> None:
        """Start and wait until it answers. Raises RuntimeError with its output when it ends instead."""
        environ = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(self.state.parent),
            "APPLIANCE_STATE_DIR": str(self.state),
            "APPLIANCE_SERVER__PORT": "0",
            "APPLIANCE_LOCAL__ENABLED": "false",
            "APPLIANCE_EXEC__ENABLED": "false",
            **self._environ,
            **more,
        }
        (self.state / "gateway.json").unlink(missing_ok=True)
        began = time.monotonic()
        log = self.state.with_suffix(".log")
        with log.open("ab") as out:
            self._process = await asyncio.create_subprocess_exec(
                *self.under, sys.executable, *self._command, env=environ, stdout=out, stderr=out,
                start_new_session=True,
            )  # fmt: skip
        while not await self._answers():
            if self._process.returncode is not None:
                raise RuntimeError(f"The gateway ended with {self._process.returncode}: {log.read_text()[-3000:]}")
            if time.monotonic() - began > START_SECONDS:
                raise RuntimeError(f"The gateway did not answer: {log.read_text()[-3000:]}")
            await asyncio.sleep(0.01)
        self.ready_seconds = time.monotonic() - began

    async def _answers(self) -> bool:
        path = self.state / "gateway.json"
        if not path.exists():
            return False
        self.url = str(json.loads(path.read_text())["url"])
        token = (self.state / "token").read_text().strip()
        self.client.headers["authorization"] = f"Bearer {token}"
        with contextlib.suppress(httpx2.HTTPError):
            return (await self.client.get(f"{self.url}/healthz")).status_code == 200
        return False

    @property
    def pid(self) -> int:
        if self._process is None:
            raise RuntimeError("The gateway was not started.")
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def kill(self) -> None:
        """SIGKILL to the whole process group, and wait until it is gone."""
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            await self._process.wait()

    async def stop(self, wait_seconds: float = 40.0) -> int:
        """SIGTERM; return the exit code. Killed when it takes longer than `wait_seconds`."""
        if self._process is None:
            return 0
        if self._process.returncode is None:
            self._process.terminate()
            try:
                await asyncio.wait_for(self._process.wait(), wait_seconds)
            except TimeoutError:
                await self.kill()
        return int(self._process.returncode or 0)

    async def close(self) -> None:
        await self.kill()
        await self.client.aclose()

    async def post(self, text: str, *, session: str = "main", **fields: Any) -> dict[str, Any]:
        """POST /api/messages and return its JSON. Raises httpx2.HTTPError."""
        body = {"session": session, "text": text, **fields}
        response = await self.client.post(f"{self.url}/api/messages", json=body)
        response.raise_for_status()
        return dict(response.json())

    async def send(self, text: str, identity: str, *, session: str = "main", wait_seconds: float = 60.0) -> None:
        """Hand a message over until it is accepted, through any number of kills (the same id each time)."""
        until = time.monotonic() + wait_seconds
        while True:
            with contextlib.suppress(httpx2.HTTPError):
                body = {"session": session, "text": text, "id": identity}
                response = await self.client.post(f"{self.url}/api/messages?wait=false", json=body, timeout=5.0)
                if response.status_code == 202:
                    return
                if response.status_code < 500:
                    raise RuntimeError(f"refused: {response.status_code} {response.text}")
            if time.monotonic() > until:
                raise RuntimeError(f"message {identity} was not accepted in {wait_seconds} s")
            await asyncio.sleep(0.05)

    async def get(self, path: str) -> Any:
        response = await self.client.get(f"{self.url}{path}")
        response.raise_for_status()
        return response.json()

    async def messages(self, session: str = "main") -> list[dict[str, Any]]:
        return list((await self.get(f"/api/sessions/{session}/messages?limit=1000"))["messages"])
