"""Real books in a temporary folder, with a clock that tests move."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from appliance.database import Database
from appliance.messages import Purpose
from appliance.settings.budget import BudgetSettings
from appliance.spending.budget import Budget, BudgetEvent, CallSpec
from appliance.spending.ledger import MIGRATIONS
from appliance.spending.prices import Prices
from appliance.testing.manual_clock import ManualClock

NOON = 1_782_216_000.0  # 2026-06-23T12:00:00Z
# Rates of the reference bills: 3 / 0.30 / 3.75 / 6 / 15 US dollars a million tokens.
REFERENCE = "claude-sonnet-4-6"


@dataclass
class Books:
    """A budget with everything under it, open."""

    path: Path
    settings: BudgetSettings
    clock: ManualClock
    prices: Prices
    zone: ZoneInfo
    database: Database
    budget: Budget
    events: list[BudgetEvent] = field(default_factory=list)

    def row(self) -> dict[str, Any]:
        """The newest row of the ledger."""
        names = [row[1] for row in self.database.read("PRAGMA table_info(ledger)")]
        return dict(zip(names, self.database.read("SELECT * FROM ledger ORDER BY id DESC LIMIT 1")[0], strict=True))


@asynccontextmanager
async def open_books(
    folder: Path,
    *,
    settings: BudgetSettings | None = None,
    clock: ManualClock | None = None,
    zone: str = "UTC",
    prices: Prices | None = None,
    synchronous: str = "OFF",
) -> AsyncIterator[Books]:
    database = Database(folder / "core.db", {"spending": MIGRATIONS}, synchronous=synchronous)
    database.open()
    clock = clock or ManualClock(NOON)
    events: list[BudgetEvent] = []
    books = Books(
        path=folder / "core.db",
        settings=settings or BudgetSettings(),
        clock=clock,
        prices=prices or Prices(),
        zone=ZoneInfo(zone),
        database=database,
        budget=None,  # type: ignore[arg-type]  # set on the next line, it needs the books' own fields
        events=events,
    )
    books.budget = Budget(
        database, books.prices, lambda: books.settings, lambda: books.zone, clock, on_event=events.append
    )
    try:
        yield books
    finally:
        database.close()


def limit(usd: str | None, **more: Any) -> BudgetSettings:
    """Settings with one daily limit and no sub-budgets."""
    return BudgetSettings(daily_usd=None if usd is None else Decimal(usd), **{"purpose_usd": {}, **more})


def call(**changes: Any) -> CallSpec:
    """A call of a thousand tokens, counted exactly, on the reference model."""
    values: dict[str, Any] = {
        "model": REFERENCE,
        "provider": "anthropic",
        "local": False,
        "purpose": Purpose.CHAT,
        "session": "agent:main:main",
        "agent": "main",
        "channel": "web",
        "turn": "t1",
        "characters": 4_000,
        "input_tokens": None,
        "max_tokens": 8_192,
        "byte_bound": 4_000,
    }
    return CallSpec(**(values | changes))
