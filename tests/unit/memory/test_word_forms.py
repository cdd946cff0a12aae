"""Irregular English forms: a question and a text meet in the plain one."""

from __future__ import annotations

import pytest

from appliance.memory.languages import analyse, words_of
from appliance.memory.word_forms import family, plain_forms


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("they bought two loaves", "they buy two loaf"),
        ("the children swam", "the child swim"),
        ("she left at nine", "she left at nine"),  # a side as often as a departure
        ("broughton and bought", "broughton and buy"),
        ("買了 bought", "買了 buy"),
    ],
)
def test_a_form_is_written_plainly_and_only_as_a_whole_word(said: str, plain: str) -> None:
    assert plain_forms(said) == plain


def test_question_and_text_meet() -> None:
    assert set(analyse("Who taught the women?").terms) == {"teach", "woman"}
    assert {"teach", "woman"} <= set(words_of("A woman who can teach"))


@pytest.mark.parametrize(
    ("one", "other"),
    [("allergy", "allergic"), ("allergies", "allergic"), ("diet", "dieting"), ("smoker", "smoke"), ("dogs", "dog")],
)
def test_words_of_one_family_have_one_name(one: str, other: str) -> None:
    assert family(one) == family(other)


def test_words_that_only_look_alike_are_no_family() -> None:
    assert family("plane") != family("plan")
    assert family("fishing") != family("fish")
