"""What a message says that must not be forgotten: wants (W), boundaries (B), facts (O). Rules only, no model.

A message goes through three sieves. First whole messages that are not the person's own word: take-backs, fiction,
lyrics, sarcasm. Then parts that are not (voices.py): quotations, code, text to translate or to send. Then sentences
that only guess or ask. What is left is weighed clause by clause (weighing.py), but for sentences in Japanese
(rules_ja.py) and what is asked to be remembered in so many words (asked.py).
"""

from __future__ import annotations

import itertools
import json
import re
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from appliance.memory import rules as patterns
from appliance.memory import weighing
from appliance.memory.asked import asked_to_keep
from appliance.memory.clauses import clauses, sentences
from appliance.memory.hints import Heard
from appliance.memory.items import Tag
from appliance.memory.rules import Rules, rules_for
from appliance.memory.rules_ja import is_japanese, judge_japanese
from appliance.memory.voices import SPOKEN, VOID, fold, mask
from appliance.memory.weighing import Found, kept

__all__ = ["Item", "capture", "jsonl", "warm"]

# Behind a comma: what a person says of themselves or asks for, and not that something is over.
_INSTEAD = re.compile(
    r"(?<=[,，])(?! *[^,，]*[不没][^,，]*[了啦] *(?:$|[,，]))(?= *(?:and |but |so |because |(?:其实|但是?|不过) ?)?"
    r"(?:(?:i(?!'m not| am not| do | did| never| was| only| just| mean)|i'm|we|my|our|call me|from now on)\b"
    r"|我(?!是|说|都|那|就|早)|以后(?:别|不要|都|请)|从现在))"
)
_OF_ONESELF = re.compile(r"\b(?:i|i'm|i've|me|my|we|us|our)\b|我|咱")
_ANNOUNCES = re.compile("[:：]")
_MOST_BEFORE = 20  # sentences
LONGEST = 6_000  # characters: a longer message is pasted matter, of which only both ends are the person's own


class Item(NamedTuple):
    """A span of the message, exactly as written, with its tag."""

    span: str
    tag: Tag


def capture(text: str) -> list[Item]:
    """Given one message of a person, return what to keep of it, in order. Spans are exact substrings of `text`."""
    if len(text) > LONGEST:
        half = LONGEST // 2
        return capture(text[:half]) + capture(text[-half:])
    folded = fold(text)
    rules = rules_for(folded)
    if rules.not_meant.search(folded):
        return _beside_take_back(text, folded, rules)
    heard, plain = _listen(text, folded, rules)
    return [Item(text[one.start : one.end].strip(), one.tag) for one in _together(plain, kept(heard))]


def heard_in(text: str) -> list[Heard]:
    """Given a message, return its clauses that may state something, of which hints are learned."""
    folded = fold(text)
    return _listen(text, folded, rules_for(folded))[0]


def _listen(text: str, folded: str, rules: Rules) -> tuple[list[Heard], list[Found]]:
    """The clauses of a message that hints may judge, and what is to be kept although they say nothing."""
    masked = mask(folded, rules)
    heard: list[Heard] = []
    plain: list[Found] = []
    for start, end, ender in sentences(masked):
        asked = _asked(ender)
        if said := _in_japanese(text, masked, start, end, asked=asked):
            plain += said
            continue
        plain += _remembered(masked, start, end, asked=asked)
        if not _states_nothing(masked[start:end].strip(), asked, rules):
            parts = clauses(masked, start, end, rules)
            heard += [Heard(part.start, part.end, part.text, start, asked) for part in parts]
    return heard, plain


def _asked(ender: str) -> bool:
    return "?" in ender or "？" in ender


def _together(plain: list[Found], weighed: list[Found]) -> list[Found]:
    """What is asked to be remembered is kept as it stands, unless it is known for a want or a limit."""
    if not plain:
        return weighed
    sure = [one for one in plain if not any(_overlap(one, other) and other.tag != "O" for other in weighed)]
    return sorted(sure + [one for one in weighed if not any(_overlap(one, other) for other in sure)])


