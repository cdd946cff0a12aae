"""A bill of a long conversation showed less than half: the tokens read from the cache were priced at nothing."""

from __future__ import annotations

from pathlib import Path

from appliance.messages import Usage

from ..unit.spending.books import call, open_books


async def test_every_kind_of_token_is_in_the_charge(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        held = await books.budget.reserve(call(model="claude-sonnet-4-6", input_tokens=75_157, byte_bound=300_000))
        charged = await books.budget.settle(held, Usage(input=3, cache_read=73_030, cache_write_5m=2_124, output=1_059))
        assert charged == 45_768_000_000  # 0.045768 US dollars
        assert books.budget.status()[0]["spent"] == 0.045768
