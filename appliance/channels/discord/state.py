"""What the channel remembers in core.db: which slash commands stand."""

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
    (
        "discord marks among those of all channels",
        """INSERT INTO channel_marks SELECT 'discord', account, CAST(chat AS TEXT), CAST(message AS TEXT), private
            FROM discord_marks;
        DROP TABLE discord_marks;""",
    ),
]


def put(connection: apsw.Connection, account: str, key: str, value: str) -> None:
    """Remember a value."""
    connection.execute("INSERT OR REPLACE INTO discord_state VALUES (?, ?, ?)", (account, key, value))


def get(database: Database, account: str, key: str) -> str | None:
    """A remembered value, or None."""
    rows = database.read("SELECT value FROM discord_state WHERE account = ? AND key = ?", (account, key))
    return str(rows[0][0]) if rows else None
