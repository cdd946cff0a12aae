"""What people send besides plain texts, and long answers: albums, cut texts, stickers, places, forwards, documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.messages import Attachment, Button, Inbound, Source
from tests.telegram_bench import OWNER, Bench

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03\x08\x02\0\0\0" + b"\0" * 20

WEBP = b"RIFF\x1e\0\0\0WEBPVP8X\n\0\0\0\0\0\0\0\xff\x01\0\xff\x01\0"


async def test_an_album_is_one_message_to_the_lane(paired: Bench) -> None:
    paired.telegram.people.album(OWNER, [PNG, PNG, PNG], caption="which is best?")
    await paired.until(lambda: len(paired.front.heard) == 3)
    heard = paired.front.heard
    assert [i.text for i in heard] == ["which is best?", "", ""]
    assert all(len(i.attachments) == 1 for i in heard)
    assert len({i.options["together"] for i in heard}) == 1
    assert all(i.options["gather"] > 0 for i in heard)


async def test_a_text_that_the_client_cut_is_one_message_to_the_lane(paired: Bench) -> None:
    for text in ("a" * 4096, "b" * 4090, "the end"):
        paired.telegram.people.say(OWNER, text)
    paired.telegram.people.say(OWNER, "something else")
    await paired.until(lambda: len(paired.front.heard) == 4)
    keys = [i.options.get("together") for i in paired.front.heard]
    assert keys[0]
    assert keys[0] == keys[1] == keys[2]
    assert keys[3] is None


async def test_kinds_without_text_are_described_and_files_of_them_fetched(paired: Bench) -> None:
    people = paired.telegram.people
    people.send_file(OWNER, WEBP, kind="sticker")
    people.send_file(OWNER, b"\0\0\0\x18ftypmp42", kind="video_note", name="n.mp4", mime="video/mp4")
    people.say(OWNER, extra={"location": {"latitude": 22.3, "longitude": 114.2}})
    place = {"location": {"latitude": 1.0, "longitude": 2.0}, "title": "Café", "address": "Street 1"}
    people.say(OWNER, extra={"venue": place, "location": place["location"]})
    people.say(OWNER, "look at this", forwarded_from="Aunt May")
    await paired.until(lambda: len(paired.front.heard) == 5)
    sticker, note, where, venue, forward = paired.front.heard
    assert sticker.text.startswith("[sticker")
    assert sticker.attachments[0].kind == "image"
    assert (note.attachments[0].kind, note.attachments[0].media_type) == ("video", "video/mp4")
    assert where.text == "[location: 22.3, 114.2]"
    assert venue.text == "[place: Café, Street 1, 1.0, 2.0]"
    assert forward.text == "[forwarded from Aunt May]\nlook at this"
    assert (where.source, forward.source) == (Source.OWNER, Source.OUTSIDE)


@pytest.mark.parametrize("text", ["para graph. " * 120 + "\n\n" + "word " * 5000, "字" * 20_000])
async def test_an_answer_of_more_than_four_parts_is_its_beginning_and_a_document(paired: Bench, text: str) -> None:
    async def long(inbound: Inbound) -> str:
        return text

    paired.front.answer = long
    paired.front.buttons = (Button("More", "opaque"),)
    paired.telegram.people.say(OWNER, "everything, please")
    await paired.until(lambda: paired.telegram.calls("sendDocument"))
    await paired.until(lambda: paired.database.read("SELECT state FROM outbox")[-1] == ("sent",))
    [said] = paired.replies()[:1]
    assert f"{len(text):,}" in said
    assert text[:500].strip() in said
    [shown, document] = [m for m in paired.telegram.world.visible(OWNER) if m["from"]["is_bot"]][-2:]
    assert shown["reply_markup"]["inline_keyboard"][0][0]["text"] == "More"
    _, data = paired.telegram.world.files[document["document"]["file_id"]]
    assert data.decode() == text


async def test_a_document_that_may_have_arrived_is_not_sent_twice(paired: Bench) -> None:
    async def long(inbound: Inbound) -> str:
        return "word " * 5000

    paired.front.answer = long
    paired.telegram.people.fault("sendDocument", drop="after")
    paired.telegram.people.say(OWNER, "everything, please")
    await paired.until(lambda: paired.database.read("SELECT state FROM outbox") == [("dead",)])
    assert len(paired.telegram.calls("sendDocument")) == 1


async def test_a_long_text_beside_a_picture_is_no_caption(paired: Bench, tmp_path: Path) -> None:
    picture = tmp_path / "p.png"
    picture.write_bytes(PNG)

    async def long(inbound: Inbound) -> str:
        return "字" * 1500

    paired.front.answer = long
    paired.front.attachments = (Attachment("image", str(picture), "image/png", len(PNG), "p.png"),)
    paired.telegram.people.say(OWNER, "show me")
    await paired.until(lambda: [c.outcome for c in paired.telegram.calls("sendPhoto")] == ["ok"])
    assert paired.replies()[0] == "字" * 1500


async def test_a_long_caption_from_a_person_is_read_whole(paired: Bench) -> None:
    paired.telegram.people.send_file(OWNER, PNG, kind="photo", caption="長" * 4000)
    await paired.until(lambda: paired.front.heard)
    assert paired.front.heard[0].text == "長" * 4000
