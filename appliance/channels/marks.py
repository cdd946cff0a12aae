"""Per chat the newest message that was taken: what a channel reads its history from after a time of not listening."""

from __future__ import annotations

from functools import partial

import apsw

from appliance.channels.base import Extra
from appliance.channels.heard import Heard
from appliance.database import Database, Migration

MIGRATIONS: list[Migration] = [
    (
        "marks of all channels",
        """CREATE TABLE channel_marks(
            channel TEXT NOT NULL, account TEXT NOT NULL, chat TEXT NOT NULL, message TEXT NOT NULL,
            private INTEGER NOT NULL, PRIMARY KEY (channel, account, chat)
        ) WITHOUT ROWID;""",
    ),
]


def put_mark(
    connection: apsw.Connection, channel: str, account: str, chat: str, message: str, *, private: bool
) -> None:
    """Remember that `message` is taken; a mark never goes back. Part of whatever transaction it belongs to.

    Ids grow as the platform counts: a longer one is newer, of two as long the one that sorts later.
    """
    connection.execute(
        "INSERT INTO channel_marks VALUES (?, ?, ?, ?, ?) ON CONFLICT(channel, account, chat) DO UPDATE "
        "SET message = excluded.message "
        "WHERE (length(excluded.message), excluded.message) > (length(message), message)",
        (channel, account, chat, message, int(private)),
    )


def mark_of(heard: Heard, channel: str, account: str, mark: str = "") -> Extra:
    """Part of the transaction that takes a message: its mark, where not another follows from it."""
    message = mark or heard.id
    return partial(
        put_mark, channel=channel, account=account, chat=str(heard.chat), message=message, private=heard.private
    )


def marks(database: Database, channel: str, account: str, *, private: bool) -> dict[str, str]:
    """The newest message taken, by chat; of private chats or of groups."""
    return dict(
        database.read(
            "SELECT chat, message FROM channel_marks WHERE channel = ? AND account = ? AND private = ?",
            (channel, account, int(private)),
        )
    )


def forget(connection: apsw.Connection, channel: str, account: str, chat: str) -> None:
    """The chat is gone."""
    connection.execute(
        "DELETE FROM channel_marks WHERE channel = ? AND account = ? AND chat = ?", (channel, account, chat)
    )
