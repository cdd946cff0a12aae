"""The hints that a message shows: what weighing.py has scores of, by the names that hints.tsv gives them.

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
#after O here     what the one before is, of the same sentence
#before W         what the clause behind is, by a first look that did not know it: as above, or `more` (it goes
                  on), `end` (there is none)
#before W here    what the one behind is, of the same sentence
=                 every clause
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from appliance.memory.items import Tag

TAGS: tuple[Tag, ...] = ("W", "B", "O")
GOES_ON = len(TAGS)  # the clause goes on with the item of the one before it
TAKES_BACK = GOES_ON + 1  # the clause takes back what was said, or says what is taken back
ANSWERS = TAKES_BACK + 1

EVERY = "="  # the hint of every clause
_MOST, _BESIDE = 40, 4  # words of a clause, and of those beside it, that are looked at
_ANYWHERE = 100  # words of a message, each counted once
_MOST_CLAUSES, _MOST_PLACE, _STEP, _MOST_STEPS = 4, 3, 3, 6
_DIGIT = re.compile(r"\d")
_LETTER = re.compile("[a-z]")
_WORD = re.compile(r"[a-z']+|\d+|[\u4e00-\u9fff\ue000\ue001]")
# As phones and hurried people write them; "were", "well" and "ill" are words of their own.
_WHOLE = {
    whole.replace("'", ""): whole
    for whole in "i'm i've can't don't doesn't didn't isn't aren't wasn't weren't won't wouldn't couldn't shouldn't"
    " haven't hasn't hadn't ain't that's there's what's he's she's you're you've we've they're they've let's".split()
} | {"u": "you", "ur": "your", "pls": "please", "plz": "please", "n": "and", "thx": "thanks"}


class Heard(NamedTuple):
    """A clause that may state something: its place in the message, its folded text, where its sentence begins."""

    start: int
    end: int
    text: str
    sentence: int
    asked: bool  # the sentence ends with a question mark


def words_of(text: str) -> list[str]:
    """The words of a folded clause as hints name them: Chinese by character, any figure as 0, apostrophes put in."""
    words = _WORD.findall(text)[:_MOST]
    if _DIGIT.search(text):
        words = ["0" if word.isdigit() else word for word in words]
    return [_WHOLE.get(word, word) for word in words] if _LETTER.search(text) else words


def hints_of(heard: Sequence[Heard]) -> tuple[list[str], list[set[str]]]:
    """Given the clauses of a message, return the hints that all of them show, and those of each."""
    words = [words_of(clause.text) for clause in heard]
    common = [EVERY, f"#clauses {min(len(heard), _MOST_CLAUSES)}"]
    if heard and heard[-1].asked:
        common.append("#asked")
    common += [f"*{word}" for word in list(dict.fromkeys(chain.from_iterable(words)))[:_ANYWHERE]]
    return common, [_shown(heard, words, place) for place in range(len(heard))]


def _shown(heard: Sequence[Heard], words: Sequence[Sequence[str]], place: int) -> set[str]:
    own = ["^", *words[place], "$"]
    pairs = [f"{one} {two}" for one, two in pairwise(own)]
    threes = [f"{pair} {third}" for pair, third in zip(pairs, own[2:], strict=False)]
    which = f"#clause {min(place, _MOST_PLACE)}"
    length = f"#words {min(len(words[place]) // _STEP, _MOST_STEPS)}"
    return {*own, *pairs, *threes, which, length, *_around(heard, words, place)}


def _around(heard: Sequence[Heard], words: Sequence[Sequence[str]], place: int) -> Iterator[str]:
    """What stands before and behind a clause."""
    sentence = heard[place].sentence
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
    last = said[-1] if said else "start"
    shown = [f"#after {last}"]
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
