"""In compose a proxy is the only way out: whoever talks to a platform must go by the one that the environment names."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

import pytest

from appliance.channels.telegram.api import TelegramApi
from appliance.errors import ApplianceError
from appliance.models.claude import ClaudeConnection
from appliance.testing.loopback import LoopbackServer, Request, Response

FAR = "http://platform.invalid"  # no name server knows it: only a proxy can be asked for it
TOKEN = "7000001:fake-token-for-tests-only-0123456789"


@pytest.fixture
async def asked(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[list[str]]:
    """What a proxy, which the environment names, was asked for."""
    seen: list[str] = []

    async def handle(request: Request) -> Response:
        seen.append(f"{request.method} {request.path}")
        return Response(404, {"content-type": "application/json"}, b'{"ok": false, "error_code": 404}')

    proxy = LoopbackServer(handle)
    address = f"http://127.0.0.1:{await proxy.start()}"
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, address)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "localhost,127.0.0.1")
    yield seen
    await proxy.stop()


async def test_telegram_is_reached_through_the_proxy(asked: list[str]) -> None:
    api = TelegramApi(TOKEN, FAR)
    await api.open()
    with contextlib.suppress(ApplianceError):
        await api.call("get_me", seconds=5)
    await api.close()
    assert asked
    assert asked[0].partition(" ")[2].startswith(f"{FAR}/bot")


async def test_claude_is_reached_through_the_proxy(asked: list[str]) -> None:
    connection = ClaudeConnection("key", FAR)
    client = await connection.client()
    from anthropic import APIError  # slow to import

    with contextlib.suppress(APIError):
        await client.models.list(limit=1)
    await connection.close()
    assert asked == [f"GET {FAR}/v1/models?limit=1"]
