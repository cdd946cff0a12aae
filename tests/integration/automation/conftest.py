"""The whole house with a clock that tests set, and an owner who reads on a channel of their own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from appliance.app import Appliance
from appliance.messages import Inbound, Person, Role, SessionKey
from appliance.testing.fake_anthropic import FakeAnthropic
from tests.house_settings import client_of, house_settings

START = "2026-11-30T08:00:00Z"


class SetClock:
    """Real waiting, but the wall shows what a test says."""

    def __init__(self, at: str) -> None:
        self._shift = 0.0
        self.set(at)

    def set(self, at: str) -> None:
        self._shift = datetime.fromisoformat(at).timestamp() - time.time()

    def now(self) -> float:
        return time.time() + self._shift

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(min(max(0.0, seconds), 3600.0))


class Pocket:
    """gateway.delivery.Carrier: what arrives in the owner's pocket, in order."""

    name = "pocket"
    edits = False
    nonces = True

    def __init__(self) -> None:
        self.got: list[str] = []
        self.nonces_seen: set[str] = set()

    def split(self, text: str) -> list[dict[str, Any]]:
        return [{"text": text}]

    async def send(self, place: dict[str, Any], part: dict[str, Any], nonce: str, buttons: Any = ()) -> str:
        if nonce not in self.nonces_seen:
            self.nonces_seen.add(nonce)
            self.got.append(part["text"])
        return nonce


class Home:
    """A running house, its provider, the clock, and what the owner got."""

    def __init__(self, house: Appliance, provider: FakeAnthropic, client: httpx2.AsyncClient, clock: SetClock) -> None:
        self.house, self.provider, self.client, self.clock = house, provider, client, clock
        self.pocket = Pocket()

    async def command(self, text: str) -> str:
        response = await self.client.post("/api/messages", json={"session": "main", "text": text})
        return str(response.json()["reply"])

    async def schedule(self, line: str) -> str:
        """/cron add; returns the new job's id."""
        known = {row["id"] for row in self.house.automation.schedules()}
        said = await self.command(f"/cron add {line}")
        fresh = [row["id"] for row in self.house.automation.schedules() if row["id"] not in known]
        assert fresh, said
        return fresh[0]

    async def at(self, when: str) -> None:
        """The clock shows `when`; everything due is done, down to the last answer."""
        self.clock.set(when)
        await self.quiet()

    async def quiet(self, seconds: float = 60.0) -> None:
        async with asyncio.timeout(seconds):
            while True:
                await self.house.automation.tick()
                await asyncio.sleep(0.02)
                waiting = self.house.core.read(
                    "SELECT count(*) FROM cron_occurrences WHERE state='started' OR (state='due' AND not_before < ?)",
                    (self.clock.now(),),
                )[0][0]
                run = self.house.core.read("SELECT count(*) FROM inbox WHERE state='new'")[0][0]
                out = self.house.core.read("SELECT count(*) FROM outbox WHERE state='ready' AND channel='pocket'")[0][0]
                beat = self.house.core.read("SELECT value FROM cron_state WHERE key='heartbeat.run'")
                if not (waiting or run or out or (beat and '"not_before":0.0' in beat[0][0])):
                    return

    def log(self, job: str) -> list[tuple[str, str, bool]]:
        """(planned, state, late) of a job's occurrences, oldest first."""
        rows = self.house.core.read(
            "SELECT planned, state, late FROM cron_occurrences WHERE job=? ORDER BY planned", (job,)
        )
        return [(datetime.fromtimestamp(p).astimezone().isoformat(), s, bool(late)) for p, s, late in rows]

    def states(self, job: str) -> list[str]:
        return [state for _, state, _ in self.log(job)]

    def paid_calls(self) -> int:
        return len(self.provider.calls)


Start = Callable[..., Any]


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    stack = AsyncExitStack()

    async def begin(
        at: str = START, provider: FakeAnthropic | None = None, *, page: bool = False, **environ: str
    ) -> Home:
        if provider is None:
            provider = await stack.enter_async_context(FakeAnthropic())
        settings = house_settings(
            tmp_path / "state",
            provider.url,
            **{"APPLIANCE_MODELS__CHAIN": '["claude-sonnet-5-5"]', "APPLIANCE_OWNER__TIMEZONE": "UTC", **environ},
        )
        clock = SetClock(at)
        house = Appliance(settings, clock)
        url = await house.start()
        stack.push_async_callback(_stop, house)
        client = client_of(settings, url)
        await stack.enter_async_context(client)
        home = Home(house, provider, client, clock)
        house.delivery.attach(home.pocket)  # type: ignore[arg-type]
        if page:  # an owner who uses nothing but the page
            return home
        await house.intake.accept(
            Inbound(
                "pocket", "", "1", "message", f"hello-{clock.now()}", "/whoami", Person("7", "Sam", Role.OWNER),
                SessionKey.main(), clock.now(), place={"chat": 1},
            )
        )  # fmt: skip
        await home.quiet()
        home.pocket.got = [text for text in home.pocket.got if not text.startswith("You are 7")]
        return home

    yield begin
    await stack.aclose()


async def _stop(house: Appliance) -> None:
    if house.core._thread is not None:  # a test may have stopped it already
        await house.stop()


@pytest.fixture
async def home(start: Start) -> Home:
    return await start()
