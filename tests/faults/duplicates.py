"""Have Telegram deliver messages again and again, in any order, and count what a person sees of it in their chat.

    python tests/faults/duplicates.py --messages 50 --repeats 10000

Repeats come under new update ids, as after a fault of the platform, while the messages are new, worked on or answered.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from pathlib import Path

from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.fake_telegram import TOKEN, FakeTelegram
from appliance.testing.process import GatewayProcess
from tests.faults.kill_telegram import QUIET_SECONDS, USER, Seen, answer, pair, quiet

TAKEN_SECONDS = 600.0
PACE_SECONDS = 3.0  # a chat is written to about once a second


async def one_run(messages: int, repeats: int, seed: int) -> Seen:
    """Send the messages, each followed by its share of repeats of any message so far; return what the chat shows."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        async with FakeAnthropic() as provider, FakeTelegram() as telegram:
            provider.default(answer)
            house = GatewayProcess(
                Path(folder) / "state", ANTHROPIC_API_KEY="sk-ant-test", ANTHROPIC_BASE_URL=provider.url,
                APPLIANCE_BUDGET__DAILY_USD="1000", APPLIANCE_AGENT__MODE="followup",
                TELEGRAM_BOT_TOKEN=TOKEN, TELEGRAM_API_BASE=telegram.url,
            )  # fmt: skip
            house.state.mkdir()
            try:
                await house.start()
                await pair(house, telegram)
                sent: list[int] = []
                for number in range(messages):
                    sent.append(telegram.people.say(USER, f"number {number} 你好")["update_id"])
                    for update in chance.choices(sent, k=repeats // messages):
                        telegram.people.repeat(update, new_id=True)
                    await asyncio.sleep(0)
                await _taken(telegram)
                return await quiet(telegram, messages, QUIET_SECONDS + PACE_SECONDS * messages)
            finally:
                await house.close()


async def _taken(telegram: FakeTelegram) -> None:
    """Wait until the bot has asked for what comes after the last update."""
    until = time.monotonic() + TAKEN_SECONDS
    while telegram.world.updates:
        if time.monotonic() > until:
            raise RuntimeError(f"{len(telegram.world.updates)} updates were never taken")
        await asyncio.sleep(0.2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    result = asyncio.run(one_run(given.messages, given.repeats, given.seed))
    print(result)
    sys.exit(1 if result.bad else 0)
