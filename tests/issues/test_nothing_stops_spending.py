"""Parallel turns each saw money left and went on together past the limit."""

from __future__ import annotations

import asyncio
from datetime import datetime
from pathlib import Path

import pytest

from appliance.errors import BudgetExceededError
from appliance.messages import Usage
from appliance.testing.manual_clock import ManualClock

from ..unit.spending.books import Books, call, limit, open_books

# 26,666 tokens of output at 15 US dollars a million: 0.40 a turn
TURN = {"max_tokens": 26_666, "input_tokens": 0, "byte_bound": 1, "characters": 1}


async def turn(books: Books) -> int:
    held = await books.budget.reserve(call(**TURN))
    await asyncio.sleep(0)
    return await books.budget.settle(held, Usage(output=held.max_tokens))


async def test_of_three_parallel_turns_of_forty_cents_under_one_dollar_the_third_is_made_smaller(
    tmp_path: Path,
) -> None:
    async with open_books(tmp_path, settings=limit("1.00")) as books:
        charges = await asyncio.gather(*(turn(books) for _ in range(3)))
        assert sorted(charges)[1:] == [26_666 * 15_000_000] * 2
        assert 512 * 15_000_000 <= min(charges) < 26_666 * 15_000_000
        assert sum(charges) <= 10**12


async def test_a_third_turn_that_cannot_be_made_smaller_is_refused_and_two_are_charged(tmp_path: Path) -> None:
    async with open_books(tmp_path, settings=limit("0.805")) as books:
        outcomes = await asyncio.gather(*(turn(books) for _ in range(3)), return_exceptions=True)
        assert [isinstance(outcome, BudgetExceededError) for outcome in outcomes].count(True) == 1
        assert books.budget.status()[0]["spent"] == 0.79998


@pytest.mark.parametrize(
    ("first_minute", "last_minute"),
    [
        ("2026-03-29T00:00+01:00", "2026-03-29T23:59+02:00"),  # 23 hours
        ("2026-10-25T00:00+02:00", "2026-10-25T23:59+01:00"),  # 25 hours
    ],
)
async def test_the_limit_opens_again_at_midnight_on_the_days_the_clocks_change(
    tmp_path: Path, first_minute: str, last_minute: str
) -> None:
    clock = ManualClock(datetime.fromisoformat(first_minute).timestamp())
    settings = limit("0.41", wait_seconds=0)
    async with open_books(tmp_path, settings=settings, clock=clock, zone="Europe/Berlin") as books:
        await turn(books)
        clock.set(datetime.fromisoformat(last_minute).timestamp())
        smaller = await books.budget.reserve(call(**TURN))
        assert smaller.max_tokens < 1_000
        await books.budget.release(smaller)
        clock.set(clock.now() + 60)
        assert await turn(books) == 26_666 * 15_000_000
