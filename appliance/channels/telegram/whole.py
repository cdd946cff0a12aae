"""A long answer as a document: its beginning as a message, the whole of it as a file."""

from __future__ import annotations

from typing import Any

from appliance.channels.rendering import telegram_parts
from appliance.texts import language_of, say

_HEAD_CHARS = 1_500
_BREAKS = ("\n\n", "\n", " ")


def as_document(text: str) -> list[dict[str, Any]]:
    """Given Markdown of too many parts, return a message with its beginning, and the file."""
    note = say("answer_as_file", language_of(text), characters=f"{len(text):,}")
    head = telegram_parts(f"{_beginning(text)}\n\n{note}")[0]
    return [head, {"file": {"name": "answer.md", "text": text}}]


def _beginning(text: str) -> str:
    """The first paragraphs; an open code block is closed."""
    for mark in _BREAKS:
        end = text.rfind(mark, _HEAD_CHARS // 2, _HEAD_CHARS)
        if end > 0:
            break
    else:
        end = _HEAD_CHARS
    head = text[:end].rstrip()
    return f"{head}\n```" if head.count("```") % 2 else f"{head} …"
