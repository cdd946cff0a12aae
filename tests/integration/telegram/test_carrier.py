"""Delivery's way to Telegram when things go wrong."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from appliance.errors import DeliveryError
from appliance.messages import Attachment, Button
from appliance.testing.fake_telegram.state import Fault
from tests.telegram_bench import OWNER, Bench


@pytest.fixture
async def place(paired: Bench) -> dict:
    paired.telegram.people.say(OWNER, "hello")
    sent = "SELECT count(*) FROM outbox WHERE state = 'sent'"
    await paired.until(lambda: "You said: hello" in paired.replies() and paired.database.read(sent) == [(1,)])
    return paired.front.heard[0].place


async def test_the_same_text_is_sent_once_and_the_same_edit_after_a_kill_is_success(paired: Bench, place: dict) -> None:
    carrier = paired.channel.carrier
    message = await carrier.place(place)
    for _ in range(3):
        await carrier.edit(place, message, carrier.split("answer")[0])
    assert [c.params["text"] for c in paired.telegram.calls("editMessageText")].count("answer") == 1
    carrier._shown.clear()  # a new process knows nothing of what was shown
    await carrier.edit(place, message, carrier.split("answer")[0])
    assert "not modified" in paired.telegram.calls("editMessageText")[-1].outcome


TABLE = "| a | b |\n|---|---|\n| 1 | 2 |"


async def test_a_table_is_a_rich_message_with_its_buttons_and_may_be_edited_again(paired: Bench, place: dict) -> None:
    carrier = paired.channel.carrier
    message = await carrier.place(place)
    for _ in range(2):  # the second is a new process that knows nothing of what was shown
        await carrier.edit(place, message, carrier.split(TABLE)[0], (Button("Once", "opaque"),))
        carrier._shown.clear()
    shown = paired.telegram.world.messages[OWNER, int(message)]
    assert shown["rich_message"]["blocks"][0]["type"] == "table"
    assert "text" not in shown
    assert shown["reply_markup"]["inline_keyboard"][0][0]["text"] == "Once"
    await carrier.edit(place, message, carrier.split("words")[0])
    assert paired.replies()[-1] == "words"


async def test_where_rich_messages_are_refused_the_table_is_text(paired: Bench, place: dict) -> None:
    carrier = paired.channel.carrier
    message = await carrier.place(place)
    paired.telegram.world.faults.append(Fault("editmessagetext", code=400, description="message text is empty"))
    await carrier.edit(place, message, carrier.split(TABLE)[0])
    assert paired.replies()[-1] == "a | b\n--+--\n1 | 2"


async def test_a_placeholder_that_the_person_deleted_does_not_swallow_the_answer(paired: Bench, place: dict) -> None:
    carrier = paired.channel.carrier
    message = await carrier.place(place)
    paired.telegram.people.remove(OWNER, int(message))
    await carrier.edit(place, message, carrier.split("draft")[0])
    await carrier.edit(place, message, carrier.split("answer")[0])
    assert paired.replies()[1:] == ["answer"]


async def test_an_accepted_send_whose_answer_was_lost_is_ambiguous(paired: Bench, place: dict) -> None:
    paired.telegram.people.fault("sendMessage", drop="after")
    with pytest.raises(DeliveryError) as lost:
        await paired.channel.carrier.place(place)
    assert lost.value.ambiguous
    assert not lost.value.permanent


async def test_a_refused_connection_is_not_ambiguous(paired: Bench, place: dict) -> None:
    await paired.channel.pause()
    await paired.channel._api.reset()
    await paired.telegram.stop()
    with pytest.raises(DeliveryError) as refused:
        await paired.channel.carrier.place(place)
    assert not refused.value.ambiguous
    await paired.telegram.start()


async def test_a_sweep_takes_lost_placeholders_and_nothing_else(paired: Bench, place: dict) -> None:
    carrier, people = paired.channel.carrier, paired.telegram.people
    paired.telegram.people.fault("sendMessage", drop="after", times=2)
    for _ in range(2):
        with pytest.raises(DeliveryError):
            await carrier.place(place)
    theirs = people.say(OWNER, "another of mine")["message"]["message_id"]
    await paired.until(lambda: "You said: another of mine" in paired.replies())
    kept = await carrier.place(place)
    await carrier.edit(place, kept, carrier.split("kept")[0])
    document = paired.telegram.world.store(
        paired.telegram.world.chat(OWNER), paired.telegram.world.me, {"document": {"file_id": "x"}}
    )
    before = await carrier.place(place)
    assert await carrier.sweep(place, None, before) == 2
    seen = {m["message_id"] for m in paired.telegram.world.visible(OWNER)}
    assert {theirs, int(kept), document["message_id"], int(before)} <= seen
    assert paired.replies()[-1] == "…"
    assert paired.replies().count("…") == 1
    assert await carrier.sweep(place, None, before) == 0


async def test_a_chat_that_is_gone_ends_the_attempts(paired: Bench, place: dict) -> None:
    paired.telegram.people.set_chat(OWNER, blocked=True)
    with pytest.raises(DeliveryError) as gone:
        await paired.channel.carrier.place(place)
    assert gone.value.permanent
    await paired.channel.carrier.typing(place)  # and typing makes no noise about it


async def test_a_group_that_became_a_supergroup_is_followed(paired: Bench) -> None:
    paired.telegram.people.group(-5, kind="group")
    paired.telegram.people.group(-1005)
    paired.telegram.people.set_chat(-5, migrated_to=-1005)
    carrier = paired.channel.carrier
    message = await carrier.place({"chat": -5, "private": False})
    await carrier.edit({"chat": -5, "private": False}, message, carrier.split("here")[0])
    assert paired.telegram.texts(-1005) == ["here"]


async def test_garbage_and_server_errors_are_tried_again(paired: Bench) -> None:
    paired.telegram.people.fault("editMessageText", garbage=True)
    paired.telegram.people.fault("editMessageText", code=502, description="Bad Gateway")
    paired.telegram.people.fault("sendMessage", code=500)
    paired.telegram.people.say(OWNER, "hello")
    await paired.until(lambda: "You said: hello" in paired.replies(), 20)
    assert paired.replies() == ["You said: hello"]


async def test_a_picture_that_telegram_refuses_goes_as_a_file(paired: Bench, place: dict, tmp_path) -> None:
    (tmp_path / "p.png").write_bytes(b"\x89PNG....")
    paired.telegram.people.fault("sendPhoto", code=400, description="Bad Request: PHOTO_INVALID_DIMENSIONS")
    await paired.channel.carrier.send_file(place, Attachment("image", str(tmp_path / "p.png"), "image/png", 8, "p.png"))
    assert "document" in paired.telegram.world.visible(OWNER)[-1]


async def test_a_missing_file_is_said_plainly(paired: Bench, place: dict, tmp_path) -> None:
    with pytest.raises(DeliveryError, match="No such file") as missing:
        await paired.channel.carrier.send_file(
            place, Attachment("document", str(tmp_path / "no"), "text/plain", 1, "no")
        )
    assert missing.value.permanent


async def test_no_error_holds_the_token(paired: Bench, place: dict) -> None:
    await paired.channel.pause()
    await paired.channel._api.reset()
    await paired.telegram.stop()
    with pytest.raises(DeliveryError) as refused:
        await paired.channel.carrier.place(place)
    assert paired.telegram.world.token not in str(refused.value)
    assert paired.telegram.world.token.split(":")[1] not in str(refused.value)
    await paired.telegram.start()


async def poll_beside(bench: Bench) -> None:
    """Poll with the same token until the owner is told."""
    from aiogram import Bot
    from aiogram.client.session.aiohttp import AiohttpSession
    from aiogram.client.telegram import TelegramAPIServer
    from aiogram.exceptions import TelegramConflictError

    server = TelegramAPIServer.from_base(bench.telegram.url)
    other = Bot(bench.telegram.world.token, session=AiohttpSession(api=server))
    async with asyncio.timeout(20):
        while not bench.told:
            with contextlib.suppress(TelegramConflictError):
                await other.get_updates(timeout=1)
    await other.session.close()


async def test_two_pollers_are_said_once_and_the_last_one_standing_goes_on(paired: Bench) -> None:
    await poll_beside(paired)
    paired.telegram.people.say(OWNER, "who has me?")
    await paired.until(lambda: "You said: who has me?" in paired.replies())
    assert len(paired.told) == 1
    assert "another program" in paired.told[0].lower()


async def test_two_pollers_are_said_in_the_owner_s_language(bench: Bench) -> None:
    await bench.channel.opened()
    bench.telegram.people.user(OWNER, language="zh-TW")
    bench.telegram.people.say(OWNER, await bench.access.invite())
    await bench.until(lambda: bench.access.check("telegram", str(OWNER)) is not None)
    await poll_beside(bench)
    assert "另一個程式" in bench.told[0]


async def test_an_update_that_cannot_be_read_is_left_out_and_the_rest_is_taken(paired: Bench) -> None:
    paired.telegram.world.push("message", {"message_id": "not a number", "date": "never", "chat": 5})
    paired.telegram.people.say(OWNER, "after it")
    await paired.until(lambda: "You said: after it" in paired.replies())
