"""What is over: "I'm no longer allergic to peanuts", "我不吃素了" name an item that holds no more.

A plain statement is taken apart: of whom, denied or not, and in which words. It ends an item that says the opposite of
the same person in the same words. One that says that something is over also ends an item that goes on after them
("I'm vegetarian since 2019"), unless several do or more than one thing is said there.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from appliance.memory import words_en, words_zh
from appliance.memory.capture import heard_in
from appliance.memory.items import Item
from appliance.memory.voices import fold
from appliance.memory.word_forms import plain_form

_ENDS_EN = r"\b(?:no longer|any ?more|any longer|stopped|quit)\b"
_ENDS = re.compile(rf"{_ENDS_EN}|不再|[不没][^，,。！？]{{1,12}}[了啦]")
# What stands before is somebody else's word, or only supposed.
_NOT_SURE = re.compile(
    r"(?<!跟你)[说讲]|[写问想猜]|如果|要是|假如|假设|万一|就算|哪怕|的话"
    r"|\b(?:sa(?:y|ys|id)|tells?|told|writes?|wrote|asks?|asked|thinks?|thought|goes|if|suppose|imagine|when|once|unless)\b"
)
# Where a clause may begin that stands by itself; "the day I'm no longer allergic" goes on.
_BREAK = re.compile(r"(?:^|[^a-z0-9']|\b(?:and|but|so|because|turns out|btw|fyi|anyway))$")
_NEAR = 20  # characters before a clause in which that is looked for
_JOINS = ("and ", "but ", "so ", "because ")
_OTHERS = re.compile(rf"{words_zh.KIN}|[他她它]|{words_zh.OTHERS}")
_HAN = re.compile("[\u4e00-\u9fff]")
_EDGES = " \t\u3000.,!;:。，！；：~～'\""

_EN_WHOSE = re.compile(
    r"(?:(?:and|but|so|oh|ok|okay|well|actually|btw|by the way|also|hey|turns out|it turns out),? )*"
    rf"(?:(?P<self>i|we)|(?:my|our) (?P<kin>{words_en.KIN}))(?= )"
)
_EN_SHORT = {"'m": " am", "'re": " are", "'ve": " have", "n't": " not"}
_EN_LONG = re.compile("|".join(_EN_SHORT))
_EN_DENIED = re.compile(r"\b(?:not|no|stopped|quit)\b")
_EN_AFTER = re.compile(  # when it ended
    r"\bany ?(?:more|longer)\b.*|,? (?:(?:last|this) (?:week|month|year)|since (?:last )?\w+"
    rf"|\w+ (?:day|week|month|year)s? ago|in (?:{words_en.MONTHS}|\d{{4}}))$"
)
_EN_STOCK = (
    (re.compile(r"\b(?:have|has) (?=(?:stopped|quit|been|got)\b)"), ""),
    (re.compile(r"\b(?:am|are|is|been|being)\b"), "be"),
    (re.compile(r"\b(?:has|having|own|owning|got|keep|keeping)\b"), "have"),
    (
        re.compile(
            rf"{_ENDS_EN}|\b(?:not|no|do|does|an?|the|my|our|any|really|very|quite|badly|severely|mildly|highly"
            r"|extremely|terribly|strictly|still|also|now|again|currently|these days|nowadays)\b"
        ),
        "",
    ),
)
_EN_ENDING = re.compile(r"(?<=\w{3})(?:ing|e?s|e)$")
_EN_WORD = re.compile(r"[\w'-]+|[,&]")

_ZH_WHOSE = re.compile(
    rf"(?:其实|对了|另外|而且|但是?|不过(?!敏)|所以)*(?P<subject>(?:我们?|咱们?|我家|我们家)?的?(?P<kin>{words_zh.KIN})(?=[^的])"
    "|我们家|我家|咱家|家里|我们|咱们?|我)?"
)
_ZH_STOCK = re.compile(
    "已经|早就|早已|现在|目前|如今|其实|真的|再也|从此|以后|非常|特别|严重|轻微|一直|从小|最近|超级|终于"
)
_ZH_CLAIM = re.compile(
    r"[早都也很超挺最又还]*(?P<to>对[^不没]{1,8})?(?P<no>不再|不|没有?)?(?P<what>.+?)(?P<le>了|啦)?啦?"
)
_ZH_HAVING = re.compile(r"^(?:有|养)[了着]?一?[只条个匹辆台套]?")

_GOES_ON = re.compile(
    r"$|,? (?:to|sinc|for|at|in|on|from|with|as|called|named|by|becaus)\b"
    r"|名?叫|从|自|因为|[一二两三四五六七八九十\d]+个?[年月周天]|多年|至今"
)
_SEVERAL = re.compile(r",|&| (?:and|or|but|plu)\b|[，、和跟与及]|还有")


class _Claim(NamedTuple):
    """A plain statement: of whom, what in plain words, whether it denies that, and whether it did hold before."""

    whose: str
    what: str
    denied: bool
    ends: bool


def stated(text: str, kept: Iterable[str]) -> list[str]:
    """What a message states for sure, given what is kept of it: that, or its clauses where one may say that something
    is over and so is not kept. Of one that speaks of others only what names its subject."""
    plain = fold(text)
    said = _clauses(text, plain) if _ENDS.search(plain) else list(kept)
    return list(filter(_names_subject, said)) if said and _OTHERS.search(plain) else said


def _names_subject(statement: str) -> bool:
    """Whether it says of whom it is; in English it does, or it is no claim."""
    start = _ZH_WHOSE.match(fold(statement))
    return not _HAN.search(statement) or (start is not None and start["subject"] is not None)


def _clauses(text: str, plain: str) -> list[str]:
    """Clauses that are stated as they stand: not asked, not supposed, nobody else's word."""
    found = []
    word = _NOT_SURE.search(plain)
    for clause in heard_in(text):
        if word and word.start() < clause.sentence:
            word = _NOT_SURE.search(plain, clause.sentence)
        sure = word is None or word.end() > clause.start
        before = plain[max(clause.sentence, clause.start - _NEAR) : clause.start].rstrip()
        alone = clause.text.startswith(_JOINS) or _BREAK.search(before) is not None
        if alone and sure and not clause.asked:
            found.append(clause.text)
    return found


