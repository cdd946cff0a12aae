"""Markdown to Telegram: what a person reads is what was meant, within every limit."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.channels.rendering import TELEGRAM_UNITS, plain, render, telegram_parts, tidy
from appliance.channels.splitting import Entity, split_rendered, utf16_length
from appliance.testing.fake_telegram.limits import check_entities, checked_text

FORMATS = {"bold": "**{}**", "italic": "*{}*", "strikethrough": "~~{}~~", "code": "`{}`"}
WORDS = st.text("abcdefgXYZ0123456789", min_size=1, max_size=8) | st.sampled_from(
    ["你好", "世界", "会議", "しりとり", "😀", "👩‍👩‍👧‍👦", "🇩🇪", "é", "naïve", "\u0061\u0301"]
)
# Every character that Markdown, HTML or MarkdownV2 reads as a sign, with letters that must survive.
HOSTILE = st.text("abcXYZ789 \n<>*_~|#+-=.!(){}[]`:/\\&\"'$%@^你。好「」😀\u200d\ufe0f\ud83d\ude00\t", max_size=600)


def covered(text: str, entity: Entity) -> str:
    units = text.encode("utf-16-le")
    return units[entity["offset"] * 2 : (entity["offset"] + entity["length"]) * 2].decode("utf-16-le")


def accepted(part: dict) -> None:
    """The strict fake takes the part exactly as it stands."""
    text, entities = checked_text({"text": part["text"], "entities": part["entities"]})
    assert text == part["text"]
    assert len(entities) == len(part["entities"])
    assert utf16_length(text) <= TELEGRAM_UNITS
    assert len(json.dumps(part, ensure_ascii=False).encode("utf-8")) <= 32_768


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, str, list[tuple[str, str]]]:
    """Markdown with the text and the (format, words) that its writer meant."""
    source, shown, styled = [], [], []
    for _ in range(draw(st.integers(1, 30))):
        words = " ".join(draw(st.lists(WORDS, min_size=1, max_size=6)))
        kind = draw(st.sampled_from(["none", *FORMATS]))
        source.append(words if kind == "none" else FORMATS[kind].format(words))
        shown.append(words)
        if kind != "none":
            styled.append((kind, words))
    return "\n\n".join(source), "\n\n".join(shown), styled


@given(documents())
@settings(max_examples=150, deadline=None)
def test_what_was_meant_is_what_is_read(document: tuple[str, str, list[tuple[str, str]]]) -> None:
    source, shown, styled = document
    text, entities = render(source)
    assert text == shown
    assert [(e["type"], covered(text, e)) for e in entities] == styled


@given(HOSTILE)
@settings(max_examples=400, deadline=None)
def test_no_letter_disappears_and_every_part_is_accepted(source: str) -> None:
    parts = telegram_parts(source)
    for part in parts:
        accepted(part)
    # Telegram shows a code block's language above it.
    languages = "".join(e.get("language") or "" for p in parts for e in p["entities"])
    read = "".join(p["text"] for p in parts)
    letters = [c for c in tidy(source) if c in "XYZ你好"]
    assert sorted(c for c in read + languages if c in "XYZ你好") == sorted(letters), read
    if not languages:
        assert [c for c in read if c in "XYZ你好"] == letters, read


@given(st.text(max_size=300), st.integers(20, 200), st.data())
@settings(max_examples=200, deadline=None)
def test_split_parts_join_to_the_text(raw: str, limit: int, data: st.DataObject) -> None:
    text = tidy(raw)
    total = utf16_length(text)
    borders = sorted({utf16_length(text[:i]) for i in range(len(text) + 1)})
    entities = []
    if total:
        first, last = sorted(data.draw(st.tuples(st.sampled_from(borders), st.sampled_from(borders))))
        if first < last:
            entities = [{"type": "bold", "offset": first, "length": last - first}]
    parts = split_rendered(text, entities, limit)
    assert "".join("".join(p["text"].split()) for p in parts) == "".join(text.split())
    bold = "".join(covered(p["text"], e) for p in parts for e in p["entities"])
    if entities:
        assert "".join(bold.split()) == "".join(covered(text, entities[0]).split())
    for part in parts:
        assert utf16_length(part["text"]) <= limit
        check_entities(part["text"], part["entities"])


@pytest.mark.parametrize(
    "written",
    [
        "Chad <chad@example.com> wrote <b>hi",
        "a < b && c > d",
        "<div>\nhello\n</div>\nx",
        "<script>alert(1)</script>",
        "a || b || c",
        "costs $5 and $6",
        "snake_case_name and 2*3*4",
        "[notes](notes.md)",
        "about ~5~ minutes",
        "[1]: word",
        "| a |\n|--|\n| b | c |",
        "before\n```python",
        "&nosuch; &",
        "C:\\path\\file",
    ],
)
def test_text_that_only_looks_like_markup_is_shown_as_written(written: str) -> None:
    assert render(written) == (written, [])


def test_wide_punctuation_inside_emphasis_is_seen() -> None:
    text, entities = render("**你好。**世界，他说**「引」**了")
    assert text == "你好。世界，他说「引」了"
    assert [covered(text, e) for e in entities] == ["你好。", "「引」"]


def test_code_keeps_its_signs_and_its_indentation_across_parts() -> None:
    lines = [f"    value_{i} = **not bold** || <tag>" for i in range(400)]
    parts = telegram_parts("```python\n" + "\n".join(lines) + "\n```")
    assert len(parts) > 2
    assert "\n".join(p["text"] for p in parts).split("\n") == lines
    for part in parts:
        accepted(part)
        assert [(e["type"], e["language"]) for e in part["entities"]] == [("pre", "python")]


def test_table_columns_line_up_for_wide_characters() -> None:
    text, entities = render("| 名前 | n |\n|---|---|\n| ab | 1 |")
    assert text == "名前 | n\n-----+--\nab   | 1"
    assert [e["type"] for e in entities] == ["pre"]


def test_lists_headings_quotes_and_links() -> None:
    text, entities = render("# Title\n\n- one\n- [x] two\n\n3. three\n\n> quoted\n\n[site](https://example.com/a)")
    assert text == "Title\n\n• one\n☑ two\n\n3. three\n\nquoted\n\nsite"
    assert [(e["type"], covered(text, e)) for e in entities] == [
        ("bold", "Title"),
        ("underline", "Title"),
        ("blockquote", "quoted"),
        ("text_link", "site"),
    ]
    assert entities[-1]["url"] == "https://example.com/a"


def test_more_entities_than_a_message_may_have_lose_no_link_and_no_text() -> None:
    source = " ".join(f"[l{i}](https://example.com/{i})" for i in range(250))
    parts = telegram_parts(source)
    urls = [e["url"] for p in parts for e in p["entities"]]
    assert urls == [f"https://example.com/{i}" for i in range(250)]
    many = "\n\n".join(f"**b{i}** x" for i in range(150)) + "\n\n[l](https://example.com)"
    (part,) = telegram_parts(many)
    accepted(part)
    assert len(part["entities"]) == 100
    assert part["entities"][-1]["type"] == "text_link"


def test_blank_text_makes_no_part() -> None:
    assert telegram_parts("") == []
    assert telegram_parts(" \n\n ") == []


def test_text_that_renders_to_nothing_is_shown_as_written() -> None:
    assert telegram_parts("#") == [{"text": "#", "entities": []}]


def test_plain_keeps_the_text() -> None:
    (part,) = telegram_parts("**bold**")
    assert plain(part) == {"text": "bold", "entities": []}


def test_time_stays_linear_for_texts_made_to_be_slow() -> None:
    for source in ("<p>x</p>\n" * 2000, "> " * 2000 + "a", "*a **b " * 2000, "[" * 4000, "`" * 4000, "||" * 4000):
        parts = telegram_parts(source)
        assert all(utf16_length(p["text"]) <= TELEGRAM_UNITS for p in parts)
