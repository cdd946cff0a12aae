"""The books against the provider's own report."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from appliance.errors import InputError
from appliance.messages import Usage
from appliance.spending.reconcile import reconcile
from appliance.testing.manual_clock import ManualClock

from .books import Books, call, open_books

HEAD = (
    "usage_date_utc,model_version,api_key,usage_input_tokens_no_cache,usage_input_tokens_cache_write_5m,"
    "usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens\n"
)


async def spend(books: Books, usage: Usage) -> None:
    held = await books.budget.reserve(call(input_tokens=100_000, byte_bound=400_000))
    await books.budget.settle(held, usage, model="claude-sonnet-4-6-20260217")


async def test_equal_figures_are_equal_and_a_row_that_is_there_twice_counts_once(tmp_path: Path) -> None:
    # 01:00 in Tokyo is still the day before for the provider
    clock = ManualClock(datetime.fromisoformat("2026-06-24T01:00:00+09:00").timestamp())
    async with open_books(tmp_path, clock=clock, zone="Asia/Tokyo") as books:
        await spend(books, Usage(input=10, cache_read=20, cache_write_5m=30, output=40))
        await spend(books, Usage(input=1, cache_read=2, cache_write_1h=3, output=4))
        file = tmp_path / "usage.csv"
        row = "2026-06-23,claude-sonnet-4-6,key,11,30,3,22,44\n"
        file.write_text("\ufeff" + HEAD + row + row, encoding="utf-8")
        found = reconcile(file, books.database.read, books.prices)
        assert (found.duplicates, found.below, found.unequal) == (1, [], [])
        assert found.lines[0].our_cost == found.lines[0].their_cost > 0
        assert found.as_json()["provider_total"] == found.as_json()["books_total"]


async def test_the_usage_apis_json_is_read_and_a_bill_that_is_missing_here_is_found(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        await spend(books, Usage(input=10, output=40))
        result = {
            "model": "claude-sonnet-4-6",
            "uncached_input_tokens": 10,
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
            "cache_read_input_tokens": 0,
            "output_tokens": 90,
        }
        other = {**result, "model": "claude-opus-5-5", "cache_creation": None}
        file = tmp_path / "usage.json"
        bucket = {"starting_at": "2026-06-23T00:00:00Z", "ending_at": "2026-06-24T00:00:00Z"}
        file.write_text(json.dumps({"data": [{**bucket, "results": [result, other]}], "has_more": False}))
        found = reconcile(file, books.database.read, books.prices)
        assert [(line.model, line.our_cost) for line in found.below] == [
            ("claude-opus-5-5", 0),
            ("claude-sonnet-4-6", 630_000_000),
        ]
        assert len(found.unequal) == 2


async def test_orphans_are_over_the_bill_and_that_is_not_called_unequal(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        await books.budget.reserve(call())
        books.budget.recover()
        file = tmp_path / "usage.csv"
        file.write_text(HEAD + "2026-06-23,claude-sonnet-4-6,key,11,0,0,0,4\n")
        found = reconcile(file, books.database.read, books.prices)
        assert (found.below, found.unequal, found.lines[0].bounds) == ([], [], 1)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", "{"),
        ("a.json", "[]"),
        ("a.json", "3"),
        ("a.csv", ""),
        ("a.csv", "model,input\nclaude-opus-5-5,3\n"),
        ("a.csv", "date,model,input\n2026-06-23,claude-opus-5-5,many\n"),
        ("a.csv", "date,model,input\nyesterday,claude-opus-5-5,3\n"),
    ],
)
async def test_a_file_that_is_no_usage_report_is_refused(tmp_path: Path, name: str, text: str) -> None:
    async with open_books(tmp_path) as books:
        (tmp_path / name).write_text(text)
        with pytest.raises(InputError):
            reconcile(tmp_path / name, books.database.read, books.prices)
        with pytest.raises(InputError, match="cannot be read"):
            reconcile(tmp_path / "none.csv", books.database.read, books.prices)


async def test_a_model_without_a_price_is_named(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        file = tmp_path / "usage.csv"
        file.write_text("date,model,input\n2026-06-23,house-brand,3\n")
        assert reconcile(file, books.database.read, books.prices).unpriced == ("house-brand",)
