"""The monitor: whether exec is offered, and that the end of a background command is passed on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from appliance.errors import SandboxError
from appliance.sandbox.client import SandboxHealth
from appliance.sandbox.monitor import Monitor

WELL, ILL = SandboxHealth(True), SandboxHealth(False, "no Docker", "install it")


class Runner:
    def __init__(self, *health: SandboxHealth) -> None:
        self.answers = list(health)
        self.warmed: list[str] = []
        self.untold: list[dict[str, Any]] = []
        self.acknowledged: list[str] = []
        self.asked = asyncio.Event()

    async def health(self) -> SandboxHealth:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    async def warm(self, work: str) -> None:
        self.warmed.append(work)

    async def ended(self, acknowledge: Sequence[str], wait: float) -> Sequence[dict[str, Any]]:
        self.acknowledged += acknowledge
        self.untold = [job for job in self.untold if job["id"] not in self.acknowledged]
        if not self.untold:
            self.asked.set()
            await asyncio.Event().wait()
        return tuple(self.untold)


async def test_a_change_of_health_is_told_once_each_way() -> None:
    told: list[bool] = []
    monitor = Monitor(Runner(ILL, ILL, WELL, WELL, ILL), changed=lambda health: told.append(health.ok))
    assert not monitor.usable
    seen = []
    for _ in range(5):
        await monitor.look()
        seen.append(monitor.usable)
    assert seen == [False, False, True, True, False]
    assert told == [False, True, False]


async def test_the_folders_in_use_are_warmed_when_the_sandbox_comes_up() -> None:
    runner = Runner(ILL, WELL)
    monitor = Monitor(runner, keep_warm=["main"])
    await monitor.look()
    assert runner.warmed == []
    await monitor.look()
    assert runner.warmed == ["main"]


async def test_an_end_is_acknowledged_only_after_it_was_passed_on() -> None:
    runner = Runner(WELL)
    runner.untold = [{"id": "a"}, {"id": "b"}]
    stored: list[str] = []

    async def store(job: dict[str, Any]) -> None:
        assert job["id"] not in runner.acknowledged
        stored.append(job["id"])

    monitor = Monitor(runner, ended=store)
    await monitor.look()
    task = asyncio.ensure_future(monitor.run())
    await asyncio.wait_for(runner.asked.wait(), 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stored == ["a", "b"]
    assert runner.acknowledged == ["a", "b"]


async def test_a_runner_that_goes_away_is_asked_again_later() -> None:
    class Flaky(Runner):
        failures = 2

        async def ended(self, acknowledge: Sequence[str], wait: float) -> Sequence[dict[str, Any]]:
            if self.failures:
                self.failures -= 1
                raise SandboxError("went away")
            return await super().ended(acknowledge, wait)

    runner = Flaky(WELL)
    runner.untold = [{"id": "a"}]
    stored: list[str] = []
    slept: list[float] = []

    async def store(job: dict[str, Any]) -> None:
        stored.append(job["id"])

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await asyncio.sleep(0.001)

    monitor = Monitor(runner, ended=store, sleep=sleep)
    await monitor.look()
    task = asyncio.ensure_future(monitor.run())
    await asyncio.wait_for(runner.asked.wait(), 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stored == ["a"]
    assert slept.count(5.0) >= 2
