"""Two agents, each with a bot of its own: each answers its own people, and the owner is known to both."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from appliance.app import Appliance
from appliance.observability.health import State
from appliance.testing.anthropic_replies import Reply
from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.fake_telegram import FakeTelegram
from tests.house_settings import house_settings

SAM, ANN, BEN = 11, 12, 13


class Bots:
    """A house whose main agent and whose agent `study` each have a bot; Ben is a member at the study's."""

    def __init__(self, state: Path, main: FakeTelegram, study: FakeTelegram, provider: FakeAnthropic) -> None:
        self.main, self.study, self.provider = main, study, provider
        bot = {"bot_token": study.world.token, "api_base": study.url, "members": [BEN]}
        settings = house_settings(
            state, provider.url, TELEGRAM_BOT_TOKEN=main.world.token, TELEGRAM_API_BASE=main.url,
            APPLIANCE_AGENTS=json.dumps({"study": {"telegram": bot}}),
        )  # fmt: skip
        self.house = Appliance(settings)

    async def said(self, bot: FakeTelegram, user: int, text: str, answer: str) -> None:
        """Somebody writes to a bot, which answers them with these words."""
        bot.people.say(user, text)
        await until(lambda: any(answer in said for said in bot.texts(user)))


async def until(met: Callable[[], object], seconds: float = 30.0) -> None:
    async with asyncio.timeout(seconds):
        while not met():
            await asyncio.sleep(0.02)


@pytest.fixture
async def bots(tmp_path: Path) -> AsyncIterator[Bots]:
    async with AsyncExitStack() as stack:
        main = await stack.enter_async_context(FakeTelegram())
        study = await stack.enter_async_context(FakeTelegram(token="222222:BBBB-the-second-bot", username="study_bot"))
        provider = await stack.enter_async_context(FakeAnthropic())
        made = Bots(tmp_path / "state", main, study, provider)
        await made.house.start()
        stack.push_async_callback(made.house.stop)
        for channel in made.house.channels:
            await channel.opened()
        code = await made.house.access.invite()
        await made.said(made.main, SAM, code, "Paired")
        yield made


async def test_each_bot_answers_its_own_people_in_its_own_sessions(bots: Bots) -> None:
    bots.provider.default(lambda request: Reply(text="heard " + str(request["messages"][-1])[-40:]))
    await bots.said(bots.study, BEN, "from Ben", "heard")
    await bots.said(bots.main, BEN, "from Ben to the house", "appliance")  # he is nobody there
    await bots.said(bots.study, SAM, "from Sam to the study", "heard")
    await bots.said(bots.main, SAM, "from Sam to the house", "heard")
    await bots.said(bots.study, ANN, "let me in", "code is")
    keys = {row["key"] for row in bots.house.sessions.list()}
    assert keys == {"agent:main:main", "agent:study:main", f"agent:study:telegram-study:dm:{BEN}"}
    said = {key: str(bots.house.sessions.messages(bots.house.sessions.require(key))) for key in keys}
    assert "to the house" not in said["agent:study:main"]
    assert "to the study" not in said["agent:main:main"]
    assert "from Ben" not in said["agent:main:main"] + said["agent:study:main"]


async def test_the_owner_is_told_of_an_agent_where_they_read_that_agent(bots: Bots) -> None:
    bots.provider.default(lambda _: Reply(text="Hello."))
    await bots.said(bots.main, SAM, "hello", "Hello.")
    await bots.house.owner.tell("about the study, before you wrote there", agent="study")
    await until(lambda: any("before you wrote" in text for text in bots.main.texts(SAM)))
    await bots.said(bots.study, SAM, "hello", "Hello.")
    await bots.house.owner.tell("CANARY of the study", agent="study")
    await bots.house.owner.tell("about the house")
    await until(lambda: any("CANARY" in text for text in bots.study.texts(SAM)))
    await until(lambda: any("about the house" in text for text in bots.main.texts(SAM)))
    assert not any("CANARY" in text for text in bots.main.texts(SAM))
    assert not any("about the house" in text for text in bots.study.texts(SAM))


async def test_a_message_to_somebody_goes_by_the_agents_own_bot(bots: Bots) -> None:
    bots.study.people.user(BEN, name="Ben")
    bots.provider.default(lambda _: Reply(text="Hello."))
    await bots.said(bots.study, SAM, "hello", "Hello.")
    bots.provider.script(Reply(tools=[("send", {"to": "owner", "text": "Learn!"})]), Reply(text="Sent."))
    await bots.said(bots.study, SAM, "remind me", "Learn!")
    assert not any("Learn!" in text for text in bots.main.texts(SAM))
    ann = await bots.house.access.invite()
    await bots.said(bots.main, ANN, ann, "Paired")
    bots.provider.script(Reply(tools=[("send", {"to": str(ANN), "text": "psst"})]), Reply(text="I cannot."))
    await bots.said(bots.study, SAM, "write to Ann", "I cannot.")
    assert not any("psst" in text for text in bots.main.texts(ANN) + bots.study.texts(ANN))


async def test_health_and_figures_tell_the_bots_apart(bots: Bots) -> None:
    await until(
        lambda: {"telegram", "telegram-study"} <= {p.name for p in bots.house.health.parts() if p.state is State.READY}
    )
    bots.provider.default(lambda _: Reply(text="Hello."))
    await bots.said(bots.study, BEN, "hello", "Hello.")
    scraped = bots.house.monitoring.scrape().decode()
    assert any('channel="telegram-study"' in line and 'outcome="accepted"' in line for line in scraped.splitlines())
    rows = {row["id"]: row["channels"] for row in bots.house.overview.agents()}
    assert rows == {"main": ["telegram"], "study": ["telegram-study"]}
