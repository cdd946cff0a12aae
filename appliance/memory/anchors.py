"""Tables of many shapes made quick: whatever lets the engine leave a position before it has tried every shape.

A position is left after one test when no shape can begin there: because it begins no word (`\\b`), is not the first
(`^`), or holds a character that no shape begins with. Before a long list of words inside a shape the same is tested.
All of it is read off the shapes themselves, and no answer changes by it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from typing import Protocol

from appliance.memory.pattern_source import AROUND, alternatives, beginning, end_of, items

_LONG = 12  # alternatives: fewer are tried about as quickly as tested
_WIDE = 3  # characters: what may begin with more stands by itself, not in the group of each of them
_Begun = dict[str, frozenset[str]]  # shapes, each with the characters that a match begins with
_OPENING = re.compile(r"\(\?[:=!]")  # of the groups within which a test may be added


def hoisted(source: str) -> str:
    """Given the source of a pattern, return one that finds the same, with what its shapes begin with tested first."""
    parts = []
    for anchor, begun, unknown in _by_anchor(source):
        if begun:
            parts.append(f"{anchor}{_tested(begun)}")
        if unknown:
            parts.append(f"{anchor}(?:{_any_of(unknown)})")
    return "|".join(parts)


class Cue(Protocol):
    """Tells whether something stands in a text, and not where."""

    def search(self, text: str, /) -> object: ...


def cue(source: str) -> Cue:
    """Given the source of a pattern, return one that finds something in every text in which that one does, and in no
    other. It is quicker than `hoisted`: of most texts only a few characters are looked for.
    """
    parts, characters, sure = [], set[str](), True
    for anchor, begun, unknown in _by_anchor(source):
        if begun:
            parts.append(f"{anchor}(?=[{_characters(begun)}])(?:{_by_beginning(begun)})")
            characters.update(*begun.values())
        if unknown:
            parts.append(f"{anchor}(?:{_any_of(unknown)})")
            sure = False
    return re.compile(_at(characters, parts) if sure else "|".join(parts))


def _by_anchor(source: str) -> Iterator[tuple[str, _Begun, list[str]]]:
    """For each anchor the shapes that have it: those whose beginning is known, and the others."""
    groups: dict[str, list[str]] = {"^": [], r"\b": [], "": []}
    for shape in _shapes(source):
        anchor, rest = _anchored(shape)
        groups[anchor].append(rest)
    for anchor, shapes in groups.items():
        begun = {shape: begins for shape in shapes if (begins := beginning(shape))}
        yield anchor, begun, [shape for shape in shapes if shape not in begun]


def _by_beginning(begun: _Begun) -> str:
    """Shapes, all of which but a group of them are left after one test of each group."""
    if len(begun) <= _LONG:
        return _any_of(begun)
    parts = [_at(begins, [_guarded(shape)]) for shape, begins in begun.items() if len(begins) > _WIDE]
    narrow = {shape: begins for shape, begins in begun.items() if len(begins) <= _WIDE}
    characters: list[str] = []
    group: dict[str, None] = {}  # in order, each once
    for character in sorted(frozenset().union(*narrow.values())):
        more = dict.fromkeys(shape for shape, begins in narrow.items() if character in begins)
        if characters and len(group | more) > _LONG:
            parts.append(_at(characters, map(_guarded, group)))
            characters, group = [], {}
        characters.append(character)
        group |= more
    return "|".join([*parts, _at(characters, map(_guarded, group))] if group else parts)


def _at(characters: Iterable[str], shapes: Iterable[str]) -> str:
    """One of these characters where one of the shapes begins. Such a pattern does not say where the shape ends."""
    return f"[{''.join(sorted(characters))}](?<=(?={'|'.join(shapes)})(?s:.))"


def _any_of(shapes: Iterable[str]) -> str:
    return "|".join(map(_guarded, shapes))


def _characters(begun: _Begun) -> str:
    """What shapes begin with, as written in brackets."""
    return "".join(sorted(frozenset().union(*begun.values())))


def _shapes(source: str) -> Iterator[str]:
    """The alternatives of a pattern, and those of one that is nothing but a group."""
    for shape in alternatives(source):
        if shape.startswith("(?:") and end_of(shape, 0) == len(shape):
            yield from _shapes(shape[3:-1])
        else:
            yield shape


def _anchored(shape: str) -> tuple[str, str]:
    """What a shape is anchored to, and the rest of it. What is asserted at one place may be asserted in any order."""
    asserted: list[str] = []
    for item in items(shape):
        if item not in ("^", r"\b") and not AROUND.match(item):
            break
        asserted.append(item)
    anchor = next((mark for mark in ("^", r"\b") if mark in asserted), "")
    others = "".join(item for item in asserted if item != anchor)
    return anchor, others + shape[sum(map(len, asserted)) :]


def _tested(begun: _Begun) -> str:
    """Shapes behind a test for what they begin with."""
    return f"(?=[{_characters(begun)}])(?:{_any_of(begun)})"


@functools.cache
def _guarded(shape: str) -> str:
    """A shape in which every long group is behind a test for what its alternatives begin with."""
    if "(" not in shape:
        return shape
    parts = []
    for item in items(shape):
        opening = _OPENING.match(item)
        if opening is None:
            parts.append(item)
            continue
        branches = alternatives(item[opening.end() : -1])
        begun = {branch: begins for branch in branches if (begins := beginning(branch))}
        long = len(branches) >= _LONG and len(begun) == len(set(branches))
        parts.append(f"{opening[0]}{_tested(begun) if long else _any_of(branches)})")
    return "".join(parts)
