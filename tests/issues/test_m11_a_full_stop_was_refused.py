"""A plain sentence was refused because a full stop is reserved in MarkdownV2."""

from __future__ import annotations

import pytest

from appliance.testing.fake_telegram.errors import ApiError
from appliance.testing.fake_telegram.limits import checked_text
from tests.telegram_bench import OWNER, Bench

SENTENCE = "The garage door has been open for 10 minutes."


async def test_the_sentence_arrives_unchanged(paired: Bench) -> None:
    async def answer(_: object) -> str:
        return SENTENCE

    paired.front.answer = answer
    paired.telegram.people.say(OWNER, "garage?")
    await paired.until(lambda: paired.replies() == [SENTENCE])
    assert all("parse_mode" not in call.params for call in paired.telegram.world.book)


def test_the_fake_would_refuse_it_in_markdown_v2() -> None:
    with pytest.raises(ApiError, match=r"Character '\.' is reserved"):
        checked_text({"text": SENTENCE, "parse_mode": "MarkdownV2"})
