"""How start, a turn, a search, a report and memory grow with what a house holds, and how many talk at once.

    python tests/benchmarks/load.py [--sessions 1,100,1000,10000] [--megabytes 1,10,100] [--rows 1000,30000,1000000]
                                    [--at-once 1,2,4,8,16,32,64]
                                    [--plot docs/images/growth.svg] [--write docs/operations.md]

A fresh STATE of each size (conversations, one long transcript, rows of the ledger) is written as the product writes it,
compacted every 200 turns; then the gateway is started on it as a user would, the fake provider answering at once. Times
are milliseconds, medians of five where one is not enough; memory is RSS in MiB; `growth` is the ratio of the largest
size to the smallest. With `--at-once`, so many conversations ask one after the other; the knee is the last number that
brought a tenth more turns a second. An empty list leaves a table out.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from appliance.agent.sessions import file_name, register
from appliance.database import open_connection
from appliance.messages import SessionKey
from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.process import GatewayProcess
from tests.benchmarks.growth_plot import draw
from tests.benchmarks.growth_table import markdown
from tests.benchmarks.ledger import fill
from tests.benchmarks.pages import written
from tests.benchmarks.turn import rss_mb

TURN_CHARACTERS = 1_000
TURNS = 10
TURNS_A_WINDOW = 200
REPEATS = 5
TURNS_EACH = 8  # of each conversation, when several talk at once
INDEX_SECONDS = 1_800
KNEE = 1.1  # fewer more turns a second than this for the next step: the machine is full
_THINGS = (
    "pump boiler ladder kettle piano parcel ticket lantern bicycle curtain printer blanket suitcase mirror clock vase "
    "drill sofa carpet radio heater basket freezer telescope"
).split()
_PLACES = "cellar attic garage kitchen hallway garden balcony office bathroom nursery shed library".split()


def records(turns: int, session: int) -> Iterator[dict[str, Any]]:
    """Turns as a transcript holds them."""
    for turn in range(turns):
        identity = f"{session:08x}{turn:08x}"
        number = session * TURNS + turn
        thing, place = _THINGS[number % len(_THINGS)], _PLACES[number // len(_THINGS) % len(_PLACES)]
        words = f"the {thing} in the {place} hums on Tuesdays and 過年時要訂蛋糕 before the neighbours wake up again "
        text = f"Turn {turn} of conversation {session}: " + words * (TURN_CHARACTERS // len(words))
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


@contextlib.asynccontextmanager
async def gateway(prepare: Callable[[Path], None] = lambda _: None) -> AsyncIterator[GatewayProcess]:
    """A gateway that has made its tables, then been stopped, furnished and started again."""
    with tempfile.TemporaryDirectory() as folder:
        async with FakeAnthropic() as provider:
            state = Path(folder) / "state"
            state.mkdir()
            house = GatewayProcess(
                state, ANTHROPIC_API_KEY="sk-ant-test", ANTHROPIC_BASE_URL=provider.url,
                APPLIANCE_BUDGET__DAILY_USD="1000", APPLIANCE_LOCAL__ENABLED="false",
            )  # fmt: skip
            try:
                await house.start()
                await house.stop()
                prepare(state)
                await house.start()
                yield house
            finally:
                await house.close()


async def measure(prepare: Callable[[Path], None]) -> dict[str, float]:
    """One size: fill STATE, start and ask."""
    async with gateway(prepare) as house:
        result = {"ready_s": round(house.ready_seconds, 2)}
        began = time.perf_counter()
        await _indexed(house)
        result["indexed_s"] = round(time.perf_counter() - began, 1)
        began = time.perf_counter()
        await house.post("hello", session="talk-0")
        result["first_turn_ms"] = round((time.perf_counter() - began) * 1000, 1)
        result["turn_ms"] = await timed(lambda: house.post("again", session="talk-0"))
        result["search_ms"] = await timed(lambda: house.get("/api/memory/search?q=pump%20cellar"))
        result["list_ms"] = await timed(lambda: house.get("/api/sessions"))
        result["spend_ms"] = await timed(lambda: house.get("/api/spend"))
        result["rss_mib"] = round(rss_mb(house.pid), 1)
    return result


async def at_once(counts: list[int]) -> dict[str, Any]:
    """Turns a second and how long one takes, by how many conversations talk at once, in one house."""
    rows: list[dict[str, float]] = []
    async with gateway() as house:
        await house.post("hello", session="warm")

        async def talk(name: str) -> list[float]:
            spent = []
            for turn in range(TURNS_EACH):
                began = time.perf_counter()
                await house.post(f"turn {turn}", session=name)
                spent.append((time.perf_counter() - began) * 1000)
            return spent

        for count in counts:
            began = time.perf_counter()
            times = await asyncio.gather(*(talk(f"n{count}-{number}") for number in range(count)))
            whole = time.perf_counter() - began
            ordered = sorted(spent for each in times for spent in each)
            rows.append(
                {
                    "turns_a_second": round(len(ordered) / whole, 1),
                    "p50_ms": round(ordered[len(ordered) // 2], 1),
                    "p95_ms": round(ordered[int(len(ordered) * 0.95)], 1),
                    "rss_mib": round(rss_mb(house.pid), 1),
                }
            )
    speeds = [row["turns_a_second"] for row in rows]
    full = next((n for n in range(1, len(counts)) if speeds[n] < KNEE * speeds[n - 1]), len(counts))
    return {**table("at once", counts, rows), "knee": counts[full - 1]}


async def _indexed(house: GatewayProcess) -> None:
    """Wait until the index has read every transcript to its end."""
    wanted = len(list((house.state / "agents" / "main" / "sessions").glob("*.jsonl")))
    done = -1
    async with asyncio.timeout(INDEX_SECONDS):
        while done < wanted:
            await asyncio.sleep(0.2)
            connection = open_connection(house.state / "index.db", readonly=True)
            sql = "SELECT count(*) FROM files WHERE name LIKE '%.jsonl' AND stamp != ''"
            [(done,)] = connection.execute(sql).fetchall()
            connection.close()


def table(name: str, sizes: list[int], rows: list[dict[str, float]]) -> dict[str, Any]:
    """Figures by size, and how many times the smallest the largest is."""
    figures = {key: [row[key] for row in rows] for key in rows[0]}
    growth = {key: round(values[-1] / values[0], 2) if values[0] else None for key, values in figures.items()}
    return {name: sizes, **figures, "growth": growth}


async def bench(given: argparse.Namespace) -> list[dict[str, Any]]:
    """A table for each kind of size; a list that is empty is left out."""
    each = 4 * TURN_CHARACTERS  # bytes a turn, about: two records, each with its text twice
    kinds: dict[str, Callable[[Path, int], None]] = {
        "sessions": lambda state, size: furnish(state, size, TURNS),
        "megabytes": lambda state, size: furnish(state, 1, size * 1_000_000 // each),
        "rows": lambda state, size: fill(state / "core.db", size),
    }
    tables = []
    for name, prepare in kinds.items():
        sizes: list[int] = getattr(given, name)
        if sizes:
            rows = [await measure(lambda state, p=prepare, n=size: p(state, n)) for size in sizes]  # type: ignore[misc]
            tables.append(table(name, sizes, rows))
    if given.at_once:
        tables.append(await at_once(given.at_once))
    return tables


def numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",") if part]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=numbers, default=[1, 100, 1_000, 10_000])
    parser.add_argument("--megabytes", type=numbers, default=[1, 10, 100])
    parser.add_argument("--rows", type=numbers, default=[1_000, 30_000, 1_000_000])
    parser.add_argument("--at-once", type=numbers, default=[1, 2, 4, 8, 16, 32, 64])
    parser.add_argument("--plot", type=Path, help="also draw how each figure grows, as an SVG")
    parser.add_argument("--write", type=Path, help="also put the tables into this page, between its marks")
    given = parser.parse_args()
    found = asyncio.run(bench(given))
    print(json.dumps(found, indent=2))
    if given.plot:
        draw(found, given.plot)
    if given.write:
        given.write.write_text(written(given.write.read_text(), "growth", markdown(found)))
