"""Tables of many shapes made quick: whatever lets the engine leave a position before it has tried every shape.

A position is left after one test when no shape can begin there: because it begins no word (`\\b`), is not the first
(`^`), or holds a character that no shape begins with. No answer changes by it.
"""

from __future__ import annotations

import re

_AROUND = re.compile(r"\(\?(?:=|!|<=|<!)")
_MAY_BE_MISSING = re.compile(r"[?*]|\{0?,")
_QUANTIFIER = re.compile(r"(?:[?*+]|\{\d*,?\d*\})\??")


def hoisted(source: str) -> str:
    """Given the source of a pattern, return one that finds the same, with what its shapes begin with tested first."""
    groups: dict[str, list[str]] = {"^": [], r"\b": [], "": []}
    for shape in alternatives(source):
        anchor = next(mark for mark in groups if shape.startswith(mark))
        groups[anchor].append(shape.removeprefix(anchor))
    parts = []
    for anchor, shapes in groups.items():
        begins = {shape: beginning(shape) for shape in shapes}
        known = [shape for shape in shapes if begins[shape]]
        unknown = [shape for shape in shapes if not begins[shape]]
        if known:
            characters = "".join(sorted({character for shape in known for character in begins[shape] or ()}))
            parts.append(f"{anchor}(?=[{characters}])(?:{'|'.join(known)})")
        if unknown:
            parts.append(f"{anchor}(?:{'|'.join(unknown)})")
    return "|".join(parts)


def alternatives(source: str) -> list[str]:
    """Split a pattern at the bars that stand outside every group and character class."""
    found, depth, begin, position = [], 0, 0, 0
    while position < len(source):
        character = source[position]
        if character in "\\[":
            position = _end(source, position)
            continue
        if character in "()":
            depth += 1 if character == "(" else -1
        elif character == "|" and depth == 0:
            found.append(source[begin:position])
            begin = position + 1
        position += 1
    return [*found, source[begin:]]


def beginning(shape: str) -> set[str] | None:
    """The characters (or classes of them, as written in brackets) that a match begins with; None when any may be."""
    found: set[str] = set()
    position = 0
    while position < len(shape):
        end = _end(shape, position)
        item = shape[position:end]
        position = end
        if item in (r"\b", "^") or _AROUND.match(item):
            continue
        first = _first(item)
        if first is None:
            return None
        found |= first
        quantifier = _QUANTIFIER.match(shape, end)
        if quantifier:
            position = quantifier.end()
        if not (quantifier and _MAY_BE_MISSING.match(quantifier.group())) and not _empty(item):
            return found
    return None


def _first(item: str) -> set[str] | None:
    """What one item of a shape begins with."""
    if item.startswith("("):
        found: set[str] = set()
        for branch in alternatives(item[1:-1].removeprefix("?:")):
            begins = beginning(branch)
            if begins is None and not (found and not branch):
                return None
            found |= begins or set()
        return found
    if item.startswith("["):
        return None if item.startswith("[^") else {re.sub(r"-$", r"\\-", item[1:-1])}
    if item in (".", "$") or item in (r"\w", r"\W", r"\S", r"\D", r"\B"):
        return None
    return {item if item.startswith("\\") else re.escape(item)}


def _empty(item: str) -> bool:
    """True for a group that may match nothing."""
    return item.startswith("(") and any(not branch for branch in alternatives(item[1:-1].removeprefix("?:")))


def _end(source: str, position: int) -> int:
    """Where the item that begins at `position` ends, without a quantifier."""
    if source[position] == "\\":
        return position + 2
    if source[position] == "[":
        position += 1
        while source[position] != "]":
            position += 2 if source[position] == "\\" else 1
        return position + 1
    if source[position] != "(":
        return position + 1
    depth = 0
    while True:
        if source[position] in "\\[":
            position = _end(source, position)
            continue
        depth += {"(": 1, ")": -1}.get(source[position], 0)
        position += 1
        if depth == 0:
            return position
