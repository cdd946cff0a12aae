"""Real Prometheus and Alertmanager from Debian trixie, started on free ports and stopped by who started them."""

from __future__ import annotations

import asyncio
import shutil
import socket
import subprocess
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml

ROOT = Path(__file__).parents[3]


@cache
def folder() -> Path | None:
    """Where the programs are; fetched on first use, None where that cannot be done."""
    done = subprocess.run([ROOT / "scripts/trixie-tools"], capture_output=True, text=True, timeout=110)
    return Path(done.stdout.strip()) if done.returncode == 0 else None


def program(name: str) -> str:
    """The path of a program; skips the test where there is none."""
    found = folder()
    if found is None:
        pytest.skip("scripts/trixie-tools cannot fetch Prometheus here")
    return str(found / name)


def run(*words: str, cwd: Path = ROOT) -> str:
    """Run a tool to its end; return what it says, fail with it when it fails."""
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@asynccontextmanager
async def started(words: Sequence[str], ready: str, log: Path) -> AsyncIterator[None]:
    """Run a program until the block ends; wait until `ready` answers 200."""
    with log.open("wb") as out:
        process = await asyncio.create_subprocess_exec(*words, stdout=out, stderr=out)
        try:
            async with httpx2.AsyncClient() as client:
                await until(lambda: _answers(client, ready), 45.0, lambda: log.read_text()[-2000:])
            yield
        finally:
            if process.returncode is None:
                process.terminate()
            try:
                await asyncio.wait_for(process.wait(), 10.0)
            except TimeoutError:
                process.kill()
                await process.wait()


async def _answers(client: httpx2.AsyncClient, url: str) -> bool:
    try:
        return (await client.get(url)).status_code == 200
    except httpx2.TransportError:
        return False


async def until(check: Callable[[], Awaitable[Any]], seconds: float, say: Callable[[], str] = str) -> Any:
    """Wait until `check` returns something true and return it; fail after `seconds`."""
    try:
        async with asyncio.timeout(seconds):
            while True:
                found = await check()
                if found:
                    return found
                await asyncio.sleep(0.1)
    except TimeoutError:
        raise AssertionError(f"not within {seconds} s: {say()}") from None


@dataclass
class Prometheus:
    """A running one. `query` returns the result vector of an instant query, `matrix` of a range query."""

    url: str
    client: httpx2.AsyncClient

    async def query(self, expression: str) -> list[dict[str, Any]]:
        return await self._ask("query", {"query": expression})

    async def samples(self, selector: str) -> list[tuple[float, float]]:
        """(time, value) of every sample of one series in the last two minutes, oldest first."""
        found = await self.query(f"{selector}[2m]")
        return [(float(at), float(value)) for at, value in found[0]["values"]] if found else []

    async def matrix(self, expression: str, start: float, end: float) -> list[dict[str, Any]]:
        return await self._ask("query_range", {"query": expression, "start": start, "end": end, "step": 1})

    async def _ask(self, kind: str, form: dict[str, Any]) -> list[dict[str, Any]]:
        answer = (await self.client.post(f"{self.url}/api/v1/{kind}", data={k: str(v) for k, v in form.items()})).json()
        assert answer["status"] == "success", answer
        return list(answer["data"]["result"])


@asynccontextmanager
async def prometheus(gateway: str, token: Path, alertmanager: str = "127.0.0.1:9") -> AsyncIterator[Prometheus]:
    """The shipped configuration and rules, with addresses and the token's place of this test, every second; two
    minutes of patience become one second."""
    binary = program("prometheus")
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "rules").mkdir()
        rules = (ROOT / "compose/prometheus/rules/appliance.yml").read_text()
        (place / "rules/appliance.yml").write_text(rules.replace("for: 2m", "for: 1s"))  # gateway down
        config = yaml.safe_load((ROOT / "compose/prometheus/prometheus.yml").read_text())
        config["global"] = {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"}
        config["alerting"]["alertmanagers"][0]["static_configs"][0]["targets"] = [alertmanager]
        (scrape,) = [job for job in config["scrape_configs"] if job["job_name"] == "appliance"]
        scrape["authorization"]["credentials_file"] = str(token)
        scrape["static_configs"][0]["targets"] = [gateway]
        config["scrape_configs"] = [scrape]
        (place / "prometheus.yml").write_text(yaml.safe_dump(config))
        port = free_port()
        words = [
            binary,
            f"--config.file={place / 'prometheus.yml'}",
            f"--storage.tsdb.path={place / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
            "--log.level=warn",
        ]
        url = f"http://127.0.0.1:{port}"
        async with started(words, f"{url}/-/ready", place / "log"), httpx2.AsyncClient() as client:
            yield Prometheus(url, client)


@asynccontextmanager
async def alertmanager(environ: dict[str, str], gateway: str, tokens: Path) -> AsyncIterator[str]:
    """The shipped template and entrypoint, with addresses and secrets of this test; yields host:port."""
    binary = program("prometheus-alertmanager")
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        shutil.copy(ROOT / "compose/alertmanager/entrypoint.sh", place)
        text = (ROOT / "compose/alertmanager/alertmanager.yml").read_text()
        text = text.replace("http://gateway:8321", gateway).replace("/run/secrets", str(tokens))
        text = text.replace("group_wait: 5s", "group_wait: 0s").replace("group_interval: 1m", "group_interval: 1s")
        (place / "alertmanager.yml").write_text(text)
        port, cluster = free_port(), ""
        words = [
            "env",
            *(f"{key}={value}" for key, value in environ.items()),
            f"ALERTMANAGER={binary}",
            f"CONFIG={place / 'written.yml'}",
            str(place / "entrypoint.sh"),
            f"--storage.path={place / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
            f"--cluster.listen-address={cluster}",
        ]
        async with started(words, f"http://127.0.0.1:{port}/-/ready", place / "log"):
            yield f"127.0.0.1:{port}"
