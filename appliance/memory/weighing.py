"""Scored hints: small rules that each speak for or against an answer, weighed together, as spam filters do.

A clause is kept under the tag that its hints speak for most, when they speak for it rather than for nothing. A hint is
a line of hints.tsv, which a person can read and mend: what a clause may show (hints.py), and what that says for W, for
B, for O, for going on with the clause before, and for taking something back, in tenths of a logarithm of odds.
tests/benchmarks/hints.py makes the scores from labelled messages. No model call, the same answer every time.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import structlog

from appliance.memory.hints import ANSWERS, EVERY, GOES_ON, TAGS, TAKES_BACK, Heard, hints_beside, hints_of, name_of
from appliance.memory.items import Tag

log = structlog.get_logger(__name__)

TABLE = Path(__file__).with_name("hints.tsv")
MOST_SCORE = 63  # of a hint: the sum of as many as a clause shows fits its lane
_LANE = 15  # bits for the sum of one answer: those of all are added up at once
_HALF = 1 << _LANE - 1
SCALE = 10.0  # of a score, which is written in tenths
_CLEARLY = 1.2  # times likelier than nothing that it is some answer that keeps
_FAR = -SCALE * math.log(TAKES_BACK)  # with no better score than this it is not


class Found(NamedTuple):
    """An item and its place in the message."""

    start: int
    end: int
    tag: Tag


def kept(heard: Sequence[Heard]) -> list[Found]:
    """Given the clauses of a message, return what is to be kept of them, in order."""
    answers = answered(heard)
    taken_back = {clause.sentence for clause, answer in zip(heard, answers, strict=True) if answer == TAKES_BACK}
    found: list[Found] = []
    goes_on = False
    for clause, answer in zip(heard, answers, strict=True):
        # "No calls after nine? Drop that": what is asked only names what is taken back.
        if answer is None or clause.sentence in taken_back or (taken_back and clause.asked):
            goes_on = False
        elif answer != GOES_ON:
            found.append(Found(clause.start, clause.end, TAGS[answer]))
            goes_on = True
        elif goes_on:
            found[-1] = found[-1]._replace(end=clause.end)
    return found


def answered(heard: Sequence[Heard]) -> list[int | None]:
    """Given the clauses of a message, return what each is: the place of its tag in TAGS, GOES_ON (behind one that is
    kept), TAKES_BACK, or None for nothing to keep."""
    if EVERY not in _table():  # a spoilt table, or none
        return [None] * len(heard)
    weighing = Weighing(heard)
    answers = weighing.answers()
    # Where nothing was found, a second look finds nothing either.
    return weighing.answers(answers) if len(heard) > 1 and any(answer is not None for answer in answers) else answers


def warm() -> None:
    """Read the table now, so that no message waits for it."""
    _table()


class Weighing:
    """What the hints of a message say of its clauses."""

    def __init__(self, heard: Sequence[Heard]) -> None:
        common, shown = hints_of(heard)
        self._heard = heard
        self._sums = [_sum(common) + _sum(own) for own in shown]

    def answers(self, before: Sequence[int | None] = ()) -> list[int | None]:
        """What each clause is, see `answered`; given what that came to `before`, with what those behind it are."""
        answers: list[int | None] = []
        said: list[str] = []
        for place in range(len(self._heard)):
            ahead = before[place + 1] if place + 1 < len(before) else None
            scores = self.scores(place, hints_beside(self._heard, said, ahead, known=bool(before)))
            if not answers or answers[-1] in (None, TAKES_BACK):
                scores[GOES_ON] = -_HALF  # it cannot
            answers.append(_likeliest(scores))
            said.append(name_of(answers[-1], said))
        return answers

    def scores(self, place: int, beside: Iterable[str] = ()) -> list[int]:
        """What the hints of a clause, and those `beside` it, say for each answer rather than for nothing, in tenths of
        a logarithm of odds."""
        return _apart(self._sums[place] + _sum(beside))


def _likeliest(scores: Sequence[int]) -> int | None:
    """What a clause is by its scores, None for nothing to keep, which has 0. Where no answer is likelier than nothing,
    but it is that it is one of them, the best is kept: of a dislike, who knows whether it is W or O."""
    best = max(scores)
    if best <= 0:
        best = max(scores[:TAKES_BACK])
        if best < _FAR or sum(math.exp(score / SCALE) for score in scores[:TAKES_BACK]) <= _CLEARLY:
            return None
    return scores.index(best)


@functools.cache
def _table() -> dict[str, int]:
    """The scores of each hint side by side in one number: those of many are added up at once.

    Read once. A line that is no hint is passed over; without the file nothing is kept but what is asked for in so many
    words. The log says so.
    """
    lines, trouble = list[str](), "it lacks the hint of every clause"
    try:
        lines = TABLE.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        trouble = str(error)
    table = table_of(_read(lines))
    if EVERY not in table:
        log.error("hints of capture cannot be read: hardly anything is kept", file=str(TABLE), error=trouble)
    return table


def _read(lines: Iterable[str]) -> Iterator[tuple[str, list[int]]]:
    for number, line in enumerate(lines, start=1):
        hint, *written = line.split("\t")
        try:
            scores = [int(score) for score in written]
        except ValueError:
            scores = []
        if hint and len(scores) == ANSWERS:
            yield hint, scores
        else:
            log.warning("a line is no hint with five whole numbers: passed over", file=str(TABLE), line=number)


def table_of(hints: Iterable[tuple[str, Sequence[int]]]) -> dict[str, int]:
    """Given hints, each with its scores, the table."""
    return {hint: _together(scores) for hint, scores in hints}


def _together(scores: Sequence[int]) -> int:
    return sum(min(max(score, -MOST_SCORE), MOST_SCORE) << _LANE * lane for lane, score in enumerate(scores))


def _sum(hints: Iterable[str]) -> int:
    return sum(filter(None, map(_table().get, hints)))


def _apart(total: int) -> list[int]:
    """The sum of each answer."""
    scores = []
    for _ in range(ANSWERS):
        scores.append(((total + _HALF) & (2 * _HALF - 1)) - _HALF)
        total = (total - scores[-1]) >> _LANE
    return scores
