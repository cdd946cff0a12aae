"""What a message that was edited says no more is remembered no more, and what was taken back does not come back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from appliance.clock import iso
from appliance.memory.capturing import Capturing, Statement, statements_of, statements_of_records
from appliance.memory.house import Memory
from appliance.memory.workspace import Workspace
from appliance.messages import Inbound, InboundKind, Person, Received, Role, SessionKey, Source
from appliance.settings import MemorySettings
from appliance.testing.manual_clock import ManualClock
from appliance.testing.memory_house import AT


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    workspace = Workspace(tmp_path / "agents" / "main", ZoneInfo("UTC"))
    workspace.create()
    made = Memory(tmp_path, {"main": workspace}, ManualClock(AT), MemorySettings())
    made.open()
    yield made
    await made.stop()


def wrote(person: str, text: str, number: str = "7", kind: InboundKind = "message") -> list[Statement]:
    inbound = Inbound(
        "telegram", "bot", person, kind, number, text, Person(person, role=Role.MEMBER),
        SessionKey.dm("telegram", person), AT, source=Source.OUTSIDE, own_words=True,
    )  # fmt: skip
    return statements_of([Received(1, "t", inbound)])


async def test_an_edit_takes_the_place_of_what_the_message_said(memory: Memory) -> None:
    capturing = Capturing(memory)

    def held() -> list[tuple[str, str]]:
        return sorted((item.person, item.text) for item in memory.items().active())

    await capturing.take(wrote("12", "I'm allergic to walnuts. Don't send me voice messages."))
    await capturing.take(wrote("13", "I'm allergic to walnuts."))
    await capturing.take(wrote("12", "I'm allergic to figs.", "70"))
    kept = [("12", "I'm allergic to figs"), ("13", "I'm allergic to walnuts")]
    await capturing.take(wrote("12", "I'm allergic to almonds. Don't send me voice messages.", "7:1", "edit"))
    voice = ("12", "Don't send me voice messages")
    assert held() == sorted([*kept, voice, ("12", "I'm allergic to almonds")])
    await capturing.take(wrote("12", "sorry, wrong chat", "7:2", "edit"))
    assert held() == kept


async def test_what_was_taken_back_is_not_kept_again_when_the_conversation_is_compacted(memory: Memory) -> None:
    capturing, main = Capturing(memory), SessionKey.main().value
    record = {"role": "user", "ids": ["7"], "text": "I hate clickbait headlines.", "source": "owner", "at": iso(AT)}
    [said] = statements_of_records([record], "main", main)
    assert len((await capturing.take([said])).stored) == 1
    await memory.forget("clickbait")
    assert (await capturing.take([said])).stored == []
    later = {**record, "ids": ["8"], "at": iso(AT + 60)}
    assert len((await capturing.take(statements_of_records([later], "main", main))).stored) == 1
