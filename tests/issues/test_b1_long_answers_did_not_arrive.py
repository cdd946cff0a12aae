"""An answer over 4,096 characters did not arrive, without a word in the log."""

from __future__ import annotations

import pytest

from tests.telegram_bench import OWNER, Bench

PARAGRAPHS = "\n\n".join(f"Paragraph {i}: " + "some words about it " * 12 for i in range(50))


@pytest.mark.parametrize("text", ["x" * 4097, "长" * 4200, "y" * 12_500, "😀" * 3000, PARAGRAPHS])
async def test_every_character_arrives_in_parts_that_telegram_takes(paired: Bench, text: str) -> None:
    async def answer(_: object) -> str:
        return text

    paired.front.answer = answer
    paired.telegram.people.say(OWNER, "go on")
    await paired.until(lambda: "".join("".join(paired.replies()).split()) == "".join(text.split()), 20)
    assert all(len(part.encode("utf-16-le")) // 2 <= 4096 for part in paired.replies())
    assert "…" not in paired.replies()
