"""Charts drawn on the server."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.gateway.api import charts
from appliance.gateway.api.charts import HEIGHT, WIDTH, bar, columns


def rects(svg: str, name: str = "mark") -> list[ElementTree.Element]:
    return [found for found in ElementTree.fromstring(svg).iter("rect") if found.get("class") == name]


def test_a_bar_is_as_long_as_its_share_and_something_is_never_nothing() -> None:
    widths = [float(rects(bar(share, "x"))[0].get("width", "")) for share in (0.0, 0.0001, 0.5, 1.0, 9.0)]
    assert widths == [0, 1, 50, 100, 100]


@given(
    st.lists(st.tuples(st.text(max_size=8), st.floats(0, 1e6), st.text(max_size=30)), max_size=40),
    st.one_of(st.none(), st.floats(0, 1e6)),
    st.text(max_size=20),
)
def test_whatever_is_drawn_is_well_formed_and_inside(
    values: list[tuple[str, float, str]], limit: float | None, title: str
) -> None:
    allowed = [(clean(a), value, clean(b)) for a, value, b in values]
    marks = rects(columns(allowed, limit, clean(title)))
    assert len(marks) == len(values)
    heights = []
    for mark, (_, value, tooltip) in zip(marks, allowed, strict=True):
        x, y, width, height = (float(mark.get(key, "")) for key in ("x", "y", "width", "height"))
        assert 0 <= x <= x + width <= WIDTH
        assert 0 <= y <= y + height <= HEIGHT + 0.02
        assert mark.findtext("title") == tooltip
        heights.append((value, height))
    ordered = [height for _, height in sorted(heights)]
    assert ordered == sorted(ordered)


def clean(text: str) -> str:
    """Text as XML can hold it; names here come from settings and session keys."""
    return "".join(c for c in text if c.isprintable())


def test_the_limit_is_a_line_across_and_names_are_escaped() -> None:
    svg = columns([("a<b", 1.0, 'say "hi" & <bye>')], 2.0, "<script>")
    tree = ElementTree.fromstring(svg)
    assert [line.get("class") for line in tree.iter("line")].count("limit") == 1
    assert "<script>" not in svg
    assert rects(svg)[0].findtext("title") == 'say "hi" & <bye>'


@pytest.mark.parametrize(
    ("value", "top"),
    [
        (0.0, 1.0),
        (1e-300, 1.0),
        (0.0003, 0.0005),
        (0.9, 1.0),
        (1.0, 1.0),
        (1.01, 2.0),
        (3.0, 5.0),
        (7.0, 10.0),
        (1000.0, 1000.0),
    ],
)
def test_the_scale_ends_at_a_round_number(value: float, top: float) -> None:
    assert charts._round_up(value) == pytest.approx(top)
