"""Markdown cut into parts: sizes, fences, nothing lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.channels.fences import split_fenced
from appliance.channels.splitting import utf16_length

LIMIT = 2000


def test_a_short_text_is_one_part_as_it_is() -> None:
    text = "Hello\n\n```python\nprint(1)\n```\nand *bye*"
    assert split_fenced(text, LIMIT) == [text]


def test_blank_text_makes_no_part() -> None:
    assert split_fenced(" \n\n", LIMIT) == []


def test_code_that_is_cut_is_code_in_every_part() -> None:
    parts = split_fenced("```python\n" + "print(1)\n" * 500 + "```\nend", LIMIT)
    assert len(parts) == 3
    assert all(part.startswith("```python\n") for part in parts)
    assert all(part.count("```") == 2 for part in parts)
    assert sum(part.count("print(1)") for part in parts) == 500
    assert parts[-1].endswith("```\nend")


def test_a_very_long_fence_line_makes_few_parts() -> None:
    parts = split_fenced("```" + "x" * 1900 + "\n" + "print(1)\n" * 375 + "```", LIMIT)
    assert len(parts) <= 4
    assert all(utf16_length(part) <= LIMIT for part in parts)
    assert sum(part.count("print(1)") for part in parts) == 375


@pytest.mark.parametrize("tail", range(1990, 2001))
def test_a_closing_fence_with_a_tail_near_the_limit_fits(tail: int) -> None:
    parts = split_fenced("```\ncode\n```\n" + "t" * tail, LIMIT)
    assert len(parts) == 2
    assert all(utf16_length(part) <= LIMIT for part in parts)
    assert "".join(parts).count("t") == tail


def test_no_emoji_is_cut_apart() -> None:
    family = "👨‍👩‍👧"
    parts = split_fenced(family * 500, LIMIT)
    assert "".join(parts) == family * 500
    assert all(part == family * (len(part) // len(family)) for part in parts)


_LINES = st.sampled_from(
    ["```", "```py", "~~~", "a" * 130, "中文" * 30, "😀" * 60, "two words " * 20, "", "    x", "`" * 99]
)


@given(st.lists(_LINES, max_size=30))
def test_every_part_fits_and_what_was_written_is_there(lines: list[str]) -> None:
    parts = split_fenced("\n".join(lines), 100)
    assert all(0 < utf16_length(part) <= 100 for part in parts)
    written = "".join("".join(line.split()) for line in lines)
    shown = "".join("".join(part.split()) for part in parts)
    for character in "a中文😀twordsx":
        assert shown.count(character) == written.count(character)
