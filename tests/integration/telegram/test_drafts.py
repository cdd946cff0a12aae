"""An answer being written, as a draft with Telegram's own stop button; the mark under a message that was seen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from appliance.channels.rendering import telegram_parts
from appliance.messages import Inbound
from appliance.testing.fake_telegram import FakeTelegram
from tests.telegram_bench import OWNER, Bench

GROUP = -1001


@pytest.fixture
async def drafting(telegram: FakeTelegram, tmp_path: Path) -> AsyncIterator[Bench]:
    made = Bench(telegram, tmp_path, {"drafts": True, "ack_reaction": "👀", "groups": [GROUP]})
    await made.start()
    await made.pair()
    yield made
    await made.stop()


async def test_private_answers_are_drafts_until_they_stand(drafting: Bench) -> None:
    going = asyncio.Event()

    async def slowly(inbound: Inbound) -> str:
        drafting.front.show(inbound, "half of **it**")
        await going.wait()
        return "half of it, and the rest"

    drafting.front.answer = slowly
    drafting.telegram.people.say(OWNER, "go")
    world = drafting.telegram.world
    await drafting.until(lambda: world.drafts.get(OWNER, {}).get("text") == "half of it")
    assert world.drafts[OWNER]["entities"][0]["type"] == "bold"
    assert world.drafts[OWNER]["can_stop"]
    assert drafting.replies() == []  # nothing that would have to be swept after a kill
    going.set()
    await drafting.until(lambda: drafting.replies() == ["half of it, and the rest"])
    assert OWNER not in world.drafts


async def test_the_stop_button_of_a_draft_is_the_command(drafting: Bench) -> None:
    going = asyncio.Event()

    async def answer(inbound: Inbound) -> str:
        if inbound.kind == "command":
            going.set()
            return "Stopped."
        await going.wait()
        return "(cut)"

    drafting.front.answer = answer
    drafting.telegram.people.say(OWNER, "work for an hour")
    await drafting.until(lambda: OWNER in drafting.telegram.world.drafts)
    drafting.telegram.people.stop_draft(OWNER)
    await drafting.until(lambda: sorted(drafting.replies()) == ["(cut)", "Stopped."])
    stop = drafting.front.heard[1]
    assert (stop.kind, stop.text, stop.person.id, stop.session.is_main) == ("command", "/stop", str(OWNER), True)


async def test_a_draft_that_would_fade_is_shown_again(drafting: Bench) -> None:
    going = asyncio.Event()

    async def slowly(inbound: Inbound) -> str:
        await going.wait()
        return "done"

    drafting.front.answer = slowly
    drafting.delivery.preview_seconds = 0.2
    drafting.telegram.people.say(OWNER, "go")
    await drafting.until(lambda: len(drafting.telegram.calls("sendMessageDraft")) >= 3)
    assert {c.outcome for c in drafting.telegram.calls("sendMessageDraft")} == {"ok"}
    going.set()
    await drafting.until(lambda: drafting.replies() == ["done"])


async def test_a_server_without_drafts_gets_edits(drafting: Bench) -> None:
    drafting.telegram.people.fault("sendMessageDraft", code=404, description="Not Found", times=1)
    going = asyncio.Event()

    async def slowly(inbound: Inbound) -> str:
        await going.wait()
        return "done"

    drafting.front.answer = slowly
    drafting.telegram.people.say(OWNER, "go")
    await drafting.until(lambda: drafting.replies() == ["…"])
    going.set()
    await drafting.until(lambda: drafting.replies() == ["done"])
    drafting.telegram.people.say(OWNER, "again")
    await drafting.until(lambda: drafting.replies() == ["done", "done"])
    assert len(drafting.telegram.calls("sendMessageDraft")) == 1


async def test_groups_have_no_drafts(drafting: Bench) -> None:
    drafting.telegram.people.group(GROUP)
    drafting.telegram.people.say(OWNER, "@home_appliance_bot hi", chat=GROUP)
    await drafting.until(lambda: drafting.telegram.texts(GROUP) == ["You said: hi"])
    assert drafting.telegram.calls("sendMessageDraft") == []


async def test_the_mark_under_a_message_goes_when_the_last_part_of_its_answer_stands(drafting: Bench) -> None:
    going = asyncio.Event()
    long = " ".join(f"word{n}" for n in range(1500))
    assert len(telegram_parts(long)) == 4

    async def slowly(inbound: Inbound) -> str:
        await going.wait()
        return long

    drafting.front.answer = slowly
    number = drafting.telegram.people.say(OWNER, "go")["message"]["message_id"]
    reactions = drafting.telegram.world.reactions
    await drafting.until(lambda: reactions.get((OWNER, number)) == [{"type": "emoji", "emoji": "👀"}])
    going.set()
    await drafting.until(lambda: reactions.get((OWNER, number)) == [])
    assert " ".join(drafting.replies()) == long
    last_part = max(i for i, c in enumerate(drafting.telegram.world.book) if c.method == "editMessageText")
    gone = max(i for i, c in enumerate(drafting.telegram.world.book) if c.method == "setMessageReaction")
    assert gone > last_part


async def test_a_restart_while_a_draft_is_shown_leaves_one_answer(drafting: Bench) -> None:
    going = asyncio.Event()

    async def slowly(inbound: Inbound) -> str:
        await going.wait()
        return "done"

    drafting.answer = drafting.front.answer = slowly
    drafting.telegram.people.say(OWNER, "go")
    await drafting.until(lambda: OWNER in drafting.telegram.world.drafts)
    await drafting.restart()
    drafting.front.recover()
    going.set()
    await drafting.until(lambda: drafting.replies() == ["done"])
