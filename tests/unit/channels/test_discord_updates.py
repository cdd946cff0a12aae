"""What a Discord payload means."""

from __future__ import annotations

from typing import Any

import pytest

from appliance.channels.discord.updates import read_message, read_press

BOT = 900


def message(**more: Any) -> dict[str, Any]:
    author = {"id": "11", "username": "sam", "global_name": "Sam"}
    return {"id": "175928847299117063", "channel_id": "5", "author": author, "content": "hi", "type": 0} | more


def test_a_private_message_is_addressed_and_dated_by_its_id() -> None:
    heard = read_message(message(), BOT)
    assert heard is not None
    assert (heard.private, heard.addressed, heard.kind, heard.user, heard.name) == (True, True, "message", "11", "Sam")
    assert heard.at == pytest.approx(1462015105.796)


@pytest.mark.parametrize(
    "more",
    [
        {"author": {"id": "12", "bot": True}},
        {"webhook_id": "3"},
        {"type": 7},
        {"channel_type": 3},
        {"content": "  "},
    ],
)
def test_bots_webhooks_notices_group_chats_and_nothing_are_not_heard(more: dict[str, Any]) -> None:
    assert read_message(message(**more), BOT) is None


def test_in_a_server_only_a_mention_by_id_or_an_answer_counts() -> None:
    me = {"id": str(BOT), "username": "bot"}
    cases = [
        (message(guild_id="1"), False),
        (message(guild_id="1", content="@everyone", mention_everyone=True), False),
        (message(guild_id="1", content="<@900> hi", mentions=[me]), True),
        (message(guild_id="1", type=19, referenced_message={"id": "4", "author": me, "content": "q"}), True),
        (message(guild_id="1", type=19, referenced_message={"id": "4", "author": {"id": "11"}}), False),
    ]
    assert [(heard := read_message(raw, BOT)) is not None and heard.addressed for raw, _ in cases] == [
        wanted for _, wanted in cases
    ]


def test_the_bots_mention_goes_and_those_of_others_are_readable() -> None:
    people = [{"id": str(BOT), "username": "bot"}, {"id": "12", "username": "kim", "global_name": "Kim"}]
    heard = read_message(message(guild_id="1", content="<@!900>, ask <@12>", mentions=people), BOT)
    assert heard is not None
    assert heard.text == "ask @Kim"


def test_other_interactions_than_a_button_are_none_of_our_business() -> None:
    assert read_press({"type": 2, "data": {"name": "status"}}) is None
