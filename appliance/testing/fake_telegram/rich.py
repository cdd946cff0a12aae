"""Telegram's rules for rich messages, enforced as refusals."""

from __future__ import annotations

from typing import Any

from appliance.testing.fake_telegram.errors import bad_request
from appliance.testing.fake_telegram.limits import json_field

Json = dict[str, Any]
CHARACTERS, BLOCKS, COLUMNS, DEPTH = 32_768, 500, 20, 16
_STYLES = {"bold", "italic", "underline", "strikethrough", "spoiler", "code", "url"}


def checked_rich(params: Json) -> Json:
    """Given the parameters of an edit, return the rich message as stored, or raise ApiError."""
    message = json_field(params["rich_message"], "rich message")
    given = [name for name in ("html", "markdown", "blocks") if message.get(name)]
    if given != ["blocks"]:
        raise bad_request("exactly one of html, markdown and blocks must be used (here: blocks)")
    blocks = message["blocks"]
    if _size(blocks) > BLOCKS:
        raise bad_request("RICH_MESSAGE_TOO_MANY_BLOCKS")
    for block in blocks:
        _check_block(block)
    if len(rich_text(message)) > CHARACTERS:
        raise bad_request("RICH_MESSAGE_TOO_LONG")
    return {"blocks": blocks}


def rich_text(message: Json) -> str:
    """What a rich message says, its tables with a bar between cells."""
    return "\n".join(_block_text(block) for block in message.get("blocks", []))


def _size(blocks: list[Json]) -> int:
    return sum(1 + len(block.get("cells", ())) + _size(block.get("blocks", [])) for block in blocks)


def _check_block(block: Json) -> None:
    match block.get("type"):
        case "paragraph" | "pre":
            _check_text(block["text"], 0)
        case "heading":
            if block.get("size") not in range(1, 7):
                raise bad_request("can't parse InputRichBlock: Can't find field \"size\"")
            _check_text(block["text"], 0)
        case "blockquote":
            for inner in block["blocks"]:
                _check_block(inner)
        case "table":
            _check_table(block.get("cells"))
        case other:
            raise bad_request(f"can't parse InputRichBlock: unknown type {other}")


def _check_table(cells: Any) -> None:
    if not cells:
        raise bad_request("can't parse InputRichBlock: Can't find field \"cells\"")
    if len({len(row) for row in cells}) != 1 or not 1 <= len(cells[0]) <= COLUMNS:
        raise bad_request("RICH_MESSAGE_TABLE_INVALID")
    for cell in [cell for row in cells for cell in row]:
        if cell.get("align") not in ("left", "center", "right") or cell.get("valign") not in (
            "top",
            "middle",
            "bottom",
        ):
            raise bad_request("can't parse PageBlockTableCell: wrong alignment")
        if "text" in cell:
            _check_text(cell["text"], 0)


def _check_text(text: Any, depth: int) -> None:
    if depth > DEPTH:
        raise bad_request("RICH_MESSAGE_TOO_DEEP")
    if isinstance(text, list):
        for piece in text:
            _check_text(piece, depth)
    elif isinstance(text, dict):
        if text.get("type") not in _STYLES:
            raise bad_request("can't parse PageBlockTableCell: Unsupported rich text type")
        _check_text(text["text"], depth + 1)
    elif not isinstance(text, str) or not text:
        raise bad_request("can't parse rich text: empty")
    elif any(0xD800 <= ord(c) <= 0xDFFF for c in text):
        raise bad_request("strings must be encoded in UTF-8")


def _block_text(block: Json) -> str:
    if "cells" in block:
        return "\n".join(" | ".join(_plain(cell.get("text", "")) for cell in row) for row in block["cells"])
    if "blocks" in block:
        return rich_text(block)
    return _plain(block["text"])


def _plain(text: Any) -> str:
    if isinstance(text, list):
        return "".join(_plain(piece) for piece in text)
    return _plain(text["text"]) if isinstance(text, dict) else str(text)
