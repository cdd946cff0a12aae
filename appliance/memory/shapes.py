"""How the tables of capture are written: one shape of speech a line, word classes by their name.

A shape is a regular expression over folded text (voices.py). In it `…` stands for one character of the same clause,
so that `不要…{0,6}推` reads "at most six characters between", and `<kin>` for the word class KIN of the language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_CLASS = re.compile("<([a-z_]+)>")


def joined(shapes: Iterable[str], words: Mapping[str, str]) -> str:
    """Given shapes and the word classes they name, return the source of one regular expression. Raises KeyError."""
    return _CLASS.sub(lambda name: words[name[1]], "|".join(shapes)).replace("…", "[^，,。]")
