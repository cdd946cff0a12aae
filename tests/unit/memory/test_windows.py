"""What a hit shows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from appliance.memory.windows import SNIPPET_CHARS, best_unit, grow

UNITS = [(n, f"line {n} " + "x" * 90) for n in range(1, 41)]


def test_a_window_holds_the_hit_and_its_neighbours_on_both_sides() -> None:
    window = grow(UNITS, 20, ())
    assert window.start_line < 21 < window.end_line
    assert len(window.text) <= SNIPPET_CHARS
    assert "line 21 " in window.text


def test_at_the_edge_of_a_file_the_window_grows_to_the_other_side() -> None:
    window = grow(UNITS, 0, ())
    assert (window.start_line, window.end_line) == (1, 7)


def test_a_unit_that_is_too_long_is_shown_around_the_words_of_the_question() -> None:
    text = "a" * 3_000 + " the boiler code is 4711 " + "b" * 3_000
    window = grow([(5, text)], 0, ("boiler", "4711"))
    assert "boiler code is 4711" in window.text
    assert len(window.text) <= SNIPPET_CHARS


def test_the_best_unit_is_the_one_with_most_of_the_questions_words() -> None:
    units = [(1, "hello there"), (2, "our cat is called Sesame"), (3, "a cat")]
    assert best_unit(units, ("cat", "called")) == 1
    assert best_unit(units, ("nothing",)) == 0


@given(st.lists(st.text(max_size=900), min_size=1, max_size=30), st.data())
def test_a_window_is_never_longer_than_allowed_and_holds_whole_units(texts: list[str], data: st.DataObject) -> None:
    units = list(enumerate(texts, start=1))
    hit = data.draw(st.integers(0, len(units) - 1))
    window = grow(units, hit, ("a",))
    assert len(window.text) <= SNIPPET_CHARS
    assert window.start_line <= units[hit][0] <= window.end_line
    for _, text in window.units:
        assert text in window.text
