"""Backslashes where Markdown would lose text: raw HTML, e-mail addresses in angle brackets, links that no tap opens,
unused definitions, cells beyond a table's columns, products and tildes that look like emphasis.

The parser is handed in: a function from text to (event, byte range) pairs, as pyromark yields them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

Events = list[tuple[Any, dict[str, int]]]
Parse = Callable[[str], Events]

_PASSES = 40
_OPENABLE = re.compile(r"(?:https?|tg)://[^\s]+", re.IGNORECASE)
_DEFINITION = re.compile(rb"^[ >]*\[([^\]\n]+)\]:", re.MULTILINE)
_WIDE = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff"
_WIDE_PUNCTUATION = "\u3001-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65“”‘’…—"
# CommonMark closes `**` after a full stop only before a blank, which Chinese and Japanese do not write.
_CLOSER = re.compile(f"(?<=[{_WIDE_PUNCTUATION}])(?=(\\*\\*|\\*|~~)(?![*~\\s])[{_WIDE}\\w])")
_OPENER = re.compile(f"(?<=[{_WIDE}\\w])(\\*\\*|\\*|~~)(?=[{_WIDE_PUNCTUATION}])")


def make_literal(source: str, stand_in: str, parse: Parse) -> str | None:
    """Given Markdown, a character that is not in it and the parser, return Markdown that shows all of its text.

    The stand-in marks emphasis beside wide punctuation and is to be taken out after rendering. None when the rewriting
    comes to no end; then the text is best shown as it is.
    """
    text = _wide_emphasis(source, stand_in, parse)
    for _ in range(_PASSES):
        raw = text.encode()
        places = _vanishing(raw, parse(text))
        if not places:
            return text
        borders = [0, *sorted(places), len(raw)]
        text = b"\\".join(raw[a:b] for a, b in pairwise(borders)).decode()
    return None


def _wide_emphasis(source: str, stand_in: str, parse: Parse) -> str:
    """Put the stand-in where emphasis next to wide punctuation would not be seen; code is left alone."""
    if "*" not in source and "~" not in source:
        return source
    raw, result, cursor = source.encode(), "", 0
    code = [
        (where["start"], where["end"])
        for what, where in parse(source)
        if isinstance(what, dict) and ("Code" in what or _started(what, "CodeBlock") is not None)
    ]
    for start, end in [*code, (len(raw), len(raw))]:
        prose = raw[cursor:start].decode()
        result += _OPENER.sub(rf"\1{stand_in}", _CLOSER.sub(stand_in, prose)) + raw[start:end].decode()
        cursor = end
    return result


def _vanishing(raw: bytes, events: Events) -> set[int]:
    """Byte places that need a backslash so that what stands there is shown."""
    places = _vanishing_links(events) | _vanishing_cells(raw, events) | _empty_code(events)
    if _DEFINITION.search(raw):
        places |= _unused_definitions(raw, events)
    for what, where in events:
        start, end = where["start"], where["end"]
        if isinstance(what, str):
            continue
        if "InlineHtml" in what:
            places.add(start)
        elif "Html" in what:
            line = raw[start:end]
            indent = len(line) - len(line.lstrip(b" "))
            if indent < 4 and line[indent : indent + 1] == b"<":
                places.add(start + indent)
        elif _literal_emphasis(what.get("Start"), raw, start, end):
            places |= {start, end - 1}
    return places


def _vanishing_links(events: Events) -> set[int]:
    """Places of links and images of which a reader would not see where they point, or nothing at all."""
    places: set[int] = set()
    in_table = False
    open_links: list[tuple[int, bool]] = []  # place, and whether anything is shown for it yet
    for what, where in events:
        if isinstance(what, str):
            continue
        link = _started(what, "Link") or _started(what, "Image")
        if _started(what, "Table") is not None or what.get("End") == "Table":
            in_table = "Start" in what
        elif link is not None:
            open_links.append((where["start"], False))
            if not _shows_its_target(link, in_table=in_table):
                places.add(where["start"])
        elif what.get("End") in ("Link", "Image") and open_links:
            place, shown = open_links.pop()
            if not shown:
                places.add(place)
        elif what.get("Text", "").strip() or "Code" in what:
            open_links = [(place, True) for place, _ in open_links]
    return places


def _vanishing_cells(raw: bytes, events: Events) -> set[int]:
    """Places in the delimiter line of each table with a row that has more cells than the table has columns."""
    places: set[int] = set()
    head = cell = 0
    for what, where in events:
        if not isinstance(what, dict):
            continue
        if what.get("End") == "TableHead":
            head = where["end"]
        elif what.get("End") == "TableCell":
            cell = where["end"]
        elif what.get("End") == "TableRow" and raw[cell : where["end"]].strip(b"|> \t\n"):
            delimiter = raw.find(b"-", head)
            if delimiter >= 0:
                places.add(delimiter)
    return places


def _empty_code(events: Events) -> set[int]:
    """Places of fences with nothing inside: the word after the fence would vanish."""
    places: set[int] = set()
    fence, empty = -1, False
    for what, where in events:
        if not isinstance(what, dict):
            continue
        if (kind := _started(what, "CodeBlock")) is not None:
            fence, empty = where["start"], isinstance(kind, dict) and bool(kind.get("Fenced"))
        elif what.get("Text", "").strip():
            empty = False
        elif what.get("End") == "CodeBlock" and empty:
            places.add(fence)
    return places


def _unused_definitions(raw: bytes, events: Events) -> set[int]:
    """Places of link definitions that no link uses."""
    used: set[str] = set()
    code: list[tuple[int, int]] = []
    for what, where in events:
        if not isinstance(what, dict):
            continue
        link = _started(what, "Link") or _started(what, "Image")
        if link is not None and link["id"]:
            used.add(link["id"].casefold())
        if "Code" in what or _started(what, "CodeBlock") is not None:
            code.append((where["start"], where["end"]))
    places = set()
    for match in _DEFINITION.finditer(raw):
        place = match.start(1) - 1
        if match[1].decode().casefold() not in used and not any(start <= place < end for start, end in code):
            places.add(place)
    return places


def _shows_its_target(link: dict[str, Any], *, in_table: bool) -> bool:
    """Whether a reader can get where the link points: a tap opens it, or its address is the text itself."""
    if link["link_type"] == "Autolink":
        return True
    return link["link_type"] != "Email" and not in_table and bool(_OPENABLE.fullmatch(link["dest_url"]))


def _literal_emphasis(started: Any, raw: bytes, start: int, end: int) -> bool:
    """2*3*4 is a product and ~5 is about five: neither is emphasis."""
    if started == "Strikethrough":
        return raw[start + 1 : start + 2] != b"~"
    around = raw[start - 1 : start] + raw[start + 1 : start + 2] if start else b""
    return started == "Emphasis" and around.isdigit() and raw[start : start + 1] == b"*"


def _started(event: dict[str, Any], name: str) -> Any:
    start = event.get("Start")
    return start.get(name) if isinstance(start, dict) else None
