"""Markdown to text with entities: what a person reads is what was meant.

CommonMark drops raw HTML, eats unclosed angle brackets and hides link targets that a chat cannot open. Here every such
construct is turned into literal text before it is rendered: nothing that was written disappears. telegramify-markdown
(imported when first used) walks the parse; its symbols, its reading of `||` as spoilers and of `$` as formulas are off.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Any

from appliance.channels.literal import make_literal
from appliance.channels.splitting import Entity, Part, normalise_entities, split_rendered, utf16_length

TELEGRAM_UNITS = 4096
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u2028\u2029\ufdd0-\ufdef\ufffe\uffff]")


def tidy(text: str) -> str:
    """Halves of a surrogate pair joined or replaced, line ends made equal, control characters dropped."""
    if any("\ud800" <= c <= "\udfff" for c in text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def render(markdown: str) -> tuple[str, list[Entity]]:
    """Given Markdown, return (text, entities in UTF-16 units). What cannot be parsed is returned as it is, plain."""
    source = tidy(markdown)
    stand_in = next(chr(c) for c in range(0xE000, 0xF8FF) if chr(c) not in source)
    literal = make_literal(source, stand_in, _events)
    if literal is None:
        return source, []
    text, entities = _walk(literal)
    text, entities = _without_character(text, entities, stand_in)
    if not text.strip() and source.strip():
        return source, []
    return text, normalise_entities(text, entities)


def telegram_parts(markdown: str) -> list[Part]:
    """Given Markdown, return the messages it makes on Telegram, each within every limit; blank text makes none."""
    text, entities = render(markdown)
    return split_rendered(text, entities, TELEGRAM_UNITS)


def plain(part: Part) -> Part:
    """The same part without entities: what is sent when Telegram refuses them."""
    return {"text": part["text"], "entities": []}


# --- the parse ------------------------------------------------------------------------------------------------------


@cache
def _parser() -> tuple[Any, Any, Any, Any]:
    """(events function, its options, walker class, its configuration), imported when the first reply is rendered."""
    import pyromark
    from telegramify_markdown.config import RenderConfig
    from telegramify_markdown.converter import EventWalker

    class Walker(EventWalker):
        """The library's walker, with table columns that line up for wide characters too."""

        def _format_table(self, rows: list[list[str]]) -> str:
            return _table(rows)

    config = RenderConfig.isolated()
    config.cite_expandable = False
    symbol = config.markdown_symbol
    for level in range(1, 7):
        setattr(symbol, f"heading_level_{level}", "")
    symbol.image, symbol.unordered_list_item, symbol.horizontal_rule = "", "•", "———"
    symbol.task_completed, symbol.task_uncompleted = "☑", "☐"
    options = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH | pyromark.Options.ENABLE_TASKLISTS
    return pyromark.events_with_range, options, Walker, config


def _events(text: str) -> list[tuple[Any, dict[str, int]]]:
    parse, options, _, _ = _parser()
    return list(parse(text, options=options))


def _walk(text: str) -> tuple[str, list[Entity]]:
    _, _, walker, config = _parser()
    shown, entities, _ = walker(config, text).walk(tuple(_events(text)))
    return shown, [entity.to_dict() for entity in entities]


def _table(rows: list[list[str]]) -> str:
    """A table as lines of equal width; a wide character counts two columns."""
    count = max((len(row) for row in rows), default=0)
    full = [[*row, *[""] * (count - len(row))] for row in rows]
    widths = [max(_columns(row[i]) for row in full) for i in range(count)]
    lines = [
        " | ".join(cell + " " * (width - _columns(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in full
    ]
    if len(lines) > 1:
        lines.insert(1, "-+-".join("-" * width for width in widths))
    return "\n".join(lines)


def _columns(text: str) -> int:
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _without_character(text: str, entities: list[Entity], character: str) -> tuple[str, list[Entity]]:
    """Take a character out of the text and out of the entities' offsets."""
    if character not in text:
        return text, entities
    gone = [utf16_length(text[:i]) for i, c in enumerate(text) if c == character]

    def moved(offset: int) -> int:
        return offset - sum(place < offset for place in gone)

    result = []
    for entity in entities:
        begin, end = moved(entity["offset"]), moved(entity["offset"] + entity["length"])
        if begin < end:
            result.append({**entity, "offset": begin, "length": end - begin})
    return text.replace(character, ""), result
