"""A resolver over real books, with scripted models and a clock that waits for nobody."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from appliance.database import Database
from appliance.errors import ModelError, ModelFault
from appliance.models.base import (
    Answer,
    Finished,
    Model,
    ModelRequest,
    Notice,
    PromptPart,
    ResolvedEvent,
    Restarted,
    TextDelta,
)
from appliance.models.resolver import AtLimit, CallRecord, Resolver
from appliance.settings.budget import BudgetSettings
from appliance.spending.budget import Budget
from appliance.spending.ledger import MIGRATIONS
from appliance.spending.prices import Prices
from appliance.testing.manual_clock import ManualClock
from appliance.testing.scripted_model import ScriptedModel, Step

SONNET = "claude-sonnet-5-5"
HAIKU = "claude-haiku-5-5"


@dataclass
class Desk:
    """What a test of the resolver holds. `records` and `fallbacks` are what a watcher was told."""

    resolver: Resolver
    budget: Budget
    database: Database
    clock: ManualClock
    models: dict[str, Model]
    chain: list[str]
    at_limit: AtLimit = "local"
    records: list[CallRecord] = field(default_factory=list)
    fallbacks: list[tuple[str, str, str]] = field(default_factory=list)

    def model_called(self, record: CallRecord) -> None:
        self.records.append(record)

    def model_fell_back(self, from_model: str, to_model: str, reason: str) -> None:
        self.fallbacks.append((from_model, to_model, reason))

    async def ask(self, request: ModelRequest, chain: Sequence[str] | None = None) -> Heard:
        """Read one call to its end."""
        return Heard([event async for event in self.resolver.stream(request, chain=chain)])

    def rows(self) -> list[dict[str, Any]]:
        """The ledger, oldest first."""
        names = [row[1] for row in self.database.read("PRAGMA table_info(ledger)")]
        return [dict(zip(names, row, strict=True)) for row in self.database.read("SELECT * FROM ledger ORDER BY id")]

    def reserved(self) -> int:
        """Reservations that are still open."""
        return int(self.database.read("SELECT count(*) FROM reservations")[0][0])


@dataclass
class Heard:
    """The events of one call."""

    events: list[ResolvedEvent]

    @property
    def answer(self) -> Answer:
        last = self.events[-1]
        assert isinstance(last, Answer)
        return last

    @property
    def notices(self) -> list[Notice]:
        return [event for event in self.events if isinstance(event, Notice)]

    @property
    def shown(self) -> str:
        """What a user sees at the end, restarts obeyed."""
        text = ""
        for event in self.events:
            if isinstance(event, TextDelta):
                text += event.text
            elif isinstance(event, Restarted):
                text = ""
        return text

    @property
    def restarts(self) -> int:
        return sum(isinstance(event, Restarted) for event in self.events)


@asynccontextmanager
async def open_desk(
    folder: Path,
    *models: Model,
    clock: ManualClock | None = None,
    budget: BudgetSettings | None = None,
    at_limit: AtLimit = "local",
    prices: Prices | None = None,
) -> AsyncIterator[Desk]:
    """The chain is the models in their order."""
    database = Database(folder / "core.db", {"spending": MIGRATIONS}, synchronous="OFF")
    database.open()
    clock = clock or ManualClock(auto=True)
    settings = budget or BudgetSettings(daily_usd=Decimal("2.00"))
    books = Budget(database, prices or Prices(), lambda: settings, lambda: ZoneInfo("UTC"), clock)
    desk = Desk(
        resolver=None,  # type: ignore[arg-type]  # set below, it needs the desk itself
        budget=books,
        database=database,
        clock=clock,
        models={model.name: model for model in models},
        chain=[model.name for model in models],
        at_limit=at_limit,
    )
    desk.resolver = Resolver(
        lambda name: desk.models.get(name),
        books,
        clock,
        chain=lambda: desk.chain,
        at_limit=lambda: desk.at_limit,
        watcher=desk,
    )
    try:
        yield desk
        await desk.resolver.close()
    finally:
        database.close()


def claude(*steps: Step, name: str = SONNET, **more: Any) -> ScriptedModel:
    """A paid model with a script."""
    return ScriptedModel(list(steps), name=name, provider="anthropic", **more)


def local(*steps: Step, name: str = "local", **more: Any) -> ScriptedModel:
    """A free model with a script."""
    return ScriptedModel(list(steps), name=name, provider="local", local=True, **more)


def ask(text: str = "hello", *, turn: str = "", max_tokens: int = 1_000, system: str = "Be kind.") -> ModelRequest:
    message = {"role": "user", "content": [{"type": "text", "text": text}]}
    return ModelRequest((PromptPart(system),), (message,), max_tokens=max_tokens, turn=turn)


def fault(kind: ModelFault, *, retry_after: float | None = None, partial: Finished | None = None) -> ModelError:
    return ModelError(f"trouble: {kind.value}", kind=kind, retry_after=retry_after, partial=partial)
