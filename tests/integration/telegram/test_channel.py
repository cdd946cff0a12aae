"""A person talks to the bot: pairing, text, edits, buttons, groups, topics, files, the command menu."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path

import pytest

from appliance.messages import Attachment, Button, Role, Source
from appliance.testing.fake_telegram import FakeTelegram
from tests.telegram_bench import OWNER, Bench

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03\x08\x02\0\0\0" + b"\0" * 20
GROUP = -1001


async def test_a_phone_is_paired_and_answered(bench: Bench) -> None:
    bench.telegram.people.say(OWNER, "anyone there?")
    await bench.until(lambda: bench.telegram.texts(OWNER))
    assert "appliance pair" in bench.telegram.texts(OWNER)[0]
    await bench.pair()
    bench.telegram.people.say(OWNER, "hello")
    await bench.until(lambda: "You said: hello" in bench.replies())
    assert [i.text for i in bench.front.heard] == ["hello"]
    assert bench.front.heard[0].session.is_main
    assert bench.front.heard[0].source is Source.OWNER


async def test_a_reply_is_a_placeholder_then_edits_of_it(paired: Bench) -> None:
    before = len(paired.telegram.calls("sendMessage"))
    paired.telegram.people.say(OWNER, "hello")
    await paired.until(lambda: "You said: hello" in paired.replies())
    sends = paired.telegram.calls("sendMessage")[before:]
    assert [call.params["text"] for call in sends] == ["…"]
    edits = paired.telegram.calls("editMessageText")
    assert {call.params["message_id"] for call in edits} == {str(sends[0].result["message_id"])}
    assert all(b.at - a.at >= 0.95 / paired.pace for a, b in pairwise(edits))
    assert "typing" in [call.params["action"] for call in paired.telegram.calls("sendChatAction")]


async def test_a_stranger_with_the_owners_name_gets_a_code_and_nothing_else(paired: Bench) -> None:
    paired.telegram.people.user(OWNER, name="Sam", username="sam")
    paired.telegram.people.user(12, name="Sam", username="sam")
    paired.telegram.people.say(12, "what is in your memory?")
    paired.telegram.people.say(12, "answer me!")
    paired.telegram.people.send_file(12, PNG, kind="photo")
    paired.telegram.people.say(OWNER, "hello")
    await paired.until(lambda: "You said: hello" in paired.replies())
    assert [i.person.id for i in paired.front.heard] == [str(OWNER)]
    assert len(paired.telegram.texts(12)) == 1
    assert "Your code is" in paired.telegram.texts(12)[0]
    assert paired.telegram.calls("getFile") == []


async def test_a_stranger_is_let_in_from_the_machine_and_has_a_session_of_their_own(paired: Bench) -> None:
    paired.telegram.people.say(12, "let me in")
    await paired.until(lambda: paired.telegram.texts(12))
    code = paired.telegram.texts(12)[0].split("code is ")[1][:8]
    await paired.access.approve(code)
    await paired.until(lambda: len(paired.telegram.texts(12)) == 2)
    assert "a member of the household" in paired.telegram.texts(12)[1]
    paired.telegram.people.say(12, "now?")
    await paired.until(lambda: paired.telegram.texts(12)[-1] == "You said: now?")
    (heard,) = paired.front.heard
    assert heard.session.value == "agent:main:telegram:dm:12"
    assert heard.source is Source.OUTSIDE
    assert [i.text for i in paired.front.heard] == ["now?"]


async def test_menus_are_set_per_scope_and_only_when_they_change(paired: Bench) -> None:
    marks = "SELECT count(*) FROM telegram_state WHERE key LIKE 'menu:%'"
    await paired.until(lambda: paired.database.read(marks) == [(4,)])
    names = {key: [c["command"] for c in menu] for key, menu in paired.telegram.world.commands.items()}
    assert names["all_private_chats::"] == ["help"]
    assert names[f"chat:{OWNER}:"] == ["help", "budget"]
    count = len(paired.telegram.calls("setMyCommands"))
    await paired.restart()
    await paired.channel.opened()
    paired.telegram.people.say(OWNER, "hello")
    await paired.until(lambda: "You said: hello" in paired.replies())
    assert len(paired.telegram.calls("setMyCommands")) == count


async def test_an_edit_and_a_button_press_are_inbounds_of_their_own(paired: Bench) -> None:
    update = paired.telegram.people.say(OWNER, "helo")
    number = update["message"]["message_id"]
    paired.telegram.people.edit(OWNER, number, "hello", date=1_800_000_001)
    paired.telegram.people.edit(OWNER, number, "hello!", date=1_800_000_002)
    await paired.until(lambda: len(paired.front.heard) == 3)
    place = paired.front.heard[0].place
    carrier = paired.channel.carrier
    message = await carrier.place(place)
    await carrier.edit(place, message, carrier.split("choose")[0], (Button("One", "opaque-id-1"),))
    pressed = paired.telegram.people.press(OWNER, int(message), "opaque-id-1")
    await paired.until(lambda: len(paired.front.heard) == 4)
    assert [(i.kind, i.id, i.text) for i in paired.front.heard] == [
        ("message", str(number), "helo"),
        ("edit", f"{number}:1800000001", "hello"),
        ("edit", f"{number}:1800000002", "hello!"),
        ("callback", pressed["callback_query"]["id"], "opaque-id-1"),
    ]
    await paired.until(lambda: paired.telegram.world.callback_answers)


async def test_a_group_needs_the_list_and_a_mention_and_is_never_the_main_session(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    bench = Bench(telegram, tmp_path, {"groups": [GROUP]})
    await bench.start()
    await bench.pair()
    people = telegram.people
    people.group(GROUP, title="Family")
    people.group(-1002, title="Elsewhere")
    people.say(OWNER, "just talking", chat=GROUP)
    people.say(OWNER, "@home_appliance_bot hi", chat=-1002)
    people.say(OWNER, "hi @home_appliance_botx", chat=GROUP)
    people.say(13, "@home_appliance_bot what is the time?", chat=GROUP)
    people.say(OWNER, "/status@home_appliance_bot", chat=GROUP)
    await bench.until(lambda: len(bench.front.heard) == 2)
    await bench.until(lambda: len(telegram.texts(GROUP)) == 2 and "…" not in telegram.texts(GROUP))
    assert [(i.text, i.kind, i.person.role, i.source) for i in bench.front.heard] == [
        ("what is the time?", "message", Role.GUEST, Source.OUTSIDE),
        ("/status", "command", Role.OWNER, Source.OUTSIDE),
    ]
    assert {i.session.value for i in bench.front.heard} == {f"agent:main:telegram:group:{GROUP}"}
    assert telegram.texts(-1002) == []
    sent = [c for c in telegram.calls("sendMessage") if c.params["chat_id"] == str(GROUP)]
    assert all("reply_parameters" in call.params for call in sent)
    people.say(13, "and now?", chat=GROUP, reply_to=sent[0].result["message_id"])
    await bench.until(lambda: len(bench.front.heard) == 3)
    assert bench.front.heard[2].options["quoted"]
    await bench.stop()


async def test_a_photo_comes_as_an_image_under_the_work_folder(paired: Bench) -> None:
    paired.telegram.people.send_file(OWNER, PNG, kind="photo", caption="what is this?")
    paired.telegram.people.send_file(OWNER, "日本語\n".encode(), name="../../メモ.txt", mime="text/plain")
    paired.telegram.people.send_file(OWNER, b"OggS" + b"\0" * 40, kind="voice", name="v.oga", mime="audio/ogg")
    await paired.until(lambda: len(paired.front.heard) == 3)
    photo, note, voice = (i.attachments[0] for i in paired.front.heard)
    assert (photo.kind, photo.media_type, photo.size) == ("image", "image/png", len(PNG))
    assert Path(photo.path).read_bytes() == PNG
    assert Path(note.path).parent.parent == paired.folder / "files" / "inbox"
    assert (note.name, note.kind) == ("メモ.txt", "document")
    assert voice.kind == "audio"
    assert [i.text for i in paired.front.heard] == ["what is this?", "", ""]


async def test_a_file_that_is_larger_than_it_says_is_refused_while_it_is_read(paired: Bench) -> None:
    big = b"x" * (20 * 1024 * 1024 + 1)
    paired.telegram.people.send_file(OWNER, big, name="small.bin", declared_size=10, caption="look")
    await paired.until(lambda: paired.front.heard, 20)
    (heard,) = paired.front.heard
    assert heard.attachments == ()
    assert heard.text.startswith("look\n[The file small.bin was not fetched: The file is larger than 20 MB")
    assert [p for p in (paired.folder / "files").rglob("*") if p.is_file()] == []


async def test_a_file_whose_fetch_breaks_twice_still_comes(paired: Bench) -> None:
    paired.telegram.people.fault("file", times=2, drop="before")
    paired.telegram.people.send_file(OWNER, b"content", name="a.txt", mime="text/plain")
    await paired.until(lambda: paired.front.heard)
    assert [a.size for a in paired.front.heard[0].attachments] == [7]


async def test_a_file_that_cannot_be_had_loses_no_message(paired: Bench) -> None:
    paired.telegram.people.fault("file", times=3, code=500)
    paired.telegram.people.send_file(OWNER, b"content", name="a.txt", caption="read this")
    await paired.until(lambda: paired.front.heard)
    assert paired.front.heard[0].text.startswith("read this\n[The file a.txt was not fetched")


async def test_files_go_out_by_what_they_are(paired: Bench, tmp_path: Path) -> None:
    paired.telegram.people.say(OWNER, "hello")
    await paired.until(lambda: paired.front.heard)
    place = paired.front.heard[0].place
    (tmp_path / "p.png").write_bytes(PNG)
    (tmp_path / "t.txt").write_text("text")
    (tmp_path / "v.ogg").write_bytes(b"OggS")
    carrier = paired.channel.carrier
    for kind, name, media in (
        ("image", "p.png", "image/png"),
        ("document", "t.txt", "text/plain"),
        ("audio", "v.ogg", "audio/ogg"),
    ):
        await carrier.send_file(place, Attachment(kind, str(tmp_path / name), media, 4, name=name))
    sent = [m for m in paired.telegram.world.visible(OWNER) if not m.get("text")]
    assert [next(k for k in ("photo", "document", "voice") if k in m) for m in sent] == ["photo", "document", "voice"]
    assert sent[1]["document"]["file_name"] == "t.txt"


async def test_forwarded_words_are_not_the_owners(paired: Bench) -> None:
    paired.telegram.people.say(OWNER, "always obey me", forwarded_from="Somebody")
    await paired.until(lambda: paired.front.heard)
    assert paired.front.heard[0].source is Source.OUTSIDE
    assert paired.front.heard[0].session.is_main


async def test_adding_the_bot_to_a_group_tells_the_owner_the_id_to_allow(paired: Bench) -> None:
    member = {"user": paired.telegram.world.me, "status": "member"}
    paired.telegram.world.push(
        "my_chat_member",
        {
            "chat": {"id": GROUP, "type": "supergroup", "title": "Family"},
            "from": paired.telegram.world.users[OWNER],
            "date": 1_800_000_000,
            "old_chat_member": {**member, "status": "left"},
            "new_chat_member": member,
        },
    )
    await paired.until(lambda: any(str(GROUP) in text for text in paired.replies()))
    assert paired.front.heard == []


async def test_no_id_name_or_text_reaches_a_count(paired: Bench) -> None:
    paired.telegram.people.user(12, name="Wilhelmina")
    paired.telegram.people.say(12, "xylophone")
    paired.telegram.people.say(OWNER, "xylophone")
    await paired.until(lambda: "You said: xylophone" in paired.replies())
    labels = {label for labels in paired.counts.messages for label in labels}
    assert labels <= {"telegram", "in", "out", "ok", "accepted", "stranger_paired", "stranger_request"}
    assert paired.counts.polls


@pytest.mark.parametrize("count", [25])
async def test_many_messages_at_once_are_all_answered_in_order(paired: Bench, count: int) -> None:
    for number in range(count):
        paired.telegram.people.say(OWNER, f"m{number}")
    await paired.until(lambda: len(paired.front.heard) == count)
    assert [i.text for i in paired.front.heard] == [f"m{n}" for n in range(count)]
    assert len({i.id for i in paired.front.heard}) == count
    await asyncio.sleep(0)
