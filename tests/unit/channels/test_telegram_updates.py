"""From an update to what it means for us."""

from __future__ import annotations

from typing import Any

import pytest

from appliance.channels.telegram.updates import Bot, Heard, read_update
from appliance.messages import Source

BOT = Bot(7000001, "home_appliance_bot")
SAM = {"id": 11, "is_bot": False, "first_name": "Sam", "language_code": "zh-hans"}
PRIVATE = {"id": 11, "type": "private", "first_name": "Sam"}
GROUP = {"id": -5, "type": "supergroup", "title": "Family"}


def heard(kind: str = "message", **body: Any) -> Heard | None:
    from aiogram.types import Update

    message = {"message_id": 3, "date": 1_800_000_000, "chat": PRIVATE, "from": SAM, **body}
    found = read_update(Update.model_validate({"update_id": 1, kind: message}), BOT)
    assert found is None or isinstance(found, Heard)
    return found


def test_a_private_text() -> None:
    found = heard(text="你好 🙂")
    assert found is not None
    assert (found.kind, found.id, found.user, found.text, found.language) == (
        "message",
        "3",
        "11",
        "你好 🙂",
        "zh-Hans",
    )
    assert found.place == {"chat": 11, "message": 3, "private": True}
    assert found.at == 1_800_000_000
    assert found.source is Source.OWNER


@pytest.mark.parametrize(
    "body",
    [
        {"from": {**SAM, "is_bot": True}, "text": "I am a bot too"},
        {"chat": GROUP, "sender_chat": GROUP, "text": "@home_appliance_bot an anonymous admin"},
        {"new_chat_title": "Other title", "chat": GROUP},
        {"pinned_message": {"message_id": 1, "date": 0, "chat": PRIVATE}},
    ],
)
def test_what_no_person_said_is_not_heard(body: dict) -> None:
    assert heard(**body) is None


@pytest.mark.parametrize(
    ("text", "entities", "addressed"),
    [
        ("@home_appliance_bot hi", [{"type": "mention", "offset": 0, "length": 19}], True),
        ("🙂🙂 @Home_Appliance_Bot hi", [{"type": "mention", "offset": 5, "length": 19}], True),
        ("you there", [{"type": "text_mention", "offset": 0, "length": 3, "user": {**SAM, "id": 7000001}}], True),
        ("you there", [{"type": "text_mention", "offset": 0, "length": 3, "user": {**SAM, "id": 99}}], False),
        ("/stop@home_appliance_bot", [{"type": "bot_command", "offset": 0, "length": 24}], True),
        ("/stop", [{"type": "bot_command", "offset": 0, "length": 5}], False),
        ("/stop@other_bot", [{"type": "bot_command", "offset": 0, "length": 15}], False),
        ("@home_appliance_bot without an entity", [], False),
        ("home_appliance_bot", [], False),
    ],
)
def test_in_a_group_only_a_real_mention_addresses_the_bot(text: str, entities: list, addressed: bool) -> None:
    found = heard(text=text, entities=entities, chat=GROUP)
    assert found is not None
    assert found.addressed is addressed
    assert found.source is Source.OUTSIDE


def test_an_answer_to_the_bot_addresses_it_and_an_answer_to_a_person_of_its_name_does_not() -> None:
    answered = {"message_id": 2, "date": 0, "chat": GROUP, "text": "the lamp is on"}
    mine = {**answered, "from": {"id": 7000001, "is_bot": True, "first_name": "Appliance"}}
    theirs = {**answered, "from": {**SAM, "id": 5, "first_name": "Appliance", "username": "home_appliance_bot"}}
    found = heard(text="off please", chat=GROUP, reply_to_message=mine)
    assert found is not None
    assert (found.addressed, found.quoted, found.reply_to) == (True, "the lamp is on", "2")
    found = heard(text="off please", chat=GROUP, reply_to_message=theirs)
    assert found is not None
    assert not found.addressed


def test_the_bots_name_goes_from_commands_and_beginnings_only() -> None:
    entity = [{"type": "bot_command", "offset": 0, "length": 26}]
    found = heard(text="/budget@home_appliance_bot raise 5", entities=entity)
    assert found is not None
    assert (found.kind, found.text) == ("command", "/budget raise 5")
    found = heard(text="mail @home_appliance_bot to me")
    assert found is not None
    assert found.text == "mail @home_appliance_bot to me"


def test_the_address_behind_a_word_is_told_and_counted_in_utf16() -> None:
    link = [{"type": "text_link", "offset": 3, "length": 4, "url": "https://example.com/x"}]
    found = heard(text="🙂 here now", entities=link)
    assert found is not None
    assert found.text == "🙂 here (https://example.com/x) now"


def test_a_place_and_a_contact_become_words() -> None:
    found = heard(location={"latitude": 52.5, "longitude": 13.4})
    assert found is not None
    assert found.text == "[location: 52.5, 13.4]"
    found = heard(contact={"phone_number": "+49", "first_name": "Ann"})
    assert found is not None
    assert found.text == "[contact: Ann +49]"


def test_of_a_photo_the_largest_is_taken_and_of_an_animation_one_file() -> None:
    sizes = [
        {"file_id": "s", "file_unique_id": "1", "width": 90, "height": 90, "file_size": 1},
        {"file_id": "l", "file_unique_id": "2", "width": 900, "height": 900, "file_size": 2},
    ]
    found = heard(photo=sizes)
    assert found is not None
    assert [f.ref for f in found.files] == ["l"]
    media = {"file_id": "a", "file_unique_id": "3", "width": 1, "height": 1, "duration": 1}
    found = heard(animation=media, document={"file_id": "a", "file_unique_id": "3"})
    assert found is not None
    assert [(f.ref, f.media_type) for f in found.files] == [("a", "video/mp4")]


def test_each_edit_has_an_id_of_its_own() -> None:
    first = heard("edited_message", text="a", edit_date=1)
    second = heard("edited_message", text="b", edit_date=2)
    assert first is not None
    assert second is not None
    assert (first.kind, first.id, second.id) == ("edit", "3:1", "3:2")
