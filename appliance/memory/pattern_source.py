"""The source of a regular expression taken apart: its alternatives, their items, and what a match begins with."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

_MAY_BE_MISSING = re.compile(r"[?*]|\{0?[,}]")
_QUANTIFIER = re.compile(r"(?:[?*+]|\{\d*,?\d*\})\??")
ANY = "."  # in place of a character: whatever it is, and if there is none
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


def beginning(shape: str) -> frozenset[str] | None:
    """The characters (or classes of them, as written in brackets) that a match begins with; None when any may be."""
    first = frozenset(one for one, _ in first_two(shape))
    return None if ANY in first else first


@functools.cache
def first_two(shape: str) -> frozenset[tuple[str, str]]:
    """What a match begins with: two characters (or classes of them, as written in brackets), or ANY."""
    padded = [(*found, ANY, ANY) for found in _prefixes(shape)]
    return frozenset((one, two) for one, two, *_ in padded)


@functools.cache
def _prefixes(shape: str) -> frozenset[tuple[str, ...]]:
    """The same, each as short as a match may be."""
    found: frozenset[tuple[str, ...]] = frozenset({()})
    position = 0
    while position < len(shape) and any(len(prefix) < 2 for prefix in found):
        end = end_of(shape, position)
        item = shape[position:end]
        position = end
        if item in (r"\b", "^") or AROUND.match(item):
            continue
        begins = _item_prefixes(item)
        longer = _followed(found, begins)
        quantifier = _QUANTIFIER.match(shape, end)
        if quantifier:
            position = quantifier.end()
            if not quantifier.group().startswith("?"):
                longer |= _followed(longer, begins)
            if _MAY_BE_MISSING.match(quantifier.group()):
                longer |= found
        found = longer
    return found


def _followed(prefixes: frozenset[tuple[str, ...]], begins: frozenset[tuple[str, ...]]) -> frozenset[tuple[str, ...]]:
    return frozenset((*prefix, *more)[:2] for prefix in prefixes for more in begins)


def _item_prefixes(item: str) -> frozenset[tuple[str, ...]]:
    """What one item of a shape begins with; ANY where that is anything, or is not read here."""
    if item.startswith("(?") and not item.startswith("(?:"):
        return frozenset({(ANY, ANY)})
    if item.startswith("("):
        return frozenset().union(*map(_prefixes, alternatives(item[1:-1].removeprefix("?:"))))
    if item.startswith("["):
        one = ANY if item.startswith("[^") else re.sub(r"^-|-$", r"\\-", item[1:-1])
    elif item in (".", "$") or (item.startswith("\\") and item[1].isalnum() and item[1] not in "dsnt"):
        return frozenset({(ANY, ANY)})
    else:
        one = item if item.startswith("\\") else re.escape(item)
    return frozenset({(one,)})


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
