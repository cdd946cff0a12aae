"""Resolver, books, SDK and API together: what the ledger says is what the provider billed, or more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from appliance.database import Database
from appliance.errors import BudgetExceededError
from appliance.models.base import Answer, ModelRequest, PromptPart, TextDelta, ToolSpec
from appliance.models.claude import Claude, ClaudeConnection
from appliance.models.resolver import Resolver
from appliance.settings.budget import BudgetSettings
from appliance.spending.budget import Budget
from appliance.spending.ledger import MIGRATIONS
from appliance.spending.prices import Prices
from appliance.testing.anthropic_replies import Fault, Reply, overloaded, rate_limited
from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.manual_clock import ManualClock

MODEL, CHEAP = "claude-sonnet-5-5", "claude-haiku-5-5"
RULES = "The rules of this house are many and firm. " * 100


@dataclass
class House:
    api: FakeAnthropic
    resolver: Resolver
    database: Database
    budget: Budget

    def rows(self) -> list[tuple[Any, ...]]:
        return self.database.read("SELECT cost, figure, outcome FROM ledger ORDER BY id")

    def spent(self) -> int:
        return sum(row[0] for row in self.rows())

    async def ask(self, text: str = "hello", *, chain: list[str] | None = None, system: str = RULES) -> Answer:
        message = {"role": "user", "content": [{"type": "text", "text": text}]}
        tool = ToolSpec("exec", "Run a command.", {"type": "object"})
        request = ModelRequest((PromptPart(system, mark=True),), (message,), (tool,), max_tokens=2_000)
        events = [event async for event in self.resolver.stream(request, chain=chain)]
        assert isinstance(events[-1], Answer)
        return events[-1]


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async for made in make(tmp_path, BudgetSettings(daily_usd=Decimal("5.00"))):
        yield made


async def make(folder: Path, settings: BudgetSettings) -> AsyncIterator[House]:
    database = Database(folder / "core.db", {"spending": MIGRATIONS}, synchronous="OFF")
    database.open()
    clock = ManualClock(auto=True)
    budget = Budget(database, Prices(), lambda: settings, lambda: ZoneInfo("UTC"), clock)
    async with FakeAnthropic() as api:
        connection = ClaudeConnection("sk-ant-test", api.url, timeout=20)
        models = {name: Claude(name, connection) for name in (MODEL, CHEAP)}
        resolver = Resolver(models.get, budget, clock, chain=lambda: [MODEL], at_limit=lambda: "local")
        yield House(api, resolver, database, budget)
        await resolver.close()
        await connection.close()
    database.close()


async def test_settled_rows_equal_the_provider_s_own_bill(house: House) -> None:
    for number in range(6):
        house.api.script(Reply(text="回答 " * (number + 1), thinking="hm " * number, pieces=3))
        await house.ask(f"question {number} 👍", chain=[CHEAP] if number % 3 == 2 else None)
    assert {row[1:] for row in house.rows()} == {("provider", "ok")}
    assert house.spent() == house.api.billed > 0


async def test_the_long_prompt_price_of_haiku_is_paid_as_the_provider_bills_it(house: House) -> None:
    await house.ask("x", chain=[CHEAP], system="many words here " * 30_000)
    assert house.api.calls[0].usage["cache_creation_input_tokens"] > 100_000
    assert house.spent() == house.api.billed


@pytest.mark.parametrize("fault", ["cut", "eof", "error_event", "no_usage"])
async def test_the_books_are_never_below_the_provider_s_when_a_stream_breaks(house: House, fault: Fault) -> None:
    house.api.script(Reply(text="some words that were shown " * 10, pieces=5, after=2, fault=fault))
    await house.ask()
    assert house.spent() >= house.api.billed > 0
    assert house.rows()[0][1] == "estimate"


async def test_refused_attempts_cost_nothing_and_the_answer_is_paid_once(house: House) -> None:
    house.api.script(rate_limited("1"), overloaded(), Reply(text="at last"))
    answer = await house.ask()
    assert answer.cost == house.api.billed == house.spent()
    assert [row[2] for row in house.rows()] == ["ok"]


async def test_a_cancelled_turn_costs_at_least_what_the_provider_bills(house: House) -> None:
    house.api.script(Reply(text="word " * 2_000, pieces=500, pace=0.005))
    message = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    shown = asyncio.Event()

    async def read() -> None:
        async for event in house.resolver.stream(ModelRequest((PromptPart(RULES, mark=True),), (message,))):
            if isinstance(event, TextDelta):
                shown.set()

    task = asyncio.create_task(read())
    await asyncio.wait_for(shown.wait(), 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    for _ in range(300):
        if house.api.calls:
            break
        await asyncio.sleep(0.01)
    assert house.spent() >= house.api.billed > 0
    assert house.rows()[0][1:] == ("estimate", "cancelled")


async def test_parallel_calls_stay_under_the_limit_as_the_provider_counts_it(tmp_path: Path) -> None:
    limit = BudgetSettings(daily_usd=Decimal("0.10"), wait_seconds=0)
    async for house in make(tmp_path, limit):
        house.api.default(lambda body: Reply(text="word " * 300, pieces=2))
        answers = await asyncio.gather(*(house.ask(f"q{n}") for n in range(24)), return_exceptions=True)
        refused = [answer for answer in answers if isinstance(answer, BudgetExceededError)]
        assert refused
        assert len(refused) < 24
        assert house.api.billed == house.spent() <= 10**11


async def test_a_tight_budget_asks_for_an_exact_count_first(tmp_path: Path) -> None:
    async for house in make(tmp_path, BudgetSettings(daily_usd=Decimal("0.03"), wait_seconds=0)):
        await house.ask()
        assert len(house.api.counted) == 1
        assert house.spent() == house.api.billed


async def test_a_reader_may_take_each_event_in_a_task_of_its_own_and_leave_from_another(house: House) -> None:
    house.api.script(Reply(text="word " * 400, pieces=100, pace=0.002), Reply(text="whole", pieces=3, pace=0.002))
    message = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    for leave in (True, False):
        stream = house.resolver.stream(ModelRequest((PromptPart(RULES, mark=True),), (message,)))
        seen = []
        while True:
            event = await asyncio.create_task(anext(stream, None))  # type: ignore[arg-type]
            seen.append(event)
            if event is None or (leave and isinstance(event, TextDelta)):
                break
        await stream.aclose()
        assert isinstance(seen[-2], Answer) is not leave
    for _ in range(300):
        if len(house.api.calls) == 2:
            break
        await asyncio.sleep(0.01)
    assert [row[1:] for row in house.rows()] == [("estimate", "cancelled"), ("provider", "ok")]
    assert house.spent() >= house.api.billed > 0


async def test_a_step_that_is_cancelled_in_its_own_task_is_charged(house: House) -> None:
    house.api.script(Reply(text="a b", pieces=2, fault="silent"))
    message = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    stream = house.resolver.stream(ModelRequest((PromptPart(RULES, mark=True),), (message,)))
    while not isinstance(await asyncio.create_task(anext(stream)), TextDelta):  # type: ignore[arg-type]
        pass
    step = asyncio.create_task(anext(stream))  # type: ignore[arg-type]
    await asyncio.sleep(0.05)
    step.cancel()
    await asyncio.gather(step, return_exceptions=True)
    await stream.aclose()
    assert [row[1:] for row in house.rows()] == [("estimate", "cancelled")]
    for _ in range(300):
        if house.api.calls:
            break
        await asyncio.sleep(0.01)
    assert house.spent() >= house.api.billed > 0
