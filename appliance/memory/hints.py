"""Scored hints: small rules that each speak for or against an answer, weighed together, as spam filters do.

A clause is kept under the tag that its hints speak for most, when they speak for it rather than for nothing. A hint is
a line of hints.tsv, which a person can read and mend: what a clause may show, and what that says for W, for B, for O,
for going on with the clause before, and for taking something back, in tenths of a logarithm of odds.
tests/benchmarks/hints.py makes the scores from labelled messages. No model call, the same answer every time.

    ask me first      one to three words, one after the other; `^` and `$` are the ends of the clause, `0` any figure
    <word  >word      one of the four words before the clause or behind it; `<^` the sentence begins with it, `>$` and
                      `>?` it ends with it, and is asked
    <<word  >>word    one of the four words before or behind it, of another sentence
    *word             a word anywhere in the message
    #clauses 3        how many clauses the message has (4 and more: 4)
    #clause 0         which of them it is (the fourth and later: 3)
    #words 2          how long it is, in threes of words (18 and more: 6)
    #asked            the message ends with a question
    #after O          what the clause before is: a tag, `nothing`, `taken` (back), `start` (there is none)
    #after W O        what the two before are
    #after O here     what the one before is, of the same sentence
    #before W         what the clause behind is, by a first look that did not know it: as above, or `more` (it goes
                      on), `end` (there is none)
    #before W here    what the one behind is, of the same sentence
    =                 every clause
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple

import structlog

from appliance.memory.items import Tag

log = structlog.get_logger(__name__)

TAGS: tuple[Tag, ...] = ("W", "B", "O")
GOES_ON = len(TAGS)  # the clause goes on with the item of the one before it
TAKES_BACK = GOES_ON + 1  # the clause takes back what was said, or says what is taken back
ANSWERS = TAKES_BACK + 1
SCALE = 10.0  # scores are stored in tenths
TABLE = Path(__file__).with_name("hints.tsv")

_MOST, _BESIDE = 40, 4  # words of a clause, and of those beside it, that are looked at
_ANYWHERE = 100  # words of a message, each counted once
_MOST_CLAUSES, _MOST_PLACE, _STEP, _MOST_STEPS = 4, 3, 3, 6
MOST_SCORE = 63  # of a hint: the sum of as many as are looked at fits its lane
_LANE = 15  # bits for the sum of one answer: those of all are added up at once, in one machine word
_HALF = 1 << _LANE - 1
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[a-z']+|\d+|[\u4e00-\u9fff\ue000\ue001]")


class Heard(NamedTuple):
    """A clause that may state something: its place in the message, its folded text, where its sentence begins."""

    start: int
    end: int
    text: str
    sentence: int
    asked: bool  # the sentence ends with a question mark


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
    weighing = Weighing(heard)
    answers = weighing.answers()
    return weighing.answers(answers) if len(heard) > 1 else answers


def warm() -> None:
    """Read the table now, so that no message waits for it."""
    _table()


def words_of(text: str) -> list[str]:
    """The words of a folded clause as hints name them: Chinese by character, any figure as 0."""
    words = _WORD.findall(text)[:_MOST]
    return ["0" if word.isdigit() else word for word in words] if _DIGIT.search(text) else words


def hints_of(heard: Sequence[Heard]) -> tuple[list[str], list[set[str]]]:
    """Given the clauses of a message, return the hints that all of them show, and those of each."""
    words = [words_of(clause.text) for clause in heard]
    common = ["=", f"#clauses {min(len(heard), _MOST_CLAUSES)}"]
    if heard and heard[-1].asked:
        common.append("#asked")
    common += [f"*{word}" for word in list(dict.fromkeys(chain.from_iterable(words)))[:_ANYWHERE]]
    return common, [set(_shown(heard, words, place)) for place in range(len(heard))]


def _shown(heard: Sequence[Heard], words: Sequence[Sequence[str]], place: int) -> Iterator[str]:
    sentence = heard[place].sentence
    own = ["^", *words[place], "$"]
    yield f"#clause {min(place, _MOST_PLACE)}"
    yield f"#words {min(len(words[place]) // _STEP, _MOST_STEPS)}"
    yield from own
    for one, two in pairwise(own):
        yield f"{one} {two}"
    for one, two, three in zip(own, own[1:], own[2:], strict=False):
        yield f"{one} {two} {three}"
    opens = place == 0 or heard[place - 1].sentence != sentence
    if opens:
        yield "<^"
    if place:
        sign = "<<" if opens else "<"
        for word in words[place - 1][-_BESIDE:]:
            yield sign + word
    ends = place + 1 == len(heard) or heard[place + 1].sentence != sentence
    if ends:
        yield ">?" if heard[place].asked else ">$"
    if place + 1 < len(heard):
        sign = ">>" if ends else ">"
        for word in words[place + 1][:_BESIDE]:
            yield sign + word


def name_of(answer: int | None, said: Sequence[str]) -> str:
    """What a clause is, as hints name it, given the names of those before it."""
    if answer is None:
        return "nothing"
    return said[-1] if answer == GOES_ON else "taken" if answer == TAKES_BACK else TAGS[answer]


def hints_beside(heard: Sequence[Heard], said: Sequence[str], ahead: int | None = None, *, known: bool) -> list[str]:
    """Given the clauses of a message and what the first of them are, return the hints that this gives for the next.

    `ahead` is what the one behind it is; `known` says whether that is known.
    """
    place = len(said)
    earlier, last = ["start", "start", *said][-2:]
    shown = [f"#after {last}", f"#after {earlier} {last}"]
    if place and heard[place - 1].sentence == heard[place].sentence:
        shown.append(f"#after {last} here")
    if place + 1 == len(heard):
        shown.append("#before end")
    elif known:
        following = "more" if ahead == GOES_ON else name_of(ahead, said)
        shown.append(f"#before {following}")
        if heard[place + 1].sentence == heard[place].sentence:
            shown.append(f"#before {following} here")
    return shown


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
                scores[GOES_ON] = 0  # it cannot
            best = max(scores)
            answers.append(scores.index(best) if best > 0 else None)  # nothing to keep has 0
            said.append(name_of(answers[-1], said))
        return answers

    def scores(self, place: int, beside: Iterable[str] = ()) -> list[int]:
        """What the hints of a clause, and those `beside` it, say for each answer rather than for nothing, in tenths of
        a logarithm of odds."""
        return _apart(self._sums[place] + _sum(beside))


@functools.cache
def _table() -> dict[str, int]:
    """The scores of each hint side by side in one number: those of many are added up at once.

    Read once. A line that is no hint is passed over; without the file nothing is kept but what is asked for in so many
    words. The log says so.
    """
    try:
        lines = TABLE.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        log.error("hints of capture cannot be read: hardly anything is kept", file=str(TABLE), error=str(error))
        lines = []
    hints: dict[str, list[int]] = {}
    for number, line in enumerate(lines, start=1):
        hint, *written = line.split("\t")
        try:
            scores = [int(score) for score in written]
        except ValueError:
            scores = []
        if hint and len(scores) == ANSWERS:
            hints[hint] = scores
        else:
            log.warning("a line is no hint with five whole numbers: passed over", file=str(TABLE), line=number)
    return table_of(hints)


def table_of(hints: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """Given hints with their scores, the table."""
    return {hint: _together(scores) for hint, scores in hints.items()}


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
