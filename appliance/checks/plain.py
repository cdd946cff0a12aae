"""Text of others made short and plain."""

from __future__ import annotations

import html
import re

_HIDDEN = re.compile(r"<(style|script|head|title)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
_BREAKS = re.compile(r"<(?:br|/p|/div|/li|/tr|/h\d)\b[^>]*>", re.IGNORECASE)
_TAGS = re.compile(r"<[^>]*>")


def from_html(text: str) -> str:
    """What a reader of a piece of HTML sees, roughly."""
    return html.unescape(_TAGS.sub("", _BREAKS.sub(" ", _HIDDEN.sub(" ", text))))


def short(text: str, most: int) -> str:
    """A text as one line of at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
