"""Kill the gateway again and again while it answers, and count what became of every message.

    python tests/faults/kill.py --runs 300 --messages 20          random moments
    python tests/faults/kill.py --points                          every named crash point once

The books of the fake provider, the tally file and the transcripts' own API decide; no log of ours is believed.
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

import apsw

from appliance.testing.anthropic_replies import Reply
from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.process import GatewayProcess

POINTS = (
    "after_receive", "after_inbox_commit", "before_call", "budget.before_reserve", "budget.reserved",
    "model.before_call", "model.mid_stream", "model.after_usage", "budget.before_settle", "budget.settled",
    "model.after_settle", "after_usage", "before_tool", "after_tool", "before_transcript_append",
    "after_transcript_append", "after_final_record", "before_answer_commit", "after_answer_commit",
)  # fmt: skip
SESSIONS = ("main", "kitchen", "study", "garden")
QUIET_SECONDS = 60.0


@dataclass
class Outcome:
    """What one run came to; empty lists are what is hoped for."""

    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    effects_twice: list[int] = field(default_factory=list)
    money: list[str] = field(default_factory=list)
    kills: int = 0
    restart_to_answer: list[float] = field(default_factory=list)

    @property
    def bad(self) -> bool:
        return bool(self.lost or self.twice or self.effects_twice or self.money)

    def __str__(self) -> str:
        return f"lost {self.lost} twice {self.twice} effects twice {self.effects_twice} money {self.money}"


def answer(body: dict[str, Any]) -> Reply:
    """The fake provider's side: a tool call for a message that asks for one, else a slow echo."""
    last = body["messages"][-1]["content"]
    if isinstance(last, str):
        return Reply(text=f"echo {last[-40:]}", pieces=4, pace=0.01)
    if any(block["type"] == "tool_result" for block in last):
        return Reply(text="counted", pieces=2, pace=0.01)
    text = "".join(block.get("text", "") for block in last)
    found = re.findall(r"please tally (\d+)", text)
    if found:
        return Reply(tools=[("tally", {"n": int(n)}) for n in found])
    return Reply(text=f"echo {text[-40:]}", pieces=4, pace=0.01)


def messages_of(run: int, count: int) -> list[tuple[str, str, str]]:
    """(session, id, text): every third asks for a tool, so that effects can be counted."""
    rows = []
    for number in range(count):
        text = f"please tally {number}" if number % 3 == 0 else f"message {number} 你好 🙂"
        rows.append((SESSIONS[number % len(SESSIONS)], f"r{run}-m{number}", text))
    return rows


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
                answered = await _quiet(house, {i for _, i, _ in sent})
                outcome.lost = sorted(i for _, i, _ in sent if answered[i] == 0)
                outcome.twice = sorted(i for i, n in answered.items() if n > 1)
                tally = Path(folder) / "state" / "tally.txt"
                counts = Counter(map(int, tally.read_text().split())) if tally.exists() else Counter()
                outcome.effects_twice = sorted(n for n, times in counts.items() if times > 1)
                await house.stop()
                outcome.money = _money(Path(folder) / "state" / "core.db", provider)
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


async def _quiet(house: GatewayProcess, wanted: set[str]) -> Counter[str]:
    """Wait until every message is answered, then a little longer, and count answers by message."""
    until = time.monotonic() + QUIET_SECONDS
    answered: Counter[str] = Counter()
    settled = False
    while time.monotonic() < until:
        answered = Counter()
        for session in SESSIONS:
            rows = await house.messages(session) if session in await _names(house) else []
            for row in rows:
                answered.update(row.get("in_reply_to", ()))
        done = wanted <= set(answered)
        if done and settled:
            break
        settled = done
        await asyncio.sleep(0.3 if done else 0.05)
    return answered


async def _names(house: GatewayProcess) -> set[str]:
    rows = await house.get("/api/sessions")
    return {row["name"] for row in (rows["sessions"] if isinstance(rows, dict) else rows)}


def _money(path: Path, provider: FakeAnthropic) -> list[str]:
    """The books against the provider's: never below, and each settled row one of its calls to the last digit."""
    connection = apsw.Connection(str(path))
    rows = list(connection.execute("SELECT figure, cost FROM ledger WHERE provider = 'anthropic'"))
    held = list(connection.execute("SELECT amount FROM reservations"))
    connection.close()
    problems = []
    ours, theirs = sum(cost for _, cost in rows), provider.billed
    if ours < theirs:
        problems.append(f"books {ours} below the provider's {theirs}")
    if held:
        problems.append(f"{len(held)} reservations still open")
    left = Counter(call.picodollars for call in provider.calls)
    left.subtract(cost for figure, cost in rows if figure == "provider")
    problems += [f"a settled row of {cost} is none of the provider's" for cost, n in left.items() if n < 0]
    if all(figure == "provider" for figure, _ in rows) and ours != theirs:
        problems.append(f"all rows are settled and {ours} is not {theirs}")
    return problems


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
