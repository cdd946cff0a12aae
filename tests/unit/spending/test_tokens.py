"""Bounds of a prompt, and what is learned about texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.messages import Usage
from appliance.spending.tokens import Size, likely

from .books import call, open_books


@pytest.mark.parametrize(
    ("text", "script"),
    [("plain words", "ascii"), ("Grüße, Größe, Café", "mixed"), ("今天天氣很好", "wide"), ("👩‍👩‍👧‍👦", "wide")],
)
def test_a_text_has_its_kind_of_script_and_a_bound_of_its_bytes(text: str, script: str) -> None:
    size = Size(len(text), len(text.encode()))
    assert size.script == script
    assert size.bound == len(text.encode()) + 1_024


def test_uncounted_bytes_are_four_a_character_and_an_exact_count_gets_a_little_more() -> None:
    assert Size(100, 0).bound == 1_424
    assert Size(100, 0).script == "mixed"
    assert Size(40_000, 40_000, exact=10_000).bound == 10_232
    assert Size(100, 100, exact=5_000).bound == 1_124  # never more than the bytes allow


async def test_the_likely_size_follows_what_was_billed_up_at_once_and_down_slowly(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        model, size = "claude-sonnet-4-6", Size(4_000, 4_000)
        assert likely(books.database.read, model, size) == 4_001

        async def bill(tokens: int) -> int:
            await books.budget.settle(await books.budget.reserve(call()), Usage(input=tokens))
            return likely(books.database.read, model, size)

        assert await bill(1_000) == 1_101
        assert await bill(2_000) == 2_201
        assert 2_100 < await bill(1_000) < 2_201
        assert likely(books.database.read, model, Size(4_000, 12_000)) == 4_001  # another script


async def test_an_estimate_without_a_prompt_is_charged_a_likely_one_and_teaches_nothing(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        await books.budget.settle(await books.budget.reserve(call()), Usage(input=1_000))
        held = await books.budget.reserve(call())
        charged = await books.budget.settle(held, Usage(output=10, estimated=True))
        assert charged == 1_101 * 3_750_000 + 10 * 15_000_000 <= held.amount
        assert books.database.read("SELECT samples FROM token_ratios") == [(1,)]
