"""Which messages of ours stand where: what a channel's sweep must leave alone."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from appliance.database import Database

_REMEMBERED = 1024


def known_messages(database: Database, channel: str, chat: int | str) -> set[str]:
    """Ids of the messages that the outbox knows in a chat."""
    rows = database.read(
        "SELECT json_extract(part.value, '$.message') FROM outbox, json_each(outbox.parts) AS part "
        "WHERE outbox.channel = ? AND json_extract(outbox.place, '$.chat') = ?",
        (channel, chat),
    )
    return {str(message) for (message,) in rows if message}


def remember(book: OrderedDict[Any, Any], key: Any, value: Any) -> None:
    """Note a value in a book that forgets what is oldest."""
    book[key] = value
    book.move_to_end(key)
    if len(book) > _REMEMBERED:
        book.popitem(last=False)
