"""What a turn costs beyond the model: message in over HTTP to reply out, everything durable.

    python tests/benchmarks/turn.py [--turns 200] [--sessions 8]

The model is the fake provider, in a process of its own, answering at once. A bare litestar echo runs beside it in the
same run, with the same client, so that the machine's mood divides out.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx2

from appliance.testing.process import GatewayProcess

_ECHO = """
import sys, uvicorn
from litestar import Litestar, post
@post("/echo", status_code=200)
async def echo(data: dict) -> dict:
    return {"reply": data["text"]}
app = Litestar([echo], openapi_config=None, logging_config=None)
config = uvicorn.Config(app, port=0, loop="uvloop", http="httptools", access_log=False, log_level="error")
class Server(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets)
        print(self.servers[0].sockets[0].getsockname()[1], flush=True)
Server(config).run()
"""


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def rss_mb(pid: int, kind: str = "VmRSS") -> float:
    """MiB that a process holds: all of it, or `RssAnon`, without the pages of files that the kernel may take back."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(kind):
            return int(line.split()[1]) / 1024
    return 0.0


async def timed(client: httpx2.AsyncClient, url: str, body: dict[str, Any], count: int) -> list[float]:
    """Milliseconds of `count` requests, one after the other."""
    times = []
    for number in range(count):
        began = time.perf_counter()
        response = await client.post(url, json={**body, "text": f"message {number}"})
        response.raise_for_status()
        times.append((time.perf_counter() - began) * 1000)
    return times


async def parallel(client: httpx2.AsyncClient, url: str, sessions: int, each: int) -> float:
    """Turns a second over that many sessions at once."""
    began = time.perf_counter()
    await asyncio.gather(*(timed(client, url, {"session": f"par-{n}"}, each) for n in range(sessions)))
    return sessions * each / (time.perf_counter() - began)


def start(*command: str) -> tuple[subprocess.Popen[str], str]:
    """Start a helper process; return it with the first line it prints."""
    process = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


async def bench(turns: int, sessions: int) -> dict[str, Any]:
    echo, port = start("-c", _ECHO)
    provider, provider_url = start("-m", "appliance.testing.fake_anthropic", "--port", "0")
    result: dict[str, Any] = {}
    try:
        with tempfile.TemporaryDirectory() as folder:
            state = Path(folder) / "state"
            state.mkdir()
            house = GatewayProcess(
                state, "-m", "appliance", "up", ANTHROPIC_API_KEY="sk-ant-test", ANTHROPIC_BASE_URL=provider_url,
                APPLIANCE_BUDGET__DAILY_USD="1000",
            )  # fmt: skip
            try:
                await house.start()
                result["ready_s"] = round(house.ready_seconds, 2)
                await asyncio.sleep(3)
                result["idle_rss_mb"] = round(rss_mb(house.pid), 1)
                url = f"{house.url}/api/messages"
                result["first_turn_ms"] = round((await timed(house.client, url, {"session": "first"}, 1))[0], 1)
                await timed(house.client, url, {"session": "warm"}, 20)
                plain: list[float] = []
                floor: list[float] = []
                memory: list[float] = []
                for block in range(10):  # in turn, so that both see the same machine
                    plain += await timed(house.client, url, {"session": f"s{block}"}, turns // 10)
                    floor += await timed(house.client, f"http://127.0.0.1:{port}/echo", {}, turns // 10)
                    memory.append(round(rss_mb(house.pid), 1))
                result["turn_ms"] = {"median": _r(statistics.median(plain)), "p95": _r(percentile(plain, 0.95))}
                result["echo_ms"] = {"median": _r(statistics.median(floor)), "p95": _r(percentile(floor, 0.95))}
                result["ratio_median"] = _r(statistics.median(plain) / statistics.median(floor))
                result[f"turns_per_s_{sessions}_sessions"] = _r(await parallel(house.client, url, sessions, 25))
                result["rss_mb_each_tenth"] = memory
                result["rss_mb_after"] = round(rss_mb(house.pid), 1)
            finally:
                await house.close()
    finally:
        echo.kill()
        provider.kill()
    return result


def _r(value: float) -> float:
    return round(value, 2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--sessions", type=int, default=8)
    given = parser.parse_args()
    print(json.dumps(asyncio.run(bench(given.turns, given.sessions)), indent=2))
