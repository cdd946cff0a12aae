"""Buttons: bound to a person, used once, gone in time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.database import Database
from appliance.gateway.buttons import MIGRATIONS, Buttons, Press, Refusal
from appliance.messages import Person
from appliance.testing.manual_clock import ManualClock

OWNER, OTHER = Person("11"), Person("12")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def core(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "core.db", {"buttons": MIGRATIONS})
    database.open()
    yield database
    database.close()


async def test_a_press_counts_once(core: Database, clock: ManualClock) -> None:
    buttons = Buttons(core, clock)
    identity = await buttons.create("raise", {"usd": "1.00"}, OWNER)
    assert len(identity.encode()) <= 64
    assert await buttons.take(identity, OWNER) == Press("raise", {"usd": "1.00"})
    assert await buttons.take(identity, OWNER) == Refusal("used")


async def test_someone_else_is_refused_and_uses_nothing_up(core: Database, clock: ManualClock) -> None:
    buttons = Buttons(core, clock)
    identity = await buttons.create("raise", {}, OWNER)
    assert await buttons.take(identity, OTHER) == Refusal("other")
    assert await buttons.take(identity, OWNER, channel="discord") == Refusal("other")
    assert isinstance(await buttons.take(identity, OWNER), Press)


async def test_time_runs_out(core: Database, clock: ManualClock) -> None:
    buttons = Buttons(core, clock)
    identity = await buttons.create("raise", {}, OWNER, ttl=60)
    clock.move(60)
    assert await buttons.take(identity, OWNER) == Refusal("expired")


async def test_the_first_of_several_choices_uses_up_the_others(core: Database, clock: ManualClock) -> None:
    buttons = Buttons(core, clock)
    first = await buttons.create("model", {"name": "a"}, OWNER, row="m1")
    second = await buttons.create("model", {"name": "b"}, OWNER, row="m1")
    assert isinstance(await buttons.take(second, OWNER), Press)
    assert await buttons.take(first, OWNER) == Refusal("used")


async def test_a_forged_id_is_unknown_and_a_restart_forgets_nothing(core: Database, clock: ManualClock) -> None:
    identity = await Buttons(core, clock).create("raise", {}, OWNER)
    again = Buttons(core, clock)
    assert await again.take("raise:100", OWNER) == Refusal("unknown")
    assert isinstance(await again.take(identity, OWNER), Press)
