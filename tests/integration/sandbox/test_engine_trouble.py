"""The engine stops, or comes back: a clean error, never a success, and nothing left behind."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from appliance.errors import SandboxError
from appliance.sandbox.client import SandboxClient
from appliance.sandbox.runner import _SWEEP_SECONDS

from .conftest import House, eventually
from .engine_proxy import EngineProxy

pytestmark = [pytest.mark.docker]


@pytest.fixture
async def proxy(house: House) -> AsyncIterator[EngineProxy]:
    house.config.state.mkdir(exist_ok=True)
    made = EngineProxy(house.config.state / "engine.sock", delay=0.0)
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
def behind(house: House, proxy: EngineProxy) -> House:
    config = replace(house.config, docker_host=f"unix://{proxy.path}", engine_seconds=3.0)
    return House(config, SandboxClient(config))


async def test_an_engine_that_goes_away_during_a_command_is_no_success(behind: House, proxy: EngineProxy) -> None:
    await behind.ready()
    task = asyncio.ensure_future(behind.client.run("main", "sleep 2; exit 0", limit=20))
    await asyncio.sleep(0.7)
    await proxy.sever()
    result = await asyncio.wait_for(task, 15)
    assert (result.outcome, result.code) == ("died", None)
    with pytest.raises(SandboxError, match=r"Docker engine"):
        await behind.client.run("main", "touch ran", limit=5)
    health = await behind.client.health()
    assert not health.ok
    await proxy.start()
    again = await behind.client.run("main", "echo back", limit=20)
    assert again.stdout == b"back\n"
    assert not (behind.files / "ran").exists()
    await behind.client.release()
    await eventually(lambda: not behind.containers(), 60)


async def test_an_engine_that_stands_still_is_no_success_and_leaves_nothing(behind: House, proxy: EngineProxy) -> None:
    await behind.ready()
    task = asyncio.ensure_future(behind.client.run("main", "sleep 2; exit 0", limit=4))
    await asyncio.sleep(0.7)
    proxy.freeze()
    try:
        result = await asyncio.wait_for(task, 30)
        assert (result.outcome, result.code) in [("died", None), ("timeout", None)]
        with contextlib.suppress(SandboxError):  # unless a second container stood ready
            other = await asyncio.wait_for(behind.client.run("main", "exit 0", limit=4), 60)
            assert (other.outcome, other.code) in [("died", None), ("timeout", None)]
    finally:
        proxy.thaw()
    again = await behind.client.run("main", "echo back", limit=20)
    assert again.stdout == b"back\n"
    await asyncio.sleep(_SWEEP_SECONDS)  # what was asked for in vain is made late, and swept up

    async def only_ready_ones() -> bool:
        facts = (await behind.client.health()).facts
        return facts is not None and len(behind.containers()) == facts["ready"]

    await eventually(only_ready_ones, 40)


async def test_a_background_command_outlives_an_engine_out_of_reach(behind: House, proxy: EngineProxy) -> None:
    job = await behind.client.start("main", "sleep 4; echo through; exit 5")
    await asyncio.sleep(0.5)
    await proxy.sever()
    await asyncio.sleep(1)
    assert (await behind.client.poll(job["id"]))[0]["state"] == "running"
    await proxy.start()

    async def ended() -> bool:
        return (await behind.client.poll(job["id"]))[0]["state"] != "running"

    await eventually(ended, 40)
    state, data = await behind.client.poll(job["id"])
    assert (state["state"], state["code"]) == ("exited", 5)
    assert b"through" in data
