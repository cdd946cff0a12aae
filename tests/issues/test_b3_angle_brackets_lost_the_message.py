"""Angle brackets of mail headers broke the parser, and the plain retry was lost too."""

from __future__ import annotations

import pytest

from tests.telegram_bench import OWNER, Bench


@pytest.mark.parametrize("text", ["Chad <chad@example.com> wrote <b>hi", "a < b && c > d"])
async def test_angle_brackets_arrive_as_they_are(paired: Bench, text: str) -> None:
    async def answer(_: object) -> str:
        return text

    paired.front.answer = answer
    paired.telegram.people.say(OWNER, "go on")
    await paired.until(lambda: paired.replies() == [text])


async def test_refused_formatting_is_sent_plain_with_its_whole_text(paired: Bench) -> None:
    async def answer(_: object) -> str:
        return "**bold** <and> more"

    paired.telegram.people.say(OWNER, "first")
    await paired.until(lambda: "You said: first" in paired.replies())
    paired.front.answer = answer
    refusal = "Bad Request: can't parse entities: unexpected entity"
    paired.telegram.people.fault("editMessageText", code=400, description=refusal)
    paired.telegram.people.say(OWNER, "go on")
    await paired.until(lambda: "bold <and> more" in paired.replies())
