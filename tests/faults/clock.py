"""Let the wall clock of the running gateway jump, change for summer time, or stand still, and count what it did.

    python tests/faults/clock.py          every scenario, about four minutes

The real process runs under libfaketime (Debian's `faketime`), whose file moves its wall clock alone; a suspended
machine is SIGSTOP, a jump and SIGCONT. Jobs are scheduled as a user would; the house looks at its clock once a minute,
and at once when something is scheduled, which is done after each jump to save the minute. The provider's book decides:
a run of a job is a call that asks for it, and a message is answered once whatever the clock shows.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import apsw

from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.process import GatewayProcess
from tests.faults.books import answer, damage, money, transcribed

LIBRARY = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
HOUR, YEAR = 3_600, 365 * 86_400
READ_SECONDS = 2.5  # libfaketime reads its file once a second
SETTLED_SECONDS = 6.0
PATIENCE_SECONDS = 90.0
HOURLY = tuple(f"hourly {letter}" for letter in "abcde")
NIGHTLY = "nightly"


@dataclass(frozen=True, slots=True)
class Scenario:
    """Where the owner lives, when it begins (UTC), the jumps in seconds, and how often each job must have run.

    `suspended`: the process stands still during each jump.
    """

    name: str
    zone: str
    begin: str
    jumps: tuple[int, ...]
    runs: dict[str, tuple[int, int]]
    suspended: bool = False


def hourly(least: int, most: int) -> dict[str, tuple[int, int]]:
    return dict.fromkeys(HOURLY, (least, most))


TWO_NIGHTS = {NIGHTLY: (2, 2)}
# An hourly job that was missed is made up for once, and never run twice for one hour (A3.3, F06 to F08).
SCENARIOS = (
    Scenario("an hour on, an hour back", "UTC", "2026-11-30T08:20:00Z", (HOUR, -HOUR, HOUR), hourly(1, 1)),
    Scenario("25 hours on, 25 back", "UTC", "2026-11-30T08:20:00Z", (25 * HOUR, -25 * HOUR), hourly(1, 2)),
    Scenario("1970 and again now", "UTC", "2026-11-30T08:20:00Z", (-56 * YEAR, 56 * YEAR + HOUR), hourly(1, 1)),
    Scenario("2038 and again now", "UTC", "2026-11-30T08:20:00Z", (11 * YEAR, -11 * YEAR + HOUR), hourly(1, 2)),
    Scenario("six hours of sleep", "UTC", "2026-11-30T08:20:00Z", (6 * HOUR,), hourly(1, 1), suspended=True),
    Scenario("spring, New York", "America/New_York", "2026-03-08T06:20:00Z", (HOUR, 24 * HOUR), TWO_NIGHTS),
    Scenario("autumn, New York", "America/New_York", "2026-11-01T06:20:00Z", (HOUR, HOUR, 24 * HOUR), TWO_NIGHTS),
    Scenario("autumn, Paris", "Europe/Paris", "2026-10-25T00:20:00Z", (HOUR, HOUR, 24 * HOUR), TWO_NIGHTS),
    Scenario("autumn, Lord Howe", "Australia/Lord_Howe", "2026-04-04T14:40:00Z", (HOUR, HOUR, 24 * HOUR), TWO_NIGHTS),
)
SCHEDULES = {**dict.fromkeys(HOURLY, "0 * * * *"), NIGHTLY: "30 2 * * *"}


@dataclass
class Told:
    """What one scenario came to."""

    runs: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)


class FakeTime:
    """The wall clock of a process: `environ` for it, and `jump`."""

    def __init__(self, path: Path, begin: str) -> None:
        self._path = path
        self._offset = datetime.fromisoformat(begin).timestamp() - time.time()
        self.jump(0)
        self.environ = {
            "LD_PRELOAD": str(LIBRARY), "FAKETIME_TIMESTAMP_FILE": str(path), "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_DONT_RESET": "1",
        }  # fmt: skip

    def jump(self, seconds: int) -> None:
        self._offset += seconds
        fresh = self._path.with_suffix(".new")
        fresh.write_text(f"{self._offset:+.0f}")
        fresh.rename(self._path)


async def one_run(scenario: Scenario) -> Told:
    """Schedule the jobs, let the clock jump, send a message after each jump, and compare."""
    told = Told()
    with tempfile.TemporaryDirectory() as folder:
        clock = FakeTime(Path(folder) / "time", scenario.begin)
        async with FakeAnthropic() as provider:
            provider.default(answer)
            state = Path(folder) / "state"
            state.mkdir()
            house = GatewayProcess(
                state, ANTHROPIC_API_KEY="sk-ant-test", ANTHROPIC_BASE_URL=provider.url,
                APPLIANCE_OWNER__TIMEZONE=scenario.zone, APPLIANCE_BUDGET__DAILY_USD="50",
                APPLIANCE_BACKUP__NIGHTLY="false", **clock.environ,
            )  # fmt: skip
            try:
                await house.start()
                await house.post("hello", session="talk")  # what is loaded at the first message is there
                for name in scenario.runs:
                    await house.post(f'/cron add --silent --name "{name}" "{SCHEDULES[name]}" Do the {name} thing')
                for number, seconds in enumerate(scenario.jumps):
                    await _jump(house, clock, seconds, scenario.suspended)
                    await house.post(f'/cron add --name "look {number}" "0 0 1 1 *" Look at the clock')
                    await house.post(f"message {number}", id=f"m{number}", session="talk")
                    await _settled(lambda: len(provider.calls))
                await house.stop()
                told.runs = _runs(provider, scenario)
                told.wrong = _wrong(told.runs, scenario, state) + money(state / "core.db", provider) + damage(state)
            finally:
                await house.close()
    return told


async def _jump(house: GatewayProcess, clock: FakeTime, seconds: int, suspended: bool) -> None:
    if suspended:
        os.kill(house.pid, signal.SIGSTOP)
        await asyncio.sleep(1.0)
    clock.jump(seconds)
    if suspended:
        os.kill(house.pid, signal.SIGCONT)
    await asyncio.sleep(READ_SECONDS)


async def _settled(count: Callable[[], int]) -> None:
    """Wait until nothing more was asked of the provider for a while."""
    until, last, since = time.monotonic() + PATIENCE_SECONDS, -1, time.monotonic()
    while time.monotonic() < until and time.monotonic() - since < SETTLED_SECONDS:
        if count() != last:
            last, since = count(), time.monotonic()
        await asyncio.sleep(0.1)


def _runs(provider: FakeAnthropic, scenario: Scenario) -> dict[str, int]:
    """How often the provider was asked to do each job."""
    asked = [str(call.request["messages"][-1]["content"]) for call in provider.calls if call.status == 200]
    return {name: sum(f"Do the {name} thing" in text for text in asked) for name in scenario.runs}


def _wrong(runs: dict[str, int], scenario: Scenario, state: Path) -> list[str]:
    found = []
    for name, (least, most) in scenario.runs.items():
        if not least <= runs[name] <= most:
            found.append(f"{name} ran {runs[name]} times, not {least} to {most}")
    connection = apsw.Connection(str(state / "core.db"))
    rows = list(connection.execute("SELECT state, late, reason FROM cron_occurrences"))
    connection.close()
    states = Counter(row[0] for row in rows)
    if states["done"] != sum(runs.values()):
        found.append(f"{sum(runs.values())} runs were paid for and {states['done']} are in the record")
    found += [f"an occurrence was {how} without a reason" for how, _, why in rows if how == "skipped" and not why]
    found += [f"an occurrence is {late} s late" for _, late, _ in rows if late < 0]
    counts = transcribed(state)
    found += [
        f"message {n} was answered {counts[f'm{n}']} times" for n in range(len(scenario.jumps)) if counts[f"m{n}"] != 1
    ]
    return found


async def suite(names: list[str]) -> int:
    bad = 0
    for scenario in SCENARIOS:
        if names and scenario.name not in names:
            continue
        told = await one_run(scenario)
        bad += bool(told.wrong)
        print(f"{scenario.name:28} {told.runs} {'; '.join(told.wrong) or 'ok'}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", default=[], help="a scenario's name; may be repeated")
    sys.exit(asyncio.run(suite(parser.parse_args().only)))
