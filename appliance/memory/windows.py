"""What a hit shows: a window grown around the place that was hit, at most 700 characters, never a chunk's head."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from appliance.memory.chunks import Unit
from appliance.memory.languages import present

SNIPPET_CHARS = 700
_JOINT = "\n"


@dataclass(frozen=True, slots=True)
class Window:
    """`text` with the lines it was taken from; `units` are the whole units on show."""

    text: str
    start_line: int
    end_line: int
    units: frozenset[Unit]


def telling(units: Sequence[Unit], terms: Iterable[str]) -> Sequence[Unit]:
    """What a window is to be grown around: all of an entry where it fits, else the unit with most of the question's
    words, each counted by its length; the first one when none has any."""
    if _length(units) <= SNIPPET_CHARS:
        return units
    wanted = frozenset(terms)
    scores = [sum(map(len, present(wanted, text))) for _, text in units]
    best = scores.index(max(scores))
    return units[best : best + 1]


def _length(units: Sequence[Unit]) -> int:
    return sum(len(text) for _, text in units) + len(_JOINT) * (len(units) - 1)


def grow(units: Sequence[Unit], hit: Sequence[Unit], terms: Sequence[str], *, shown: Container[Unit] = ()) -> Window:
    """A window of whole units around `hit`, which stands among them, taking turns to both sides while they fit, up to
    what is `shown` already; one unit that is itself too long is shown around the question's words."""
    first = units.index(hit[0])
    after = first + len(hit)
    size = _length(units[first:after])
    if size > SNIPPET_CHARS:
        line, text = hit[0]
        return Window(_around(text, terms), line, line, frozenset())
    open_sides = [-1, 1]
    while open_sides:
        side = open_sides.pop(0)
        place = first - 1 if side < 0 else after
        if not 0 <= place < len(units) or units[place] in shown:
            continue
        grown = size + len(_JOINT) + len(units[place][1])
        if grown <= SNIPPET_CHARS:
            first, after = (place, after) if side < 0 else (first, place + 1)
            size = grown
            open_sides.append(side)
    inside = units[first:after]
    return Window(_JOINT.join(text for _, text in inside), inside[0][0], inside[-1][0], frozenset(inside))


def _around(text: str, terms: Sequence[str]) -> str:
    """The part of a long text where the question's words are densest."""
    folded = text.casefold()
    places = sorted(place for term in terms if (place := folded.find(term)) >= 0)
    best, most = 0, 0
    for place in places:
        inside = sum(place <= other < place + SNIPPET_CHARS // 2 for other in places)
        if inside > most:
            best, most = place, inside
    start = max(0, min(best - SNIPPET_CHARS // 4, len(text) - SNIPPET_CHARS))
    cut = text[start : start + SNIPPET_CHARS - 2]
    return ("…" if start else "") + cut.strip() + ("…" if start + SNIPPET_CHARS - 2 < len(text) else "")
