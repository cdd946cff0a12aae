"""What a message says that must not be forgotten: wants (W), boundaries (B), facts (O). Rules only, no model.

A message goes through four sieves. First whole messages that are not the person's own word: take-backs, fiction,
lyrics, sarcasm. Then parts that are not (voices.py): quotations, code, text to translate or to send. Then sentences:
guesses, questions, things for today only, things of the past, other people. What is left is judged clause by clause
(sentence.py), and scored hints have the last word (hints.py).
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from appliance.memory import hints
from appliance.memory import rules as patterns
from appliance.memory.asked import asked_to_keep
from appliance.memory.clauses import clauses, sentences
from appliance.memory.hints import Found, Heard, revised
from appliance.memory.items import Tag
from appliance.memory.rules import Rules, rules_for
from appliance.memory.rules_ja import is_japanese, judge_japanese
from appliance.memory.sentence import Sentence, said_by
from appliance.memory.voices import SPOKEN, VOID, fold, mask

__all__ = ["Item", "capture", "jsonl", "warm"]

# Behind a comma: what a person says of themselves or asks for, and not that something is over.
_INSTEAD = re.compile(
    r"(?<=[,，])(?! *[^,，]*[不没][^,，]*[了啦] *(?:$|[,，]))(?= *(?:and |but |so |because |(?:其实|但是?|不过) ?)?"
    r"(?:(?:i(?!'m not| am not| do | did| never| was| only| just| mean)|i'm|we|my|our|call me|from now on)\b"
    r"|我(?!是|说|都|那|就|早)|以后(?:别|不要|都|请)|从现在))"
)
_LONGEST = 6_000  # characters: a longer message is pasted matter, of which only both ends are the person's own


class Item(NamedTuple):
    """A span of the message, exactly as written, with its tag."""

    span: str
    tag: Tag


def capture(text: str) -> list[Item]:
    """Given one message of a person, return what to keep of it, in order. Spans are exact substrings of `text`."""
    if len(text) > _LONGEST:
        half = _LONGEST // 2
        return capture(text[:half]) + capture(text[-half:])
    folded = fold(text)
    rules = rules_for(folded)
    if rules.not_meant.search(folded):
        return _beside_take_back(text, folded, rules)
    return [Item(text[one.start : one.end].strip(), one.tag) for one in revised(*_listen(text, folded, rules))]


def heard_in(text: str) -> list[Heard]:
    """Given a message, return its clauses that may state something, of which hints are learned."""
    folded = fold(text)
    rules = rules_for(folded)
    return [] if rules.not_meant.search(folded) else _listen(text, folded, rules)[0]


def _listen(text: str, folded: str, rules: Rules) -> tuple[list[Heard], list[Found]]:
    """The clauses of a message that hints may judge, and what the patterns find."""
    masked = mask(folded, rules)
    found: list[Found] = []
    heard: list[Heard] = []
    complained: Tag | None = None
    for start, end, ender in sentences(masked):
        items, leads = _in_japanese(text, masked, start, end, ender), None
        if not items:
            asked = "?" in ender or "？" in ender
            nothing = _states_nothing(masked[start:end].strip(), asked, rules)
            parts = [] if nothing else clauses(masked, start, end, rules)
            said = said_by(Sentence(text, masked, start, end, parts, asked), rules)
            remembered = _remembered(masked, start, end, asked=asked)
            items, leads = said.found or remembered, said.leads
            if not remembered:  # what is asked for in so many words is not judged
                heard += [
                    Heard(part.start, part.end, part.text, start, asked, number in said.settled)
                    for number, part in enumerate(parts)
                ]
        if complained and items and items[0].tag in (complained, "B"):
            found.pop()  # the complaint only led to what is asked for now
        found += items
        complained = leads
    return heard, found


def warm() -> None:
    """Compile and read everything now, so that no message waits for it."""
    patterns.warm()
    hints.warm()


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
        return []
    kept: list[Item] = []
    for start, end, _ in sentences(folded):
        if not rules.take_back.search(folded[start:end]):
            kept += capture(text[start:end])
        elif (place := _anew(folded, start, end, rules)) is not None:
            # A fact there only says why. Hints are not asked: they have learned what stands by itself.
            found = _listen(text[place:end], folded[place:end], rules)[1]
            kept += [Item(text[place + f.start : place + f.end].strip(), f.tag) for f in found if f.tag != "O"]
    return kept


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


def _in_japanese(text: str, masked: str, start: int, end: int, ender: str) -> list[Found]:
    """What a sentence in Japanese says, which ends with what decides. Folding is for Chinese: read as written."""
    whole = text[start:end].strip()
    if not is_japanese(whole) or VOID in masked[start:end] or SPOKEN in masked[start:end]:
        return []
    tag = judge_japanese(whole, "?" in ender or "？" in ender)
    return [Found(start, end, tag)] if tag else []


def _remembered(masked: str, start: int, end: int, *, asked: bool) -> list[Found]:
    """What a sentence asks to be remembered in so many words, whatever it is about."""
    raw = masked[start:end]
    begin = start + len(raw) - len(raw.lstrip())
    place = None if asked else asked_to_keep(raw.strip())
    return [Found(begin + place[0], begin + place[1], "O")] if place else []


def _states_nothing(whole: str, asked: bool, rules: Rules) -> bool:
    """True for a sentence that is a guess or a question as a whole."""
    if rules.whole_hypothesis.search(whole):
        return True
    return rules.question_frame.match(whole) is not None and (asked or rules.quiet.search(whole) is None)
