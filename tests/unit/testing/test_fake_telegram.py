"""The fake refuses what Telegram refuses."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from appliance.testing.fake_telegram import FakeTelegram
from appliance.testing.fake_telegram.errors import ApiError
from appliance.testing.fake_telegram.limits import check_entities, checked_markup, checked_text


@pytest.fixture
async def fake() -> AsyncIterator[FakeTelegram]:
    async with FakeTelegram() as made:
        made.people.user(5)
        yield made


class Client:
    def __init__(self, fake: FakeTelegram) -> None:
        self._url = f"{fake.url}/bot{fake.world.token}"

    async def __call__(self, method: str, **params: Any) -> tuple[int, Any]:
        async with httpx2.AsyncClient() as http:
            answer = await http.post(f"{self._url}/{method}", json=params)
        body = answer.json()
        return answer.status_code, body["result"] if body["ok"] else body


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"text": ""}, "message text is empty"),
        ({"text": "x" * 4097}, "message is too long"),
        ({"text": "😀" * 2049}, "message is too long"),
        ({"text": "\ud83d"}, "UTF-8"),
        ({"text": "a<b", "parse_mode": "HTML"}, "Unclosed start tag"),
        ({"text": "<b>a", "parse_mode": "HTML"}, "end tag"),
        ({"text": "<x>a</x>", "parse_mode": "HTML"}, "Unsupported start tag"),
        ({"text": "a.", "parse_mode": "MarkdownV2"}, "reserved"),
        ({"text": "*a", "parse_mode": "MarkdownV2"}, "end of the entity"),
        ({"text": "ab", "entities": [{"type": "bold", "offset": 1, "length": 5}]}, "after the end"),
        ({"text": "😀", "entities": [{"type": "bold", "offset": 1, "length": 1}]}, "middle of a UTF-16"),
        ({"text": "ab", "entities": [{"type": "shout", "offset": 0, "length": 1}]}, "unknown type"),
        ({"text": "a", "entities": [{"type": "text_link", "offset": 0, "length": 1, "url": "x.md"}]}, "URL"),
    ],
)
def test_texts_that_telegram_refuses(params: dict, words: str) -> None:
    with pytest.raises(ApiError, match=words):
        checked_text(params)


@pytest.mark.parametrize(
    "spans",
    [
        [("bold", 0, 3), ("italic", 2, 3)],
        [("code", 0, 5), ("bold", 1, 2)],
        [("bold", 0, 5), ("code", 1, 2)],
        [("blockquote", 0, 5), ("blockquote", 1, 2)],
    ],
)
def test_entities_that_cross_or_stand_inside_code(spans: list) -> None:
    entities = [{"type": kind, "offset": offset, "length": length} for kind, offset, length in spans]
    with pytest.raises(ApiError):
        check_entities("abcdef", entities)


def test_blanks_are_trimmed_and_entities_follow() -> None:
    bold = {"type": "bold", "offset": 3, "length": 4}
    assert checked_text({"text": "  a bc  ", "entities": [bold]}) == ("a bc", [{**bold, "offset": 1, "length": 3}])


def test_a_button_may_carry_64_bytes() -> None:
    def keyboard(data: str) -> dict:
        return {"reply_markup": {"inline_keyboard": [[{"text": "x", "callback_data": data}]]}}

    assert checked_markup(keyboard("x" * 64)) is not None
    with pytest.raises(ApiError, match="BUTTON_DATA_INVALID"):
        checked_markup(keyboard("长" * 22))


async def test_edits_and_deletions_are_for_our_own_messages(fake: FakeTelegram) -> None:
    call = Client(fake)
    theirs = fake.people.say(5, "mine")["message"]["message_id"]
    _, sent = await call("sendMessage", chat_id=5, text="one")
    number = sent["message_id"]
    status, body = await call("editMessageText", chat_id=5, message_id=number, text="one")
    assert (status, "not modified" in body["description"]) == (400, True)
    status, body = await call("editMessageText", chat_id=5, message_id=theirs, text="x")
    assert "can't be edited" in body["description"]
    status, body = await call("editMessageText", chat_id=5, message_id=999, text="x")
    assert "message to edit not found" in body["description"]
    assert (await call("deleteMessage", chat_id=5, message_id=theirs))[1] is True
    status, body = await call("deleteMessage", chat_id=5, message_id=theirs)
    assert "not found" in body["description"]


async def test_unknown_gone_and_blocked_chats_are_refused_each_in_its_way(fake: FakeTelegram) -> None:
    call = Client(fake)
    assert (await call("sendMessage", chat_id=6, text="x"))[0] == 400
    fake.people.set_chat(5, blocked=True)
    assert (await call("sendMessage", chat_id=5, text="x"))[0] == 403


async def test_too_many_sends_are_told_how_long_to_wait(fake: FakeTelegram) -> None:
    call = Client(fake)
    fake.world.flood.burst = 2
    fake.world.flood.per_second = 0.1
    results = [await call("sendMessage", chat_id=5, text="x") for _ in range(3)]
    assert [status for status, _ in results] == [200, 200, 429]
    assert 1 <= results[2][1]["parameters"]["retry_after"] <= 10


async def test_updates_wait_until_a_later_offset_is_asked_for(fake: FakeTelegram) -> None:
    call = Client(fake)
    first = fake.people.say(5, "one")["update_id"]
    fake.people.say(5, "two")
    for _ in range(2):
        assert len((await call("getUpdates"))[1]) == 2
    assert [u["message"]["text"] for u in (await call("getUpdates", offset=first + 1))[1]] == ["two"]
    assert len((await call("getUpdates"))[1]) == 1
    assert (await call("getUpdates", limit=101))[0] == 400


async def test_a_webhook_and_polling_exclude_each_other_and_a_wrong_token_is_401(fake: FakeTelegram) -> None:
    call = Client(fake)
    assert (await call("setWebhook", url="http://plain.example"))[0] == 400
    await call("setWebhook", url="https://example.com/h")
    status, body = await call("getUpdates")
    assert (status, "webhook is active" in body["description"]) == (409, True)
    await call("deleteWebhook")
    assert (await call("getUpdates"))[0] == 200
    async with httpx2.AsyncClient() as http:
        assert (await http.get(f"{fake.url}/bot1:no/getMe")).status_code == 401


async def test_the_control_side_is_reached_over_http(fake: FakeTelegram) -> None:
    async with httpx2.AsyncClient() as http:
        update = (await http.post(f"{fake.url}/control/say", json={"user": 5, "text": "hi"})).json()
        assert update["message"]["text"] == "hi"
        assert (await http.post(f"{fake.url}/control/nonsense", json={})).status_code == 404
        assert (await http.post(f"{fake.url}/control/say", json={"nobody": 1})).status_code == 400
        await Client(fake)("getMe")
        assert [c["method"] for c in (await http.get(f"{fake.url}/control/book")).json()] == ["getMe"]


async def test_drafts_are_for_private_chats_and_fade_into_the_message(fake: FakeTelegram) -> None:
    call = Client(fake)
    fake.people.group(-9)
    assert (await call("sendMessageDraft", chat_id=-9, draft_id=1, text="a"))[0] == 400
    assert (await call("sendMessageDraft", chat_id=5, draft_id=0, text="a"))[0] == 400
    assert (await call("sendMessageDraft", chat_id=5, draft_id=1, text="x" * 4097))[0] == 400
    assert (await call("sendMessageDraft", chat_id=5, draft_id=1, text=""))[0] == 200
    with pytest.raises(ValueError):
        fake.people.stop_draft(5)
    assert (await call("sendMessageDraft", chat_id=5, draft_id=1, text="a", can_stop=True))[0] == 200
    assert fake.people.stop_draft(5)["stopped_message_generation"]["draft_id"] == 1
    await call("sendMessage", chat_id=5, text="a")
    assert fake.world.drafts == {}


async def test_a_reaction_is_one_emoji_that_telegram_has(fake: FakeTelegram) -> None:
    call = Client(fake)
    number = fake.people.say(5, "hi")["message"]["message_id"]
    for wrong in ([{"type": "emoji", "emoji": "🧺"}], [{"type": "emoji", "emoji": "👀"}] * 2):
        assert (await call("setMessageReaction", chat_id=5, message_id=number, reaction=wrong))[0] == 400
    good = [{"type": "emoji", "emoji": "👀"}]
    assert (await call("setMessageReaction", chat_id=5, message_id=number, reaction=good))[0] == 200
    assert fake.world.reactions[5, number] == good


@pytest.mark.parametrize(
    "params",
    [
        {"url": "http://example.com/x"},
        {"url": "https://example.com:8321/x"},
        {"url": "https://example.com/x", "secret_token": "no spaces"},
    ],
)
async def test_webhooks_that_telegram_refuses(fake: FakeTelegram, params: dict) -> None:
    assert (await Client(fake)("setWebhook", **params))[0] == 400
    assert fake.world.webhook["url"] == ""


async def test_a_deleted_topic_and_a_group_that_threw_the_bot_out_are_refused(fake: FakeTelegram) -> None:
    call = Client(fake)
    fake.people.group(-7, forum=True)
    fake.people.set_chat(-7, gone_topics={4})
    for method, more in (("sendMessage", {"text": "a"}), ("sendChatAction", {"action": "typing"})):
        assert (await call(method, chat_id=-7, message_thread_id=4, **more))[0] == 400
        assert (await call(method, chat_id=-7, message_thread_id=3, **more))[0] == 200
    fake.people.member(-7, 5, inside=False)
    assert (await call("sendMessage", chat_id=-7, text="a"))[0] == 403
