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


@pytest.mark.parametrize(
    ("said", "taken_back"),
    [
        ("My daughter Anna is severely allergic to peanuts and cashews.", "forget what I said about peanuts"),
        ("Our boiler code is 4711.", "delete the note about the boiler codes"),
        ("Never send me voice messages.", "actually never mind the no-voice rule"),
        ("I hate jazz.", "please don't remember that I hate jazz anymore"),
        ("我女兒對花生和腰果嚴重過敏", "忘了我說花生的事"),
        ("我不吃香菜", "香菜那件事不算了"),
        ("私は卵アレルギーです", "前に言った卵アレルギーのことは忘れてください"),
        ("我家的貓叫芝麻", "貓的事當我沒說"),
        ("I'm allergic to figs.", "forget my allergy"),
        ("I'm a vegetarian.", "forget what I said about vegetarianism"),
        ("I'm on a low-salt diet.", "forget what I said about dieting"),
        ("Don't message me between 10pm and 7am.", "undo the quiet hours I set"),
        ("Don't message me between 10pm and 7am.", "cancel my do-not-disturb"),
        ("Don't message me between 10pm and 7am.", "取消免打擾時段"),
    ],
)
async def test_a_take_back_that_names_a_part_of_what_was_said_takes_it_back(
    memory: Memory, said: str, taken_back: str
) -> None:
    capturing = Capturing(memory, quiet_hours=lambda text: "10pm" in text)
    await capturing.take(wrote("12", "I like tea. 我喜歡喝茶。"))
    kept = [item.text for item in memory.items().active()]
    assert len((await capturing.take(wrote("12", said, "8"))).stored) == 1
    done = await capturing.take(wrote("12", taken_back, "9"))
    assert (done.stored, len(done.forgotten)) == ([], 1)
    assert [item.text for item in memory.items().active()] == kept


@pytest.mark.parametrize(
    "text", ["forget it", "forget everything", "忘了吧", "撤回", "それは忘れて", "undo that change I made"]
)
async def test_a_take_back_that_names_nothing_takes_nothing_back(memory: Memory, text: str) -> None:
    capturing = Capturing(memory)
    await capturing.take(wrote("12", "I like tea. 我喜歡喝茶。", "8"))
    done = await capturing.take(wrote("12", text, "9"))
    assert (done.stored, done.forgotten) == ([], [])


async def test_a_limit_is_not_lost_for_a_word_that_it_shares_with_another_matter(memory: Memory) -> None:
    capturing = Capturing(memory)
    await capturing.take(wrote("12", "No voice messages please.", "8"))
    assert (await capturing.take(wrote("12", "you can message me at night again", "9"))).forgotten == []
    assert len((await capturing.take(wrote("12", "lift the ban on voice messages", "10"))).forgotten) == 1


@pytest.mark.parametrize(
    ("taken_back", "gone"),
    [
        ("forget my allergy", "I'm allergic to peanuts"),
        ("forget what I said about my daughter's allergy", "My daughter is allergic to peanuts"),
        ("忘了我說我女兒對花生過敏的事", "我女兒對花生過敏"),
        ("忘了我說我過敏的事", "我對花生過敏"),
    ],
)
async def test_one_persons_allergy_is_not_taken_back_with_anothers(memory: Memory, taken_back: str, gone: str) -> None:
    capturing = Capturing(memory)
    await capturing.take(wrote("12", "I'm allergic to peanuts. My daughter is allergic to peanuts."))
    await capturing.take(wrote("12", "我對花生過敏。我女兒對花生過敏。", "8"))
    done = await capturing.take(wrote("12", taken_back, "9"))
    assert [item.text for item in done.forgotten] == [gone]


async def test_what_is_said_beside_a_take_back_is_kept(memory: Memory) -> None:
    capturing = Capturing(memory)
    await capturing.take(wrote("12", "I drink tea every day. I drink coffee at noon."))
    await capturing.take(wrote("12", "Forget what I said about tea. From now on call me Sam.", "8"))
    await capturing.take(wrote("12", "忘了我说的花生的事。以后别给我推荐辣的。", "9"))
    held = [item.text for item in memory.items().active()]
    assert held == ["I drink coffee at noon", "From now on call me Sam", "以后别给我推荐辣的"]
