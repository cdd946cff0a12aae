"""Parts with tables as Telegram's rich messages, beside the text that is shown where those are refused."""

from __future__ import annotations

from typing import Any

from appliance.channels.splitting import Entity, Part

RichText = Any  # a string, a list of them, or {"type", "text", ...}
Block = dict[str, Any]
_BLOCKS, _COLUMNS = 500, 20  # Telegram's limits; a row of a table counts as a block
_SOLID = ("pre", "blockquote")
_STYLES = ("bold", "italic", "underline", "strikethrough", "code")


def with_rich(parts: list[Part]) -> list[Part]:
    """Given parts whose tables are `pre` entities with `rows`, return them without `rows`, those with a table with
    `rich` beside their text: the blocks of a rich message. A table that is cut has its head in every part."""
    taken: dict[int, int] = {}  # by table: lines of it in earlier parts
    made = []
    for part in parts:
        blocks = _blocks(part, taken)
        entities = [{name: value for name, value in e.items() if name != "rows"} for e in part["entities"]]
        made.append({**part, "entities": entities} | ({"rich": blocks} if blocks else {}))
    return made


def _blocks(part: Part, taken: dict[int, int]) -> list[Block]:
    """The blocks of a part; none when it has no table, or what rich messages cannot show."""
    raw = part["text"].encode("utf-16-le", "surrogatepass")
    solid = sorted((e for e in part["entities"] if e["type"] in _SOLID), key=lambda e: int(e["offset"]))
    inline = [e for e in part["entities"] if e["type"] not in _SOLID]
    blocks: list[Block] = []
    at, tables, fits = 0, 0, True
    for entity in solid:
        begin, end = entity["offset"], entity["offset"] + entity["length"]
        fits = fits and begin >= at  # code inside a quote is left to the text form
        blocks += _paragraphs(raw, at, begin, inline)
        if "rows" in entity:
            cells = _cells(entity["rows"], _text(raw, begin, end).count("\n") + 1, taken)
            fits = fits and len(cells[0]) <= _COLUMNS
            tables += len(cells)
            blocks.append({"type": "table", "cells": cells, "is_bordered": True})
        elif entity["type"] == "pre":
            language = {"language": entity["language"]} if entity.get("language") else {}
            blocks.append({"type": "pre", "text": _text(raw, begin, end), **language})
        else:
            blocks.append({"type": "blockquote", "blocks": _paragraphs(raw, begin, end, inline)})
        at = max(at, end)
    blocks += _paragraphs(raw, at, len(raw) // 2, inline)
    return blocks if tables and fits and _count(blocks) <= _BLOCKS else []


def _cells(rows: list[list[str]], lines: int, taken: dict[int, int]) -> list[list[Block]]:
    """The head and the rows that these lines of the text form show; its second line is the one below the head."""
    begin = taken.get(id(rows), 0)
    taken[id(rows)] = begin + lines
    shown = [rows[0], *(rows[line - 1] for line in range(max(begin, 2), begin + lines) if line - 1 < len(rows))]
    width = max(len(row) for row in rows)
    return [
        [_cell(cell, head=number == 0) for cell in [*row, *[""] * (width - len(row))]]
        for number, row in enumerate(shown)
    ]


def _cell(text: str, *, head: bool) -> Block:
    cell: Block = {"align": "left", "valign": "top"}
    return cell | ({"text": text} if text else {}) | ({"is_header": True} if head else {})


def _paragraphs(raw: bytes, begin: int, end: int, entities: list[Entity]) -> list[Block]:
    """A paragraph for each line that is not blank, so that every break of a line stays."""
    found = []
    for line in _text(raw, begin, end).split("\n"):
        size = len(line.encode("utf-16-le", "surrogatepass")) // 2
        if line.strip():
            found.append({"type": "paragraph", "text": _inline(raw, begin, begin + size, entities)})
        begin += size + 1
    return found


def _inline(raw: bytes, begin: int, end: int, entities: list[Entity]) -> RichText:
    """A stretch of text with what styles it, the outer style first."""
    inside = [
        {
            **e,
            "offset": max(e["offset"], begin),
            "length": min(e["offset"] + e["length"], end) - max(e["offset"], begin),
        }
        for e in entities
        if e["offset"] < end and e["offset"] + e["length"] > begin
    ]
    inside.sort(key=lambda e: (e["offset"], -e["length"]))
    pieces: list[RichText] = []
    at = begin
    for number, entity in enumerate(inside):
        start, stop = entity["offset"], entity["offset"] + entity["length"]
        if start < at:
            continue  # stands inside an outer one
        if start > at:
            pieces.append(_text(raw, at, start))
        pieces.append(_styled(entity, _inline(raw, start, stop, inside[number + 1 :])))
        at = stop
    if at < end:
        pieces.append(_text(raw, at, end))
    return pieces[0] if len(pieces) == 1 else pieces


def _styled(entity: Entity, text: RichText) -> RichText:
    if entity["type"] == "text_link":
        return {"type": "url", "text": text, "url": entity["url"]}
    return {"type": entity["type"], "text": text} if entity["type"] in _STYLES else text


def _text(raw: bytes, begin: int, end: int) -> str:
    return raw[begin * 2 : end * 2].decode("utf-16-le", "surrogatepass")


def _count(blocks: list[Block]) -> int:
    return sum(1 + len(block.get("cells", ())) + _count(block.get("blocks", [])) for block in blocks)
