"""The owner's day, through summer time and clocks that lie."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from appliance.errors import BudgetExceededError
from appliance.messages import Usage
from appliance.testing.manual_clock import ManualClock

from .books import Books, call, limit, open_books

LITTLE = {"byte_bound": 1, "characters": 1, "input_tokens": 0}


def at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


async def use_up(books: Books) -> None:
    """Spend 0.075 of a limit of 0.08, so that no call of the same kind fits any more."""
    held = await books.budget.reserve(call(max_tokens=5_000, **LITTLE))
    await books.budget.settle(held, Usage(output=5_000))
    with pytest.raises(BudgetExceededError):
        await books.budget.reserve(call(max_tokens=5_000, **LITTLE))


@pytest.mark.parametrize(
    ("zone", "noon", "opens"),
    [
        ("Europe/Berlin", "2026-03-29T12:00+02:00", "2026-03-29T22:00:00+00:00"),  # 23 hours
        ("Europe/Berlin", "2026-10-25T12:00+01:00", "2026-10-25T23:00:00+00:00"),  # 25 hours
        ("America/New_York", "2026-11-01T12:00-05:00", "2026-11-02T05:00:00+00:00"),
        ("Australia/Lord_Howe", "2019-10-06T12:00+11:00", "2019-10-06T13:00:00+00:00"),  # 23.5 hours
        ("Asia/Tokyo", "2026-07-31T12:00+09:00", "2026-07-31T15:00:00+00:00"),
    ],
)
async def test_a_used_up_day_opens_again_at_the_owners_midnight(
    tmp_path: Path, zone: str, noon: str, opens: str
) -> None:
    clock = ManualClock(at(noon))
    async with open_books(tmp_path, settings=limit("0.08"), clock=clock, zone=zone) as books:
        await use_up(books)
        assert datetime.fromtimestamp(books.budget.day.resets_at, UTC).isoformat() == opens
        clock.set(at(opens) - 1)
        with pytest.raises(BudgetExceededError):
            await books.budget.reserve(call(max_tokens=5_000, **LITTLE))
        clock.set(at(opens))
        await books.budget.reserve(call(max_tokens=5_000, **LITTLE))


@pytest.mark.parametrize("back_to", ["2026-06-22T12:00+00:00", "1970-01-01T00:00+00:00"])
async def test_a_clock_that_jumps_back_does_not_open_an_older_empty_day(tmp_path: Path, back_to: str) -> None:
    clock = ManualClock(at("2026-06-23T12:00+00:00"))
    async with open_books(tmp_path, settings=limit("0.08"), clock=clock) as books:
        await use_up(books)
        clock.set(at(back_to))
        with pytest.raises(BudgetExceededError) as refused:
            await books.budget.reserve(call(max_tokens=5_000, **LITTLE))
        assert books.budget.day.name == "2026-06-23"
        assert refused.value.resets_at == at(back_to) + 86_400 or back_to.startswith("2026")


async def test_the_held_day_survives_a_restart_and_ends_when_the_clock_comes_right(tmp_path: Path) -> None:
    clock = ManualClock(at("2026-06-23T12:00+00:00"))
    async with open_books(tmp_path, settings=limit("0.08"), clock=clock) as books:
        await use_up(books)
    clock.set(at("1970-01-01T00:00+00:00"))
    async with open_books(tmp_path, settings=limit("0.08"), clock=clock) as books:
        books.budget.recover()
        with pytest.raises(BudgetExceededError):
            await books.budget.reserve(call(max_tokens=5_000, **LITTLE))
        clock.set(at("2026-06-24T00:00+00:00"))
        await books.budget.reserve(call(max_tokens=5_000, **LITTLE))
        assert books.budget.day.name == "2026-06-24"


async def test_a_jump_far_forward_and_back_costs_one_day_not_a_year(tmp_path: Path) -> None:
    clock = ManualClock(at("2027-06-23T12:00+00:00"))
    async with open_books(tmp_path, settings=limit("0.08"), clock=clock) as books:
        await use_up(books)
        clock.set(at("2026-06-23T12:00+00:00"))
        for _ in range(2):
            with pytest.raises(BudgetExceededError):
                await books.budget.reserve(call(max_tokens=5_000, **LITTLE))
            await clock.advance(12 * 3600)
        await books.budget.reserve(call(max_tokens=5_000, **LITTLE))
        assert books.budget.day.name == "2026-06-24"


async def test_moving_to_a_zone_where_it_is_still_yesterday_does_not_open_yesterday(tmp_path: Path) -> None:
    from zoneinfo import ZoneInfo

    clock = ManualClock(at("2026-06-23T01:00+09:00"))
    async with open_books(tmp_path, settings=limit("0.08"), clock=clock, zone="Asia/Tokyo") as books:
        await use_up(books)
        books.zone = ZoneInfo("America/New_York")
        with pytest.raises(BudgetExceededError):
            await books.budget.reserve(call(max_tokens=5_000, **LITTLE))
