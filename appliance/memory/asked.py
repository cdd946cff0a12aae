"""Sentences that ask outright to be remembered: "remember that …", "记住…", "覚えておいて、…".

What follows is kept whatever it is about, unless it is a thing to do ("remember to …") or a shared past ("remember
when …"), which are no facts.
"""

from __future__ import annotations

import re

from appliance.memory.rules_ja import is_japanese

# Chinese is matched as folded: in the simplified script.
_EN_OPEN = r"^(?:(?:and|also|ok(?:ay)?|hey|oh|so|please|pls|can you|could you|just)[ ,]+)*"
_EN_PLAIN = re.compile(
    _EN_OPEN + r"(?:remember|note|keep in mind|bear in mind|do(?:n't| not) forget|make a note|take a note|write down"
    r"|for the record|just so you know)(?: for (?:me|later|next time|the future))?"
    r"(?: that |[:,] ?(?:that )?)(?P<rest>.+)$",
    re.IGNORECASE,
)
_EN_BARE = re.compile(_EN_OPEN + r"remember (?P<rest>.+)$", re.IGNORECASE)
_EN_CLAUSE = re.compile(r"\S+(?: \S+){2,}")  # a sentence of its own, not a thing
_EN_STATES = re.compile(
    r"^(?:i|we|my|our|he|she|they|it|you) \S"
    r"|\b(?:is|are|was|were|isn't|aren't|has|have|goes|comes|starts|ends|opens|closes|needs?|lives?|works?|costs?"
    r"|changed"
    r"|moved|expires?|can't|cannot|can|will|must|runs?|keeps?|takes?|owns?|uses?|belongs?|means?)\b|\w's \w",
    re.IGNORECASE,
)
_EN_NOT = re.compile(
    r"(?:to|when|how|why|what|where|who|whether|if|me|us|him|them|back)\b"
    r"|(?:time|day|night) (?:we|i|you|he|she|they|when)\b"
    r"|(?:that|the) (?:time|day|night|guy|girl|man|woman|movie|film|show|song|scene|one|thing|trip|party)\b",
    re.IGNORECASE,
)
_ZH = re.compile(
    r"^(?:那|请|麻烦|帮我|你|要|给我|也|还有|对了|，)*"
    r"(?:记住|记一下|记下来?|记着|记好|记录一下|备注一下|别忘了|别忘记)(?:了|哦|喔|啊|，|：|:|,| )*(?P<rest>.+)$"
)
_ZH_STATES = re.compile(r"是|在|叫|有|为|住|：|:|[0-9０-９]|号|每|周|都|会|了")
_ZH_NOT = re.compile(
    r"(?:要|去|把|带|买|拿|给|做|打|发|提醒|交|寄|回|明天|今天|今晚|后天|待会|等下|等会|我说|我们(?:去|在|第))"
)
_JA = re.compile(
    r"^(?:(?:覚えておいて|覚えといて|メモして|メモしておいて)(?:ください|下さい|ね)?[、。：:,\s]+(?P<after>.+)"
    r"|(?P<before>.{4,}?)(?:のを|って|と|を)?(?:覚えておいて|覚えといて|メモしておいて)(?:ください|下さい|ね)?)$"
)


def asked_to_keep(sentence: str) -> tuple[int, int] | None:
    """Given a folded sentence without its end mark, return where the thing to remember stands, or None."""
    for pattern, states, never in (
        (_EN_PLAIN, _EN_CLAUSE, _EN_NOT),
        (_EN_BARE, _EN_STATES, _EN_NOT),
        (_ZH, _ZH_STATES, _ZH_NOT),
    ):
        found = pattern.match(sentence)
        if found and not never.match(found["rest"]) and states.search(found["rest"]):
            return found.span("rest")
    japanese = _JA.match(sentence) if is_japanese(sentence) else None
    if japanese:
        return japanese.span("after" if japanese["after"] else "before")
    return None
