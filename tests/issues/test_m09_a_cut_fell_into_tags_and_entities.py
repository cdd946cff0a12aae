"""A cut fell inside tags; and much formatting passed the visible limit but not the limit in bytes."""

from __future__ import annotations

import json

from appliance.channels.rendering import telegram_parts
from appliance.testing.fake_telegram.limits import checked_text


def test_1250_quoted_lines_fit_in_every_way() -> None:
    source = "\n\n".join(f"> {chr(97 + i % 26)}" for i in range(1250))
    parts = telegram_parts(source)
    letters = "".join(c for part in parts for c in part["text"] if c.isalpha())
    assert len(letters) == 1250
    for part in parts:
        checked_text(part)
        assert len(json.dumps(part, ensure_ascii=False).encode()) < 32 * 1024
        assert all(e["type"] == "blockquote" for e in part["entities"])
        assert part["entities"]


def test_an_ampersand_entity_at_the_cut_is_one_character() -> None:
    for fill in range(4090, 4097):
        parts = telegram_parts("a" * fill + "&amp;" + "b" * 10)
        assert "".join(part["text"] for part in parts) == "a" * fill + "&" + "b" * 10


def test_1250_bold_letters_fit_in_every_way() -> None:
    for part in telegram_parts("\n".join(f"**{chr(97 + i % 26)}** *x*" for i in range(1250))):
        checked_text(part)
        assert len(json.dumps(part, ensure_ascii=False).encode()) < 32 * 1024
