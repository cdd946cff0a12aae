"""What paying first costs: reserve plus settle, durable, over books of a million rows.

Run: .venv/bin/python tests/benchmarks/ledger.py [rows] [calls]. Prints one JSON line; exit 1 when the median is over
1.5 ms. Beside it stands one bare durable commit in the same file, so that a slow disk is seen as one.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from zoneinfo import ZoneInfo

import apsw

from appliance.clock import SystemClock
from appliance.database import Database, open_connection
from appliance.messages import Purpose, Usage
from appliance.settings.budget import BudgetSettings
from appliance.spending import ledger
from appliance.spending.budget import Budget, CallSpec
from appliance.spending.prices import Prices

AIM_MS = 1.5


def fill(path: Path, rows: int) -> None:
    """A few years of calls, written as the product writes them but in one transaction."""
    connection = open_connection(path, synchronous="OFF")
    usage = Usage(input=200, cache_read=9_000, cache_write_5m=300, output=250)
    with connection:
        for number in range(rows):
            day = f"{2024 + number * 3 // rows}-{1 + number % 12:02d}-{1 + number % 28:02d}"
            call = ledger.Call(
                day, 1.7e9 + number, "claude-sonnet-5-5", "anthropic", False, "chat",
                f"agent:main:web:s{number % 50}", "main", "web", f"t{number // 4}",
            )  # fmt: skip
            ledger.enter(
                connection, 10_000_000 + number, call, ledger.Charge(usage, 4_550_000_000, "provider", "ok"), 9
            )
    connection.close()


def spec(number: int) -> CallSpec:
    return CallSpec(
        model="claude-sonnet-5-5", provider="anthropic", local=False, purpose=Purpose.CHAT, session="agent:main:main",
        agent="main", channel="web", turn=f"now{number}", characters=12_000, input_tokens=None, max_tokens=1_024,
        byte_bound=12_500,
    )  # fmt: skip


async def measure(database: Database, calls: int) -> dict[str, float]:
    settings = BudgetSettings(daily_usd="100000")
    budget = Budget(database, Prices(), lambda: settings, lambda: ZoneInfo("Europe/Berlin"), SystemClock())
    started = time.perf_counter()
    budget.recover()
    recovered = time.perf_counter() - started
    whole, bare = [], []
    for number in range(calls):
        start = time.perf_counter()
        held = await budget.reserve(spec(number))
        await budget.settle(held, Usage(input=200, cache_read=9_000, output=250))
        whole.append((time.perf_counter() - start) * 1000)
        start = time.perf_counter()
        await database.write(_touch)
        bare.append((time.perf_counter() - start) * 1000)
    start = time.perf_counter()
    await asyncio.gather(*(_one(budget, number) for number in range(calls)))
    parallel = (time.perf_counter() - start) * 1000 / calls
    return {
        "median_ms": round(statistics.median(whole), 3),
        "p95_ms": round(sorted(whole)[int(len(whole) * 0.95)], 3),
        "bare_commit_median_ms": round(statistics.median(bare), 3),
        "parallel_ms_each": round(parallel, 3),
        "recover_ms": round(recovered * 1000, 3),
    }


async def _one(budget: Budget, number: int) -> None:
    await budget.settle(await budget.reserve(spec(number)), Usage(input=200, cache_read=9_000, output=250))


def _touch(connection: apsw.Connection) -> None:
    connection.execute("INSERT INTO spending_state VALUES ('bench', '1') ON CONFLICT DO UPDATE SET value = value + 1")


def main() -> int:
    given = [int(argument) for argument in sys.argv[1:3]]
    rows, calls = [*given, *(1_000_000, 1_000)[len(given) :]]
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        path = Path(folder) / "core.db"
        database = Database(path, {"spending": ledger.MIGRATIONS})
        database.open()
        database.close()
        fill(path, rows)
        database = Database(path, {"spending": ledger.MIGRATIONS})
        database.open()
        figures = asyncio.run(measure(database, calls))
        database.close()
    print(json.dumps({"rows": rows, "calls": calls, **figures, "aim_ms": AIM_MS}))
    return 0 if figures["median_ms"] <= AIM_MS else 1


if __name__ == "__main__":
    sys.exit(main())
