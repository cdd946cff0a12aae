"""Real file events, real processes: what is written is searchable soon, and what is killed is whole."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from appliance.clock import SystemClock
from appliance.memory.house import Memory
from appliance.memory.items import Items
from appliance.memory.scopes import Scope
from appliance.memory.workspace import Workspace
from appliance.messages import SessionKey
from appliance.settings import MemorySettings
from appliance.testing.fake_embedder import FakeEmbedder
from appliance.testing.memory_house import AT, House

OWNER = Scope(SessionKey.main())


@pytest.fixture(params=["events", "poll"])
async def memory(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Memory]:
    workspace = Workspace(tmp_path / "agents" / "main", ZoneInfo("UTC"))
    workspace.create()
    (tmp_path / "team").mkdir()
    made = Memory(
        tmp_path, {"main": workspace}, SystemClock(), MemorySettings(watch=request.param), embedder=FakeEmbedder()
    )
    made.open()
    await made.start()
    yield made
    await made.stop()


async def found_soon(memory: Memory, query: str, text: str, seconds: float = 60.0) -> None:
    # Polling sees no second edit within the same second; the full look every half minute does.
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        if any(text in hit.snippet for hit in await memory.search(query, OWNER)):
            return
        await asyncio.sleep(0.05)
    pytest.fail(f"{text!r} was not searchable within {seconds} s")


async def test_an_edit_by_hand_is_searchable_without_being_told(memory: Memory) -> None:
    folder = memory.workspaces["main"].folder
    await asyncio.sleep(1.0)  # the watcher has begun
    (folder / "MEMORY.md").write_text("# Memory\n\nthe boiler code is 4711\n")
    await found_soon(memory, "boiler code", "4711")
    # As editors save: a new file renamed over the old one.
    (folder / "new.md").write_text("# Memory\n\nthe boiler code is 9922\n")
    (folder / "new.md").rename(folder / "MEMORY.md")
    await found_soon(memory, "boiler code", "9922")
    (memory.index.team / "wifi.md").write_text("the guest network is Finch\n")
    await found_soon(memory, "guest network", "Finch")


async def test_vectors_follow_by_themselves(memory: Memory) -> None:
    await asyncio.sleep(1.0)
    (memory.workspaces["main"].folder / "MEMORY.md").write_text("the boiler code is 4711")
    await found_soon(memory, "boiler", "4711")
    async with asyncio.timeout(15):
        while (await memory.status())["wanted"]:
            await asyncio.sleep(0.05)
    assert (await memory.status())["vectors"] > 0


WORK = """
import asyncio, sys
from pathlib import Path
from appliance.testing.fake_embedder import FakeEmbedder
from appliance.testing.memory_house import AT, House

async def main():
    house = House(Path(sys.argv[1]), FakeEmbedder())
    house.index.open()
    start = len(list(house.workspace.sessions.glob("*.jsonl"))) and 1000
    for number in range(12):
        house.item(f"likes thing {number} of run {sys.argv[2]}", at=AT + number)
        house.memory("\\n\\n".join(f"# Part {n}\\n\\nfact {n} of {sys.argv[2]}" for n in range(number + 1)))
        house.say((f"message {number} of run {sys.argv[2]}", "reply"), start=int(sys.argv[2]) * 1000 + number)
        await house.index.sync()
        await house.filler.fill()
        print(number, flush=True)

asyncio.run(main())
"""


def run(state: Path, number: int, crash_at: str) -> int:
    environment = {**os.environ, "APPLIANCE_CRASH_AT": crash_at}
    done = subprocess.run(
        [sys.executable, "-c", WORK, str(state), str(number)],
        env=environment,
        timeout=60,
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()
    return done.returncode


@pytest.mark.parametrize(
    "place",
    [
        "append-before:5",
        "append-written:5",
        "index-write:9",
        "index-transcript:4",
        "index-vectors:6",
        "workspace-create:3",
    ],
)
async def test_a_kill_at_any_place_leaves_whole_files_and_an_index_that_heals(tmp_path: Path, place: str) -> None:
    assert run(tmp_path, 1, place) == -signal.SIGKILL, "the place was reached"
    assert run(tmp_path, 2, "") == 0
    house = House(tmp_path, FakeEmbedder())
    house.index.open()
    await house.ready()
    assert await house.index.check() == []
    texts = [item.text for item in Items(house.workspace).active()]
    assert sum(text.endswith("run 2") for text in texts) == 12
    killed = [text for text in texts if text.endswith("run 1")]
    assert killed == [f"likes thing {n} of run 1" for n in range(len(killed))], (
        "what was stored before the kill is whole"
    )
    for line in house.workspace.read_day(house.workspace.day(AT)).splitlines():
        assert line == "" or line.startswith(("# ", "- [W] ")), line
    assert house.count("SELECT count(*) FROM vectors") == house.count("SELECT count(*) FROM chunks")
    assert house.count("SELECT count(*) FROM chunks WHERE kind='item'") == len(texts)
    assert "fact 11 of 2" in await house.snippets("fact 11")
    house.index.close()
