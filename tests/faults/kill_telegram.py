"""The kill suite through Telegram: what a person sees in their chat decides.

python tests/faults/kill_telegram.py --runs 50 --messages 20      random moments
python tests/faults/kill_telegram.py --points                     every named point of the way there and back
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from appliance.testing.anthropic_replies import Reply
from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.fake_telegram import TOKEN, FakeTelegram
from appliance.testing.process import GatewayProcess

POINTS = (
    "before_offset", "after_offset", "after_inbox_commit", "before_placeholder", "after_placeholder", "before_edit",
    "after_edit", "before_outbox_commit", "after_outbox_commit", "before_answer_commit", "after_answer_commit",
)  # fmt: skip
USER = 42
QUIET_SECONDS = 60.0


@dataclass
class Seen:
    """What one run came to; `strays` are placeholders that stayed."""

    lost: list[int] = field(default_factory=list)
    twice: list[int] = field(default_factory=list)
    strays: int = 0

    @property
    def bad(self) -> bool:
        return bool(self.lost or self.twice or self.strays)


def answer(body: dict[str, Any]) -> Reply:
    """An answer that names the message it answers."""
    found = re.findall(r"number (\d+)\b", str(body["messages"][-1]["content"]))
    return Reply(text="answer " + " ".join(f"<{n}>" for n in found), pieces=3, pace=0.02)


async def one_run(count: int, kill_after: float | None, point: str = "") -> Seen:
    """Pair, send, kill, restart, wait until quiet, and read the chat."""
    with tempfile.TemporaryDirectory() as folder:
        async with FakeAnthropic() as provider, FakeTelegram() as telegram:
            provider.default(answer)
            state = Path(folder) / "state"
            state.mkdir()
            house = GatewayProcess(
                state, ANTHROPIC_API_KEY="sk-ant-test", ANTHROPIC_BASE_URL=provider.url,
                APPLIANCE_BUDGET__DAILY_USD="50", APPLIANCE_AGENT__MODE="followup",
                TELEGRAM_BOT_TOKEN=TOKEN, TELEGRAM_API_BASE=telegram.url,
            )  # fmt: skip
            try:
                await house.start()
                await pair(house, telegram)
                if point:  # the point is armed in a life that begins with the person already known
                    await house.stop()
                    await house.start(APPLIANCE_CRASH_AT=point)
                for number in range(count):
                    telegram.people.say(USER, f"number {number} 你好")
                await _die(house, kill_after, point)
                await house.start()
                return await quiet(telegram, count)
            finally:
                await house.close()


async def pair(house: GatewayProcess, telegram: FakeTelegram) -> None:
    response = await house.client.post(f"{house.url}/api/people/invite", json={})
    telegram.people.say(USER, response.json()["code"])
    until = time.monotonic() + 30
    while not telegram.texts(USER):
        if time.monotonic() > until:
            raise RuntimeError("the bot did not greet its owner")
        await asyncio.sleep(0.05)


async def _die(house: GatewayProcess, kill_after: float | None, point: str) -> None:
    until = time.monotonic() + (kill_after if kill_after is not None else 90.0)
    while time.monotonic() < until and house.alive:
        await asyncio.sleep(0.01)
    if point and house.alive:
        raise RuntimeError(f"the crash point {point} was never reached")
    await house.kill()


async def quiet(telegram: FakeTelegram, count: int, seconds: float = QUIET_SECONDS) -> Seen:
    until = time.monotonic() + seconds
    seen = Seen()
    settled = False
    while time.monotonic() < until:
        texts = telegram.texts(USER)
        answers = Counter(int(n) for text in texts if "answer <" in text for n in re.findall(r"<(\d+)>", text))
        seen = Seen(
            lost=[n for n in range(count) if answers[n] == 0],
            twice=[n for n, times in answers.items() if times > 1],
            strays=sum(text.strip() in ("…", "...") for text in texts),
        )
        if not seen.lost and not seen.strays and settled:
            break
        settled = not seen.lost and not seen.strays
        await asyncio.sleep(1.0 if settled else 0.1)
    return seen


async def suite(runs: int, count: int, points: bool, seed: int) -> int:
    """Run it all; print a line a run and the sums; return the exit code."""
    random.seed(seed)
    plan: list[tuple[float | None, str]] = [(None, point) for point in POINTS] if points else []
    plan += [(random.uniform(0.0, 4.0), "") for _ in range(runs)]
    total: Counter[str] = Counter()
    for number, (after, point) in enumerate(plan):
        seen = await one_run(count, after, point)
        total.update(runs=1, messages=count, lost=len(seen.lost), twice=len(seen.twice), strays=seen.strays)
        print(f"{number:4} {point or f'{after:.2f} s':26} {seen if seen.bad else 'ok'}", flush=True)
    print(dict(total))
    return 1 if total["lost"] + total["twice"] + total["strays"] else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--messages", type=int, default=10)
    parser.add_argument("--points", action="store_true", help="every named crash point first")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    sys.exit(asyncio.run(suite(given.runs, given.messages, given.points, given.seed)))
