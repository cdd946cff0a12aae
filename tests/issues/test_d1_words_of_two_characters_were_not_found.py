"""D1: with the default tokenizer keyword search found nothing in Chinese and Japanese, which write no blanks."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.testing.memory_house import House


@pytest.mark.parametrize(
    ("document", "query"),
    [
        ("明天下午三点开项目评审会议讨论排期", "评审会议"),
        ("明天下午三点开项目评审会议讨论排期", "排期"),
        ("明天下午三点开项目评审会议讨论排期", "評審會議"),
        ("今日は成語しりとりをした", "しりとり"),
        ("내일 오후에 회의가 있어요", "회의"),
    ],
)
async def test_words_alone_find_them(tmp_path: Path, document: str, query: str) -> None:
    house = House(tmp_path, None)
    house.index.open()
    house.say(("good morning", "hello"), (document, "ok"))
    await house.ready()
    hits = await house.find(query)
    assert document in hits[0].snippet
    assert hits[0].parts["text"] > 0
    house.index.close()
