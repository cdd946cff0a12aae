"""Tables where a platform has none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.channels.rendering import tidy
from appliance.channels.tables import without_tables

NARROW = "| 名前 | n |\n|---|--:|\n| ab | 1 |\n| 東京 | 22 |"


def test_a_narrow_table_stands_in_columns_as_code() -> None:
    shown = without_tables(f"Look:\n\n{NARROW}\n\nDone.")
    assert shown == "Look:\n\n```\n名前 | n\n-----+---\nab   | 1\n東京 | 22\n```\n\nDone."


def test_a_wide_table_is_told_row_by_row() -> None:
    words = "a sentence that no phone shows in one line"
    shown = without_tables(
        f"| City | | Note |\n|---|---|---|\n| **Rome** | x | {words} |\n| Oslo | | `a\\|b`<br>{words} |\n"
    )
    assert shown == f"**Rome**\n- x\n- Note: {words}\n\n**Oslo**\n- Note: `a|b` {words}\n"


@pytest.mark.parametrize(
    "text",
    [
        "a | b",
        "```\n| a | b |\n|---|---|\n| 1 | 2 |\n```",
        "- x\n\n  | a | b |\n  |---|---|\n  | 1 | 2 |\n",
        "a || b && c",
    ],
)
def test_what_is_no_table_of_its_own_is_left_alone(text: str) -> None:
    assert without_tables(text) == text


@given(st.text("ab|-:\n 字`*<>&\\~#", max_size=200))
@settings(max_examples=150, deadline=None)
def test_no_letter_is_lost_whatever_looks_like_a_table(text: str) -> None:
    letters = [c for c in tidy(text) if c in "ab字"]
    shown = without_tables(tidy(text))
    # The name of a column may stand before each of its cells.
    assert not (set(letters) - set(shown))
    assert sum(c in "ab字" for c in shown) >= len(letters)
