"""Tiers: how much of what is known goes into a prompt, and why.

    L0  the newest turns as they were said               the window; every prompt
    L1  the items that hold, and lines on other talks    every prompt of the owner's main session; in direct messages of
                                                         somebody else their own items, in short
    L2  an overview across conversations and months      only when the question names the past, or the model reads it

What L1 and L2 are read from lies under memory/tiers/, made when the house is idle (tidy.py). It is derived: it may be
deleted at any time, and a missing file only means that less is shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from appliance.memory.items import OWNER, Item, may_see
from appliance.memory.languages import fold
from appliance.memory.workspace import TIERS, Workspace
from appliance.models.estimate import tokens

OVERVIEW = f"memory/{TIERS}/overview.md"
ITEM_CHARS = 4_000
BRIEF_TOKENS = 300
TALK_CHARS = 1_200
OVERVIEW_CHARS = 3_000
_ORDER = {"B": 0, "W": 1, "O": 2}
_COMMENT = re.compile(r"\s*<!--.*?-->", re.DOTALL)
_PAST = re.compile(
    r"\b(?:last (?:week|month|year|time|spring|summer|autumn|fall|winter|christmas)|(?:weeks?|months?|years?) ago"
    r"|remember when|do you (?:still )?remember|back (?:then|in \w+)|when did (?:i|we)|what did (?:i|we)"
    r"|(?:have|did) (?:i|we) (?:ever |already )?(?:say|said|tell|told|mention\w*|decide\w*|talk\w*|agree\w*)"
    r"|we (?:talked|spoke|discussed|decided|agreed)|(?:earlier|so far) this (?:month|year)|over the (?:past|last))\b"
    r"|上(?:个?月|周|次|回|个?星期|个?礼拜|半年)|去年|前年|今年以来|过去[几一两三半]|[几两三四五六半]个?(?:月|年"
    r"|周|星期|礼拜)前"
    r"|(?:之前|以前|上次|那天)(?:说|聊|讲|提|定|问)|记不记得|(?:你|还)记得|我(?:有没有)?(?:说|讲|提)过|当时|那时候"
    r"|先月|先週|去年|前に(?:言|話)|覚えて"
)


@dataclass(frozen=True, slots=True)
class Loaded:
    """One piece that was put into a prompt. `what` names it, `why` says what for, `left` counts what did not fit."""

    tier: str
    what: str
    text: str
    why: str
    left: int = 0

    def as_json(self) -> dict[str, Any]:
        return {"tier": self.tier, "what": self.what, "chars": len(self.text), "why": self.why, "left": self.left}


def ordinary(workspace: Workspace, active: Sequence[Item], now: float) -> list[Loaded]:
    """L1 for the owner's main session. What was captured today and yesterday stands in the day notes beside it."""
    yesterday = workspace.day(now) - timedelta(days=1)
    items = [item for item in _told(active) if workspace.day(item.at) < yesterday]
    return [one for one in (_items(items), _talks(workspace)) if one is not None]


def brief(active: Sequence[Item], reader: str = OWNER) -> Loaded | None:
    """What holds, in at most BRIEF_TOKENS: all that a small model is told of what is remembered, and any model in the
    direct messages of somebody else, who is shown what is theirs."""
    return _items(_told(active, reader), BRIEF_TOKENS, tokens, reader)


def _told(active: Sequence[Item], reader: str = OWNER) -> list[Item]:
    return [item for item in active if not item.inferred and may_see(item, reader, household=reader == OWNER)]


def _items(
    items: list[Item], most: int = ITEM_CHARS, size: Callable[[str], int] = len, reader: str = OWNER
) -> Loaded | None:
    """Boundaries first, then wants, then facts, the newest of each first: what does not fit is what matters least."""
    lines: list[str] = []
    used = 0
    ordered = sorted(items, key=lambda item: (_ORDER[item.tag], -item.at))
    for item in ordered:
        line = f"- [{item.tag}] {item.text}" + ("" if item.person == reader else f" ({item.person})")
        if used + size(line) > most:
            break
        lines.append(line)
        used += size(line) + 1
    if not lines:
        return None
    left = len(ordered) - len(lines)
    more = [f"({left} more: memory_search finds them)"] if left else []
    head = "## Remembered (W: wants, B: limits on you, O: facts)"
    return Loaded("L1", "items", "\n".join([head, *lines, *more]), "holds in every conversation", left)


def _talks(workspace: Workspace) -> Loaded | None:
    text = _COMMENT.sub("", workspace.read_tier("sessions.md")).strip()
    if not text:
        return None
    lines = text.splitlines()
    shown: list[str] = []
    for line in lines:
        if sum(map(len, shown)) + len(line) > TALK_CHARS:
            break
        shown.append(line)
    more = f"Older: memory_get {OVERVIEW}"
    why = "what other conversations were about"
    return Loaded("L1", "sessions", "\n".join([*shown, more]), why, len(lines) - len(shown))


def names_past(text: str) -> str:
    """The words of a message that name the past ("last month", "上次"), or ""."""
    found = _PAST.search(fold(text[:2_000]))
    return found.group() if found else ""


def overview(workspace: Workspace, question: str) -> Loaded | None:
    """L2, when the question names the past and there is an overview."""
    past = names_past(question)
    text = _COMMENT.sub("", workspace.read_tier("overview.md")).strip() if past else ""
    if not text:
        return None
    shown = text if len(text) <= OVERVIEW_CHARS else text[:OVERVIEW_CHARS].rsplit("\n", 1)[0]
    return Loaded("L2", OVERVIEW, shown, f"the question names the past: {past!r}", len(text) - len(shown))
