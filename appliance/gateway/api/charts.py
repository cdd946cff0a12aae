"""Charts as SVG text, drawn on the server: no script, no library, no inline style, readable without colours.

Only numbers and escaped text go in; every mark has a <title>, so a pointer and a screen reader both get its figure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

WIDTH, HEIGHT = 720, 200
_NOTHING = 1e-9  # US dollars
_LEFT, _RIGHT, _BOTTOM, _TOP = 56, 16, 22, 10


def bar(share: float, title: str) -> str:
    """Given a share (0 to 1) and what it is, return a horizontal bar."""
    width = round(min(1.0, max(0.0, share)) * 100, 2)
    if share > 0:
        width = max(width, 1.0)
    return (
        f'<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="{escape(title)}">'
        f'<title>{escape(title)}</title><rect class="track" width="100" height="8"/>'
        f'<rect class="mark" width="{width:g}" height="8"/></svg>'
    )


def columns(values: Sequence[tuple[str, float, str]], limit: float | None, title: str) -> str:
    """Given (label, value, tooltip) for each column, an optional limit and what it all is, return a column chart.

    The scale starts at 0 and ends at a round number over the largest value and the limit.
    """
    top = _round_up(max([value for _, value, _ in values] + ([limit] if limit else []), default=0.0))
    step = (WIDTH - _LEFT - _RIGHT) / max(1, len(values))
    parts = [
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">',
        f"<title>{escape(title)}</title>",
    ]
    for tick in (0.0, top / 2, top):
        y = _y(tick, top)
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{WIDTH}" y1="{y:g}" y2="{y:g}"/>')
        parts.append(f'<text class="tick" x="{_LEFT - 6}" y="{y + 4:g}" text-anchor="end">{_money(tick)}</text>')
    for number, (label, value, tooltip) in enumerate(values):
        x, y = _LEFT + number * step, _y(value, top)
        parts.append(
            f'<rect class="mark" x="{x + step * 0.15:.2f}" y="{y:.2f}" width="{step * 0.7:.2f}"'
            f' height="{max(0.0, _y(0.0, top) - y):.2f}"><title>{escape(tooltip)}</title></rect>'
        )
        if number % 7 == len(values) % 7 or number == len(values) - 1:
            middle = x + step / 2
            parts.append(
                f'<text class="tick" x="{middle:.2f}" y="{HEIGHT - 6}" text-anchor="middle">{escape(label)}</text>'
            )
    if limit:
        y = _y(limit, top)
        parts.append(f'<line class="limit" x1="{_LEFT}" x2="{WIDTH}" y1="{y:g}" y2="{y:g}"/>')
    return "".join([*parts, "</svg>"])


def _y(value: float, top: float) -> float:
    """Where a value stands, from the top edge."""
    share = value / top if top else 0.0
    return round(_TOP + (1 - share) * (HEIGHT - _TOP - _BOTTOM), 2)


def _round_up(value: float) -> float:
    """The next of 1, 2, 5 times a power of ten; 1 for nothing."""
    if value < _NOTHING:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next((power * factor for factor in (1, 2, 5) if value <= power * factor * (1 + 1e-9)), power * 10)


def _money(value: float) -> str:
    return f"${value:g}" if value >= 0.01 or value == 0 else f"${value:.4f}"
