"""A day of thirty turns under two strategies, both with prompt caching: what it costs, and what was still there.

    python tests/benchmarks/tokens.py [--gap 60] [--bursts 6]

`full` is the way it is usually done: a 15,000-token prompt, each result up to 64,000 characters, nothing leaves before
compaction at 176,000 tokens. `ours` is the real house. The day: chat, eight tool calls with results of 20,000 to
300,000 characters, one web page, two returns to facts said early. Turns come in bursts with hours between (as people
talk); `--gap` is seconds between turns of a burst. The fake provider caches as Anthropic does (prefixes up to marks,
five minutes) and counts a token as four characters.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from appliance.app import Appliance
from appliance.models.base import ModelRequest, PromptPart, TextDelta
from appliance.models.claude import Claude, ClaudeConnection
from appliance.settings.load import load_settings
from appliance.testing.anthropic_replies import Reply
from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.manual_clock import ManualClock

TURNS = 30
SIZES = {3: 20_000, 6: 60_000, 9: 300_000, 12: 40_000, 15: 120_000, 18: 200_000, 21: 30_000, 24: 80_000}
PAGE_TURN, PAGE_SIZE = 27, 50_000
FACTS = {2: "The door code is 4711.", 5: "The blue printer is called nas-01."}
RETURNS = {20: "4711", 28: "nas-01"}
RESULT_LIMIT = 64_000
MODEL = "claude-sonnet-5-5"


@dataclass
class Day:
    """What the provider saw over the day."""

    first: int = 0
    usage: dict[str, int] = field(default_factory=dict)
    usd: float = 0.0
    planted: int = 0
    calls: int = 0

    def as_json(self) -> dict[str, Any]:
        read = sum(value for key, value in self.usage.items() if key != "output_tokens")
        return {
            "calls": self.calls, "first_request_tokens": self.first, "input_tokens_in_all": read, **self.usage,
            "usd": round(self.usd, 4), "facts_there_when_needed": f"{self.planted} of {len(RETURNS)}",
        }  # fmt: skip


def said(turn: int) -> str:
    """What the person writes."""
    if turn in FACTS:
        return f"{FACTS[turn]} Keep that in mind."
    if turn in RETURNS:
        return "What was it again that I told you this morning about " + ("the door?" if turn == 20 else "the printer?")
    if turn in SIZES or turn == PAGE_TURN:
        return f"Please read report {turn}."
    return f"Turn {turn}: let us talk about the garden, the weather and what to cook on day {turn}."


def report(turn: int) -> str:
    """A tool result of this turn, the same for both strategies."""
    maker = random.Random(turn)
    size = PAGE_SIZE if turn == PAGE_TURN else SIZES[turn]
    words = ["backup", "disk", "ok", "warning", "sensor", "kitchen", "2026-11-30", "GB", "free", "error"]
    text = "\n".join(" ".join(maker.choice(words) for _ in range(12)) for _ in range(size // 60))
    return text[:size]


def pause(turn: int, gap: float, burst: int) -> float:
    """Seconds before a turn: short within a burst, two hours between bursts."""
    return 7_200.0 if turn % burst == 1 else gap


def tally(day: Day, provider: FakeAnthropic) -> None:
    """Add up the provider's book."""
    for seen in provider.calls:
        for kind in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"):
            day.usage[kind] = day.usage.get(kind, 0) + int(seen.usage.get(kind, 0))
    day.calls = len(provider.calls)
    day.usd = provider.billed / 1e12
    first = provider.calls[0].request
    day.first = len(json.dumps(first, ensure_ascii=False)) // 4


async def ours(gap: float, burst: int) -> Day:
    """The real house over HTTP, on a clock that we move."""
    day, clock = Day(), ManualClock()
    with tempfile.TemporaryDirectory() as folder:
        async with FakeAnthropic(clock=clock) as provider:
            provider.default(_answer)
            settings = load_settings(
                environ={
                    "APPLIANCE_STATE_DIR": folder, "APPLIANCE_SERVER__PORT": "0", "APPLIANCE_LOCAL__ENABLED": "false",
                    "APPLIANCE_EXEC__ENABLED": "false", "APPLIANCE_BACKUP__NIGHTLY": "false",
                    "ANTHROPIC_API_KEY": "sk-ant-test", "ANTHROPIC_BASE_URL": provider.url,
                    "APPLIANCE_BUDGET__DAILY_USD": "100",
                }
            )  # fmt: skip
            house = Appliance(settings, clock)
            url = await house.start()
            token = (Path(folder) / "token").read_text().strip()
            files = house.workspace("main").files
            async with httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=60) as client:
                for turn in range(1, TURNS + 1):
                    if turn in SIZES or turn == PAGE_TURN:
                        (files / f"report-{turn}.txt").write_text(report(turn))
                    clock.move(pause(turn, gap, burst))
                    reply = await client.post(f"{url}/api/messages", json={"session": "main", "text": said(turn)})
                    reply.raise_for_status()
                    if turn in RETURNS:
                        day.planted += RETURNS[turn] in json.dumps(provider.calls[-1].request, ensure_ascii=False)
            await house.stop()
            tally(day, provider)
    return day


