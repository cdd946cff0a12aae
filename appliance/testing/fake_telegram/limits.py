"""Telegram's rules for texts, entities and keyboards, enforced as refusals.

Two rules are stricter than the platform on purpose, because the platform drops what breaks them without a word:
entities that cross each other, and entities inside (or around part of) `pre` and `code`.
"""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

from appliance.testing.fake_telegram.errors import bad_request

MESSAGE_UNITS = 4096
CAPTION_UNITS = 1024
CALLBACK_BYTES = 64
ENTITIES = 100
_CODE = {"pre", "code"}
_QUOTES = {"blockquote", "expandable_blockquote"}
_KNOWN = {
    *("mention", "hashtag", "cashtag", "bot_command", "url", "email", "phone_number", "bold", "italic", "underline"),
    *("strikethrough", "spoiler", "text_link", "text_mention", "custom_emoji", *_CODE, *_QUOTES),
}
_RESERVED = set("_*[]()~`>#+-=|{}.!")
_TAGS = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "u": "underline",
    "ins": "underline",
    "s": "strikethrough",
    "strike": "strikethrough",
    "del": "strikethrough",
    "tg-spoiler": "spoiler",
    "code": "code",
    "pre": "pre",
    "a": "text_link",
    "blockquote": "blockquote",
}


def units(text: str) -> int:
    """Length as Telegram counts it: UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def json_field(value: Any, name: str) -> Any:
    """A field that may come as JSON text; 400 when it is not."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise bad_request(f"can't parse {name} JSON object") from None


def checked_text(params: dict[str, Any], *, caption: bool = False) -> tuple[str, list[dict[str, Any]]]:
    """Given the parameters of a send or edit, return (text, entities) as stored, or raise ApiError."""
    text = str(params.get("caption" if caption else "text") or "")
    if any(0xD800 <= ord(c) <= 0xDFFF for c in text):
        raise bad_request("strings must be encoded in UTF-8")
    mode = str(params.get("parse_mode") or "")
    field = "caption_entities" if caption else "entities"
    entities = json_field(params.get(field) or [], field)
    if mode.lower() == "html":
        text, entities = _html(text)
    elif mode.lower() == "markdownv2":
        text, entities = _markdown_v2(text), []
    elif mode:
        raise bad_request("unsupported parse_mode")
    if not isinstance(entities, list):
        raise bad_request("entities must be an Array")
    check_entities(text, entities)
    if not text.strip():
        if caption:
            return "", []
        raise bad_request("message text is empty" if not text else "text must be non-empty")
    if units(text) > (CAPTION_UNITS if caption else MESSAGE_UNITS):
        raise bad_request("message caption is too long" if caption else "message is too long")
    return _trimmed(text, entities)


def check_entities(text: str, entities: list[dict[str, Any]]) -> None:
    """Bounds, whole characters, nesting, number."""
    borders = {0}
    at = 0
    for character in text:
        at += 2 if ord(character) > 0xFFFF else 1
        borders.add(at)
    spans: list[tuple[int, int, str]] = []
    for entity in entities:
        kind, offset, length = entity.get("type"), entity.get("offset"), entity.get("length")
        if kind not in _KNOWN:
            raise bad_request("can't parse MessageEntity: unknown type")
        if not isinstance(offset, int) or not isinstance(length, int) or offset < 0 or length <= 0:
            raise bad_request("can't parse MessageEntity: wrong offset or length")
        where = f"entity beginning at UTF-16 offset {offset}"
        if offset + length > at:
            raise bad_request(f"{where} ends after the end of the text at UTF-16 offset {at}")
        if offset not in borders or offset + length not in borders:
            raise bad_request(f"{where} begins or ends in a middle of a UTF-16 symbol")
        if kind == "text_link" and not re.match(r"(https?|tg|ton)://\S+$", str(entity.get("url", ""))):
            raise bad_request("can't parse MessageEntity: wrong HTTP URL")
        spans.append((offset, offset + length, str(kind)))
    if len(spans) > ENTITIES:
        raise bad_request("ENTITIES_TOO_LONG")
    _check_nesting(spans)


