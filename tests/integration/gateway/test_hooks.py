"""What the owner's programs are told while the house lives."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from appliance.agent.compaction import HEADINGS
from appliance.testing.anthropic_replies import Reply
from tests.integration.gateway.conftest import Start

WRITES = "#!/bin/sh\n{about}\ncat >> seen.jsonl\n"
SUMMARY = "\n".join(f"{heading}\n- none" for heading in HEADINGS)


def install(state: Path, name: str, text: str) -> Path:
    folder = state / "config" / "hooks"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    (folder / name).chmod(0o700)
    return folder / "seen.jsonl"


async def told(path: Path, *names: str) -> list[dict[str, Any]]:
    """Wait until these events stand in the file, and return all of them."""
    async with asyncio.timeout(30):
        while True:
            found = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
            if set(names) <= {event["event"] for event in found}:
                return found
            await asyncio.sleep(0.02)


def answer(body: dict[str, Any]) -> Reply:
    system = str(body.get("system", ""))
    return Reply(text=SUMMARY if "Summarise" in system else "NOTHING" if "keep the memory" in system else "hello")


async def test_a_conversation_is_told_from_its_start_to_its_end(start: Start, tmp_path: Path) -> None:
    seen = install(tmp_path / "state", "log", WRITES.format(about=""))
    home = await start(tmp_path / "state")
    home.provider.default(answer)
    await home.say("早安", id="m1")
    long = "lorem ipsum " * 1_000
    await home.say(long, id="m2")
    await home.say(long, id="m2")
    await home.say("/compact")
    await home.say("/new")
    events = await told(seen, "session:end", "session:compact:after")
    names = [event["event"] for event in events]
    assert names[:4] == ["session:start", "message:received", "message:sent", "turn:end"]
    assert names.count("session:start") == 1
    assert names.count("turn:end") == 2
    assert names.index("session:compact:before") < names.index("session:compact:after")
    received = [event["data"] for event in events if event["event"] == "message:received"]
    assert [one["text"].strip() for one in received] == ["早安", long.strip(), "/compact", "/new"]
    assert received[0]["id"] == "m1"
    assert received[0]["role"] == "owner"
    ended = next(event["data"] for event in events if event["event"] == "turn:end")
    assert ended["session"] == "agent:main:main"
    assert ended["model"].startswith("claude")
    assert ended["cost_usd"] > 0
    sent = next(event["data"] for event in events if event["event"] == "message:sent")
    assert sent == {"session": "agent:main:main", "channel": "web", "kind": "reply", "text": "hello"}


async def test_marks_of_the_budget_are_told(start: Start, tmp_path: Path) -> None:
    seen = install(tmp_path / "state", "log", WRITES.format(about="# events: budget:mark"))
    home = await start(tmp_path / "state", APPLIANCE_BUDGET__DAILY_USD="0.0001", APPLIANCE_BUDGET__AT_LIMIT="stop")
    await home.say("hello")
    [event, *_] = await told(seen, "budget:mark")
    assert event["data"]["scope"] == "day"
    assert event["data"]["percent"] == 100
    assert event["data"]["limit_usd"] == 0.0001


async def test_a_hook_that_fails_hangs_or_cannot_start_breaks_no_turn(start: Start, tmp_path: Path) -> None:
    install(tmp_path / "state", "a.py", "raise SystemExit('broken')")
    install(tmp_path / "state", "b.py", "# events: session:compact:before\nimport time\ntime.sleep(300)")
    home = await start(tmp_path / "state", APPLIANCE_HOOKS__TIMEOUT_SECONDS="0.5")
    home.provider.default(answer)
    assert (await home.say("hello"))["reply"] == "hello"
    assert (await home.say("/compact"))["status"] == 200
    assert (await home.say("and now?"))["reply"] == "hello"
