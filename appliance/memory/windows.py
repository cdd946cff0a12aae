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


def best_unit(units: Sequence[Unit], terms: Iterable[str]) -> int:
    """The unit with most of the question's words, each counted by its length; the first one when none has any."""
    if len(units) == 1:
        return 0
    wanted = frozenset(terms)
    scores = [sum(map(len, present(wanted, text))) for _, text in units]
    return scores.index(max(scores))


def grow(
    units: Sequence[Unit], hit: int, terms: Sequence[str], limit: int = SNIPPET_CHARS, *, shown: Container[Unit] = ()
) -> Window:
    """A window of whole units around `hit`, taking turns to both sides while they fit, up to what is `shown` already;
    a unit that is itself too long is shown around the question's words."""
    line, text = units[hit]
    if len(text) > limit:
        return Window(_around(text, terms, limit), line, line, frozenset())
    low = high = hit
    size = len(text)
    backward = True
    open_ends = {True: True, False: True}
    while any(open_ends.values()):
        if open_ends[backward]:
            place = low - 1 if backward else high + 1
            fits = 0 <= place < len(units) and units[place] not in shown and size + len(units[place][1]) + 1 <= limit
            open_ends[backward] = fits
            if fits:
                low, high = min(low, place), max(high, place)
                size += len(units[place][1]) + 1
        backward = not backward
    inside = units[low : high + 1]
    return Window(_JOINT.join(text for _, text in inside), inside[0][0], inside[-1][0], frozenset(inside))


def _around(text: str, terms: Sequence[str], limit: int) -> str:
    """The part of a long text where the question's words are densest."""
    folded = text.casefold()
    places = sorted(place for term in terms if (place := folded.find(term)) >= 0)
    best, most = 0, 0
    for place in places:
        inside = sum(place <= other < place + limit // 2 for other in places)
        if inside > most:
            best, most = place, inside
    start = max(0, min(best - limit // 4, len(text) - limit))
    cut = text[start : start + limit - 2]
    return ("…" if start else "") + cut.strip() + ("…" if start + limit - 2 < len(text) else "")
