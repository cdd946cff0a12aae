"""A create whose answer came too late was tried again and again, and every try left a container."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from appliance.errors import SandboxError
from appliance.sandbox.client import SandboxClient
from tests.integration.sandbox.conftest import House, config, eventually, house, image  # noqa: F401 - fixtures

pytestmark = [pytest.mark.docker]


class SlowEngine:
    """A proxy before the engine's socket that holds back the answers to creates."""

    def __init__(self, path: Path, delay: float) -> None:
        self.path = path
        self.delay = delay
        self.creates = 0
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        self._server = await asyncio.start_unix_server(self._connected, str(self.path))

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_unix_connection("/var/run/docker.sock")
        hold = asyncio.Event()

        async def there() -> None:
            while data := await reader.read(65_536):
                if b"/containers/create" in data:
                    self.creates += 1
                    hold.set()
                up_writer.write(data)
                await up_writer.drain()
            with contextlib.suppress(OSError):
                up_writer.write_eof()

        async def back() -> None:
            while data := await up_reader.read(65_536):
                if hold.is_set():
                    hold.clear()
                    await asyncio.sleep(self.delay)
                writer.write(data)
                await writer.drain()

        tasks = [asyncio.ensure_future(there()), asyncio.ensure_future(back())]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        with contextlib.suppress(OSError, asyncio.CancelledError):
            await asyncio.gather(*tasks, return_exceptions=True)
        writer.close()
        up_writer.close()


@pytest.fixture
async def slow(house: House) -> AsyncIterator[SlowEngine]:  # noqa: F811
    house.config.state.mkdir(exist_ok=True)
    engine = SlowEngine(house.config.state / "engine.sock", delay=6.0)
    await engine.start()
    yield engine
    await engine.stop()


async def test_ten_commands_leave_no_container_and_run_at_most_once(house: House, slow: SlowEngine) -> None:  # noqa: F811
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
