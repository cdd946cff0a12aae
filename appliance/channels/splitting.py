"""Cut a rendered text into parts that a platform takes, by UTF-16 length, with its entities kept whole.

An entity is a dict with `type`, `offset` and `length` (UTF-16 units) and perhaps `url` or `language`. No cut falls
inside a character a reader sees as one (an emoji with its joiners, a letter with its marks).
"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_right
from typing import Any

Entity = dict[str, Any]
Part = dict[str, Any]  # {"text": str, "entities": [Entity]}

MAX_ENTITIES = 100  # Telegram silently drops what is beyond
MAX_BYTES = 30_000  # of a part with its entities as JSON
_CODE = frozenset({"pre", "code"})
# Entities that carry meaning come first when there are too many; plain emphasis is what a reader can miss.
_WORTH = {"text_link": 0, "pre": 1, "code": 2, "blockquote": 3}
_MAX_CLUSTER = 64
_JOINER = "\u200d"


def utf16_length(text: str) -> int:
    """Length in UTF-16 code units, as Telegram and Discord's clients count."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def split_rendered(text: str, entities: list[Entity], limit: int) -> list[Part]:
    """Given a text with entities and the most UTF-16 units of a part, return the parts in order.

    Joined, the parts are the text but for blanks where they meet. A blank text gives no part.
    """
    offsets = _offsets(text)
    parts: list[Part] = []
    start = 0
    while start < len(text):
        end = _cut(text, offsets, entities, start, limit)
        parts.extend(_fitting(_piece(text[start:end], offsets[start], offsets[end], entities)))
        start = end
    return parts


def _offsets(text: str) -> list[int]:
    """UTF-16 offset of each character, and of the end."""
    if text.isascii():
        return list(range(len(text) + 1))
    offsets = [0]
    for character in text:
        offsets.append(offsets[-1] + (2 if ord(character) > 0xFFFF else 1))
    return offsets


def _cut(text: str, offsets: list[int], entities: list[Entity], start: int, limit: int) -> int:
    """Where the part from `start` ends: best at a paragraph, then a line, then a blank, then anywhere whole."""
    end = bisect_right(offsets, offsets[start] + limit) - 1
    if end >= len(text):
        return len(text)
    floor = start + (end - start) // 2
    in_code = any(e["type"] == "pre" and e["offset"] < offsets[end] < e["offset"] + e["length"] for e in entities)
    for mark in ("\n",) if in_code else ("\n\n", "\n", " "):
        # The blank itself may stand just past the limit: it is trimmed away.
        found = text.rfind(mark, floor, end + 1)
        if found > floor:
            return min(found + len(mark), end) if found < end else end
    return whole_character(text, start, end)


def whole_character(text: str, start: int, end: int) -> int:
    """The last place at or before `end` (but after `start`) that is not inside a visible character."""
    for place in range(end, max(start, end - _MAX_CLUSTER), -1):
        if not _joined(text, place):
            return place
    return end


def _joined(text: str, place: int) -> bool:
    """True when the characters before and after `place` belong together."""
    if place <= 0 or place >= len(text):
        return False
    after, before = text[place], text[place - 1]
    if after == _JOINER or before == _JOINER or unicodedata.category(after) in ("Mn", "Me", "Mc"):
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":
        return True
    if _regional(after) and _regional(before):
        run = 0
        while run < place and run < _MAX_CLUSTER and _regional(text[place - 1 - run]):
            run += 1
        return run % 2 == 1
    return False


def _regional(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _piece(text: str, first: int, last: int, entities: list[Entity]) -> Part:
    """One part: its text without outer blanks (indentation inside code stays), its share of the entities."""
    shared = []
    for entity in entities:
        begin, end = max(entity["offset"], first), min(entity["offset"] + entity["length"], last)
        if begin < end:
            shared.append({**entity, "offset": begin - first, "length": end - begin})
    indented = any(e["type"] in _CODE and e["offset"] == 0 for e in shared)
    lead = len(text) - len(text.lstrip("\n") if indented else text.lstrip())
    shift = utf16_length(text[:lead])
    text = text[lead:].rstrip()
    total = utf16_length(text)
    kept = []
    for entity in shared:
        begin = max(entity["offset"] - shift, 0)
        end = min(entity["offset"] + entity["length"] - shift, total)
        if begin < end:
            kept.append({**entity, "offset": begin, "length": end - begin})
    return {"text": text, "entities": kept}


def _fitting(part: Part) -> list[Part]:
    """The part, with at most the entities a message may have; in halves when its links alone are too many."""
    text, entities = part["text"], part["entities"]
    if not text.strip():
        return []
    if len(entities) > MAX_ENTITIES:
        worthy = sorted(entities, key=lambda e: (_WORTH.get(e["type"], 9), e["offset"]))
        if worthy[MAX_ENTITIES]["type"] != "text_link":
            keep = {id(e) for e in worthy[:MAX_ENTITIES]}
            entities = [e for e in entities if id(e) in keep]
    fits = len(entities) <= MAX_ENTITIES and len(json.dumps([text, entities], ensure_ascii=False).encode()) <= MAX_BYTES
    if fits or len(text) < 2:
        # A single character whose link alone is too long goes without it.
        return [{"text": text, "entities": entities if fits else []}]
    return split_rendered(text, entities, utf16_length(text) // 2 + 1)


def normalise_entities(text: str, entities: list[Entity]) -> list[Entity]:
    """Bring entities to what Telegram takes: no style or link over code, quotes not nested, neighbours joined."""
    solid = [e for e in entities if e["type"] in _CODE]
    quotes = _joined_quotes(text, [e for e in entities if e["type"] == "blockquote"])
    result = [*solid, *quotes]
    for entity in entities:
        if entity["type"] not in _CODE and entity["type"] != "blockquote":
            result.extend(_without(entity, solid))
    unique = {(e["type"], e["offset"], e["length"], e.get("url", "")): e for e in result}
    return sorted(unique.values(), key=lambda e: (e["offset"], -e["length"], e["type"]))


def _joined_quotes(text: str, quotes: list[Entity]) -> list[Entity]:
    """Quotes inside quotes go up into the outer one; quotes with only blanks between them become one."""
    units = text.encode("utf-16-le", "surrogatepass")
    result: list[Entity] = []
    for quote in sorted(quotes, key=lambda e: (e["offset"], -e["length"])):
        if result:
            previous = result[-1]
            end = previous["offset"] + previous["length"]
            gap = units[end * 2 : quote["offset"] * 2].decode("utf-16-le", "surrogatepass")
            if quote["offset"] <= end or re.fullmatch(r"\n*", gap):
                previous["length"] = max(end, quote["offset"] + quote["length"]) - previous["offset"]
                continue
        result.append(dict(quote))
    return result


def _without(entity: Entity, solid: list[Entity]) -> list[Entity]:
    """What is left of an entity outside all code."""
    pieces = [(entity["offset"], entity["offset"] + entity["length"])]
    for code in solid:
        begin, end = code["offset"], code["offset"] + code["length"]
        pieces = [
            piece
            for left, right in pieces
            for piece in ((left, min(right, begin)), (max(left, end), right))
            if piece[0] < piece[1]
        ]
    return [{**entity, "offset": left, "length": right - left} for left, right in pieces]
