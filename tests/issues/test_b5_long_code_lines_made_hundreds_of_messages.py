"""Reopening code fences made parts longer than allowed, and a very long fence line made hundreds of messages.

On Telegram code is an entity, so a part needs no fence; the inputs stay a test of size and number.
"""

from __future__ import annotations

import pytest

from appliance.channels.rendering import render, telegram_parts
from appliance.channels.splitting import split_rendered, utf16_length


def test_a_very_long_fence_line_makes_few_parts() -> None:
    source = "```" + "x" * 1900 + "\n" + "print(1)\n" * 375 + "```"
    text, entities = render(source)
    parts = split_rendered(text, entities, 2000)
    assert len(parts) <= 4
    assert all(utf16_length(part["text"]) <= 2000 for part in parts)
    assert sum(part["text"].count("print(1)") for part in parts) == 375


@pytest.mark.parametrize("tail", range(1990, 2001))
def test_a_closing_fence_with_a_tail_near_the_limit_fits(tail: int) -> None:
    text, entities = render("```\ncode\n```\n" + "t" * tail)
    parts = split_rendered(text, entities, 2000)
    assert all(utf16_length(part["text"]) <= 2000 for part in parts)
    assert "".join(part["text"] for part in parts).count("t") == tail
    assert len(telegram_parts("```\ncode\n```\n" + "t" * tail)) == 1
