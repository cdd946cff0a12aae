"""Answers with tables as Telegram's rich messages."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings

from appliance.channels.rendering import telegram_parts
from appliance.testing.fake_telegram.rich import checked_rich, rich_text
from tests.unit.channels.test_rendering import HOSTILE, accepted

TABLE = "| City | 人口 |\n|---|---|\n| **Rome** | 2 |\n| 東京 | |\n"


def rich(part: dict[str, Any]) -> dict[str, Any]:
    return checked_rich({"rich_message": json.dumps({"blocks": part["rich"]})})


def test_a_table_is_a_table_and_the_text_around_it_keeps_its_styles() -> None:
    [part] = telegram_parts(
        f"# Cities\n\nSee **the *list*** [here](https://a.example):\n\n{TABLE}\n```py\nx = 1\n```\n> said\n"
    )
    assert [block["type"] for block in part["rich"]] == ["paragraph", "paragraph", "table", "pre", "blockquote"]
    assert part["rich"][1]["text"] == [
        "See ",
        {"type": "bold", "text": ["the ", {"type": "italic", "text": "list"}]},
        " ",
        {"type": "url", "text": "here", "url": "https://a.example"},
        ":",
    ]
    cells = part["rich"][2]["cells"]
    assert [[cell.get("text", "") for cell in row] for row in cells] == [["City", "人口"], ["Rome", "2"], ["東京", ""]]
    assert [[cell.get("is_header", False) for cell in row] for row in cells][:2] == [[True, True], [False, False]]
    assert part["rich"][3] == {"type": "pre", "text": "x = 1", "language": "py"}
    assert "rows" not in json.dumps(part["entities"])
    assert rich(part)


def test_an_answer_without_a_table_is_text_alone() -> None:
    assert all("rich" not in part for part in telegram_parts("**a** | b\n\n```\n| a |\n|---|\n```"))


def test_a_table_that_is_cut_has_its_head_in_every_part_and_each_row_once() -> None:
    rows = [f"| number {n} | {'words ' * 20}{n} |" for n in range(80)]
    parts = telegram_parts("| Key | Value |\n|---|---|\n" + "\n".join(rows))
    assert len(parts) > 2
    shown = [[c["text"] for c in row] for part in parts for row in part["rich"][0]["cells"]]
    assert shown.count(["Key", "Value"]) == len(parts)
    assert [row[0] for row in shown if row[0] != "Key"] == [f"number {n}" for n in range(80)]
    assert all(rich(part) for part in parts)


def test_a_table_with_too_many_columns_is_text() -> None:
    wide = "|" + " a |" * 21
    [part] = telegram_parts(f"{wide}\n{'|---' * 21}|\n{wide}")
    assert "rich" not in part


@given(HOSTILE, HOSTILE)
@settings(max_examples=100, deadline=None)
def test_no_letter_disappears_beside_a_table(before: str, inside: str) -> None:
    cell = inside.replace("\n", " ").replace("|", "")
    parts = telegram_parts(f"{before}\n\n| head | {cell} |\n|---|---|\n| QQQ | 1 |")
    for part in parts:
        accepted({name: value for name, value in part.items() if name != "rich"})
        if "rich" in part:
            read, text = rich_text(rich(part)), part["text"]
            assert sorted(c for c in read if c in "XYZ你好") == sorted(c for c in text if c in "XYZ你好")
