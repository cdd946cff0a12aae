"""Days of talk with a fault every hour, compressed: what becomes of the messages, the memory and the processes.

    python tests/faults/soak.py --days 7            a message a minute: 10,080 messages
    python tests/faults/soak.py --days 7 --kills    kill -9 now and then among the faults

Time passes as fast as the answers come. An hour is 60 messages; at its beginning one thing breaks: the provider limits,
fails, cuts its stream or is gone for a while, or (with --kills) the gateway dies. The provider's book and the
transcripts decide. Growth is that of its own memory: pages of the mapped index are the kernel's to take back.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from appliance.testing.anthropic_replies import Reply, overloaded, rate_limited, server_error
from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.process import GatewayProcess
from tests.benchmarks.turn import rss_mb
from tests.faults.books import answer, money, transcribed

HOUR, DAY = 60, 1_440
WINDOW = "20000"  # compacted on the first day, so that what grows afterwards is no conversation
FAULTS = ("none", "limited", "overloaded", "failing", "cut", "gone")
FAULTY_CALLS = 3
SESSIONS = ("kitchen", "study", "garden", "cellar")


class Provider:
    """The fake provider's side: answers, but for the calls that the present fault takes."""

    def __init__(self) -> None:
        self.left = 0
        self.fault = "none"

    def begin(self, fault: str) -> None:
        self.fault, self.left = fault, FAULTY_CALLS if fault != "none" else 0

    def __call__(self, body: dict[str, Any]) -> Reply:
        if self.left == 0:
            return answer(body)
        self.left -= 1
        match self.fault:
            case "limited":
                return rate_limited("1")
            case "overloaded":
                return overloaded()
            case "failing":
                return server_error()
            case "cut":
                return Reply(text="This will not be heard to its end.", pieces=4, fault="cut")
            case _:
                return Reply(fault="refuse_connection")


def zombies(pid: int) -> int:
    """Children of the process that ended and were not waited for."""
    count = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            after = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        count += after[0] == "Z" and int(after[1]) == pid
    return count


async def soak(messages: int, seed: int, kills: bool) -> dict[str, Any]:
    """Send that many messages, one after the other; return the sums."""
    chance = random.Random(seed)
    provider_side = Provider()
    restarts, memory, own, dead = [], [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        async with FakeAnthropic() as provider:
            provider.default(provider_side)
            state = Path(folder) / "state"
            state.mkdir()
            house = GatewayProcess(
                state, ANTHROPIC_API_KEY="sk-ant-test", ANTHROPIC_BASE_URL=provider.url,
                APPLIANCE_BUDGET__DAILY_USD="100000", APPLIANCE_MODELS__WORKING_WINDOW=WINDOW,
            )  # fmt: skip
            try:
                await house.start()
                for number in range(messages):
                    if number % HOUR == 0:
                        for call in provider.calls:
                            call.request = {}  # the sums stay; a week of prompts would fill this process
                        provider_side.begin(chance.choice(FAULTS))
                        if kills and number and chance.random() < 0.25:
                            await house.kill()
                            await house.start()
                            restarts.append(house.ready_seconds)
                    session = SESSIONS[number % len(SESSIONS)]
                    await house.send(f"message {number} 你好 🙂", f"m{number}", session=session)
                    await _replied(house, f"message {number} 你好 🙂", f"m{number}", session)
                    if number % DAY == DAY - 1 or number == messages - 1:
                        memory.append(round(rss_mb(house.pid), 1))
                        own.append(round(rss_mb(house.pid, "RssAnon"), 1))
                        dead = max(dead, zombies(house.pid))
                        counts = transcribed(state)
                        lost = sum(counts[f"m{n}"] == 0 for n in range(number + 1))
                        held = f"{memory[-1]} MiB ({own[-1]} its own)"
                        print(f"day {len(memory)}: {held}, {lost} of {number + 1} lost", flush=True)
                await house.stop()
                counts = transcribed(state)
                books = money(state / "core.db", provider)
            finally:
                await house.close()
    return {
        "messages": messages,
        "lost": sum(counts[f"m{n}"] == 0 for n in range(messages)),
        "twice": sum(count > 1 for count in counts.values()),
        "money": books,
        "kills": len(restarts),
        "memory_mib": memory,
        "own_mib": own,
        "growth_after_day_1": round(own[-1] / own[0] - 1, 3),
        "zombies": dead,
    }


async def _replied(house: GatewayProcess, text: str, identity: str, session: str) -> None:
    """Wait for the answer: a repeated id joins the running turn or gets what is stored."""
    body = {"session": session, "text": text, "id": identity}
    response = await house.client.post(f"{house.url}/api/messages", json=body, timeout=300.0)
    response.raise_for_status()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=float, default=7)
    parser.add_argument("--kills", action="store_true")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    result = asyncio.run(soak(int(given.days * DAY), given.seed, given.kills))
    print(result)
    sys.exit(1 if result["lost"] or result["twice"] or result["money"] or result["zombies"] else 0)
