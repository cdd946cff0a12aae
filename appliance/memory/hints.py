"""Scored hints: small rules that each speak for or against an answer, weighed together, as spam filters do.

The patterns say what they know. Where they keep a clause whose hints speak for nothing, it is left out; where they keep
nothing and its hints speak for a want, a limit or a fact, it is kept. A hint is a line of hints.tsv, which a person can
read and mend: words of a clause and what they say for W, for B, for O, and for going on with the clause before, in
tenths of a logarithm of odds. tests/benchmarks/hints.py makes the scores from labelled messages. No model call.

    ask me            a word or two, one after the other; `^` and `$` are the ends of the clause, `0` any figure
    <word  >word      one of the four words before the clause or behind it; `<^` there are none, `>$` there are none,
                      `>?` there are none and it is asked
    =                 every clause
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import structlog

from appliance.memory.items import Tag

log = structlog.get_logger(__name__)

TAGS: tuple[Tag, ...] = ("W", "B", "O")
ANSWERS = len(TAGS) + 1  # the last: the clause goes on with the item of the one before it
SCALE = 10.0  # scores are stored in tenths
TABLE = Path(__file__).with_name("hints.tsv")

# From this chance that it holds nothing, what the patterns keep is left out: a limit is not given up easily.
_LEFT_OUT: dict[Tag, float] = {"W": 0.5, "B": 0.8, "O": 0.5}
_KEPT = 0.5  # from this chance of a tag, what the patterns leave out is kept
_FEWEST = 3  # words of a clause that may be kept against the patterns
_MOST, BESIDE = 60, 4  # words of a clause, and of those beside it, that are looked at
MOST_SCORE = 63  # of a hint: the sum of as many as are looked at fits its lane
_LANE = 15  # bits for the sum of one answer: those of all are added up at once, in one machine word
_HALF = 1 << _LANE - 1
_HIGHEST = 60.0  # of a sum: beyond it nothing is surer
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[a-z']+|\d+|[\u4e00-\u9fff\ue000\ue001]")


class Heard(NamedTuple):
    """A clause as the patterns read it: its place in the message, its folded text, which sentence it is of."""

    start: int
    end: int
    text: str
    sentence: int
    asked: bool  # the sentence ends with a question mark
    settled: bool = False  # the patterns are sure: somebody else's, for today, over, work to do now, or a plain name


class Found(NamedTuple):
    """An item and its place in the message."""

    start: int
    end: int
    tag: Tag


def revised(heard: Sequence[Heard], found: Sequence[Found]) -> list[Found]:
    """Given the clauses of a message and what the patterns found in them, return what is to be kept, in order."""
    weighing = Weighing(heard)
    nothing: dict[Found, float] = {}  # the least chance that a clause of an item holds nothing
    kept = []
    for place, clause in enumerate(heard):
        touched = [one for one in found if one.start < clause.end and clause.start < one.end]
        if clause.settled:
            nothing.update(dict.fromkeys(touched, 0.0))
        elif touched:
            rest = 1.0 - sum(weighing.chances(place))
            nothing.update((one, min(rest, nothing.get(one, rest))) for one in touched)
        elif tag := weighing.tag(place):
            kept.append(Found(clause.start, clause.end, tag))
    kept += [one for one in found if nothing.get(one, 0.0) <= _LEFT_OUT[one.tag]]
    return sorted(kept)


def warm() -> None:
    """Read the table now, so that no message waits for it."""
    _table()


def words_of(text: str) -> list[str]:
    """The words of a folded clause as hints name them: Chinese by character, any figure as 0."""
    words = _WORD.findall(text)[:_MOST]
    return ["0" if word.isdigit() else word for word in words] if _DIGIT.search(text) else words


class Weighing:
    """What the hints of a message say of its clauses; worked out for those that are asked for."""

    def __init__(self, heard: Sequence[Heard]) -> None:
        self._heard = heard
        self._table = _table()
        self._words = [words_of(clause.text) for clause in heard]

    def chances(self, place: int) -> list[float]:
        """For a clause the chance of each answer; what is left of 1 is that of nothing to keep."""
        return _chances(self._scores(place))

    def tag(self, place: int) -> Tag | None:
        """The tag under which a clause is to be kept against the patterns."""
        if len(self._words[place]) < _FEWEST:
            return None
        scores = self._scores(place)
        if max(scores[: len(TAGS)]) <= 0:
            return None  # no answer with a score of 0 is likelier than nothing to keep
        chances = _chances(scores)
        best = max(chances[: len(TAGS)])
        return TAGS[chances.index(best)] if best > _KEPT else None

    def _scores(self, place: int) -> list[int]:
        table, words, heard, clause = self._table, self._words, self._heard, self._heard[place]
        first = place == 0 or heard[place - 1].sentence != clause.sentence
        last = place + 1 == len(heard) or heard[place + 1].sentence != clause.sentence
        own = ["^", *words[place], "$"]
        total = table.every + _sum(table.runs, chain(own, pairwise(own)))
        total += _sum(table.before, ["^"] if first else words[place - 1][-BESIDE:])
        total += _sum(table.behind, ["?" if clause.asked else "$"] if last else words[place + 1][:BESIDE])
        return _apart(total)


class Table(NamedTuple):
    """The hints by kind, each with its scores side by side in one number: those of many are added up at once."""

    every: int
    runs: dict[str | tuple[str, ...], int]  # a word alone as itself, two as a tuple
    before: dict[str, int]
    behind: dict[str, int]


@functools.cache
def _table() -> Table:
    """Read once. A line that is no hint is passed over; without the file the patterns stand alone. The log says so."""
    try:
        lines = TABLE.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        log.warning("hints of capture cannot be read: its patterns stand alone", file=str(TABLE), error=str(error))
        lines = []
    hints: dict[str, list[int]] = {}
    for number, line in enumerate(lines, start=1):
        hint, *scores = line.split("\t")
        try:
            hints[hint] = [min(max(int(score), -MOST_SCORE), MOST_SCORE) for score in scores]
        except ValueError:
            hints.pop(hint, None)
        if not hint or len(hints.get(hint, ())) != ANSWERS:
            hints.pop(hint, None)
            log.warning("a line is no hint with four whole numbers: passed over", file=str(TABLE), line=number)
    return table_of(hints)


def table_of(hints: dict[str, list[int]]) -> Table:
    """Given hints as hints.tsv writes them, the table."""
    table = Table(0, {}, {}, {})
    marked = {"<": table.before, ">": table.behind}
    every = 0
    for hint, scores in hints.items():
        together = sum(score << _LANE * lane for lane, score in enumerate(scores))
        words = tuple(hint.split(" "))
        if hint == "=":
            every = together
        elif hint[0] in marked:
            marked[hint[0]][hint[1:]] = together
        else:
            table.runs[words if len(words) > 1 else hint] = together
    return table._replace(every=every)


def _sum(scores: Mapping[Any, int], found: Iterable[object]) -> int:
    return sum(filter(None, map(scores.get, found)))


def _chances(scores: Sequence[int]) -> list[float]:
    powers = [math.exp(min(score / SCALE, _HIGHEST)) for score in scores]
    whole = sum(powers) + 1.0
    return [power / whole for power in powers]


def _apart(total: int) -> list[int]:
    """The sum of each answer."""
    scores = []
    for _ in range(ANSWERS):
        scores.append(((total + _HALF) & (2 * _HALF - 1)) - _HALF)
        total = (total - scores[-1]) >> _LANE
    return scores
