"""A family in one group: the owner, a member and a guest talk to the whole house over Telegram."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest

from appliance.app import Appliance
from appliance.messages import Role, SessionKey
from appliance.testing.anthropic_replies import Reply
from appliance.testing.fake_anthropic import FakeAnthropic
from appliance.testing.fake_telegram import FakeTelegram
from tests.house_settings import house_settings

OWNER, MEMBER, GUEST, GROUP = 11, 12, 13, -50
BOT = "@home_appliance_bot"
NAMES = {OWNER: "Sam", MEMBER: "Kim", GUEST: "Uncle Bo"}


@dataclass
class Family:
    house: Appliance
    provider: FakeAnthropic
    telegram: FakeTelegram

    async def until(self, met: Callable[[], object]) -> None:
        async with asyncio.timeout(30):
            while not met():
                await asyncio.sleep(0.02)

    async def ask(self, user: int, text: str, chat: int = GROUP) -> str:
        """Say something to the bot; return what it answers in that chat, placeholder filled."""
        shown = len(self.telegram.texts(chat))
        self.telegram.people.say(user, f"{BOT} {text}" if chat == GROUP else text, chat=chat)
        await self.until(lambda: self.telegram.texts(chat)[shown:] not in ([], ["…"]) and not self.house.pool.running)
        return self.telegram.texts(chat)[-1]

    def last_request(self) -> str:
        return json.dumps(self.provider.calls[-1].request, ensure_ascii=False)


@pytest.fixture
async def family(tmp_path: Path) -> AsyncIterator[Family]:
    async with FakeAnthropic() as provider, FakeTelegram() as telegram:
        settings = house_settings(
            tmp_path / "state", provider.url,
            TELEGRAM_BOT_TOKEN=telegram.world.token, TELEGRAM_API_BASE=telegram.url,
            APPLIANCE_TELEGRAM__GROUPS=json.dumps([GROUP]),
        )  # fmt: skip
        house = Appliance(settings)
        await house.start()
        try:
            made = Family(house, provider, telegram)
            for user, role in ((OWNER, Role.OWNER), (MEMBER, Role.MEMBER)):
                telegram.people.user(user, name=NAMES[user])
                telegram.people.say(user, f"/start {await house.access.invite(role)}")
                await made.until(lambda user=user: any("Paired" in text for text in telegram.texts(user)))
            telegram.people.user(GUEST, name=NAMES[GUEST])
            telegram.people.group(GROUP, title="Family", kind="group")
            yield made
        finally:
            await house.stop()


async def test_whoever_addresses_it_is_answered_in_one_conversation_of_the_group(family: Family) -> None:
    family.telegram.people.say(MEMBER, "Kim, dinner at seven?", chat=GROUP)  # not for the bot
    assert "what shall we cook" in await family.ask(OWNER, "what shall we cook?")
    assert "no nuts please" in await family.ask(MEMBER, "no nuts please")
    assert "hello there" in await family.ask(GUEST, "hello there")
    assert len(family.provider.calls) == 3
    assert len(family.telegram.texts(GROUP)) == 3
    seen = family.last_request()
    assert all(words in seen for words in ("what shall we cook", "no nuts please", "hello there"))  # one conversation
    key = SessionKey.group("telegram", str(GROUP)).value
    people = [row["person"] for row in family.house.sessions.messages(SessionKey(key)) if row["role"] == "user"]
    assert len(set(people)) == 3


async def test_each_role_may_do_in_the_group_what_the_table_says(family: Family) -> None:
    refused = "is for the owner of this house"
    assert "$" in await family.ask(OWNER, "/budget")
    for user in (MEMBER, GUEST):
        assert refused in await family.ask(user, "/budget set 1000")
    assert family.house.budget.status()[0]["limit"] == 2
    assert "is for" in await family.ask(GUEST, "/status")
    assert "claude-sonnet-5-5" in await family.ask(MEMBER, "/status")


async def test_what_is_private_stays_out_of_the_group_and_each_person_has_a_chat_of_their_own(family: Family) -> None:
    memory = family.house.workspace("main").folder / "MEMORY.md"
    memory.write_text(memory.read_text() + "\n- canary-7391\n")
    await family.ask(OWNER, "Remember that my surprise for Kim is a canary-5527 trip", chat=OWNER)
    assert "canary-7391" in family.last_request()
    await family.ask(MEMBER, "my own secret is canary-8814", chat=MEMBER)
    assert not {"canary-7391", "canary-5527"} & set(family.last_request().replace('"', " ").split())
    for command in ("/memory", "/memory forget canary-5527"):
        assert "is answered in private" in await family.ask(OWNER, command)
    assert "canary-5527" in await family.ask(OWNER, "/memory", chat=OWNER)
    await family.ask(OWNER, "what do you know of us?")
    for canary in ("canary-7391", "canary-5527", "canary-8814"):
        assert canary not in family.last_request()
    sessions = {row["key"] for row in family.house.sessions.list()}
    assert sessions == {
        SessionKey.main().value,
        SessionKey.dm("telegram", str(MEMBER)).value,
        SessionKey.group("telegram", str(GROUP)).value,
    }


async def test_what_a_member_says_of_themselves_is_remembered_for_them_alone(family: Family) -> None:
    await family.ask(MEMBER, "I'm allergic to peanuts. Don't send me voice messages.", chat=MEMBER)
    await family.ask(MEMBER, "/new", chat=MEMBER)
    await family.ask(MEMBER, "what shall I cook?", chat=MEMBER)
    assert "allergic to peanuts" in family.last_request()
    family.telegram.people.say(MEMBER, "I adore liquorice", forwarded_from="Aunt Jo")
    await family.until(lambda: "liquorice" in family.last_request())
    for user, chat in ((OWNER, OWNER), (OWNER, GROUP), (MEMBER, GROUP)):
        await family.ask(user, "what do you know?", chat=chat)
        assert "peanuts" not in family.last_request()
    assert "peanuts" not in await family.ask(OWNER, "/memory", chat=OWNER)
    assert family.house.owners_memory("main").captured() == []
    assert "Nothing that I remember" in await family.ask(OWNER, "/memory forget peanuts", chat=OWNER)
    held = [(item.tag, item.person, item.text) for item in family.house.memory.items().active()]
    assert [(tag, person) for tag, person, _ in held] == [("O", str(MEMBER)), ("B", str(MEMBER))]
    await family.ask(MEMBER, "forget what I said about peanuts", chat=MEMBER)
    assert [item.tag for item in family.house.memory.items().active()] == ["B"]


async def test_what_a_member_said_follows_them_when_they_become_the_owner_and_back(family: Family) -> None:
    async def found(user: int) -> str:
        family.provider.script(Reply(tools=[("memory_search", {"query": "peanuts allergy"})]), Reply(text="looked"))
        await family.ask(user, "look it up", chat=user)
        return str(family.provider.calls[-1].request["messages"][-1])

    await family.ask(MEMBER, "I'm allergic to peanuts. Never disturb me between 1am and 5am.", chat=MEMBER)
    quiet = family.house.automation.outlet.quiet
    at_night = datetime(2026, 3, 4, 3, tzinfo=family.house.settings.owner.zone).timestamp()
    assert quiet(str(MEMBER), at_night)
    assert not quiet("owner", at_night)
    assert "allergic to peanuts" not in await found(OWNER)
    await family.house.access.set_role("telegram", str(MEMBER), Role.OWNER)
    await family.ask(MEMBER, "/new", chat=MEMBER)
    await family.ask(MEMBER, "what shall I cook?", chat=MEMBER)
    assert "allergic to peanuts" in str(family.provider.calls[-1].request["system"])
    assert "allergic to peanuts" in await found(MEMBER)
    assert "peanuts" in await family.ask(MEMBER, "/memory", chat=MEMBER)
    assert quiet("owner", at_night)
    assert quiet(str(MEMBER), at_night)  # of schedules made before
    await family.house.tidying.idle().look()
    digested = family.house.workspace("main").tiers / "overview.md"
    assert "peanuts" in digested.read_text(encoding="utf-8")
    await family.house.access.set_role("telegram", str(MEMBER), Role.MEMBER)
    assert not digested.exists()
    await family.ask(OWNER, "/new", chat=OWNER)
    await family.ask(OWNER, "what shall I cook?", chat=OWNER)
    assert "peanuts" not in family.last_request()
    assert "allergic to peanuts" not in await found(OWNER)
    assert "allergic to peanuts" in await found(MEMBER)


async def test_what_somebody_said_who_was_removed_is_shown_to_nobody_and_is_theirs_when_they_come_back(
    family: Family,
) -> None:
    await family.ask(MEMBER, "I'm allergic to peanuts.", chat=MEMBER)
    await family.house.access.remove("telegram", str(MEMBER))
    for user, chat in ((OWNER, OWNER), (OWNER, GROUP)):
        await family.ask(user, "what do you know?", chat=chat)
        assert "peanuts" not in family.last_request()
    assert await family.house.owners_memory("main").search("peanuts", 6) == []
    (kept,) = family.house.owners_memory("main").history("peanuts")
    assert kept["person"] == str(MEMBER)
    family.telegram.people.say(MEMBER, f"/start {await family.house.access.invite(Role.MEMBER)}")
    await family.until(lambda: sum("Paired" in text for text in family.telegram.texts(MEMBER)) == 2)
    await family.ask(MEMBER, "/new", chat=MEMBER)
    prompts = []
    for text in ("what shall I cook?", "and to drink?"):
        await family.ask(MEMBER, text, chat=MEMBER)
        prompts.append(family.provider.calls[-1].request["system"])
    told = str(prompts[0][-1])  # words of somebody who is not the owner
    assert told.index("<outside id=") < told.index("allergic to peanuts") < told.index("</outside id=")
    assert prompts[0] == prompts[1]  # what a cache holds stays as it is
