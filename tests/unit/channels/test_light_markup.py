"""Markdown in lighter marks."""

from __future__ import annotations

import pytest

from appliance.channels.light_markup import light


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("**bold** and *slanted* and ~~gone~~", "*bold* and _slanted_ and ~gone~"),
        ("# Head **line** ##", "*Head line*"),
        ("- one\n* two", "• one\n• two"),
        ("[here](https://a.example/x)", "here <https://a.example/x>"),
        ("[file](../etc/passwd)", "[file](../etc/passwd)"),
        ("2 * 3 * 4 and a_b_c", "2 * 3 * 4 and a_b_c"),
        ("`**code**` **x**", "`**code**` *x*"),
        ("```\n**x** # y\n```\n**z**", "```\n**x** # y\n```\n*z*"),
        ("**粗體**和*斜體*", "*粗體*和*斜體*"),
        ("a < b && c > d", "a < b && c > d"),
    ],
)
def test_marks_are_turned_and_code_is_left(markdown: str, shown: str) -> None:
    assert light(markdown, lambda words, url: f"{words} <{url}>") == shown
