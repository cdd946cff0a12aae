"""Several agents on the page: who is in the list, to whom a message and its files go, whose memory is on show."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from appliance.testing.anthropic_replies import Reply
from appliance.testing.fake_anthropic import FakeAnthropic

from .conftest import Whole, living
from .test_deciding_page import logged_in, pytestmark  # noqa: F401 - marks of what needs Chromium

STUDY = json.dumps({"study": {"chain": ["claude-haiku-5-5"]}})


@pytest.fixture
async def two(tmp_path: Path, provider: FakeAnthropic) -> AsyncIterator[Whole]:
    async with living(tmp_path / "state", provider, APPLIANCE_AGENTS=STUDY) as house:
        yield house


async def test_an_agent_is_chosen_in_the_list_and_gets_the_message_and_its_files(
    two: Whole, provider: FakeAnthropic
) -> None:
    provider.default(lambda _: Reply(text="I am here."))
    async with logged_in(two) as (_, page, trouble):
        await page.locator("#sessions button", has_text="study").click()
        assert await page.inner_text("#title") == "study"
        await page.set_input_files("#file", {"name": "plan.txt", "mimeType": "text/plain", "buffer": b"learn"})
        await page.locator("#files .file").wait_for()
        await page.locator("#files progress").wait_for(state="detached")
        await page.fill("#text", "read the plan")
        await page.press("#text", "Enter")
        await page.locator(".message.assistant", has_text="I am here.").wait_for()
        (kept,) = two.house.workspace("study").files.glob("inbox/*/plan.txt")
        assert kept.read_bytes() == b"learn"
        link = page.locator(".sent-files a")
        assert (await two.client.get(str(await link.get_attribute("href")))).content == b"learn"
        await page.click("#new-session")
        await page.fill("#text", "another thing")
        await page.press("#text", "Enter")
        await page.locator(".message.assistant", has_text="I am here.").wait_for()
        await page.locator("#sessions button", has_text="Main conversation").click()
        await page.locator(".empty").wait_for()
        assert trouble == []
    keys = sorted(row["key"] for row in two.house.sessions.list())
    assert keys[0] == "agent:study:main"
    assert keys[1].startswith("agent:study:web:chat-")
    assert {call.model.split("-")[1] for call in provider.calls} == {"haiku"}


async def test_the_memory_page_shows_one_agents_memory_and_acts_on_it(two: Whole) -> None:
    for agent, text in (("main", "From now on use British spelling."), ("study", "I hate long exercises.")):
        await two.client.post("/api/messages", json={"agent": agent, "text": text})
    async with logged_in(two) as (_, page, trouble):
        await page.goto("/memory")
        assert "British" in await page.inner_text("#live")
        assert "exercises" not in await page.inner_text("#live")
        await page.locator("#live nav a", has_text="study").click()
        await page.wait_for_url("**/memory?agent=study")
        assert "British" not in await page.inner_text("#live")
        await page.fill("#q", "exercises")
        await page.press("#q", "Enter")
        await page.wait_for_url("**/memory?agent=study&q=exercises")
        await page.locator("ol.rows li", has_text="exercises").first.wait_for()
        await page.locator("button[data-post^='/api/memory/forget']").click()
        await page.locator("button[data-key=undo]").wait_for()
        assert trouble == []
    assert [item.text for item in two.house.memory.items("main").active()] != []
    assert two.house.memory.items("study").active() == []