def ended(statements: Iterable[str], items: Sequence[Item]) -> list[Item]:
    """Those of one person's items that plain statements of theirs say are so no more."""
    found: dict[str, Item] = {}
    claims = [claim for claim in map(_claim, statements) if claim]
    told = [(item, claim) for item in items if item.tag != "B" and (claim := _claim(item.text))] if claims else []
    for new in claims:
        against = [(item, old.what) for item, old in told if old.whose == new.whose and old.denied != new.denied]
        same = [item for item, what in against if what == new.what]
        if not same and new.ends:
            more = [item for item, what in against if _goes_on(what, new.what)]
            same = more if len(more) == 1 else []
        found |= {item.id: item for item in same}
    return list(found.values())


def _goes_on(what: str, named: str) -> bool:
    """Whether something said is what is `named`, with more of the same said about it."""
    begin = what.find(named)
    if begin > 0 and not re.fullmatch("对[^和跟与及、]{1,8}", what[:begin]):
        return False
    rest = what[begin + len(named) :]
    return begin >= 0 and _GOES_ON.match(rest) is not None and _SEVERAL.search(rest) is None


@functools.lru_cache(maxsize=4_096)  # all items are taken apart at each statement
def _claim(text: str) -> _Claim | None:
    """Take a statement apart; None where it is not of the speaker or somebody of theirs."""
    plain = fold(text).strip(_EDGES)
    return _chinese(plain) if _HAN.search(plain) else _english(plain)


def _english(plain: str) -> _Claim | None:
    plain = _EN_LONG.sub(lambda found: _EN_SHORT[found[0]], plain)
    start = _EN_WHOSE.match(plain)
    if start is None:
        return None
    said = plain[start.end() :]
    denied, ends = _EN_DENIED.search(said) is not None, re.search(_ENDS_EN, said) is not None
    what = _EN_AFTER.sub("", said) if ends else said
    for pattern, instead in _EN_STOCK:
        what = pattern.sub(instead, what)
    words = [_EN_ENDING.sub("", plain_form(word)) for word in _EN_WORD.findall(what)]
    return _Claim(start["kin"] or "", " ".join(words), denied, ends and denied) if words else None


def _chinese(plain: str) -> _Claim | None:
    start = _ZH_WHOSE.match(plain)
    said = _ZH_CLAIM.fullmatch(_ZH_STOCK.sub("", plain[start.end() :] if start else plain))
    if start is None or said is None:
        return None
    no = said["no"] or ""
    what = ("有" if no.startswith("没") else "") + said["what"]
    return _Claim(
        start["kin"] or "",
        (said["to"] or "") + _ZH_HAVING.sub("有", what),
        bool(no),
        bool(no) and (said["le"] is not None or no == "不再"),
    )
