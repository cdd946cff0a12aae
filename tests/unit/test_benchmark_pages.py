"""What benchmarks write into the docs: tables and a drawing, between marks that are there."""

from pathlib import Path

import pytest

from tests.benchmarks.growth_plot import draw
from tests.benchmarks.growth_table import markdown
from tests.benchmarks.load import table
from tests.benchmarks.pages import written

ROOT = Path(__file__).resolve().parents[2]
FOUND = [
    table("sessions", [1, 1_000], [{"ready_s": 1.0, "turn_ms": 8.0}, {"ready_s": 1.2, "turn_ms": 9.5}]),
    {**table("at once", [1, 2], [{"turns_a_second": 90.0}, {"turns_a_second": 160.0}]), "knee": 2},
]


@pytest.mark.parametrize(("page", "name"), [("docs/operations.md", "growth"), ("docs/comparison.md", "peers")])
def test_a_page_keeps_all_but_what_stands_between_its_marks(page: str, name: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    once = written(text, name, "| new |")
    assert "| new |" in once
    assert written(once, name, "| newer |") == once.replace("| new |", "| newer |")
    assert once.partition("<!--")[0] == text.partition("<!--")[0]
    assert once.rpartition("-->")[2] == text.rpartition("-->")[2]


def test_every_figure_has_a_row_and_a_line() -> None:
    text = markdown(FOUND)
    assert "| conversations on disk, ten turns each | 1 | 1,000 |" in text
    assert "| a turn, ms | 8.0 | 9.5 |" in text
    assert "| turns a second | 90.0 | 160.0 |" in text
    assert "More than 2 at once" in text


def test_the_drawing_has_a_line_for_every_figure(tmp_path: Path) -> None:
    draw(FOUND, tmp_path / "growth.svg")
    drawn = (tmp_path / "growth.svg").read_text(encoding="utf-8")
    assert drawn.count("<polyline") == 3
    assert "turn_ms: 8.0 to 9.5 (x1.19)" in drawn
