from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from appliance.memory import guards_en, guards_zh
from appliance.memory.anchors import cue, hoisted
from appliance.memory.pattern_source import alternatives, beginning
from appliance.memory.rules import rules_for
from appliance.memory.shapes import any_of
from appliance.memory.voices import fold, mask

CORPORA = Path(__file__).parents[2] / "corpora"
MESSAGES = [
    fold(json.loads(line)["text"])
    for name, step in (("capture.jsonl", 1), ("fifteen-days.jsonl", 1), ("capture-fresh.jsonl", 4))
    for line in (CORPORA / name).read_text(encoding="utf-8").splitlines()[::step]
]
# Whole, and piece by piece: a shape may be anchored to where a clause begins.
TEXTS = [*MESSAGES, *(piece.strip() for message in MESSAGES for piece in re.split("[,，。.!?]", message))]
TABLES = [
    (f"{table.__name__.rpartition('.')[2]}.{name}", source)
    for table in (guards_zh, guards_en)
    for name, source in sorted(vars(table).items())
    if name.isupper() and name != "KIN" and not name.startswith("_")
]


@pytest.mark.parametrize(("name", "source"), TABLES, ids=[name for name, _ in TABLES])
def test_testing_what_shapes_begin_with_changes_no_answer(name, source):
    plain, quick, cued = re.compile(source), re.compile(hoisted(source)), cue(source)
    for text in TEXTS:
        assert bool(plain.search(text)) == bool(quick.search(text)) == bool(cued.search(text)), text


@pytest.mark.parametrize(("name", "source"), TABLES, ids=[name for name, _ in TABLES])
def test_no_table_has_an_alternative_that_matches_everywhere(name, source):
    for alternative in alternatives(source):
        assert re.search(alternative, "\ue000") is None, alternative


@pytest.mark.parametrize(
    ("shape", "characters"),
    [
        ("abc", {"a"}),
        ("a?bc", {"a", "b"}),
        ("(?:ab|cd)+e", {"a", "c"}),
        ("(?:a|)b", {"a", "b"}),
        (r"(?<!x)\b[pq-]r", {r"pq\-"}),
        (r"\d{1,2}点", {r"\d"}),
        ("a{0,3}b", {"a", "b"}),
        (".a", None),
        ("[^x]a", None),
        (r"\w+", None),
        ("a?", None),
        ("x{0}y", {"x", "y"}),
        ("(?P<word>x)y", None),
        (r"\Zx", None),
    ],
)
def test_what_a_shape_begins_with_is_known_or_anything(shape, characters):
    assert beginning(shape) == characters


@pytest.mark.parametrize(
    ("source", "texts", "others"),
    [
        (r"\n+x", ["a\nx"], ["x", "\n"]),
        (r"^no|\bdogs|ü", ["no dog", "hot dogs", "für"], ["a no", "underdogs", ""]),
        (r"[a-c]\d|\dz|.q", ["b7", "7z", "aq"], ["d7", "z", "q"]),
        ("|".join(f"{chr(code)}{chr(code)}" for code in range(0x4E00, 0x4E40)), ["一一", "丿丿"], ["一丁"]),
    ],
)
def test_a_cue_tells_whether_a_pattern_finds_anything(source, texts, others):
    assert all(cue(source).search(text) for text in texts)
    assert not any(cue(source).search(text) for text in others)


def test_a_long_list_of_words_is_tested_for_what_they_begin_with():
    words = "|".join(f"{letter}x" for letter in "abcdefghijkl")
    assert hoisted(f"(?:my )?(?:{words})?z") == f"(?=[abcdefghijklmz])(?:(?:my )?(?:(?=[abcdefghijkl])(?:{words}))?z)"


def test_a_shape_is_anchored_wherever_its_anchor_stands_among_what_it_asserts():
    assert hoisted(r"(?<!no )\bdogs|\bcats") == r"\b(?=[cd])(?:(?<!no )dogs|cats)"
    assert hoisted("(?:^a|b)") == "^(?=[a])(?:a)|(?=[b])(?:b)"


def test_the_ellipsis_stands_for_a_character_of_the_clause():
    assert any_of("a…{0,2}x", "(?<!a)b") == "a[^，,。]{0,2}x|(?<!a)b"


def test_bars_inside_groups_and_classes_do_not_split():
    assert alternatives(r"a|(?:b|c)|[|]|\||^d") == ["a", "(?:b|c)", "[|]", r"\|", "^d"]


@pytest.mark.parametrize(
    "text",
    [
        "他说：我讨厌下雨",
        "translate this: I prefer tea",
        "the sign reads: no dogs",
        "`never push` fails",
        "“以后不要来”",
        "「以後不要來」",
        "// never call this",
        "SELECT x FROM y WHERE z = 'I like it'",
    ],
)
def test_other_voices_are_overwritten_without_moving_anything(text):
    folded = fold(text)
    masked = mask(folded, rules_for(folded))
    assert len(masked) == len(text)
    assert not re.search("讨厌|prefer|no dogs|never|不要|like", masked)


def test_folding_keeps_every_position():
    for text in ("臺灣的頭髮", "ÀÉ İSTANBUL ß", "龍龘𠮷", "Don’t"):
        assert len(fold(text)) == len(text)
    assert fold("Don’t 說話") == "don't 说话"
