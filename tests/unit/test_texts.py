"""The appliance speaks three languages, and every text exists in all of them."""

import string

import pytest

from appliance.texts import (
    ACTING,
    FIRST_RUN,
    HEALTH,
    MEMORY,
    MODELS,
    MONEY,
    PAGES,
    PEOPLE,
    SECTIONS,
    TALK,
    TEXTS,
    language_of,
    say,
)


@pytest.mark.parametrize("key", sorted(TEXTS))
def test_a_text_has_three_languages_and_the_same_values_in_each(key: str) -> None:
    fields = [{name for _, name, _, _ in string.Formatter().parse(text) if name} for text in TEXTS[key]]
    assert len(TEXTS[key]) == 3
    assert all(text.strip() for text in TEXTS[key])
    assert fields[0] == fields[1] == fields[2]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("hello", "en"), ("你们好，这个怎么样", "zh-Hans"), ("你們好，這個怎麼樣", "zh-Hant"),
        ("今日は何をしますか", "en"),
        ("안녕하세요", "en"), ("🙂", "en"), ("早上好", "zh-Hans"),
    ],
)  # fmt: skip
def test_the_language_a_person_writes_is_told(text: str, language: str) -> None:
    assert language_of(text) == language


def test_an_unknown_language_gets_english_and_an_unknown_key_is_an_error() -> None:
    assert say("stopped", "fr") == "Stopped."
    with pytest.raises(KeyError):
        say("no such text")


def test_no_text_stands_in_two_tables() -> None:
    tables = [TALK, MODELS, MONEY, ACTING, MEMORY, PEOPLE, PAGES, SECTIONS, FIRST_RUN, HEALTH]
    assert sum(map(len, tables)) == len(TEXTS)