def _check_nesting(spans: list[tuple[int, int, str]]) -> None:
    spans.sort(key=lambda span: (span[0], -span[1]))
    for index, (start, end, kind) in enumerate(spans):
        for other_start, other_end, other in spans[index + 1 :]:
            if other_start >= end:
                break
            if other_end > end:
                raise bad_request(f"entities {kind} at {start} and {other} at {other_start} cross")
            if kind in _CODE or (other in _CODE and kind not in _QUOTES):
                raise bad_request(f"{kind} at {start} may not hold {other}")
            if kind in _QUOTES and other in _QUOTES:
                raise bad_request("blockquotes may not be nested")


def _trimmed(text: str, entities: list[dict[str, Any]]) -> tuple[str, list[dict[str, Any]]]:
    """Telegram cuts blanks at the end, and at the beginning up to the first entity."""
    text = text.rstrip()
    total = units(text)
    first = min((e["offset"] for e in entities), default=total)
    lead = min(units(text) - units(text.lstrip()), first)
    text = text[lead:]  # blanks are one unit each
    kept = []
    for entity in entities:
        start, end = entity["offset"] - lead, min(entity["offset"] + entity["length"], total) - lead
        if end > start:
            kept.append({**entity, "offset": start, "length": end - start})
    return text, kept


def checked_markup(params: dict[str, Any]) -> dict[str, Any] | None:
    """The inline keyboard, or None; 400 when a button breaks the rules."""
    markup = json_field(params.get("reply_markup") or None, "reply markup")
    if not markup:
        return None
    for row in markup.get("inline_keyboard", []):
        for button in row:
            if not button.get("text"):
                raise bad_request("inline keyboard button text must be non-empty")
            data = str(button.get("callback_data", ""))
            if not data and not button.get("url"):
                raise bad_request("inline keyboard button must have exactly one action")
            if len(data.encode()) > CALLBACK_BYTES:
                raise bad_request("BUTTON_DATA_INVALID")
    return markup if markup.get("inline_keyboard") else None


class _Html(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.open: list[tuple[str, int, str]] = []
        self.entities: list[dict[str, Any]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _TAGS:
            raise bad_request(f'can\'t parse entities: Unsupported start tag "{tag}" at byte offset {len(self.text)}')
        self.open.append((tag, units(self.text), dict(attrs).get("href") or ""))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1][0] != tag:
            raise bad_request(f'can\'t parse entities: Unexpected end tag "{tag}"')
        _, start, url = self.open.pop()
        length = units(self.text) - start
        if length:
            extra = {"url": url} if tag == "a" else {}
            self.entities.append({"type": _TAGS[tag], "offset": start, "length": length, **extra})

    def handle_data(self, data: str) -> None:
        self.text += data


def _html(text: str) -> tuple[str, list[dict[str, Any]]]:
    stray = re.search(r"<(?![a-zA-Z/])|<[^>]*$", text)
    if stray is not None:
        raise bad_request(f"can't parse entities: Unclosed start tag at byte offset {stray.start()}")
    parser = _Html()
    parser.feed(text)
    parser.close()
    if parser.open:
        raise bad_request(
            f"can't parse entities: Can't find end tag corresponding to start tag \"{parser.open[-1][0]}\""
        )
    return parser.text, parser.entities


def _markdown_v2(text: str) -> str:
    """Refuse what MarkdownV2 refuses (a reserved character without its backslash, an open marker); drop the markers."""
    shown, opened = "", ""
    characters = iter(text)
    for character in characters:
        if character == "\\":
            shown += next(characters, "\\")
        elif character in "*_~`":
            opened = opened.replace(character, "") if character in opened else opened + character
        elif character in _RESERVED:
            raise bad_request(
                f"can't parse entities: Character '{character}' is reserved and must be escaped with the preceding '\\'"
            )
        else:
            shown += character
    if opened:
        raise bad_request("can't parse entities: Can't find end of the entity")
    return shown
