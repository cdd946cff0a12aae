"""One program under measurement: started, asked, killed and weighed from outside, whatever it is written in."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

import httpx2

from tests.benchmarks.peers.install import Package

START_SECONDS = 90.0
ASK_SECONDS = 120.0
STOP_SECONDS = 20.0
WINDOW = 200_000
MODEL = "fake-model"
USD_PER_MTOK_IN, USD_PER_MTOK_OUT = 3.0, 15.0


@dataclass(frozen=True, slots=True)
class Setting:
    """How a program is set up: where the fake model answers, and what else is asked of it.

    `image` is the image of its sandbox; empty leaves commands where its defaults put them. `daily_usd` is a limit for
    programs that have one.
    """

    model_url: str
    image: str = ""
    daily_usd: float | None = None


class Program(ABC):
    """Given the folder it is installed in and an empty home, a program that can be started and asked.

    `sandboxed`: whether commands run in its sandbox without being asked to. `containers`: how the names of the
    containers begin that it keeps.
    """

    package: Package
    healthy = "/health"
    shell_tool, shell_argument = "exec", "command"
    read_tool, read_argument = "read_file", "path"
    limit_note = "no such setting found"
    sandboxed = False
    containers = ""
    sandbox_note = ""

    def __init__(self, installed: Path, home: Path, setting: Setting) -> None:
        self.installed = installed
        self.home = home
        self.setting = setting
        self.port = free_port()
        self.client = httpx2.AsyncClient(timeout=ASK_SECONDS)
        self._process: asyncio.subprocess.Process | None = None
        self._before = self._kept()
        home.mkdir(parents=True, exist_ok=True)

    @property
    @abstractmethod
    def files(self) -> Path:
        """Its work folder."""

    @abstractmethod
    def write(self) -> None:
        """Write its settings into its home."""

    @abstractmethod
    def command(self) -> list[str]:
        """What starts it in the foreground."""

    @abstractmethod
    async def ask(self, text: str, session: str) -> None:
        """Send a message and wait for the whole reply. Raises httpx2.HTTPError or OSError."""

    def environ(self) -> dict[str, str]:
        return {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> float:
        """Start it; return the seconds until its health answers 200. Raises RuntimeError when it never does."""
        log = self.home / "output.log"
        environ = {"PATH": os.environ["PATH"], "HOME": str(self.home), "LANG": "C.UTF-8", **self.environ()}
        began = time.monotonic()
        with log.open("ab") as out:
            self._process = await asyncio.create_subprocess_exec(
                *self.command(), env=environ, cwd=self.home, stdout=out, stderr=out, start_new_session=True
            )
        while not await self._healthy():
            late = time.monotonic() - began > START_SECONDS
            if late or self._process.returncode is not None:
                raise RuntimeError(f"{self.package.name} did not start: {log.read_text(errors='replace')[-1500:]}")
            await asyncio.sleep(0.02)
        return time.monotonic() - began

    async def _healthy(self) -> bool:
        with contextlib.suppress(httpx2.HTTPError):
            return (await self.client.get(f"{self.url}{self.healthy}", timeout=5.0)).status_code == 200
        return False

    async def stop(self) -> None:
        """SIGTERM, then SIGKILL to what is left."""
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), STOP_SECONDS)
        await self.kill()

    async def kill(self) -> None:
        """SIGKILL to every process of it at once."""
        if self._process is None:
            return
        for pid in tree(self._process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()

    async def close(self) -> None:
        """Stop it and remove the containers that it made and left running."""
        await self.stop()
        await self.client.aclose()
        left = self._kept() - self._before
        if left:
            subprocess.run(["docker", "rm", "-f", *left], capture_output=True, check=True)

    def _kept(self) -> set[str]:
        """Containers on this machine named as this program names its own; the user's own among them."""
        if not (self.containers and self.setting.image):
            return set()
        words = ["docker", "ps", "-aq", "--filter", f"name=^/{self.containers}"]
        return set(subprocess.run(words, capture_output=True, text=True, check=True).stdout.split())

    def memory(self) -> float:
        """Proportional set size of all its processes in MiB: a page that two of them share counts once."""
        total = 0
        for pid in self._pids():
            with contextlib.suppress(OSError):
                for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                    if line.startswith("Pss:"):
                        total += int(line.split()[1])
        return total / 1024

    def cpu(self) -> float:
        """CPU seconds, user and system, of all its processes so far, ended children included."""
        ticks = 0
        for pid in self._pids():
            with contextlib.suppress(OSError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                ticks += sum(map(int, fields[11:15]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def _pids(self) -> list[int]:
        return tree(self._process.pid) if self._process is not None else []


class OpenAIProgram(Program):
    """A program that is itself asked over the OpenAI protocol."""

    key = "bench-key-0123456789abcdef"
    session_header = ""
    asked_model = "default"

    async def ask(self, text: str, session: str) -> None:
        body = {"model": self.asked_model, "messages": [{"role": "user", "content": text}]}
        headers = {"authorization": f"Bearer {self.key}", self.session_header: session}
        response = await self.client.post(f"{self.url}/v1/chat/completions", json=body, headers=headers)
        response.raise_for_status()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def tree(root: int) -> list[int]:
    """The process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found, left = [], [root]
    while left:
        pid = left.pop()
        found.append(pid)
        left += children.get(pid, [])
    return found
