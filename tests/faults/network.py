"""Spoil the network between the running gateway and a fake, repair it, and count what became of every message.

    python tests/faults/network.py --rounds 3                  to the model's provider
    python tests/faults/network.py --rounds 3 --telegram       to Telegram

Each mode of toxic.py in turn, for some seconds, while messages come in. The provider's and Telegram's books and the
transcripts decide: nothing is lost, nothing is answered twice, the health answers throughout.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.fake_telegram import TOKEN, FakeTelegram
from appliance.testing.process import GatewayProcess
from tests.faults import kill_telegram
from tests.faults.books import answer, messages_of, money, quiet
from tests.faults.toxic import MODES, Toxic

SPOILT_SECONDS = 6.0
HEALTH_SECONDS = 10.0
CALL_SECONDS = "4"  # how long a model call may take here: what takes ten minutes in a house must not in a test


@dataclass
class Spoilt:
    """What one run came to; `healed_seconds` from the repair until all is answered."""

    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    money: list[str] = field(default_factory=list)
    slow_health: list[float] = field(default_factory=list)
    healed_seconds: float = 0.0

    @property
    def bad(self) -> bool:
        return bool(self.lost or self.twice or self.money or self.slow_health)


def port_of(url: str) -> int:
    return int(urlsplit(url).port or 80)


async def to_provider(run: int, mode: str) -> Spoilt:
    """Messages while the way to the provider is spoilt."""
    spoilt, rows = Spoilt(), messages_of(run, 6)
    with tempfile.TemporaryDirectory() as folder:
        async with FakeAnthropic() as provider, Toxic(port_of(provider.url)) as network:
            provider.default(answer)
            house = GatewayProcess(
                Path(folder) / "state", ANTHROPIC_API_KEY="sk-ant-test", ANTHROPIC_BASE_URL=network.url,
                APPLIANCE_MODELS__TIMEOUT_SECONDS=CALL_SECONDS,
            )  # fmt: skip
            house.state.mkdir()
            try:
                await house.start()
                await house.post("hello", id="first")
                await network.become(mode)
                for session, identity, text in rows:
                    await house.send(text, identity, session=session)
                spoilt.slow_health = await _slow_health(house, SPOILT_SECONDS)
                await network.become("")
                began = time.monotonic()
                answered = await quiet(house, {i for _, i, _ in rows})
                spoilt.healed_seconds = time.monotonic() - began
                spoilt.lost = sorted(i for _, i, _ in rows if answered[i] == 0)
                spoilt.twice = sorted(i for i, n in answered.items() if n > 1)
                await house.stop()
                spoilt.money = money(house.state / "core.db", provider)
            finally:
                await house.close()
    return spoilt


async def to_telegram(run: int, mode: str) -> Spoilt:
    """A person writes while the way to Telegram is spoilt; their chat decides."""
    spoilt = Spoilt()
    with tempfile.TemporaryDirectory() as folder:
        async with FakeAnthropic() as provider, FakeTelegram() as telegram, Toxic(port_of(telegram.url)) as network:
            provider.default(kill_telegram.answer)
            house = GatewayProcess(
                Path(folder) / "state", ANTHROPIC_API_KEY="sk-ant-test", ANTHROPIC_BASE_URL=provider.url,
                APPLIANCE_AGENT__MODE="followup", TELEGRAM_BOT_TOKEN=TOKEN, TELEGRAM_API_BASE=network.url,
            )  # fmt: skip
            house.state.mkdir()
            try:
                await house.start()
                await kill_telegram.pair(house, telegram)
                telegram.people.say(kill_telegram.USER, "number 0 你好")
                await network.become(mode)
                for number in range(1, 5):
                    telegram.people.say(kill_telegram.USER, f"number {number} 你好")
                spoilt.slow_health = await _slow_health(house, SPOILT_SECONDS)
                await network.become("")
                began = time.monotonic()
                seen = await kill_telegram.quiet(telegram, 5)
                spoilt.healed_seconds = time.monotonic() - began
                spoilt.lost = [f"number {n}" for n in seen.lost]
                spoilt.twice = [f"number {n}" for n in seen.twice] + ["a stray placeholder"] * seen.strays
            finally:
                await house.close()
    return spoilt


async def _slow_health(house: GatewayProcess, seconds: float) -> list[float]:
    """Ask for the health until then; return the answers that took too long."""
    until = time.monotonic() + seconds
    took = await waits(house, "/healthz", lambda: time.monotonic() < until)
    return [seconds for seconds in took if seconds > HEALTH_SECONDS]


async def waits(house: GatewayProcess, path: str, going_on: Callable[[], bool]) -> list[float]:
    """Ask for a page some times a second while that is true; return how many seconds each answer took."""
    took = []
    while going_on():
        began = time.monotonic()
        (await house.client.get(f"{house.url}{path}")).raise_for_status()
        took.append(time.monotonic() - began)
        await asyncio.sleep(0.1)
    return took


async def suite(rounds: int, telegram: bool) -> int:
    """Every mode so many times; print a line a run; return the exit code."""
    bad, healed = 0, []
    one_run = to_telegram if telegram else to_provider
    for run in range(rounds):
        for mode in MODES:
            spoilt = await one_run(run, mode)
            bad += spoilt.bad
            healed.append(spoilt.healed_seconds)
            print(f"{mode:10} healed after {spoilt.healed_seconds:4.1f} s {spoilt if spoilt.bad else 'ok'}", flush=True)
    print({"runs": len(healed), "bad": bad, "healed_at_most_s": round(max(healed), 1)})
    return 1 if bad else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--telegram", action="store_true")
    given = parser.parse_args()
    sys.exit(asyncio.run(suite(given.rounds, given.telegram)))
