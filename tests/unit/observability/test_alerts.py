"""Alerts reach the owner once, with buttons, and money's own marks are not said twice."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from appliance.database import Database
from appliance.errors import BudgetExceededError, InputError
from appliance.messages import Usage
from appliance.observability import notices
from appliance.observability.alerts import Alerts
from appliance.observability.notices import Choices, Notices
from appliance.spending import ledger
from appliance.spending.budget import Budget, BudgetEvent
from appliance.spending.prices import Prices
from appliance.spending.show import event_text
from appliance.testing.manual_clock import ManualClock

from ..spending.books import NOON, call, limit


@dataclass
class House:
    """Core.db with books and notices, an owner who listens, and the receiver."""

    database: Database
    clock: ManualClock
    settings: Any
    said: list[tuple[str, list[tuple[str, str]]]] = field(default_factory=list)
    events: list[BudgetEvent] = field(default_factory=list)
    pause_on: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        from zoneinfo import ZoneInfo

        zone = ZoneInfo("UTC")
        self.budget = Budget(
            self.database, Prices(), lambda: self.settings, lambda: zone, self.clock, on_event=self.events.append
        )
        self.notices = Notices(self.database, self.clock, self.tell)
        self.alerts = Alerts(self.notices, self.budget, lambda: self.pause_on)

    async def tell(self, text: str, choices: Choices) -> None:
        self.said.append((text, list(choices)))

    async def tell_events(self) -> None:
        """What the composition does with budget events."""
        for event in self.events:
            from zoneinfo import ZoneInfo

            await self.notices.once(event.notice, event_text(event, ZoneInfo("UTC")))
        self.events.clear()


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    rooms = {"spending": ledger.MIGRATIONS, "notices": notices.MIGRATIONS}
    database = Database(tmp_path / "core.db", rooms, synchronous="OFF")
    database.open()
    yield House(database, ManualClock(NOON), limit("0.01"))
    database.close()


def firing(name: str, starts: str = "2026-06-23T12:00:00Z", **labels: str) -> dict[str, Any]:
    alert = {
        "status": "firing",
        "labels": {"alertname": name, **labels},
        "annotations": {"summary": "Something is wrong.", "description": "Very\x00 wrong."},
        "startsAt": starts,
        "fingerprint": "abc",
    }
    return {"version": "4", "status": "firing", "alerts": [alert]}


async def test_an_alert_is_told_once_however_often_it_is_sent_and_again_when_it_starts_again(house: House) -> None:
    for _ in range(3):
        await house.alerts.receive(firing("ApplianceBackupStale"))
    assert house.said == [("⚠ Something is wrong. Very wrong.", [])]
    await house.alerts.receive(firing("ApplianceBackupStale", starts="2026-06-25T12:00:00Z"))
    assert len(house.said) == 2


async def test_a_resolved_alert_is_not_news(house: House) -> None:
    payload = firing("ApplianceBackupStale")
    payload["alerts"][0]["status"] = "resolved"
    await house.alerts.receive(payload)
    assert house.said == []


async def test_an_exhausted_budget_is_told_once_by_whoever_is_first(house: House) -> None:
    with pytest.raises(BudgetExceededError):
        await house.budget.reserve(call())
    await house.alerts.receive(firing("ApplianceBudgetExhausted", scope="day"))
    await house.tell_events()
    assert [choices for _, choices in house.said] == [[("+$1 today", "/budget raise 1")]]


async def test_the_gateways_own_mark_is_not_repeated_by_an_alert(house: House) -> None:
    with pytest.raises(BudgetExceededError):
        await house.budget.reserve(call())
    await house.tell_events()
    await house.alerts.receive(firing("ApplianceBudgetExhausted", scope="day"))
    assert len(house.said) == 1
    await house.budget.raise_today(Decimal("0.005"))
    with pytest.raises(BudgetExceededError):
        await house.budget.reserve(call())
    await house.alerts.receive(firing("ApplianceBudgetExhausted", starts="2026-06-23T13:00:00Z", scope="day"))
    assert len(house.said) == 2


async def test_an_alert_that_the_owner_has_already_answered_is_not_news(house: House) -> None:
    with pytest.raises(BudgetExceededError):
        await house.budget.reserve(call())
    await house.budget.raise_today(Decimal(1))
    await house.alerts.receive(firing("ApplianceBudgetExhausted", scope="day"))
    assert house.said == []


async def test_a_chosen_alert_pauses_paid_models_until_the_owner_says_so(house: House) -> None:
    house.settings = limit("2.00")
    house.pause_on = {"ApplianceBudgetBurningFast"}
    await house.alerts.receive(firing("ApplianceBudgetBurningFast", scope="day"))
    assert "/budget resume" in house.said[0][0]
    assert ("Go on", "/budget resume") in house.said[0][1]
    with pytest.raises(BudgetExceededError, match="paused: Something is wrong"):
        await house.budget.reserve(call())
    await house.budget.settle(await house.budget.reserve(call(local=True)), Usage(input=1, output=1))
    await house.budget.resume()
    await house.budget.release(await house.budget.reserve(call()))
    await house.alerts.receive(firing("ApplianceBudgetBurningFast", scope="day"))  # the same one, sent again
    assert house.budget.paused == ""


async def test_a_notice_that_a_kill_kept_from_being_told_is_told_at_the_next_start(house: House) -> None:
    async def killed(text: str, choices: Choices) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await Notices(house.database, house.clock, killed).once("k", "hello", [("Yes", "/yes")])
    assert await house.notices.resume() == 1
    assert await house.notices.resume() == 0
    assert not await house.notices.once("k", "hello")
    assert house.said == [("hello", [("Yes", "/yes")])]


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"alerts": "many"},
        {"alerts": ["x"]},
        {"alerts": [{"status": "firing"}]},
        {"alerts": [{"status": "firing", "labels": {}, "annotations": {}}]},
        {"alerts": [{"status": "firing", "labels": {"alertname": 3}, "annotations": {}}]},
        {"alerts": [{}] * 101},
    ],
)
async def test_what_alertmanager_would_not_send_is_refused(house: House, payload: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        await house.alerts.receive(payload)
    assert house.said == []
