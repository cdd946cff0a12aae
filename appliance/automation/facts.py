"""Small facts of what runs by itself, by name, in core.db."""

from __future__ import annotations

import apsw

from appliance.database import Database


def get_state(database: Database, key: str) -> str:
    """The value of a name; empty when there is none."""
    rows = database.read("SELECT value FROM cron_state WHERE key=?", (key,))
    return str(rows[0][0]) if rows else ""


def put_state(connection: apsw.Connection, key: str, value: str) -> None:
    """Part of a transaction: keep a value, or (empty) forget the name."""
    if value:
        connection.execute("INSERT OR REPLACE INTO cron_state(key, value) VALUES (?,?)", (key, value))
    else:
        connection.execute("DELETE FROM cron_state WHERE key=?", (key,))
