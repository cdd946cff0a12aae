from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.channel_driver import Driver
from tests.channel_drivers import DRIVERS


@pytest.fixture(params=sorted(DRIVERS))
async def chat(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Driver]:
    driver = DRIVERS[request.param]()
    await driver.open(tmp_path)
    await driver.pair()
    yield driver
    await driver.close()
