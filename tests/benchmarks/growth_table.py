"""The figures of load.py as tables in Markdown, one for each kind of size."""

from __future__ import annotations

from typing import Any

from tests.benchmarks.pages import machine

TITLES = {
    "sessions": "conversations on disk, ten turns each",
    "megabytes": "megabytes of one conversation",
    "rows": "rows of the ledger",
    "at once": "conversations that talk at once",
}
_FIGURES = {
    "ready_s": "start to a healthy answer, s",
    "indexed_s": "then until everything is indexed for the first time, s",
    "first_turn_ms": "the first turn, at once after that, ms",
    "turn_ms": "a turn, ms",
    "search_ms": "a search in memory, ms",
    "list_ms": "the list of conversations, ms",
    "spend_ms": "the report on spending, ms",
    "turns_a_second": "turns a second",
    "p50_ms": "a turn, ms (median)",
    "p95_ms": "a turn, ms (95 of 100 are quicker)",
    "rss_mib": "memory, MiB",
}


def figures(found: dict[str, Any]) -> list[str]:
    """The keys of a table that hold a figure for each size; its first key names the sizes."""
    return [key for key in list(found)[1:] if key not in ("growth", "knee")]


def markdown(tables: list[dict[str, Any]]) -> str:
    """Given the tables of load.py, return them for people, with the machine and the day below."""
    return "\n".join(line for found in tables for line in _lines(found)) + f"\n{machine()}"


def _lines(found: dict[str, Any]) -> list[str]:
    name = next(iter(found))
    lines = [_row(TITLES[name], found[name]), "| --- |" + " ---: |" * len(found[name])]
    lines += [_row(_FIGURES[key], found[key]) for key in figures(found)]
    if "knee" in found:
        lines += ["", f"More than {found['knee']} at once bring hardly more turns a second."]
    return [*lines, ""]


def _row(title: str, values: list[float]) -> str:
    return f"| {title} | " + " | ".join(f"{value:,}" for value in values) + " |"
