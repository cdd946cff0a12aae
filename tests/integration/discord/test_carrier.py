"""What delivery may count on: nonces, sweeps, edits that are repeated, files, buttons."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from appliance.channels.discord.carrier import PLACEHOLDER
from appliance.errors import DeliveryError
from appliance.messages import Attachment, Button
from appliance.testing.fake_discord.state import Fault
from tests.discord_bench import OWNER, DiscordBench


async def test_a_placeholder_whose_answer_was_lost_is_not_sent_twice(discord_bench: DiscordBench) -> None:
    await discord_bench.start()
    chat = await discord_bench.pair()
    place = {"chat": chat, "message": 5, "private": True, "nonce": "7-0", "part": 0}
    first = await discord_bench.channel.carrier.place(place)
    assert await discord_bench.channel.carrier.place(place) == first
    assert await discord_bench.channel.carrier.place(place | {"nonce": "8-0"}) != first
    assert discord_bench.replies(chat) == [PLACEHOLDER, PLACEHOLDER]


async def test_a_restart_between_sending_and_noting_leaves_one_message(discord_bench: DiscordBench) -> None:
    await discord_bench.start()
    chat = await discord_bench.pair()
    gate = asyncio.Event()

    async def wait(_: object) -> str:
        await gate.wait()
        return "done"

    discord_bench.front.answer = wait
    question = await discord_bench.discord.say(OWNER, "go on")
    await discord_bench.until(lambda: discord_bench.replies(chat) == [PLACEHOLDER])
    # The process died before it had noted the id: the row says that a send is under way.
    await discord_bench.database.write(
        lambda c: c.execute("""UPDATE outbox SET parts = '[{"message":"","placing":true,"done":false}]'""")
    )
    row = discord_bench.database.read("SELECT id FROM outbox")[0][0]
    place = {"chat": chat, "message": question, "private": True, "nonce": f"{row}-0", "part": 0}
    await discord_bench.channel.carrier.place(place)
    assert discord_bench.replies(chat) == [PLACEHOLDER]
    gate.set()
    await discord_bench.until(lambda: discord_bench.replies(chat) == ["done"])


async def test_old_lost_placeholders_are_swept_and_nothing_else(discord_bench: DiscordBench) -> None:
    await discord_bench.start()
    chat = await discord_bench.pair()
    carrier = discord_bench.channel.carrier
    place = {"chat": chat, "message": await discord_bench.discord.say(OWNER, "hm"), "private": True}
    await discord_bench.until(lambda: "You said: hm" in discord_bench.replies(chat))
    await carrier.place(place | {"nonce": "old"})
    await discord_bench.discord.say(OWNER, PLACEHOLDER)
    await discord_bench.until(lambda: f"You said: {PLACEHOLDER}" in discord_bench.replies(chat))
    before = await carrier.place(place | {"nonce": "new"})
    assert await carrier.sweep(place, None, before) == 1
    assert discord_bench.replies(chat) == ["You said: hm", f"You said: {PLACEHOLDER}", PLACEHOLDER]


async def test_an_answer_arrives_although_its_placeholder_was_deleted(discord_bench: DiscordBench) -> None:
    await discord_bench.start()
    chat = await discord_bench.pair()
    carrier = discord_bench.channel.carrier
    place = {"chat": chat, "private": True}
    message = await carrier.place(place)
    discord_bench.discord.world.delete(chat, int(message))
    await carrier.edit(place, message, {"text": "part one"})
    await carrier.edit(place, message, {"text": "part two"})
    assert discord_bench.replies(chat) == ["part two"]


async def test_the_same_edit_twice_is_made_once(discord_bench: DiscordBench) -> None:
    await discord_bench.start()
    chat = await discord_bench.pair()
    carrier, place = discord_bench.channel.carrier, {"chat": chat, "private": True}
    message = await carrier.place(place)
    await carrier.edit(place, message, {"text": "same"})
    await carrier.edit(place, message, {"text": "same"})
    assert len(discord_bench.discord.calls("PATCH", message)) == 1


async def test_edits_keep_their_distance(discord_bench: DiscordBench) -> None:
    await discord_bench.start()
    chat = await discord_bench.pair()
    carrier, place = discord_bench.channel.carrier, {"chat": chat, "private": True}
    message = await carrier.place(place)
    began = discord_bench.clock.monotonic()
    for text in ("a", "b", "c"):
        await carrier.edit(place, message, {"text": text})
    assert discord_bench.clock.monotonic() - began >= 2.4


async def test_a_file_goes_out_and_one_that_is_too_large_does_not(discord_bench: DiscordBench, tmp_path: Path) -> None:
    await discord_bench.start()
    chat = await discord_bench.pair()
    carrier, place = discord_bench.channel.carrier, {"chat": chat, "private": True}
    small, large = tmp_path / "small.txt", tmp_path / "large.bin"
    small.write_bytes(b"hello")
    with large.open("wb") as file:
        file.truncate(11 * 1024 * 1024)
    number = int(await carrier.send_file(place, Attachment("document", str(small), "text/plain", 5)))
    [sent] = discord_bench.discord.world.messages[chat][number]["attachments"]
    assert (sent["filename"], sent["size"]) == ("small.txt", 5)
    with pytest.raises(DeliveryError) as refused:
        await carrier.send_file(place, Attachment("document", str(large), "", 0))
    assert refused.value.permanent


async def test_a_button_comes_back_as_its_opaque_id(discord_bench: DiscordBench) -> None:
    await discord_bench.start()
    chat = await discord_bench.pair()
    carrier, place = discord_bench.channel.carrier, {"chat": chat, "private": True}
    number = int(await carrier.send(place, {"text": "Run it?"}, "1-0", (Button("Yes", "opaque-1"), Button("No", "o2"))))
    await discord_bench.discord.press(OWNER, chat, number, "Yes")
    await discord_bench.until(lambda: discord_bench.front.heard)
    [heard] = discord_bench.front.heard
    assert (heard.kind, heard.text, heard.person.id) == ("callback", "opaque-1", str(OWNER))
    await discord_bench.until(lambda: discord_bench.discord.calls("POST", "/callback"))


async def test_a_closed_chat_is_refused_for_good(discord_bench: DiscordBench) -> None:
    await discord_bench.start()
    chat = await discord_bench.pair()
    discord_bench.discord.world.faults.append(Fault("POST", f"/{chat}/messages", 403))
    with pytest.raises(DeliveryError) as refused:
        await discord_bench.channel.carrier.place({"chat": chat, "private": True})
    assert refused.value.permanent
