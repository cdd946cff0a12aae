"""The source of a regular expression taken apart: its alternatives, their items, and what a match begins with."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

_MAY_BE_MISSING = re.compile(r"[?*]|\{0?[,}]")
_QUANTIFIER = re.compile(r"(?:[?*+]|\{\d*,?\d*\})\??")
AROUND = re.compile(r"\(\?(?:=|!|<=|<!)")


def items(shape: str) -> Iterator[str]:
    """A shape in single characters, classes and groups."""
    position = 0
    while position < len(shape):
        end = end_of(shape, position)
        yield shape[position:end]
        position = end


def alternatives(source: str) -> list[str]:
    """Split a pattern at the bars that stand outside every group and character class."""
    found, depth, begin, position = [], 0, 0, 0
    while position < len(source):
        character = source[position]
        if character in "\\[":
            position = end_of(source, position)
            continue
        if character in "()":
            depth += 1 if character == "(" else -1
        elif character == "|" and depth == 0:
            found.append(source[begin:position])
            begin = position + 1
        position += 1
    return [*found, source[begin:]]


@functools.cache
def beginning(shape: str) -> frozenset[str] | None:
    """The characters (or classes of them, as written in brackets) that a match begins with; None when any may be."""
    found: frozenset[str] = frozenset()
    position = 0
    while position < len(shape):
        end = end_of(shape, position)
        item = shape[position:end]
        position = end
        if item in (r"\b", "^") or AROUND.match(item):
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


def _first(item: str) -> frozenset[str] | None:
    """What one item of a shape begins with; None where that is anything, or is not read here."""
    if item.startswith("(?") and not item.startswith("(?:"):
        return None
    if item.startswith("("):
        found: frozenset[str] = frozenset()
        for branch in alternatives(item[1:-1].removeprefix("?:")):
            begins = beginning(branch)
            if begins is None and not (found and not branch):
                return None
            found |= begins or frozenset()
        return found
    if item.startswith("["):
        return None if item.startswith("[^") else frozenset({re.sub(r"-$", r"\\-", item[1:-1])})
    if item in (".", "$") or (item.startswith("\\") and item[1].isalnum() and item[1] not in "dsnt"):
        return None
    return frozenset({item if item.startswith("\\") else re.escape(item)})


def _empty(item: str) -> bool:
    """True for a group that may match nothing."""
    return item.startswith("(") and any(not branch for branch in alternatives(item[1:-1].removeprefix("?:")))


def end_of(source: str, position: int) -> int:
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
            position = end_of(source, position)
            continue
        depth += {"(": 1, ")": -1}.get(source[position], 0)
        position += 1
        if depth == 0:
            return position
