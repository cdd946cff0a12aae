"""What the owner is told also goes to an ntfy topic and to a webhook; a strict fake stands for both."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from appliance.app import Appliance
from appliance.channels.ntfy import NtfyCarrier
from appliance.errors import DeliveryError
from appliance.memory.items import OWNER, Item, line_of
from appliance.settings.load import load_settings


class FakePush:
    """An ntfy server and a webhook; `answers` are statuses to give before 200."""

    def __init__(self) -> None:
        self.pushed: list[tuple[dict[str, str], str]] = []
        self.hooked: list[Any] = []
        self.answers: list[int] = []
        self.url = ""

    async def ntfy(self, request: web.Request) -> web.Response:
        body = await request.text()
        if self.answers:
            return web.Response(status=self.answers.pop(0), headers={"Retry-After": "0"})
        if request.headers.get("Authorization") != "Bearer tk_abc":
            return web.Response(status=403)
        if len(body.encode()) > 4096:
            return web.Response(status=413)
        self.pushed.append((dict(request.headers), body))
        return web.json_response({"id": "x", "event": "message"})

    async def hook(self, request: web.Request) -> web.Response:
        self.hooked.append(json.loads(await request.text()))
        return web.Response()


@pytest.fixture
async def fake() -> AsyncIterator[FakePush]:
    made = FakePush()
    app = web.Application()
    app.router.add_post("/topic", made.ntfy)
    app.router.add_post("/hook", made.hook)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield made
    await runner.cleanup()


async def test_a_notice_is_pushed_and_posted_once_each_until_pushes_are_forbidden(
    fake: FakePush, tmp_path: Path
) -> None:
    settings = load_settings(
        environ={
            "APPLIANCE_STATE_DIR": str(tmp_path / "state"),
            "APPLIANCE_SERVER__PORT": "0",
            "APPLIANCE_LOCAL__ENABLED": "false",
            "APPLIANCE_EXEC__ENABLED": "false",
            "APPLIANCE_NOTICES__NTFY_URL": f"{fake.url}/topic",
            "APPLIANCE_NOTICES__NTFY_TOKEN": "tk_abc",
            "APPLIANCE_NOTICES__WEBHOOK_URL": f"{fake.url}/hook",
        }
    )
    house = Appliance(settings)
    await house.start()
    fake.answers = [503, 429]
    await house.owner.tell("The cellar is wet. 地下室進水了", [("Silence", "/help")])
    async with asyncio.timeout(30):
        while not (fake.pushed and fake.hooked):
            await asyncio.sleep(0.05)
    day = house.workspace("main").append_day(
        line_of(Item("B", "别给我推送", house.clock.now(), "", "", OWNER)), house.clock.now()
    )
    assert "别给我推送" in day.read_text()
    await house.owner.tell("The cellar is dry.")
    async with asyncio.timeout(30):
        while len(fake.hooked) < 2:
            await asyncio.sleep(0.05)
    await house.stop()
    [(headers, body)] = fake.pushed
    assert body == "The cellar is wet. 地下室進水了\nSilence: /help"
    assert headers["title"] == "Home agent appliance"
    assert fake.hooked[0] == {"text": "The cellar is wet. 地下室進水了\nSilence: /help"}
    assert fake.hooked[1] == {"text": "The cellar is dry."}


async def test_a_long_notice_is_cut_within_the_limit_and_a_refusal_is_for_good(fake: FakePush) -> None:
    carrier = NtfyCarrier("tk_abc")
    [part] = carrier.split("字" * 3000)
    await carrier.send({"url": f"{fake.url}/topic"}, part, "1-0")
    assert fake.pushed[0][1].endswith("字…")
    with pytest.raises(DeliveryError) as refused:
        await NtfyCarrier("wrong").send({"url": f"{fake.url}/topic"}, part, "1-0")
    assert refused.value.permanent
