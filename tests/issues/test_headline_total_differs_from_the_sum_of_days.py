"""The total on top and the sum of the days below it differed, because a record that was stored twice counted twice."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

from appliance.messages import Usage
from appliance.spending.report import Spending

from ..unit.spending.books import call, open_books


def exact(rows: list[dict[str, Any]]) -> Decimal:
    return sum((Decimal(repr(row["cost"])) for row in rows), Decimal(0))


async def test_sixteen_days_with_every_call_settled_twice_add_up_everywhere(tmp_path: Path) -> None:
    async with open_books(tmp_path) as books:
        spending = Spending(books.database, lambda: books.settings, lambda: books.zone, books.clock)
        provider = 0
        for number in range(16):
            for purpose in ("chat", "heartbeat"):
                held = await books.budget.reserve(call(purpose=purpose))
                usage = Usage(input=7 * number + 1, cache_read=13, output=number + 1)
                provider += await books.budget.settle(held, usage)
                await books.budget.settle(held, usage)
            await books.clock.advance(86_400)
        days = spending.spend(by="day")
        assert len(days["rows"]) == 16
        total = Decimal(provider).scaleb(-12)
        assert Decimal(repr(days["total"])) == exact(days["rows"]) == total
        by_group = {
            group: sum((exact(spending.spend(row["key"], by=group)["rows"]) for row in days["rows"]), Decimal(0))
            for group in ("model", "purpose", "session", "channel", "agent")
        }
        assert set(by_group.values()) == {total}
