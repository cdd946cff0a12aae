from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.composition.rooms import core_rooms
from appliance.database import Database
from appliance.testing.manual_clock import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(auto=True)


@pytest.fixture
def core(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "core.db", core_rooms())
    database.open()
    yield database
    database.close()
