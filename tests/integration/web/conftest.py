from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from appliance.app import Appliance
from appliance.sandbox.approvals import Decision
from appliance.sandbox.plan import Plan
from appliance.settings import Settings
from appliance.settings import page as settings_page
from appliance.testing.fake_anthropic import FakeAnthropic
from tests.house_settings import client_of, house_settings

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


@dataclass
class Whole:
    """A whole appliance with a scripted provider, and a client with the token."""

    house: Appliance
    url: str
    client: httpx2.AsyncClient

    async def ask(self, *words: str) -> tuple[asyncio.Task[Decision], str]:
        """A command that waits for the owner's word: what waits for it, and its id."""
        before = {one["id"] for one in self.house.execution.approvals.list()}
        request = self.house.execution.approvals.request(
            Plan((words,)), approver="owner", session="agent:main:main", why="Not approved in advance."
        )
        task = asyncio.create_task(request)
        for _ in range(500):
            fresh = [one["id"] for one in self.house.execution.approvals.list() if one["id"] not in before]
            if fresh:
                return task, str(fresh[0])
            await asyncio.sleep(0.01)
        raise AssertionError("the request does not wait")


@pytest.fixture
async def provider() -> AsyncIterator[FakeAnthropic]:
    async with FakeAnthropic() as started:
        yield started


@pytest.fixture
async def whole(tmp_path: Path, provider: FakeAnthropic) -> AsyncIterator[Whole]:
    async with living(tmp_path / "state", provider) as house:
        yield house


@contextlib.asynccontextmanager
async def living(state: Path, provider: FakeAnthropic, **environ: str) -> AsyncIterator[Whole]:
    settings = house_settings(
        state,
        provider.url,
        APPLIANCE_HEARTBEAT__ENABLED="true",
        APPLIANCE_SERVER__METRICS_TOKEN="only-for-the-numbers-0123456789",
        **environ,
    )
    settings_page.keep(settings.state, {})  # the owner has been through the first run
    async with started(settings) as house:
        yield house


@contextlib.asynccontextmanager
async def started(settings: Settings) -> AsyncIterator[Whole]:
    """The appliance that these settings make, until the end."""
    house = Appliance(settings)
    url = await house.start()
    try:
        async with client_of(settings, url) as client:
            yield Whole(house, url, client)
    finally:
        await house.stop()
