"""Killed at named points and at random: the books are never below the provider's, and equal on settled rows."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path

import pytest

from appliance.messages import Usage
from appliance.spending import ledger
from appliance.spending.prices import Prices

from ...unit.spending.books import call, limit, open_books

BUYER = Path(__file__).with_name("buyer.py")
HAIKU = Prices().known("claude-haiku-5-5")
assert HAIKU is not None
NAMED = [
    "budget.before_reserve",
    "budget.reserved",
    "buyer.before_call",
    "buyer.accepted",
    "buyer.narrowed",
    "budget.before_settle",
    "budget.settled",
]


def buy(folder: Path, *, parallel: int, calls: int, crash_at: str = "", kill_after: float | None = None) -> int:
    """Run the buyer; return its exit code (-9 when it was killed)."""
    process = subprocess.Popen(
        [sys.executable, str(BUYER), str(folder), str(parallel), str(calls)],
        env={**os.environ, "APPLIANCE_CRASH_AT": crash_at},
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    with process:
        if kill_after is not None:
            process.stdout.read(1)  # it has bought something
            time.sleep(kill_after)
            process.send_signal(signal.SIGKILL)
        process.stdout.read()
        return process.wait(60)


def provider_book(folder: Path) -> dict[int, int]:
    """Picodollars by reservation, as the provider billed them."""
    billed: dict[int, int] = {}
    for line in (folder / "provider.jsonl").read_text().splitlines():
        row = json.loads(line)
        usage = Usage(input=row["input"], cache_read=row["cache_read"], output=row["output"])
        assert row["reservation"] not in billed
        billed[row["reservation"]] = HAIKU.cost(usage)
    return billed


async def check(folder: Path, usd: str) -> None:
    """Open the books as a start does, and compare."""
    async with open_books(folder, settings=limit(usd)) as books:
        from appliance.clock import SystemClock
        from appliance.spending.budget import Budget

        budget = Budget(books.database, books.prices, lambda: books.settings, lambda: books.zone, SystemClock())
        budget.recover()
        assert budget.damage == ""
        billed = provider_book(folder)
        rows = books.database.read("SELECT id, cost, figure FROM ledger")
        entered = {identity: cost for identity, cost, _ in rows}
        assert billed.keys() <= entered.keys()
        assert all(cost >= billed.get(identity, 0) for identity, cost in entered.items())
        assert {i: c for i, c, figure in rows if figure == "provider"} == {
            i: billed[i] for i, _, figure in rows if figure == "provider"
        }
        for day, spent, reserved in books.database.read(
            "SELECT day, cost, reserved FROM spending_totals WHERE scope = 'day'"
        ):
            assert spent + reserved <= Decimal(usd) * 10**12
            assert ledger.check(books.database.read, day) == []


@pytest.mark.parametrize("where", NAMED)
async def test_a_kill_at_each_narrow_place_loses_no_bill(tmp_path: Path, where: str) -> None:
    (tmp_path / "limit").write_text("2.00")
    assert buy(tmp_path, parallel=8, calls=64, crash_at=f"{where}:20") == -signal.SIGKILL
    await check(tmp_path, "2.00")


async def test_kills_at_random_moments_under_a_small_limit_neither_lose_a_bill_nor_pass_the_limit(
    tmp_path: Path,
) -> None:
    chance = random.Random(7)
    (tmp_path / "limit").write_text("0.02")
    for _ in range(6):
        assert buy(tmp_path, parallel=64, calls=100_000, kill_after=chance.random() * 0.1) == -signal.SIGKILL
        await check(tmp_path, "0.02")


async def test_ten_kills_in_a_row_do_not_block_the_day(tmp_path: Path) -> None:
    """A turn that is resumed after each kill and killed again, with the default limit and the default output."""
    held = 0
    for number in range(10):
        async with open_books(tmp_path) as books:
            assert books.budget.recover() == (1 if number else 0)
            held += (await books.budget.reserve(call(model="claude-sonnet-5-5", byte_bound=12_000))).amount
    async with open_books(tmp_path) as books:
        assert books.budget.recover() == 1
        assert books.database.read("SELECT cost, reserved FROM spending_totals WHERE scope = 'day'") == [(held, 0)]
        again = await books.budget.reserve(call(model="claude-sonnet-5-5", byte_bound=12_000))
        assert again.max_tokens == 8_192
