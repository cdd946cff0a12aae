"""Kill the gateway again and again while it answers, and count what became of every message.

    python tests/faults/kill.py --runs 300 --messages 20          random moments
    python tests/faults/kill.py --points                          every named crash point once

The books of the fake provider, the tally file and the transcripts' own API decide; no log of ours is believed.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.process import GatewayProcess
from tests.faults.books import Outcome, answer, messages_of, money, quiet, tallied

POINTS = (
    "after_receive", "after_inbox_commit", "before_call", "budget.before_reserve", "budget.reserved",
    "model.before_call", "model.mid_stream", "model.after_usage", "budget.before_settle", "budget.settled",
    "model.after_settle", "after_usage", "before_tool", "after_tool", "before_transcript_append",
    "after_transcript_append", "after_final_record", "before_answer_commit", "after_answer_commit",
)  # fmt: skip


async def one_run(run: int, count: int, kill_after: float | None, point: str = "", kills: int = 1) -> Outcome:
    """Send `count` messages, kill at random (or at a named point), restart, wait until quiet, compare."""
    outcome = Outcome()
    sent = messages_of(run, count)
    with tempfile.TemporaryDirectory() as folder:
        async with FakeAnthropic() as provider:
            provider.default(answer)
            house = GatewayProcess(
                Path(folder) / "state", ANTHROPIC_API_KEY="sk-ant-test", ANTHROPIC_BASE_URL=provider.url,
                APPLIANCE_BUDGET__DAILY_USD="50",
            )  # fmt: skip
            (Path(folder) / "state").mkdir()
            try:
                await house.start(**({"APPLIANCE_CRASH_AT": point} if point else {}))
                sending = asyncio.gather(*(house.send(text, i, session=s) for s, i, text in sent))
                for _ in range(kills):
                    await _die(house, kill_after, point)
                    outcome.kills += 1
                    began = time.monotonic()
                    await house.start()
                    outcome.restart_to_answer.append(time.monotonic() - began)
                await sending
                answered = await quiet(house, {i for _, i, _ in sent})
                outcome.lost = sorted(i for _, i, _ in sent if answered[i] == 0)
                outcome.twice = sorted(i for i, n in answered.items() if n > 1)
                outcome.effects_twice = sorted(n for n, times in tallied(house.state).items() if times > 1)
                await house.stop()
                outcome.money = money(house.state / "core.db", provider)
            finally:
                await house.close()
    return outcome


async def _die(house: GatewayProcess, kill_after: float | None, point: str) -> None:
    """Wait for the named point to strike, or strike after `kill_after` seconds."""
    until = time.monotonic() + (kill_after if kill_after is not None else 60.0)
    while time.monotonic() < until and house.alive:
        await asyncio.sleep(0.005)
    if point and house.alive:
        raise RuntimeError(f"the crash point {point} was never reached")
    await house.kill()


async def suite(runs: int, count: int, points: bool, seed: int, kills: int = 1) -> int:
    """Run it all; print a line a run and the sums; return the exit code."""
    random.seed(seed)
    total = Counter[str]()
    plan: list[tuple[float | None, str]] = [(None, point) for point in POINTS] if points else []
    plan += [(random.uniform(0.0, 1.5), "") for _ in range(runs)]
    restarts: list[float] = []
    for number, (after, point) in enumerate(plan):
        outcome = await one_run(number, count, after, point, kills)
        total.update(runs=1, messages=count, kills=outcome.kills, lost=len(outcome.lost), twice=len(outcome.twice))
        total.update(effects_twice=len(outcome.effects_twice), money=len(outcome.money))
        restarts += outcome.restart_to_answer
        print(f"{number:4} {point or f'{after:.2f} s':26} {outcome if outcome.bad else 'ok'}", flush=True)
    print({**total, "restart_median_s": round(sorted(restarts)[len(restarts) // 2], 2)})
    return 1 if total["lost"] + total["twice"] + total["effects_twice"] + total["money"] else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--messages", type=int, default=20)
    parser.add_argument("--kills", type=int, default=1, help="kills in one run")
    parser.add_argument("--points", action="store_true", help="every named crash point first")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    sys.exit(asyncio.run(suite(given.runs, given.messages, given.points, given.seed, given.kills)))
