"""What the house knows of a chat: messages of ours, which a sweep must leave alone, threads that it was spoken to in,
and what it heard of a message and its edits."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from appliance.database import Database

_REMEMBERED = 1024
_LOOKED_AT, _TOPICS = 500, 20


def known_messages(database: Database, channel: str, chat: int | str) -> set[str]:
    """Ids of the messages that the outbox knows in a chat."""
    rows = database.read(
        "SELECT json_extract(part.value, '$.message') FROM outbox, json_each(outbox.parts) AS part "
        "WHERE outbox.channel = ? AND json_extract(outbox.place, '$.chat') = ?",
        (channel, chat),
    )
    return {str(message) for (message,) in rows if message}


def known_topics(database: Database, channel: str, chat: str) -> set[str]:
    """The topics of a chat in which somebody spoke to us last, as far back as a few hundred messages."""
    rows = database.read(
        "SELECT topic FROM (SELECT row, json_extract(body, '$.place.topic') AS topic FROM inbox "
        "WHERE channel = ? AND chat = ? ORDER BY row DESC LIMIT ?) "
        "WHERE topic IS NOT NULL GROUP BY topic ORDER BY max(row) DESC LIMIT ?",
        (channel, chat, _LOOKED_AT, _TOPICS),
    )
    return {str(topic) for (topic,) in rows}


def known_by_edit(database: Database, channel: str, chat: str, message: str) -> bool:
    """Whether an edit of a message was taken. In a group that may be all we heard of it: before, it was not for us."""
    found = database.read(
        "SELECT 1 FROM inbox WHERE channel = ? AND chat = ? AND kind = 'edit' AND id LIKE ? || ':%' LIMIT 1",
        (channel, chat, message),
    )
    return bool(found)


def known_text(database: Database, channel: str, chat: str, message: str) -> str | None:
    """What a message said when we heard of it last; None when we never did."""
    found = database.read(
        "SELECT json_extract(body, '$.text') FROM inbox WHERE channel = ? AND chat = ? "
        "AND (kind = 'message' AND id = ? OR kind = 'edit' AND id LIKE ? || ':%') ORDER BY row DESC LIMIT 1",
        (channel, chat, message, message),
    )
    return str(found[0][0]) if found else None


def remember(book: OrderedDict[Any, Any], key: Any, value: Any) -> None:
    """Note a value in a book that forgets what is oldest."""
    book[key] = value
    book.move_to_end(key)
    if len(book) > _REMEMBERED:
        book.popitem(last=False)
