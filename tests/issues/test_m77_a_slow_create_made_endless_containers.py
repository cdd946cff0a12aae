"""A create whose answer came too late was tried again and again, and every try left a container."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from appliance.errors import SandboxError
from appliance.sandbox.client import SandboxClient
from tests.integration.sandbox.conftest import House, config, eventually, house, image  # noqa: F401 - fixtures
from tests.integration.sandbox.engine_proxy import EngineProxy

pytestmark = [pytest.mark.docker]


@pytest.fixture
async def slow(house: House) -> AsyncIterator[EngineProxy]:  # noqa: F811
    house.config.state.mkdir(exist_ok=True)
    engine = EngineProxy(house.config.state / "engine.sock", delay=6.0)
    await engine.start()
    yield engine
    await engine.stop()


async def test_ten_commands_leave_no_container_and_run_at_most_once(house: House, slow: EngineProxy) -> None:  # noqa: F811
    settings = replace(house.config, docker_host=f"unix://{slow.path}", engine_seconds=2.0)
    made = House(settings, SandboxClient(settings))
    (made.files / "book").write_text("")
    (made.files / "book").chmod(0o666)
    asked = (made.client.run("main", f"echo {number} >> book", limit=5) for number in range(10))
    results = await asyncio.gather(*asked, return_exceptions=True)
    assert any(isinstance(result, SandboxError) for result in results)
    ran = (made.files / "book").read_text().split()
    assert len(ran) == len(set(ran)), "a command ran twice"
    assert slow.creates <= 30
    slow.delay = 0.0
    await made.client.release()
    await eventually(lambda: not made.containers(), 60)
