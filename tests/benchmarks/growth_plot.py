"""Draws how each figure grows with the size, as an SVG: both axes logarithmic, a line a figure."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from tests.benchmarks.growth_table import TITLES, figures

_WIDTH, _HEIGHT = 720, 300
_LEFT, _RIGHT, _BASE, _DECADE = 30, 470, 250, 60  # pixels; a tenfold growth is one decade high
_LEAST = 0.5  # of the first value; what shrinks more is drawn at the bottom


def draw(tables: list[dict[str, Any]], path: Path) -> None:
    """Given the tables of load.py, write one panel for each."""
    panels = [line for number, found in enumerate(tables) for line in _panel(found, number * _HEIGHT)]
    body = "\n".join(panels)
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT * len(tables)}" '
        f'font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n',
        encoding="utf-8",
    )


def _panel(found: dict[str, Any], top: int) -> list[str]:
    name = next(iter(found))
    sizes = found[name]
    across = [_across(size, sizes) for size in sizes]
    floor = top + _BASE
    lines = [f'<text x="{_LEFT}" y="{top + 24}" font-weight="bold">{escape(TITLES[name].capitalize())}</text>']
    for decade in range(4):
        y = floor - _DECADE * decade
        lines.append(f'<line x1="{_LEFT}" y1="{y}" x2="{_RIGHT}" y2="{y}" stroke="#ddd"/>')
        lines.append(f'<text x="2" y="{y - 3}" fill="#888">x{10**decade}</text>')
    for x, size in zip(across, sizes, strict=True):
        lines.append(f'<text x="{x:.0f}" y="{floor + 36}" text-anchor="middle" fill="#888">{size:,}</text>')
    for row, key in enumerate(figures(found)):
        values = found[key]
        points = " ".join(
            f"{x:.0f},{floor - _DECADE * math.log10(max(value / (values[0] or 1), _LEAST)):.0f}"
            for x, value in zip(across, values, strict=True)
        )
        colour = f"hsl({row * 47},70%,38%)"
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        label = f"{key}: {values[0]:,} to {values[-1]:,} (x{found['growth'][key]})"
        lines.append(f'<text x="{_RIGHT + 12}" y="{top + 44 + row * 20}" fill="{colour}">{escape(label)}</text>')
    return lines


def _across(size: float, sizes: list[int]) -> float:
    span = math.log10(max(sizes) / min(sizes)) or 1.0
    return _LEFT + (_RIGHT - _LEFT - 20) * math.log10(size / min(sizes)) / span
