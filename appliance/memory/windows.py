"""What a hit shows: a window grown around the place that was hit, at most 700 characters, never a chunk's head."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from appliance.memory.chunks import Unit
from appliance.memory.languages import words_of

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
    wanted = set(terms)
    scores = [sum(len(word) for word in wanted & set(words_of(text))) for _, text in units]
    return max(range(len(units)), key=lambda index: (scores[index], -index))


def grow(
    units: Sequence[Unit], hit: int, terms: Sequence[str], limit: int = SNIPPET_CHARS, *, earlier_first: bool = True
) -> Window:
    """A window of whole units around `hit`, taking turns to both sides while they fit; a unit that is itself too long
    is shown around the question's words."""
    line, text = units[hit]
    if len(text) > limit:
        return Window(_around(text, terms, limit), line, line, frozenset())
    low = high = hit
    size = len(text)
    backward = earlier_first
    open_low, open_high = True, True
    while open_low or open_high:
        if backward and open_low:
            open_low = low > 0 and size + len(units[low - 1][1]) + 1 <= limit
            if open_low:
                low -= 1
                size += len(units[low][1]) + 1
        elif not backward and open_high:
            open_high = high + 1 < len(units) and size + len(units[high + 1][1]) + 1 <= limit
            if open_high:
                high += 1
                size += len(units[high][1]) + 1
        backward = not backward
    shown = units[low : high + 1]
    return Window(_JOINT.join(text for _, text in shown), shown[0][0], shown[-1][0], frozenset(shown))


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
