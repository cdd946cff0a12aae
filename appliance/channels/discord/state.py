"""What the channel remembers in core.db: per Discord channel the newest message that was taken, and which slash
commands stand."""

from __future__ import annotations

import apsw

from appliance.database import Database, Migration

MIGRATIONS: list[Migration] = [
    (
        "discord marks",
        """CREATE TABLE discord_marks(
            account TEXT NOT NULL, chat INTEGER NOT NULL, message INTEGER NOT NULL,
            private INTEGER NOT NULL, PRIMARY KEY (account, chat)
        ) WITHOUT ROWID;""",
    ),
    (
        "discord state",
        """CREATE TABLE discord_state(
            account TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (account, key)
        ) WITHOUT ROWID;""",
    ),
]


def put_mark(connection: apsw.Connection, account: str, chat: int, message: int, private: bool) -> None:
    """Remember that `message` is taken; a mark never goes back. Part of whatever transaction it belongs to."""
    connection.execute(
        "INSERT INTO discord_marks VALUES (?, ?, ?, ?) ON CONFLICT(account, chat) DO UPDATE "
        "SET message = max(message, excluded.message)",
        (account, chat, message, private),
    )


def marks(database: Database, account: str, *, private: bool) -> dict[int, int]:
    """The newest message taken, by channel; of private chats or of guild channels."""
    return dict(
        database.read(
            "SELECT chat, message FROM discord_marks WHERE account = ? AND private = ?", (account, int(private))
        )
    )


def forget(connection: apsw.Connection, account: str, chat: int) -> None:
    """The channel is gone."""
    connection.execute("DELETE FROM discord_marks WHERE account = ? AND chat = ?", (account, chat))


def put(connection: apsw.Connection, account: str, key: str, value: str) -> None:
    """Remember a value."""
    connection.execute("INSERT OR REPLACE INTO discord_state VALUES (?, ?, ?)", (account, key, value))


def get(database: Database, account: str, key: str) -> str | None:
    """A remembered value, or None."""
    rows = database.read("SELECT value FROM discord_state WHERE account = ? AND key = ?", (account, key))
    return str(rows[0][0]) if rows else None
