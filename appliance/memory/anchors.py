"""Tables of many shapes made quick: whatever lets the engine leave a position before it has tried every shape.

A position is left after one test when no shape can begin there: because it begins no word (`\\b`), is not the first
(`^`), or holds a character that no shape begins with. Before a long list of words inside a shape the same is tested.
All of it is read off the shapes themselves, and no answer changes by it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

_LONG = 12  # alternatives: a shorter list is tried about as quickly as tested
_AROUND = re.compile(r"\(\?(?:=|!|<=|<!)")
_OPENING = re.compile(r"\(\?[:=!]")  # of the groups within which a test may be added
_MAY_BE_MISSING = re.compile(r"[?*]|\{0?,")
_QUANTIFIER = re.compile(r"(?:[?*+]|\{\d*,?\d*\})\??")


def hoisted(source: str) -> str:
    """Given the source of a pattern, return one that finds the same, with what its shapes begin with tested first."""
    groups: dict[str, list[str]] = {"^": [], r"\b": [], "": []}
    for shape in _shapes(source):
        anchor, rest = _anchored(shape)
        groups[anchor].append(rest)
    parts = []
    for anchor, shapes in groups.items():
        unknown = [shape for shape in shapes if not beginning(shape)]
        known = [shape for shape in shapes if shape not in unknown]
        if known:
            parts.append(f"{anchor}{_tested(known)}")
        if unknown:
            parts.append(f"{anchor}(?:{'|'.join(map(_guarded, unknown))})")
    return "|".join(parts)


def _shapes(source: str) -> Iterator[str]:
    """The alternatives of a pattern, and those of one that is nothing but a group."""
    for shape in alternatives(source):
        if shape.startswith("(?:") and _end(shape, 0) == len(shape):
            yield from _shapes(shape[3:-1])
        else:
            yield shape


def _anchored(shape: str) -> tuple[str, str]:
    """What a shape is anchored to, and the rest of it. What is asserted at one place may be asserted in any order."""
    asserted: list[str] = []
    for item in _items(shape):
        if item not in ("^", r"\b") and not _AROUND.match(item):
            break
        asserted.append(item)
    anchor = next((mark for mark in ("^", r"\b") if mark in asserted), "")
    others = "".join(item for item in asserted if item != anchor)
    return anchor, others + shape[sum(map(len, asserted)) :]


def _tested(shapes: list[str]) -> str:
    """Shapes whose beginning is known, behind a test for it."""
    characters = "".join(sorted({character for shape in shapes for character in beginning(shape) or ()}))
    return f"(?=[{characters}])(?:{'|'.join(map(_guarded, shapes))})"


@functools.cache
def _guarded(shape: str) -> str:
    """A shape in which every long group is behind a test for what its alternatives begin with."""
    if "(" not in shape:
        return shape
    parts = []
    for item in _items(shape):
        opening = _OPENING.match(item)
        if opening is None:
            parts.append(item)
            continue
        branches = alternatives(item[opening.end() : -1])
        long = len(branches) >= _LONG and all(map(beginning, branches))
        parts.append(f"{opening[0]}{_tested(branches) if long else '|'.join(map(_guarded, branches))})")
    return "".join(parts)


def _items(shape: str) -> Iterator[str]:
    """A shape in single characters, classes and groups."""
    position = 0
    while position < len(shape):
        end = _end(shape, position)
        yield shape[position:end]
        position = end


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


@functools.cache
def beginning(shape: str) -> frozenset[str] | None:
    """The characters (or classes of them, as written in brackets) that a match begins with; None when any may be."""
    found: frozenset[str] = frozenset()
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


def _first(item: str) -> frozenset[str] | None:
    """What one item of a shape begins with."""
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
    if item in (".", "$") or item in (r"\w", r"\W", r"\S", r"\D", r"\B"):
        return None
    return frozenset({item if item.startswith("\\") else re.escape(item)})


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
