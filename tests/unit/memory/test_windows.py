"""What a hit shows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from appliance.memory.windows import SNIPPET_CHARS, grow, telling

UNITS = [(n, f"line {n} " + "x" * 90) for n in range(1, 41)]


def test_a_window_holds_the_hit_and_its_neighbours_on_both_sides() -> None:
    window = grow(UNITS, UNITS[20:21], ())
    assert window.start_line < 21 < window.end_line
    assert len(window.text) <= SNIPPET_CHARS
    assert "line 21 " in window.text


def test_at_the_edge_of_a_file_the_window_grows_to_the_other_side() -> None:
    window = grow(UNITS, UNITS[:1], ())
    assert (window.start_line, window.end_line) == (1, 7)


def test_a_unit_that_is_too_long_is_shown_around_the_words_of_the_question() -> None:
    text = "a" * 3_000 + " the boiler code is 4711 " + "b" * 3_000
    window = grow([(5, text)], [(5, text)], ("boiler", "4711"))
    assert "boiler code is 4711" in window.text
    assert len(window.text) <= SNIPPET_CHARS


def test_an_entry_that_fits_is_shown_whole_before_what_stands_beside_it() -> None:
    before, asked, answer = (1, "x" * 500), (2, "where is the key"), (3, "Under the pot. " + "y" * 300)
    assert telling([asked, answer], ("pot",)) == [asked, answer]
    window = grow([before, asked, answer], [asked, answer], ("pot",))
    assert (window.start_line, window.end_line) == (2, 3)


def test_of_a_long_entry_the_unit_with_most_of_the_questions_words_is_shown() -> None:
    units = [(1, "hello there " * 50), (2, "our cat is called Sesame"), (3, "a cat " * 50)]
    assert telling(units, ("cat", "called")) == units[1:2]
    assert telling(units, ("nothing",)) == units[:1]


@given(st.lists(st.text(max_size=900), min_size=1, max_size=30), st.data())
def test_a_window_is_never_longer_than_allowed_and_holds_whole_units(texts: list[str], data: st.DataObject) -> None:
    units = list(enumerate(texts, start=1))
    hit = data.draw(st.integers(0, len(units) - 1))
    window = grow(units, units[hit : hit + 1], ("a",))
    assert len(window.text) <= SNIPPET_CHARS
    assert window.start_line <= units[hit][0] <= window.end_line
    for _, text in window.units:
        assert text in window.text