def _overlap(one: Found, other: Found) -> bool:
    return one.start < other.end and other.start < one.end


def warm() -> None:
    """Compile and read everything now, so that no message waits for it."""
    patterns.warm()
    weighing.warm()


def jsonl(lines: Iterable[str]) -> Iterator[str]:
    """Given lines of {"id", "text"}, yield {"id", "items": [{"span", "tag"}], "ms"} for each, in order.

    A line that is not such an object is answered with no items and an "error" that says why.
    """
    warm()
    fold("")
    for line in lines:
        if not line.strip():
            continue
        start = time.perf_counter()
        answer: dict[str, object] = {"id": None, "items": []}
        try:
            row = json.loads(line)
            answer["id"] = row["id"]
            answer["items"] = [{"span": item.span, "tag": item.tag} for item in capture(row["text"])]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            answer["error"] = f"The line cannot be read: {error}."
        answer["ms"] = round((time.perf_counter() - start) * 1000, 4)
        yield json.dumps(answer, ensure_ascii=False)


def _beside_take_back(text: str, folded: str, rules: Rules) -> list[Item]:
    """Of a message that is not meant as it stands: what it says beside what takes something back."""
    if rules.feigned.search(folded):
        return _before_feigned(text, folded, rules)
    beside: list[Item] = []
    for start, end, ender in sentences(folded):
        if not rules.take_back.search(folded[start:end]):
            if not _asked(ender):  # what is asked only names what is taken back
                beside += capture(text[start:end])
        elif (place := _anew(folded, start, end, rules)) is not None:
            # A fact there only says why.
            beside += [item for item in capture(text[place:end]) if item.tag != "O"]
    return beside


def _before_feigned(text: str, folded: str, rules: Rules) -> list[Item]:
    """What a message says of the person before a sentence that asks for a story, or is not meant: "I'm allergic to
    nuts. Write me a poem". Not what a story may begin with, or a part that is announced."""
    begins = [start for start, _, _ in itertools.islice(sentences(folded), 1, _MOST_BEFORE)]
    before = max((place for place in begins if not rules.feigned.search(folded[:place])), default=0)
    own = _OF_ONESELF.search(folded, 0, before) and not _ANNOUNCES.search(folded, 0, before)
    return capture(text[:before]) if own else []


def _anew(folded: str, start: int, end: int, rules: Rules) -> int | None:
    """Where a sentence that takes something back goes on to what holds instead."""
    places = (place.start() for place in _INSTEAD.finditer(folded, start, end))
    return next(
        (
            place
            for place in places
            if rules.take_back.search(folded[start:place]) and not rules.take_back.search(folded[place:end])
        ),
        None,
    )


def _in_japanese(text: str, masked: str, start: int, end: int, *, asked: bool) -> list[Found]:
    """What a sentence in Japanese says, which ends with what decides. Folding is for Chinese: read as written."""
    whole = text[start:end].strip()
    if not is_japanese(whole) or VOID in masked[start:end] or SPOKEN in masked[start:end]:
        return []
    tag = judge_japanese(whole, asked)
    return [Found(start, end, tag)] if tag else []


def _remembered(masked: str, start: int, end: int, *, asked: bool) -> list[Found]:
    """What a sentence asks to be remembered in so many words, whatever it is about."""
    raw = masked[start:end]
    begin = start + len(raw) - len(raw.lstrip())
    place = None if asked else asked_to_keep(raw.strip())
    return [Found(begin + place[0], begin + place[1], "O")] if place else []


def _states_nothing(whole: str, asked: bool, rules: Rules) -> bool:
    """True for a sentence that is a guess or a question as a whole."""
    return bool(rules.hypothesis.search(whole) or (asked and rules.question_frame.match(whole)))
