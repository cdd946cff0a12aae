"""What each setting is for is said in Chinese too, and nothing that no setting says any more."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from appliance.settings import Settings
from appliance.settings.example import in_force, rows
from appliance.texts import SECTIONS
from appliance.texts.settings import DESCRIPTIONS, described

HAN = re.compile("[\u4e00-\u9fff]")
CODE = re.compile("`[^`]+`")
WRITTEN = {description for *_, description in rows()}


@pytest.mark.parametrize("language", ["zh-Hant", "zh-Hans"])
def test_every_description_is_said_in_chinese_with_the_same_code_in_it(language: str) -> None:
    said = {text: described(text, language) for text in WRITTEN}
    assert len(said) > 100
    assert [text for text, shown in said.items() if not HAN.search(shown)] == []
    assert [text for text, shown in said.items() if Counter(CODE.findall(text)) != Counter(CODE.findall(shown))] == []


def test_every_entry_is_the_description_of_a_setting_and_stands_there_once() -> None:
    assert [entry[0] for entry in DESCRIPTIONS if entry[0] not in WRITTEN] == []
    assert len({entry[0] for entry in DESCRIPTIONS}) == len(DESCRIPTIONS)


def test_entries_are_written_in_their_own_characters() -> None:
    simplified = set("们这说时对会发过没问来国开为么样经动长电话头车书买卖")
    traditional = set("們這說時對會發過沒問來國開為麼樣經動長電話頭車書買賣")
    assert [hant for _, hant, _ in DESCRIPTIONS if simplified & set(hant)] == []
    assert [hans for _, _, hans in DESCRIPTIONS if traditional & set(hans)] == []


def test_readers_of_english_and_of_other_languages_read_what_is_written() -> None:
    assert described("Its port.", "en") == described("Its port.", "fr") == "Its port."
    assert described("Nobody has written this.", "zh-Hans") == "Nobody has written this."


def test_every_section_has_a_title_and_every_title_a_section() -> None:
    assert {f"section_{section['name']}" for section in in_force(Settings())} == SECTIONS.keys()
