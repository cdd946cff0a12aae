"""Houses of memory: with an embedder, and with words alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from appliance.testing.fake_embedder import FakeEmbedder
from appliance.testing.memory_house import House


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """With an embedder."""
    made = House(tmp_path, FakeEmbedder())
    made.index.open()
    yield made
    made.index.close()


@pytest.fixture
async def wordy(tmp_path: Path) -> AsyncIterator[House]:
    """Without an embedder."""
    made = House(tmp_path, None)
    made.index.open()
    yield made
    made.index.close()