async def with_skills(count: int) -> dict[str, int]:
    """Tokens of the first request without any skill, and with `count` of the owner's with long descriptions."""
    found = {}
    for name, number in (("without", 0), ("with", count)):
        with tempfile.TemporaryDirectory() as folder:
            async with FakeAnthropic() as provider:
                provider.default(_answer)
                settings = load_settings(
                    environ={
                        "APPLIANCE_STATE_DIR": folder, "APPLIANCE_SERVER__PORT": "0",
                        "APPLIANCE_LOCAL__ENABLED": "false", "APPLIANCE_EXEC__ENABLED": "false",
                        "APPLIANCE_BACKUP__NIGHTLY": "false", "ANTHROPIC_API_KEY": "sk-ant-test",
                        "ANTHROPIC_BASE_URL": provider.url,
                    }
                )  # fmt: skip
                house = Appliance(settings)
                url = await house.start()
                library = house.skills.collection
                for skill in library.look():
                    await library.revoke(skill.id)
                for place in (library.config / f"skill-{one}" for one in range(number)):
                    place.mkdir(parents=True)
                    text = f"---\nname: {place.name}\ndescription: {'What is done, and when. ' * 15}\n---\n\nDo it.\n"
                    (place / "SKILL.md").write_text(text)
                    await library.approve(place.name, library.require(place.name).digest)
                token = (Path(folder) / "token").read_text().strip()
                async with httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=60) as client:
                    (await client.post(f"{url}/api/messages", json={"text": "hello"})).raise_for_status()
                await house.stop()
                found[name] = len(json.dumps(provider.calls[0].request, ensure_ascii=False)) // 4
    return found


def _answer(body: dict[str, Any]) -> Reply:
    """One tool call where a report is asked for, then a short answer."""
    last = body["messages"][-1]["content"]
    if any(block["type"] == "tool_result" for block in last):
        return Reply(text="I read it; nothing unusual.")
    text = " ".join(block.get("text", "") for block in last)
    if "Please read report" in text:
        number = text.rsplit("report ", 1)[1].split(".")[0]
        return Reply(tools=[("read", {"path": f"report-{number}.txt", "lines": 5000})])
    return Reply(text="Yes. " + "That sounds good to me, let us do it so. " * 3)


async def full(gap: float, burst: int) -> Day:
    """The usual way, straight at the provider with the same adapter and the same marks."""
    day, clock = Day(), ManualClock(auto=True)
    async with FakeAnthropic(clock=clock) as provider:
        provider.default(_answer)
        connection = ClaudeConnection("sk-ant-test", provider.url)
        model = Claude(MODEL, connection)
        maker = random.Random(1)
        filler = " ".join("".join(maker.choice("abcdefghij") for _ in range(7)) for _ in range(7_500))
        system = (PromptPart(filler[: 15_000 * 4], mark=True),)
        messages: list[dict[str, Any]] = []
        for turn in range(1, TURNS + 1):
            clock.move(pause(turn, gap, burst))
            messages.append({"role": "user", "content": [{"type": "text", "text": said(turn)}]})
            calls = await _ask(model, system, messages)
            if calls:
                text = report(turn)[:RESULT_LIMIT]
                results = [
                    {"type": "tool_result", "tool_use_id": c["id"], "content": text, "is_error": False} for c in calls
                ]
                messages.append({"role": "user", "content": results})
                await _ask(model, system, messages)
            if turn in RETURNS:
                day.planted += RETURNS[turn] in json.dumps(provider.calls[-1].request, ensure_ascii=False)
        await connection.close()
        tally(day, provider)
    return day


async def _ask(model: Claude, system: tuple[PromptPart, ...], messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One call; the answer joins the messages. Returns its tool calls."""
    from appliance.models.base import Finished, ToolSpec

    tool = ToolSpec(
        "read",
        "Read a file.",
        {"type": "object", "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}}},
    )
    async for event in model.stream(ModelRequest(system, tuple(messages), (tool,), 8192)):
        if isinstance(event, TextDelta):
            continue
        if isinstance(event, Finished):
            messages.append({"role": "assistant", "content": list(event.content)})
            return [b for b in event.content if b["type"] == "tool_use"]
    raise RuntimeError("the stream ended without an answer")


async def bench(gap: float, bursts: int) -> dict[str, Any]:
    burst = max(1, TURNS // bursts)
    mine, usual = await ours(gap, burst), await full(gap, burst)
    a, b = mine.as_json(), usual.as_json()
    skills = await with_skills(30)
    return {
        "ours": a,
        "full": b,
        "input_tokens_ours_of_full": round(a["input_tokens_in_all"] / b["input_tokens_in_all"], 3),
        "money_ours_of_full": round(mine.usd / usual.usd, 3),
        "tokens_of_30_skills": skills["with"] - skills["without"],
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gap", type=float, default=60.0)
    parser.add_argument("--bursts", type=int, default=6)
    given = parser.parse_args()
    print(json.dumps(asyncio.run(bench(given.gap, given.bursts)), indent=2))
