"""When the browser's service may leave, and what it refuses to read."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any

import pytest

from appliance.browser import service
from appliance.browser.session import Browser
from appliance.network.wall import Wall
from appliance.testing.manual_clock import ManualClock


class Server:
    should_exit = False


@pytest.fixture
def idle() -> service.Service:
    return service.Service(Browser(Wall(), ManualClock(), "http://127.0.0.1:9"), "t" * 16)


async def test_it_leaves_when_no_window_is_open_and_nobody_asked(
    idle: service.Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "_UNUSED_CHECK_SECONDS", 0.0)
    server: Any = Server()
    idle.used = True
    assert not idle.unused
    assert idle.unused
    await service._leave_unused(idle, server)
    assert server.should_exit


async def test_it_stays_while_a_window_is_open(idle: service.Service) -> None:
    idle._browser._browser = object()
    assert not idle.unused


async def test_a_body_over_the_limit_is_refused_before_it_is_held(
    idle: service.Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MOST_BODY", 10)
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        await asyncio.sleep(0)
        return {"type": "http.request", "body": b"123456", "more_body": True}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/act", "headers": [(b"authorization", b"Bearer " + b"t" * 16)]}
    await idle(scope, receive, send)
    assert sent[0]["status"] == 400
    assert b"larger than" in sent[1]["body"]


@pytest.mark.parametrize("token", ["", "short"])
def test_it_does_not_start_without_a_real_token(tmp_path: Any, token: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "token").write_text(token)
    assert service.main(["--token-file", str(tmp_path / "token"), "--proxy", "http://127.0.0.1:9"]) == 1
    assert "at least 16 characters" in capsys.readouterr().err
