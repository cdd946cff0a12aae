"""Markdown to text with entities: what a person reads is what was meant.

CommonMark drops raw HTML, eats unclosed angle brackets and hides link targets that a chat cannot open. Here every such
construct is turned into literal text before it is rendered: nothing that was written disappears. telegramify-markdown
(imported when first used) walks the parse; its symbols, its reading of `||` as spoilers and of `$` as formulas are off.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from appliance.channels.literal import make_literal
from appliance.channels.rich import with_rich
from appliance.channels.splitting import Entity, Part, normalise_entities, split_rendered, utf16_length
from appliance.channels.tables import aligned

TELEGRAM_UNITS = 4096
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u2028\u2029\ufdd0-\ufdef\ufffe\uffff]")


def tidy(text: str) -> str:
    """Halves of a surrogate pair joined or replaced, line ends made equal, control characters dropped."""
    if any("\ud800" <= c <= "\udfff" for c in text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def render(markdown: str) -> tuple[str, list[Entity]]:
    """Given Markdown, return (text, entities in UTF-16 units). What cannot be parsed is returned as it is, plain.

    A table is a `pre` entity that has its `rows` beside what Telegram knows.
    """
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
    return with_rich(split_rendered(text, entities, TELEGRAM_UNITS))


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
        """The library's walker, with table columns that line up for wide characters too, and the tables' rows."""

        def __init__(self, config: Any, source: str) -> None:
            super().__init__(config, source)
            self.tables: list[tuple[Any, list[list[str]]]] = []

        def _format_table(self, rows: list[list[str]]) -> str:
            return aligned(rows)

        def _on_end_table(self) -> None:
            rows, before = list(self._table_rows), len(self._entities)
            super()._on_end_table()
            self.tables += [(entity, rows) for entity in self._entities[before:]]

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
    walk = walker(config, text)
    shown, entities, _ = walk.walk(tuple(_events(text)))
    rows = {id(entity): cells for entity, cells in walk.tables}
    return shown, [e.to_dict() | ({"rows": rows[id(e)]} if id(e) in rows else {}) for e in entities]


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
        if "rows" in entity:
            result[-1]["rows"] = [[cell.replace(character, "") for cell in row] for row in entity["rows"]]
    return text.replace(character, ""), result
