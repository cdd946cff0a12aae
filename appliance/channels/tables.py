"""Tables for platforms that have none: in columns as code where a phone shows the whole width, else row by row."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

PHONE_COLUMNS = 40  # what a phone shows of a line of code without breaking it
_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)


def aligned(rows: list[list[str]]) -> str:
    """A table as lines whose columns stand below one another; a wide one counts two. The first row is the head."""
    count = max((len(row) for row in rows), default=0)
    full = [[*row, *[""] * (count - len(row))] for row in rows]
    widths = [max(columns(row[i]) for row in full) for i in range(count)]
    lines = [
        " | ".join(cell + " " * (width - columns(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in full
    ]
    if len(lines) > 1:
        lines.insert(1, "-+-".join("-" * width for width in widths))
    return "\n".join(lines)


def columns(text: str) -> int:
    """How many columns of a fixed-width font a text takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def without_tables(markdown: str) -> str:
    """Given Markdown without halves of surrogates, return it with its tables as code or rows; all else as it is."""
    if "|" not in markdown:
        return markdown
    raw = markdown.encode()
    pieces, at = [], 0
    for table in _tables(markdown, raw):
        pieces += [raw[at : table.start], _shown(table).encode()]
        at = table.end
    return b"".join([*pieces, raw[at:]]).decode()


@dataclass(slots=True)
class _Table:
    """Where it stands in the bytes, and its cells: as they read, and as they were written."""

    start: int
    end: int
    read: list[list[str]] = field(default_factory=list)
    written: list[list[str]] = field(default_factory=list)


def _tables(markdown: str, raw: bytes) -> Iterator[_Table]:
    """The tables that stand in no list and no quote."""
    import pyromark

    table: _Table | None = None
    depth = 0
    for what, where in pyromark.events_with_range(markdown, options=pyromark.Options.ENABLE_TABLES):
        started = what.get("Start") if isinstance(what, dict) else None
        if table is None:
            if depth == 0 and isinstance(started, dict) and "Table" in started:
                table = _Table(where["start"], where["end"])
        elif started in ("TableHead", "TableRow"):
            table.read.append([])
            table.written.append([])
        elif started == "TableCell":
            table.read[-1].append("")
            written = raw[where["start"] : where["end"]].decode().strip().replace("\\|", "|")
            table.written[-1].append(_BREAK.sub(" ", written))
        elif isinstance(what, dict) and what.get("End") == "Table":
            yield table
            table = None
        elif table.read and table.read[-1]:
            table.read[-1][-1] += _words(what)
        depth += _step(what)


def _step(what: Any) -> int:
    if not isinstance(what, dict):
        return 0
    return 1 if "Start" in what else -1 if "End" in what else 0


def _words(what: Any) -> str:
    """What an event inside a cell adds to what is read."""
    if not isinstance(what, dict):
        return ""
    return str(what.get("Text") or what.get("Code") or _BREAK.sub(" ", what.get("InlineHtml", "")))


def _shown(table: _Table) -> str:
    code = aligned(table.read)
    if max(columns(line) for line in code.split("\n")) <= PHONE_COLUMNS and "```" not in code:
        return f"```\n{code}\n```\n"
    return "\n\n".join(_stacked(table.written[0], row) for row in table.written[1:] or table.written) + "\n"


def _stacked(head: list[str], row: list[str]) -> str:
    """A row as a few lines: its first cell, then each other cell after the name of its column."""
    first = row[0] if "*" in row[0] or not row[0] else f"**{row[0]}**"
    rest = [f"- {name}: {cell}" if name else f"- {cell}" for name, cell in zip(head[1:], row[1:], strict=False) if cell]
    return "\n".join([first, *rest] if first else rest)
