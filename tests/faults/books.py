"""The workload of the fault suites, and the books that decide what became of it.

The fake provider, the tally file and the transcripts' own API are asked; no log of ours is believed.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from appliance.testing.anthropic_replies import Reply
from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.process import GatewayProcess

SESSIONS = ("main", "kitchen", "study", "garden")
QUIET_SECONDS = 60.0


@dataclass
class Trouble:
    """What a run under a failing disk came to; empty lists and False are what is hoped for."""

    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    died: bool = False
    refused: int = 0

    @property
    def bad(self) -> bool:
        return bool(self.lost or self.twice or self.damaged or self.died)


@dataclass
class Outcome:
    """What one run came to; empty lists are what is hoped for."""

    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    effects_twice: list[int] = field(default_factory=list)
    money: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    kills: int = 0
    restart_to_answer: list[float] = field(default_factory=list)

    @property
    def bad(self) -> bool:
        return bool(self.lost or self.twice or self.effects_twice or self.money or self.damaged)

    def __str__(self) -> str:
        return (
            f"lost {self.lost} twice {self.twice} effects twice {self.effects_twice} money {self.money} "
            f"damaged {self.damaged}"
        )


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


@contextlib.asynccontextmanager
async def plain_house() -> AsyncIterator[GatewayProcess]:
    """A house on a state of its own before a provider that answers, started and spoken to once (as `first`)."""
    with tempfile.TemporaryDirectory() as folder:
        async with FakeAnthropic() as provider:
            provider.default(answer)
            state = Path(folder) / "state"
            house = GatewayProcess(state, ANTHROPIC_API_KEY="sk-ant-test", ANTHROPIC_BASE_URL=provider.url)
            state.mkdir()
            try:
                await house.start()
                await house.post("hello", id="first")
                yield house
            finally:
                await house.close()


def messages_of(run: int, count: int) -> list[tuple[str, str, str]]:
    """(session, id, text): every third asks for a tool, so that effects can be counted."""
    rows = []
    for number in range(count):
        text = f"please tally {number}" if number % 3 == 0 else f"message {number} 你好 🙂"
        rows.append((SESSIONS[number % len(SESSIONS)], f"r{run}-m{number}", text))
    return rows


def tallied(state: Path) -> Counter[int]:
    """How often each number was tallied: the effects outside the appliance."""
    tally = state / "tally.txt"
    return Counter(map(int, tally.read_text().split())) if tally.exists() else Counter()


async def quiet(house: GatewayProcess, wanted: set[str]) -> Counter[str]:
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


def transcribed(state: Path) -> Counter[str]:
    """How often each message was answered, whatever the answer was."""
    found: Counter[str] = Counter()
    for path in state.glob("agents/*/sessions/*.jsonl"):
        for line in path.read_bytes().splitlines():
            found.update(json.loads(line).get("in_reply_to", ()))
    return found


async def _names(house: GatewayProcess) -> set[str]:
    rows = await house.get("/api/sessions")
    return {row["name"] for row in (rows["sessions"] if isinstance(rows, dict) else rows)}


def money(path: Path, provider: FakeAnthropic) -> list[str]:
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


def damage(state: Path) -> list[str]:
    """What cannot be read any more: databases, transcripts, day notes.

    A half line that the house found and wrote down beside its transcript was never reported as stored.
    """
    found = []
    for path in (state / "core.db", state / "index.db"):
        connection = apsw.Connection(str(path))
        result = next(iter(connection.execute("PRAGMA integrity_check")))[0]
        connection.close()
        if result != "ok":
            found.append(f"{path.name}: {result}")
    for path in state.glob("agents/*/sessions/*.jsonl"):
        side = path.with_suffix(".damaged")
        known = side.read_bytes() if side.exists() else b""
        for number, line in enumerate(path.read_bytes().splitlines(), start=1):
            try:
                json.loads(line)
            except ValueError:
                if line[:4096] not in known:
                    found.append(f"{path.name}:{number}")
    notes = state.glob("agents/*/**/*.md")
    return [*found, *(f"{path.name} is empty" for path in notes if not path.read_bytes())]
