"""Kill the gateway again and again while it answers, and count what became of every message.

    python tests/faults/kill.py --runs 300 --messages 20          random moments
    python tests/faults/kill.py --points                          every named crash point once
    python tests/faults/kill.py --calls 50                        at random system calls that write or sync (strace)
    python tests/faults/kill.py --runs 50 --power                 the power fails: what was not synced is gone

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
from dataclasses import dataclass
from pathlib import Path

from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.process import GatewayProcess
from tests.faults.books import Outcome, answer, damage, messages_of, money, quiet, tallied
from tests.faults.power import Supply

POINTS = (
    "after_receive", "after_inbox_commit", "before_call", "budget.before_reserve", "budget.reserved",
    "model.before_call", "model.mid_stream", "model.after_usage", "budget.before_settle", "budget.settled",
    "model.after_settle", "after_usage", "before_tool", "after_tool", "before_transcript_append",
    "after_transcript_append", "after_final_record", "before_answer_commit", "after_answer_commit",
)  # fmt: skip


CALLS = ("fdatasync", "fsync", "pwrite64", "rename,renameat,renameat2")
LATEST_CALL = 120
CALLED_SECONDS = 20.0  # a call that is not made so often by then: the blow falls anyway


@dataclass(frozen=True, slots=True)
class Blow:
    """What ends the gateway: a time in seconds, a named crash point, or the `when`-th of a system call."""

    after: float | None = None
    point: str = ""
    call: str = ""
    when: int = 0

    def __str__(self) -> str:
        return self.point or (f"{self.call.partition(',')[0]} {self.when}" if self.call else f"{self.after:.2f} s")

    @property
    def tracer(self) -> tuple[str, ...]:
        if not self.call:
            return ()
        inject = f"inject={self.call}:signal=KILL:when={self.when}"
        return ("strace", "-f", "-qq", "--seccomp-bpf", "-o", "/dev/null", "-e", f"trace={self.call}", "-e", inject)

    @property
    def seconds(self) -> float:
        """How long to wait before striking by hand."""
        if self.after is not None:
            return self.after
        return CALLED_SECONDS if self.call else 60.0


async def one_run(run: int, count: int, blow: Blow, kills: int = 1, power: bool = False) -> Outcome:
    """Send `count` messages, let the blow fall, restart, wait until quiet, compare."""
    outcome = Outcome()
    sent = messages_of(run, count)
    with tempfile.TemporaryDirectory() as folder:
        async with FakeAnthropic() as provider:
            provider.default(answer)
            state = Path(folder) / "state"
            state.mkdir()
            supply = Supply(state, Path(folder) / "power") if power else None
            house = GatewayProcess(
                state, ANTHROPIC_API_KEY="sk-ant-test", ANTHROPIC_BASE_URL=provider.url,
                APPLIANCE_BUDGET__DAILY_USD="50", **(supply.environ if supply else {}),
            )  # fmt: skip
            try:
                await _start(house, blow)
                sending = asyncio.gather(*(house.send(text, i, session=s) for s, i, text in sent))
                for _ in range(kills):
                    await _die(house, blow)
                    outcome.kills += 1
                    if supply:
                        supply.fail()
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
                outcome.damaged = damage(house.state)
            finally:
                await house.close()
    return outcome


async def _start(house: GatewayProcess, blow: Blow) -> None:
    """The life that the blow ends; one that ends it while it starts is followed by another life."""
    house.under = blow.tracer
    try:
        await house.start(**({"APPLIANCE_CRASH_AT": blow.point} if blow.point else {}))
    except RuntimeError:
        if not blow.call:
            raise
    finally:
        house.under = ()


async def _die(house: GatewayProcess, blow: Blow) -> None:
    """Wait for the point or the call to strike, or strike when its time has come."""
    until = time.monotonic() + blow.seconds
    while time.monotonic() < until and house.alive:
        await asyncio.sleep(0.005)
    if blow.point and house.alive:
        raise RuntimeError(f"the crash point {blow.point} was never reached")
    await house.kill()


async def suite(plan: list[Blow], count: int, kills: int, power: bool) -> int:
    """Run it all; print a line a run and the sums; return the exit code."""
    total = Counter[str]()
    restarts: list[float] = []
    for number, blow in enumerate(plan):
        outcome = await one_run(number, count, blow, kills, power)
        total.update(runs=1, messages=count, kills=outcome.kills, lost=len(outcome.lost), twice=len(outcome.twice))
        total.update(effects_twice=len(outcome.effects_twice), money=len(outcome.money), damaged=len(outcome.damaged))
        total.update(bad=outcome.bad)
        restarts += outcome.restart_to_answer
        print(f"{number:4} {blow!s:26} {outcome if outcome.bad else 'ok'}", flush=True)
    print({**total, "restart_median_s": round(sorted(restarts)[len(restarts) // 2], 2)})
    return 1 if total["bad"] else 0


def planned(runs: int, points: bool, calls: int, seed: int) -> list[Blow]:
    """The named points, then the system calls in turn, then random moments."""
    chance = random.Random(seed)
    plan = [Blow(point=point) for point in POINTS] if points else []
    plan += [Blow(call=CALLS[n % len(CALLS)], when=chance.randint(1, LATEST_CALL)) for n in range(calls)]
    return plan + [Blow(after=chance.uniform(0.0, 1.5)) for _ in range(runs)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--messages", type=int, default=20)
    parser.add_argument("--kills", type=int, default=1, help="kills in one run")
    parser.add_argument("--points", action="store_true", help="every named crash point first")
    parser.add_argument("--calls", type=int, default=0, help="runs that a system call ends; needs strace")
    parser.add_argument("--power", action="store_true", help="writes that were not synced are lost; needs a C compiler")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    blows = planned(given.runs, given.points, given.calls, given.seed)
    sys.exit(asyncio.run(suite(blows, given.messages, given.kills, given.power)))
