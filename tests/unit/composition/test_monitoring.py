"""The parts of monitoring, put together as the house does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from appliance.composition.monitoring import Monitoring
from appliance.database import Database
from appliance.errors import BudgetExceededError
from appliance.gateway.commands import with_commands
from appliance.messages import Event, SessionKey
from appliance.observability import notices
from appliance.observability.notices import Choices
from appliance.settings.load import load_settings
from appliance.spending import ledger
from appliance.spending.budget import Budget, BudgetEvent
from appliance.spending.prices import Prices
from appliance.testing.manual_clock import ManualClock
from tests.unit.spending.books import NOON, call


class House:
    def __init__(self, folder: Path) -> None:
        self.settings = load_settings(
            environ={"APPLIANCE_STATE_DIR": str(folder), "APPLIANCE_BUDGET__DAILY_USD": "0.01"}
        )
        self.core = Database(
            folder / "core.db", {"spending": ledger.MIGRATIONS, "notices": notices.MIGRATIONS}, synchronous="OFF"
        )
        self.core.open()
        self.clock = ManualClock(NOON)
        self.events: list[BudgetEvent] = []
        self.said: list[str] = []
        prices = Prices()
        self.budget = Budget(
            self.core,
            prices,
            lambda: self.settings.budget,
            lambda: self.settings.owner.zone,
            self.clock,
            on_event=self.events.append,
        )
        self.monitoring = Monitoring(
            settings=self.settings,
            core=self.core,
            budget=self.budget,
            prices=prices,
            clock=self.clock,
            version="9.9",
            tell=self.tell,
        )

    async def tell(self, text: str, choices: Choices) -> None:
        self.said.append(with_commands(text, choices))

    def scraped(self) -> str:
        return self.monitoring.metrics.render().decode()


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    house = House(tmp_path)
    yield house
    house.core.close()


async def test_a_refused_call_is_told_once_with_what_the_owner_can_do(house: House) -> None:
    for _ in range(2):
        with pytest.raises(BudgetExceededError):
            await house.budget.reserve(call())
    for event in house.events * 2:
        await house.monitoring.on_budget(event)
    assert house.said == [
        "Today's limit (day) is reached: $0.00 of $0.0100. It opens again at 2026-06-24 00:00 (UTC).\n"
        "+$1 today: /budget raise 1"
    ]
    assert 'appliance_budget_exhausted{period="day",scope="day"} 1.0' in house.scraped()


async def test_turns_are_measured_from_accepted_to_done_and_lost_ones_do_not_pile_up(house: House) -> None:
    listen = house.monitoring.on_event

    def event(kind: str, turn: str) -> Event:
        return Event(kind, SessionKey.main(), {"turn": turn})  # type: ignore[arg-type]

    listen(event("accepted", "t1"))
    await house.clock.advance(2.0)
    listen(event("done", "t1"))
    listen(event("done", "t1"))
    listen(event("done", "unknown"))
    for number in range(2_000):
        listen(event("accepted", f"lost{number}"))
    assert len(house.monitoring._began) == 1_000
    assert "appliance_turn_duration_seconds_count 1.0" in house.scraped()
    assert "appliance_turn_duration_seconds_sum 2.0" in house.scraped()


async def test_channels_and_free_space_are_scraped(house: House) -> None:
    house.monitoring.message("telegram", "in", "ok")
    house.monitoring.polled("telegram", 1_700_000_000.0)
    text = house.scraped()
    assert 'appliance_channel_messages_total{channel="telegram",direction="in",outcome="ok"} 1.0' in text
    assert 'appliance_channel_last_poll_timestamp_seconds{channel="telegram"} 1.7e+09' in text
    (free,) = [line for line in text.splitlines() if line.startswith("appliance_state_free_bytes")]
    assert float(free.split()[1]) > 1e6
