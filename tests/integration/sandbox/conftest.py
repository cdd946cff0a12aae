"""A real engine, a real runner process, a work folder of its own; nothing is left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from appliance import __version__
from appliance.sandbox.client import SandboxClient
from appliance.sandbox.template import OWNER_LABEL, RunnerConfig

IMAGE = f"appliance-shell:{__version__}"


def docker(*words: str) -> str:
    done = subprocess.run(["docker", *words], capture_output=True, text=True, timeout=60)
    return done.stdout.strip()


@pytest.fixture(scope="session")
def image() -> str:
    """The real shell image; without an engine or the image the test cannot run."""
    try:
        found = docker("image", "inspect", "--format", "{{.Id}}", IMAGE)
    except FileNotFoundError:
        pytest.skip("no docker")
    if not found:
        pytest.skip(f"no {IMAGE}: run scripts/images shell")
    return IMAGE


@dataclass
class House:
    """A runner's configuration and a client of it. `containers()` are those that carry its label."""

    config: RunnerConfig
    client: SandboxClient

    @property
    def files(self) -> Path:
        return self.config.agents / "main" / "files"

    @property
    def owner(self) -> str:
        return (self.config.state / "id").read_text().strip()

    def containers(self) -> list[str]:
        words = ("ps", "-a", "--format", "{{.Names}}", "--filter", f"label={OWNER_LABEL}={self.owner}")
        return docker(*words).split()

    async def pid(self) -> int:
        health = await self.client.health()
        assert health.facts is not None, health
        return int(health.facts["pid"])

    async def ready(self, count: int = 1) -> None:
        """Wait until that many containers stand ready."""
        await self.client.warm("main")
        await eventually(lambda: self._ready(count))

    async def _ready(self, count: int) -> bool:
        facts = (await self.client.health()).facts
        return facts is not None and facts["ready"] >= count

    async def end(self) -> None:
        """End the runner and whatever it left."""
        if not (self.config.state / "lock").exists():
            return
        found = subprocess.run(["pgrep", "-f", str(self.config.socket)], capture_output=True, text=True).stdout.split()
        for pid in found:
            os.kill(int(pid), signal.SIGTERM)
        deadline = time.monotonic() + 15
        while any(Path(f"/proc/{pid}").exists() and not _zombie(pid) for pid in found):
            if time.monotonic() > deadline:
                for pid in found:
                    os.kill(int(pid), signal.SIGKILL)
                break
            await asyncio.sleep(0.05)
        for name in self.containers():
            docker("rm", "-f", name)


def _zombie(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


async def eventually(holds: Callable[[], object], seconds: float = 20.0) -> None:
    """Wait until something holds, at most that long."""
    deadline = time.monotonic() + seconds
    while True:
        value = holds()
        if asyncio.iscoroutine(value):
            value = await value
        if value:
            return
        assert time.monotonic() < deadline, "it never came true"
        await asyncio.sleep(0.1)


@pytest.fixture
def config(image: str) -> Iterator[RunnerConfig]:
    with tempfile.TemporaryDirectory(prefix="sandbox-") as name:
        root = Path(name)
        (root / "agents/main/files").mkdir(parents=True)
        yield RunnerConfig(
            socket=root / "runner/socket",
            agents=root / "agents",
            state=root / "runner",
            image=image,
            linger_seconds=30.0,
        )


@pytest.fixture
async def house(config: RunnerConfig) -> AsyncIterator[House]:
    made = House(config, SandboxClient(config))
    yield made
    await made.end()


@pytest.fixture
def with_settings() -> Callable[..., RunnerConfig]:
    return replace
