"""What of a boundary the house itself obeys: no pushes, no voice."""

from __future__ import annotations

import pytest

from appliance.memory.boundaries import limits_of, no_pushes, no_voice
from appliance.memory.items import Item


@pytest.mark.parametrize(
    "text",
    [
        "no pushes",
        "never push anything to me",
        "别给我推送",
        "請不要推播",
        "推送都关了吧",
        "don't push notifications",
        "プッシュ通知はやめてください",
    ],
)
def test_pushes_are_forbidden_for_good(text):
    assert no_pushes(text)
    assert not no_voice(text)


@pytest.mark.parametrize(
    "text",
    [
        "no voice message 谢谢",
        "别给我发语音",
        "不要用語音回我",
        "never send voice notes",
        "text only please",
        "语音就免了",
        "音声メッセージは送らないで",
    ],
)
def test_voice_is_forbidden_for_good(text):
    assert no_voice(text)
    assert not no_pushes(text)


@pytest.mark.parametrize(
    "text",
    [
        "no pushes at night",
        "晚上别用语音回",
        "周末不要推送",
        "朝はプッシュ通知を送らないで",
        "别推荐餐厅",
        "no jokes",
        "don't touch /srv/voice/2024",
        "I like voice",
    ],
)
def test_what_names_a_time_or_something_else_is_not_for_good(text):
    assert not no_pushes(text)
    assert not no_voice(text)


def test_only_a_persons_own_boundary_that_was_said_holds():
    def said(text, **fields):
        return Item(**{"tag": "B", "text": text, "at": 0.0, "session": "", "message": "", "person": "owner", **fields})

    assert limits_of([said("no voice")], "owner") == ["no voice"]
    assert limits_of([said("no voice", person="ann")], "owner") == []
    assert limits_of([said("no voice", inferred=True)], "owner") == []
    assert limits_of([said("no voice", tag="W")], "owner") == []
