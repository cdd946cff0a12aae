"""Telegram calls the real gateway process; the fake repeats a call until it is answered with 2xx."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from appliance.channels.telegram.webhook import secret_of
from appliance.testing.fake_anthropic import FakeAnthropic, Reply
from appliance.testing.fake_telegram import TOKEN, FakeTelegram
from appliance.testing.process import GatewayProcess

USER = 11
ADDRESS = "https://agent.example.com/hooks/telegram"


async def until(met: Callable[[], object], seconds: float = 40.0) -> None:
    end = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < end, "did not come true"
        await asyncio.sleep(0.02)


def answer(body: dict[str, Any]) -> Reply:
    found = re.findall(r"number (\d+)\b", str(body["messages"][-1]["content"]))
    return Reply(text="answer " + " ".join(f"<{n}>" for n in found), pieces=2, pace=0.02)


@pytest.fixture
async def house(telegram: FakeTelegram, tmp_path: Path) -> AsyncIterator[GatewayProcess]:
    async with FakeAnthropic() as provider:
        provider.default(answer)
        state = tmp_path / "state"
        state.mkdir()
        made = GatewayProcess(
            state,
            ANTHROPIC_API_KEY="sk-ant-test",
            ANTHROPIC_BASE_URL=provider.url,
            APPLIANCE_AGENT__MODE="followup",
            TELEGRAM_BOT_TOKEN=TOKEN,
            TELEGRAM_API_BASE=telegram.url,
            APPLIANCE_TELEGRAM__WEBHOOK_URL=ADDRESS,
            APPLIANCE_TELEGRAM__DRAFTS="false",
        )
        yield made
        await made.close()


async def test_calls_are_answered_at_once_and_what_they_bring_is_answered_once(
    telegram: FakeTelegram, house: GatewayProcess
) -> None:
    await house.start()
    telegram.names["agent.example.com"] = house.url
    await until(lambda: telegram.world.webhook["url"] == ADDRESS)
    code = (await house.client.post(f"{house.url}/api/people/invite", json={})).json()["code"]
    telegram.people.say(USER, code)
    await until(lambda: any("Paired" in text for text in telegram.texts(USER)))
    first = telegram.people.say(USER, "number 1")
    await until(lambda: "answer <1>" in telegram.texts(USER))
    telegram.people.repeat(first["update_id"])
    telegram.people.repeat(first["update_id"], new_id=True)
    telegram.people.say(USER, "number 2")
    await until(lambda: "answer <2>" in telegram.texts(USER))
    assert telegram.texts(USER)[1:] == ["answer <1>", "answer <2>"]
    assert {status for _, status in telegram.called} == {200}
    assert telegram.calls("getUpdates") == []

    # While the house is down Telegram repeats; at the next start the message is answered once.
    await house.kill()
    telegram.people.say(USER, "number 3")
    await until(lambda: telegram.called[-1][1] == 0)
    await house.start()
    telegram.names["agent.example.com"] = house.url
    await until(lambda: "answer <3>" in telegram.texts(USER))
    assert telegram.texts(USER)[1:] == ["answer <1>", "answer <2>", "answer <3>"]

    await _forge(house, {"update_id": 999, "message": first["message"]})
    assert telegram.texts(USER)[1:] == ["answer <1>", "answer <2>", "answer <3>"]


async def _forge(house: GatewayProcess, update: dict[str, Any]) -> None:
    """Call as somebody does who does not know the secret, and as nobody does who knows it."""
    known, name = secret_of(TOKEN), "X-Telegram-Bot-Api-Secret-Token"
    for guesses in ([], [""], ["guess"], [known.upper()], [known[:-1]], [known + "0"], ["guess", ""]):
        headers = [(name, guess) for guess in guesses]
        answered = await house.client.post(f"{house.url}/hooks/telegram", json=update, headers=headers)
        assert answered.status_code == 403, guesses
    good = {name: known}
    assert (await house.client.post(f"{house.url}/hooks/telegram", content=b"{", headers=good)).status_code == 400
    assert (await house.client.post(f"{house.url}/hooks/other", json={}, headers=good)).status_code == 404
    reader, writer = await asyncio.open_connection("127.0.0.1", int(house.url.rpartition(":")[2]))
    head = f"POST /hooks/telegram HTTP/1.1\r\nHost: 127.0.0.1\r\n{name}: {known}\r\nContent-Length: {2**31}\r\n\r\n"
    writer.write(head.encode())
    async with asyncio.timeout(20):
        assert b" 413 " in await reader.readline()
    writer.close()
