"""Spoil the look-up of names while the gateway answers, repair it, and count what became of every message.

    sudo python tests/faults/names.py

The gateway asks a name server of the suite (name_server.py) for the provider, Telegram and Discord. All names fail, go
unanswered or come 20 s late; or only those of the platforms do, and then the provider must be reached as ever (`well`
is that measure). The house starts anew as it begins, so that no name is known yet. Nothing is lost or answered twice,
the page and the status answer throughout, a turn ends by the spare model.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from appliance.testing import fake_discord
from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.fake_discord import FakeDiscord
from appliance.testing.fake_openai import FakeOpenAI
from appliance.testing.fake_telegram import TOKEN, FakeTelegram
from appliance.testing.process import GatewayProcess
from tests.faults import kill_telegram
from tests.faults.books import messages_of, money, quiet
from tests.faults.name_server import LATE_SECONDS, NameServer
from tests.faults.network import Spoilt, port_of, waits

PLATFORMS = ("telegram.test", "discord.test")
MODES = {
    "well": ("", "test"),
    "fails": ("fails", "test"),
    "silent": ("silent", "test"),
    "late": ("late", "test"),
    "platforms late": ("late", *PLATFORMS),
}
PATHS = ("/healthz", "/api/status", "/")
ANSWERED_SECONDS = 60.0
# A blocked loop stands for as long as a look-up takes. Less than this is a busy machine.
BLOCKED_SECONDS = 5.0


@dataclass
class Unnamed(Spoilt):
    """`answered_seconds`: from the house's start until all messages by HTTP were answered, by the provider or the spare
    model. `slowest_seconds`: the longest wait for a page of the gateway's own meanwhile, `median_seconds` the usual."""

    answered_seconds: float = 0.0
    by_provider: int = 0
    by_spare: int = 0
    median_seconds: float = 0.0
    slowest_seconds: float = 0.0

    @property
    def bad(self) -> bool:
        return super().bad or self.answered_seconds > ANSWERED_SECONDS or self.slowest_seconds > BLOCKED_SECONDS


@dataclass
class World:
    """The gateway, and everything outside it that it asks by name (the spare model alone has an address)."""

    house: GatewayProcess
    names: NameServer
    provider: FakeAnthropic
    spare: FakeOpenAI
    telegram: FakeTelegram

    async def become(self, mode: str, *names: str) -> None:
        """Names are looked up in this way from now on, and have to be: the house starts anew."""
        await self.house.stop()
        self.names.become(mode, *names)
        await self.house.start()


@contextlib.asynccontextmanager
async def world(late_seconds: float) -> AsyncIterator[World]:
    """A house that was started, paired and spoken to once (as `first`) while all names were found."""
    with tempfile.TemporaryDirectory() as folder:
        async with (
            FakeAnthropic() as provider, FakeOpenAI() as spare, FakeTelegram() as telegram, FakeDiscord() as discord,
            NameServer(late_seconds) as names,
        ):  # fmt: skip
            provider.default(kill_telegram.answer)
            spare.default(kill_telegram.answer)
            house = GatewayProcess(
                Path(folder) / "state", APPLIANCE_AGENT__MODE="followup",
                APPLIANCE_MODELS__CHAIN='["claude-sonnet-5-5", "spare"]',
                APPLIANCE_OPENAI_COMPATIBLE=json.dumps({"spare": {"base_url": spare.url, "model": "tiny"}}),
                ANTHROPIC_API_KEY="sk-ant-test", ANTHROPIC_BASE_URL=f"http://provider.test:{port_of(provider.url)}",
                TELEGRAM_BOT_TOKEN=TOKEN, TELEGRAM_API_BASE=f"http://telegram.test:{port_of(telegram.url)}",
                DISCORD_BOT_TOKEN=fake_discord.TOKEN, DISCORD_API_BASE=f"http://discord.test:{discord.port}/api/v10",
            )  # fmt: skip
            house.under = names.asking(Path(folder))
            house.state.mkdir()
            try:
                await house.start()
                await kill_telegram.pair(house, telegram)
                await house.post("hello", id="first")
                yield World(house, names, provider, spare, telegram)
            finally:
                await house.close()


async def one_run(run: int, mode: str, late_seconds: float = LATE_SECONDS) -> Unnamed:
    """Messages by HTTP and Telegram while names cannot be looked up as they should."""
    outcome, rows = Unnamed(), messages_of(run, 4)
    async with world(late_seconds) as outside:
        house, provider, spare = outside.house, outside.provider, outside.spare
        before = len(provider.calls), len(spare.calls)
        await outside.become(*MODES[mode])
        began = time.monotonic()
        for number in range(3):
            outside.telegram.people.say(kill_telegram.USER, f"number {number} 你好")
        asking = asyncio.gather(*(house.post("hello 你好", id=i, session=session) for session, i, _ in rows))
        took = await asyncio.gather(*(waits(house, path, lambda: not asking.done()) for path in PATHS))
        await asking
        outcome.answered_seconds = time.monotonic() - began
        outcome.median_seconds = statistics.median(itertools.chain(*took))
        outcome.slowest_seconds = max(itertools.chain(*took))
        outcome.by_provider = sum(call.status == 200 for call in provider.calls[before[0] :])
        outcome.by_spare = sum(call.outcome == "ok" for call in spare.calls[before[1] :])
        outside.names.become("")
        began = time.monotonic()
        seen = await kill_telegram.quiet(outside.telegram, 3)
        outcome.healed_seconds = time.monotonic() - began
        answered = await quiet(house, {i for _, i, _ in rows})
        outcome.lost = [i for _, i, _ in rows if answered[i] == 0] + [f"number {n}" for n in seen.lost]
        outcome.twice = [i for i, n in answered.items() if n > 1] + [f"number {n}" for n in seen.twice]
        outcome.twice += ["a stray placeholder"] * seen.strays
        await house.stop()
        outcome.money = money(house.state / "core.db", provider)
    return outcome


async def suite(rounds: int) -> int:
    """Every mode so many times; print a line a run; return the exit code."""
    bad = 0
    for run in range(rounds):
        for mode in MODES:
            outcome = await one_run(run, mode)
            bad += outcome.bad
            print(f"{mode:15} {outcome}", flush=True)
    print({"runs": rounds * len(MODES), "bad": bad})
    return 1 if bad else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1)
    sys.exit(asyncio.run(suite(parser.parse_args().rounds)))
