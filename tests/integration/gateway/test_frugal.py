"""What a request may cost, and that every one of them is whatever window it meets: issue by issue, over HTTP."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from appliance.agent.compaction import HEADINGS
from appliance.agent.window import tokens
from appliance.app import Appliance
from appliance.settings.load import load_settings
from appliance.testing import fake_openai
from appliance.testing.anthropic_replies import Reply
from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.manual_clock import ManualClock
from appliance.testing.tools import Says
from appliance.tools.browser import BrowserTool
from appliance.tools.processes import Process
from appliance.tools.shell import Exec
from tests.integration.gateway.conftest import Home, Start

SUMMARY = "\n".join(f"{heading}\n- none" for heading in HEADINGS)
BUILT_IN = {
    "browser", "edit", "exec", "fetch", "mcp", "memory_get", "memory_search", "process", "read", "read_output",
    "remember", "schedule", "send", "skill", "web_search", "write",
}  # fmt: skip


def size(part: Any) -> int:
    """Tokens as users can count them: characters of the JSON over four."""
    return len(json.dumps(part, ensure_ascii=False)) // 4


async def test_the_first_request_with_every_built_in_tool_is_under_3000_tokens(start: Start) -> None:
    home = await start(
        APPLIANCE_WEB__SEARCH_URL="http://127.0.0.1:9/",
        APPLIANCE_MCP=json.dumps({"home": {"url": "http://127.0.0.1:9/", "about": "lights", "tools": ["on", "off"]}}),
    )
    home.house.tools.add(Exec(None, network=True))  # type: ignore[arg-type]  # it is only offered, never run
    home.house.tools.add(Process(None))  # type: ignore[arg-type]
    if "browser" not in home.house.tools:
        home.house.tools.add(BrowserTool(None, None, None))  # type: ignore[arg-type]
    home.provider.script(Reply(text="hi"))
    await home.say("hello")
    request = home.provider.calls[0].request
    assert {tool["name"] for tool in request["tools"]} == BUILT_IN
    assert size(request) <= 3_000
    assert size(request["system"]) <= 1_150
    assert size(request["tools"]) <= 1_600
    account = (await home.client.get("/api/context")).json()
    assert {tool["name"] for tool in account["tools"]} == BUILT_IN


async def small(start: Start, window: int, **environ: str) -> tuple[Home, fake_openai.FakeOpenAI]:
    """A house whose only model has this window, on a server that refuses what is longer."""
    server = fake_openai.FakeOpenAI(window=window)
    await server.__aenter__()
    section = {"tiny": {"base_url": server.url, "model": "tiny", "window": window}}
    home = await start(
        APPLIANCE_OPENAI_COMPATIBLE=json.dumps(section), APPLIANCE_MODELS__CHAIN='["tiny"]',
        APPLIANCE_MODELS__CHEAP="tiny", **environ,
    )  # fmt: skip
    return home, server


@pytest.mark.parametrize(("window", "profile"), [(4_096, "small"), (8_192, "small"), (32_768, "medium")])
async def test_the_model_that_answers_decides_the_profile(start: Start, window: int, profile: str) -> None:
    home, server = await small(start, window)
    server.script(fake_openai.Reply(text="hi"))
    assert (await home.say("hello"))["reply"].startswith("hi")
    request = server.calls[0].request
    assert size(request) <= (1_200 if profile == "small" else 3_000)
    assert (await home.client.get("/api/context")).json()["profile"] == profile
    await server.__aexit__()


@pytest.mark.parametrize("letter", ["word ", "記憶"])
@pytest.mark.parametrize("window", [1_024, 4_096, 8_192, 32_768])
async def test_long_files_and_results_end_in_an_answer_in_any_window(start: Start, window: int, letter: str) -> None:
    home, server = await small(start, window)
    for name in ("SOUL.md", "AGENTS.md", "TOOLS.md", "USER.md", "MEMORY.md"):
        home.house.workspace("main").write(name, letter * 12_000)
    home.house.tools.add(Says(lambda n: letter * 60_000))
    if window > 16_384:
        server.script(*(fake_openai.Reply(tools=[("say_it", {"n": n})]) for n in range(4)))
    for text in ("hello", letter * 4_000, "and again"):
        reply = await home.say(text)
        assert "You said" in reply["reply"], reply
    assert all(call.status == 200 for call in server.calls), [call.outcome for call in server.calls]
    await server.__aexit__()


@pytest.mark.parametrize("window", [8_192, 32_768])
async def test_one_message_without_a_blank_does_not_block_a_conversation(start: Start, window: int) -> None:
    home, server = await small(start, window)
    for text in ("x" * 65_000, "hi"):
        reply = await home.say(text)
        assert "You said" in reply["reply"], reply
    assert all(call.status == 200 for call in server.calls), [call.outcome for call in server.calls]
    await server.__aexit__()


async def test_a_model_of_a_million_tokens_keeps_to_the_working_window(start: Start) -> None:
    home = await start(APPLIANCE_BUDGET__DAILY_USD="100")

    def answer(body: dict[str, Any]) -> Reply:
        quiet = any(words in str(body.get("system", "")) for words in ("keep the memory", "Summarise the conversation"))
        return Reply(text=SUMMARY if quiet else "ok")

    home.provider.default(answer)
    for number in range(18):
        assert (await home.say(f"part {number} " + "lorem ipsum " * 4_000))["reply"].endswith("ok")
    mine = [call.request for call in home.provider.calls if call.model.startswith("claude-sonnet")]
    assert len(mine) == 18
    assert sum(size(request["messages"][-1]) for request in mine) > 200_000
    assert max(size(request) for request in mine) <= 176_000
    assert any("[Earlier, summarised]" in str(request["messages"][0]) for request in mine)


async def test_across_midnight_with_a_note_between_the_prefix_is_the_same_to_the_byte(tmp_path: Path) -> None:
    clock = ManualClock(datetime.fromisoformat("2026-11-30T23:59:57+01:00").timestamp())
    async with FakeAnthropic(clock=clock) as provider:
        provider.default(lambda body: Reply(text="ok"))
        settings = load_settings(
            environ={
                "APPLIANCE_STATE_DIR": str(tmp_path), "APPLIANCE_SERVER__PORT": "0",
                "APPLIANCE_LOCAL__ENABLED": "false", "APPLIANCE_EXEC__ENABLED": "false",
                "APPLIANCE_BACKUP__NIGHTLY": "false", "APPLIANCE_OWNER__TIMEZONE": "Europe/Berlin",
                "ANTHROPIC_API_KEY": "sk-ant-test", "ANTHROPIC_BASE_URL": provider.url,
            }
        )  # fmt: skip
        house = Appliance(settings, clock)
        url = await house.start()
        token = (tmp_path / "token").read_text().strip()
        async with httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=60) as client:
            workspace = house.workspace("main")
            workspace.append_day("- the cat is called Mia", clock.now())
            for text in ("I never want voice messages.", "hello", "hello again"):
                (await client.post(f"{url}/api/messages", json={"text": text})).raise_for_status()
                workspace.append_day(f"- a note after {text}", clock.now())
                clock.move(5.0)
        assert workspace.day(clock.now()).isoformat() == "2026-12-01"
        await house.stop()
        first, *later = [call.request for call in provider.calls]
        assert "Mia" in str(first["system"])
        for request in later:
            assert json.dumps(request["tools"]) == json.dumps(first["tools"])
            assert json.dumps(request["system"]) == json.dumps(first["system"])
            assert without_marks(request["messages"])[:1] == without_marks(first["messages"])[:1]
        assert all(call.usage["cache_read_input_tokens"] > 0 for call in provider.calls[1:])


def without_marks(messages: list[dict[str, Any]]) -> str:
    """Messages as text; where the rolling mark stands is no part of what is compared."""
    return json.dumps(messages).replace(', "cache_control": {"type": "ephemeral"}', "")


@pytest.mark.parametrize("letter", ["word ", "記憶"])
async def test_several_results_of_one_answer_share_a_small_window_fairly(start: Start, letter: str) -> None:
    home = await start(APPLIANCE_MODELS__WORKING_WINDOW="32000", APPLIANCE_BUDGET__DAILY_USD="50")
    home.house.tools.add(Says(lambda n: "short" if n == 0 else f"START {n} " + letter * 60_000 + f" END {n}"))
    home.provider.script(Reply(tools=[("say_it", {"n": n}) for n in (0, 1, 2, 3)]), Reply(text="read"))
    assert (await home.say("look at all four"))["reply"].endswith("read")
    results = [b["content"] for b in home.provider.calls[-1].request["messages"][-1]["content"]]
    assert results[0] == "short"
    assert all(f"START {n}" in results[n] and f"END {n}" in results[n] for n in (1, 2, 3))
    assert sum(map(tokens, results)) <= 32_000 * 3 // 10 + 500
    sizes = [len(text) for text in results[1:]]
    assert max(sizes) < 1.2 * min(sizes)
    assert min(sizes) > 2_000


async def test_near_the_line_the_provider_is_asked_before_a_conversation_is_summarised(start: Start) -> None:
    home = await start(APPLIANCE_MODELS__WORKING_WINDOW="32000", APPLIANCE_BUDGET__DAILY_USD="50")

    def answer(body: dict[str, Any]) -> Reply:
        quiet = any(words in str(body.get("system", "")) for words in ("keep the memory", "Summarise the conversation"))
        return Reply(text=SUMMARY if quiet else "ok")

    home.provider.default(answer)
    window = home.house.brain.window(home.house.sessions.require("main"))
    for number in range(16):
        await home.say(f"part {number} " + "lorem ipsum " * 500)
    mine = [call for call in home.provider.calls if call.model.startswith("claude-sonnet")]
    assert len(mine) == 16
    assert max(call.usage["input_tokens"] + call.usage["cache_read_input_tokens"]
               + call.usage["cache_creation_input_tokens"] for call in mine) <= window.compaction_line  # fmt: skip
    assert any("[Earlier, summarised]" in str(call.request["messages"][0]) for call in mine)
    assert home.provider.counted
