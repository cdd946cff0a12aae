"""How start, a turn, a search, a report and memory grow with what a house holds.

    python tests/benchmarks/load.py [--sessions 1,100,1000,10000] [--megabytes 1,10,100] [--plot load.svg]

A fresh STATE of each size is written as the product writes it, compacted every 200 turns; then the gateway is started
on it as a user would, the fake provider answering at once. Times are milliseconds, medians of five where one is not
enough; memory is RSS in MiB. `growth` is the ratio of the largest size to the smallest.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from appliance.agent.sessions import file_name, register
from appliance.database import open_connection
from appliance.messages import SessionKey
from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.process import GatewayProcess
from tests.benchmarks.turn import rss_mb

TURN_CHARACTERS = 1_000
TURNS = 10
TURNS_A_WINDOW = 200
REPEATS = 5
_WORDS = "the pump in the cellar hums on Tuesdays and 過年時要訂蛋糕 before the neighbours wake up again "


def records(turns: int, session: int) -> Iterator[dict[str, Any]]:
    """Turns as a transcript holds them."""
    for turn in range(turns):
        identity = f"{session:08x}{turn:08x}"
        text = f"Turn {turn} of conversation {session}: " + (_WORDS * (TURN_CHARACTERS // len(_WORDS)))
        at = f"2026-{1 + turn % 12:02d}-{1 + turn % 28:02d}T08:00:00.000Z"
        content = [{"type": "text", "text": text}]
        common = {"turn": identity, "at": at, "content": content, "text": text}
        yield {
            "id": f"{identity}.0",
            "seq": 0,
            "role": "user",
            "rows": [],
            "ids": [identity],
            "source": "owner",
            **common,
        }
        yield {
            "id": f"{identity}.1", "seq": 1, "role": "assistant", "final": True, "rows": [], "in_reply_to": [identity],
            "model": "claude-sonnet-5-5", "cost": 0, **common,
        }  # fmt: skip
        if turn % TURNS_A_WINDOW == TURNS_A_WINDOW - 1:
            yield {
                "type": "marker", "kind": "compaction", "summary": "They spoke of the pump.", "source": "own",
                "kept": [f"{identity}.0", f"{identity}.1"], "at": at,
            }  # fmt: skip


def write(state: Path, session: int, turns: int) -> SessionKey:
    key = SessionKey.web(f"talk-{session}")
    path = state / "agents" / "main" / "sessions" / file_name(key)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as out:
        out.write(msgspec.json.encode({"type": "session", "key": key.value}) + b"\n")
        out.writelines(msgspec.json.encode(record) + b"\n" for record in records(turns, session))
    return key


def furnish(state: Path, sessions: int, turns: int) -> None:
    """Write that many conversations, and make them known."""
    connection = open_connection(state / "core.db")
    with connection:
        for number in range(sessions):
            register(connection, write(state, number, turns), 1.7e9 + number)
    connection.close()


async def timed(work: Callable[[], Any]) -> float:
    """Median milliseconds."""
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        await work()
        times.append((time.perf_counter() - began) * 1000)
    return round(statistics.median(times), 1)


async def measure(prepare: Callable[[Path], None]) -> dict[str, float]:
    """One size: let the gateway make its tables, fill STATE, start again and ask."""
    with tempfile.TemporaryDirectory() as folder:
        async with FakeAnthropic() as provider:
            state = Path(folder) / "state"
            state.mkdir()
            house = GatewayProcess(
                state, ANTHROPIC_API_KEY="sk-ant-test", ANTHROPIC_BASE_URL=provider.url,
                APPLIANCE_BUDGET__DAILY_USD="1000",
            )  # fmt: skip
            try:
                await house.start()
                await house.stop()
                prepare(state)
                await house.start()
                result = {"ready_s": round(house.ready_seconds, 2)}
                await _indexed(house)
                began = time.perf_counter()
                await house.post("hello", session="talk-0")
                result["first_turn_ms"] = round((time.perf_counter() - began) * 1000, 1)
                result["turn_ms"] = await timed(lambda: house.post("again", session="talk-0"))
                result["search_ms"] = await timed(lambda: house.get("/api/memory/search?q=pump%20cellar"))
                result["list_ms"] = await timed(lambda: house.get("/api/sessions"))
                result["spend_ms"] = await timed(lambda: house.get("/api/spend"))
                result["rss_mib"] = round(rss_mb(house.pid), 1)
            finally:
                await house.close()
    return result


async def _indexed(house: GatewayProcess) -> None:
    """Wait until the index has followed the files, as its count stands still."""
    last, still = -1, 0
    while still < 3:
        count = (house.state / "index.db-wal").stat().st_size if (house.state / "index.db-wal").exists() else 0
        still = still + 1 if count == last else 0
        last = count
        await asyncio.sleep(1.0)


def table(name: str, sizes: list[int], rows: list[dict[str, float]]) -> dict[str, Any]:
    """Figures by size, and how many times the smallest the largest is."""
    figures = {key: [row[key] for row in rows] for key in rows[0]}
    growth = {key: round(values[-1] / values[0], 2) if values[0] else None for key, values in figures.items()}
    return {name: sizes, **figures, "growth": growth}


def plot(tables: list[dict[str, Any]], path: Path) -> None:
    """Draw how each figure grows: both axes logarithmic, a line a figure, as SVG without any library."""
    import math

    width, height, lines = 640, 320, []
    for index, found in enumerate(tables):
        name = next(iter(found))
        sizes = found[name]
        lines.append(f'<text x="20" y="{20 + index * height}" font-weight="bold">{name}</text>')
        span = max(1e-9, math.log10(max(sizes) / min(sizes)))
        for row, key in enumerate(key for key in found if key not in (name, "growth")):
            points = " ".join(
                f"{20 + 440 * math.log10(size / sizes[0]) / span:.0f},"
                f"{index * height + 280 - 70 * math.log10(max(value / (found[key][0] or 1), 0.1)):.0f}"
                for size, value in zip(sizes, found[key], strict=True)
            )
            colour = f"hsl({row * 50},70%,40%)"
            lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
            at = 40 + index * height + row * 18
            lines.append(f'<text x="480" y="{at}" fill="{colour}">{key} x{found["growth"][key]}</text>')
    body = "\n".join(lines)
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height * len(tables)}" '
        f'font-family="sans-serif" font-size="13">\n{body}\n</svg>\n',
        encoding="utf-8",
    )


async def bench(sessions: list[int], megabytes: list[int]) -> list[dict[str, Any]]:
    """Both tables; a size that is not asked for is left out."""
    tables = []
    if sessions:
        rows = [await measure(lambda state, n=n: furnish(state, n, TURNS)) for n in sessions]  # type: ignore[misc]
        tables.append(table("sessions", sessions, rows))
    if megabytes:
        each = 4 * TURN_CHARACTERS  # bytes a turn, about: two records, each with its text twice
        rows = [await measure(lambda state, n=n: furnish(state, 1, n * 1_000_000 // each)) for n in megabytes]  # type: ignore[misc]
        tables.append(table("megabytes", megabytes, rows))
    return tables


def numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",") if part]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=numbers, default=[1, 100, 1_000, 10_000])
    parser.add_argument("--megabytes", type=numbers, default=[1, 10, 100])
    parser.add_argument("--plot", type=Path)
    given = parser.parse_args()
    found = asyncio.run(bench(given.sessions, given.megabytes))
    print(json.dumps(found, indent=2))
    if given.plot:
        plot(found, given.plot)
