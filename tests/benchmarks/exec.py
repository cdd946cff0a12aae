"""What a command costs: a fresh container from the pool, `docker exec` in a long-lived one, `docker run --rm`.

    python -m tests.benchmarks.exec [--rounds N] [--json]

All three in one run, taking turns, with the same flags, over `sh -c 'echo hi'` (the pool's command is a script, so it
also pays for a bash). Then twenty commands at once, how many containers a second can be made, 100 MB of output, and
what the waiting pool costs at rest. Needs Docker and `scripts/images shell`. Times are milliseconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import docker

from appliance import __version__
from appliance.sandbox.client import SandboxClient
from appliance.sandbox.template import RunnerConfig

IMAGE = f"appliance-shell:{__version__}"
FLAGS = [
    "--network", "none", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
    "--pids-limit", "128", "--memory", "512m", "--memory-swap", "512m", "--cpus", "1",
    "--tmpfs", "/tmp:rw,noexec,nosuid,nodev,size=64m", "--user", "1000:1000", "--init",
]  # fmt: skip


def shown(times: list[float]) -> dict[str, float]:
    """Median and 95th percentile in milliseconds."""
    ordered = sorted(times)
    return {
        "median": round(statistics.median(ordered) * 1000, 2),
        "p95": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))] * 1000, 2),
        "n": len(ordered),
    }


async def timed(work: Callable[[], Awaitable[bytes]]) -> float:
    began = time.perf_counter()
    said = await work()
    took = time.perf_counter() - began
    assert said == b"hi\n", said
    return took


class Ways:
    """The three ways to run one command."""

    def __init__(self, client: SandboxClient, files: Path) -> None:
        self.client = client
        self.mount = ["-v", f"{files}:/workspace", "-w", "/workspace"]
        words = ["docker", "run", "-d", *FLAGS, *self.mount, IMAGE, "sleep", "3600"]
        self.long_lived = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
        self.api = docker.APIClient(version="auto")

    async def pooled(self) -> bytes:
        return (await self.client.run("main", "echo hi")).stdout

    async def exec_api(self) -> bytes:
        return await asyncio.to_thread(self._exec)

    def _exec(self) -> bytes:
        made = self.api.exec_create(self.long_lived, ["sh", "-c", "echo hi"])
        said = self.api.exec_start(made["Id"])
        assert self.api.exec_inspect(made["Id"])["ExitCode"] == 0
        return bytes(said)

    async def exec_cli(self) -> bytes:
        return await self._process("docker", "exec", self.long_lived, "sh", "-c", "echo hi")

    async def run_cli(self) -> bytes:
        return await self._process("docker", "run", "--rm", *FLAGS, *self.mount, IMAGE, "sh", "-c", "echo hi")

    async def _process(self, *words: str) -> bytes:
        process = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
        said, _ = await process.communicate()
        return said

    def close(self) -> None:
        subprocess.run(["docker", "rm", "-f", self.long_lived], capture_output=True, check=True)
        self.api.close()


async def ready(client: SandboxClient, count: int) -> None:
    for _ in range(600):
        facts = (await client.health()).facts
        if facts is not None and facts["ready"] >= count:
            return
        await asyncio.sleep(0.05)
    raise SystemExit("the pool does not fill")


async def latency(ways: Ways, rounds: int) -> dict[str, Any]:
    names = ("pooled", "exec_api", "exec_cli", "run_cli")
    times: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            if name == "pooled":
                # The pool is meant for commands with a model's thinking time between them: let its refill end.
                await ready(ways.client, 2)
                await asyncio.sleep(0.3)
            times[name].append(await timed(getattr(ways, name)))
    found: dict[str, Any] = {name: shown(values) for name, values in times.items()}
    pooled = found["pooled"]["median"]
    found["pooled/exec_api"] = round(pooled / found["exec_api"]["median"], 3)
    found["pooled/exec_cli"] = round(pooled / found["exec_cli"]["median"], 3)
    found["pooled/run_cli"] = round(pooled / found["run_cli"]["median"], 3)
    return found


async def burst(ways: Ways) -> dict[str, Any]:
    await ready(ways.client, 2)
    began = time.perf_counter()
    times = await asyncio.gather(*(timed(ways.pooled) for _ in range(20)))
    whole = time.perf_counter() - began
    return {**shown(list(times)), "all": round(whole * 1000), "a_second": round(20 / whole, 1)}


async def big_output(ways: Ways) -> dict[str, Any]:
    await ready(ways.client, 1)
    began = time.perf_counter()
    result = await ways.client.run("main", "head -c 100000000 /dev/zero")
    assert (result.stdout_total, result.code) == (100_000_000, 0)
    return {"100_MB": round((time.perf_counter() - began) * 1000)}


async def at_rest(ways: Ways, seconds: float) -> dict[str, Any]:
    """Processor time of the runner while nothing is asked, and the memory that waiting containers take."""
    await ready(ways.client, 2)
    facts = (await ways.client.health()).facts or {}
    pid = int(facts["pid"])
    before = _cpu(pid)
    await asyncio.sleep(seconds)
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    rss = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
    shims = subprocess.run(["pgrep", "-f", "containerd-shim"], capture_output=True, text=True).stdout.split()
    pss = [_pss(int(shim)) for shim in shims]
    return {
        "runner_cpu_percent": round(100 * (_cpu(pid) - before) / seconds, 2),
        "runner_rss_mib": round(rss / 1024, 1),
        "containers_ready": facts["ready"],
        "shim_pss_mib_each": round(statistics.mean(pss) / 1024, 1) if pss else None,
    }


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _pss(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


async def measure(rounds: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        root = Path(name)
        files = root / "agents/main/files"
        files.mkdir(parents=True)
        config = RunnerConfig(
            socket=root / "r/socket", agents=root / "agents", state=root / "r", image=IMAGE, linger_seconds=20.0
        )
        client = SandboxClient(config)
        await client.run("main", "true")
        ways = Ways(client, files)
        try:
            return {
                "load_before": os.getloadavg()[0],
                "latency_ms": await latency(ways, rounds),
                "burst_of_20_ms": await burst(ways),
                "output_ms": await big_output(ways),
                "at_rest": await at_rest(ways, 10.0),
                "load_after": os.getloadavg()[0],
            }
        finally:
            ways.close()
            await client.release()
            for _ in range(200):
                if not config.socket.exists():
                    break
                await asyncio.sleep(0.1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = asyncio.run(measure(options.rounds))
    print(json.dumps(found, indent=None if options.json else 2))


if __name__ == "__main__":
    main()
