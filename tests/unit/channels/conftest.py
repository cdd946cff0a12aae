from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.channels import access
from appliance.database import Database
from appliance.gateway import buttons


class ManualClock:
    """Time that moves when a test says so, or when somebody sleeps."""

    def __init__(self, at: float = 1_800_000_000.0) -> None:
        self.at = at
        self.slept: list[float] = []

    def now(self) -> float:
        return self.at

    def monotonic(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += max(0.0, seconds)
        await asyncio.sleep(0)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def core(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "core.db", {"access": access.MIGRATIONS, "buttons": buttons.MIGRATIONS})
    database.open()
    yield database
    database.close()
