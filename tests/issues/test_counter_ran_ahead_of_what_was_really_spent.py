"""Under load a counter in memory kept the money of calls that had failed, and refused calls for minutes."""

from __future__ import annotations

import asyncio
from pathlib import Path

from appliance.messages import Usage

from ..unit.spending.books import Books, call, limit, open_books


async def one(books: Books, number: int) -> int:
    held = await books.budget.reserve(call(turn=str(number)))
    await asyncio.sleep(0)
    if number % 2:
        await books.budget.release(held)  # failed before it reached the provider
        return 0
    return await books.budget.settle(held, Usage(input=number, output=1))


async def test_after_200_calls_of_which_half_fail_spent_is_what_was_settled_to_the_last_digit(tmp_path: Path) -> None:
    async with open_books(tmp_path, settings=limit("1.00")) as books:
        charged = await asyncio.gather(*(one(books, number) for number in range(200)))
        rows = books.database.read("SELECT cost, reserved FROM spending_totals WHERE scope = 'day'")
        assert rows == [(sum(charged), 0)]
        assert sum(charged) == sum(number * 3_000_000 + 15_000_000 for number in range(0, 200, 2))


async def test_no_call_is_refused_while_what_remains_covers_it(tmp_path: Path) -> None:
    async with open_books(tmp_path, settings=limit("1.00")) as books:
        failed = [await books.budget.reserve(call()) for _ in range(7)]
        await asyncio.gather(*(books.budget.release(held) for held in failed))
        held = await books.budget.reserve(call(max_tokens=65_000))  # 0.99384 US dollars
        assert held.max_tokens == 65_000
