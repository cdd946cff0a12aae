from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from .house import House, Running


@pytest.fixture
async def house() -> House:
    return House()


@pytest.fixture
async def running(tmp_path: Path, house: House) -> AsyncIterator[Running]:
    async with Running(tmp_path, house) as started:
        yield started


@pytest.fixture
async def owner(running: Running) -> AsyncIterator[httpx2.AsyncClient]:
    """A client with the token."""
    headers = {"authorization": f"Bearer {running.token}"}
    async with httpx2.AsyncClient(base_url=running.url, headers=headers, timeout=20) as client:
        yield client


@pytest.fixture
async def stranger(running: Running) -> AsyncIterator[httpx2.AsyncClient]:
    """A client with nothing."""
    async with httpx2.AsyncClient(base_url=running.url, timeout=20) as client:
        yield client
