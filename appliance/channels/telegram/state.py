"""What the channel remembers in core.db: the offset, which command menus stand, groups that moved."""

from __future__ import annotations

import apsw

from appliance.database import Database, Migration

MIGRATIONS: list[Migration] = [
    (
        "telegram state",
        """CREATE TABLE telegram_state(
            account TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, at REAL NOT NULL,
            PRIMARY KEY (account, key)
        ) WITHOUT ROWID;""",
    ),
]
# After a week without updates Telegram starts its numbers anew at a random place; an old offset would skip them.
_OFFSET_SECONDS = 6 * 86_400.0


def put(connection: apsw.Connection, account: str, key: str, value: str, now: float) -> None:
    """Remember a value; part of whatever transaction it belongs to."""
    connection.execute("INSERT OR REPLACE INTO telegram_state VALUES (?, ?, ?, ?)", (account, key, value, now))


def get(database: Database, account: str, key: str) -> str | None:
    """A remembered value, or None."""
    rows = database.read("SELECT value FROM telegram_state WHERE account = ? AND key = ?", (account, key))
    return str(rows[0][0]) if rows else None


def put_offset(connection: apsw.Connection, account: str, update: int, now: float) -> None:
    """Remember that `update` is taken; the number never goes back within the time it is good for."""
    connection.execute(
        "INSERT INTO telegram_state VALUES (:account, 'offset', :value, :now) ON CONFLICT(account, key) DO UPDATE "
        "SET value = CASE WHEN excluded.at - at > :good OR CAST(excluded.value AS INTEGER) > CAST(value AS INTEGER) "
        "THEN excluded.value ELSE value END, at = excluded.at",
        {"account": account, "value": str(update + 1), "now": now, "good": _OFFSET_SECONDS},
    )


def get_offset(database: Database, account: str, now: float) -> int | None:
    """The next update's number, or None when there is none or it is too old to be good."""
    rows = database.read("SELECT value, at FROM telegram_state WHERE account = ? AND key = 'offset'", (account,))
    if not rows or now - rows[0][1] > _OFFSET_SECONDS:
        return None
    return int(rows[0][0])


def put_move(connection: apsw.Connection, account: str, old: int, new: int, now: float) -> None:
    """Remember that a group has another id from now on."""
    put(connection, account, f"moved:{old}", str(new), now)


def moves(database: Database, account: str) -> dict[int, int]:
    """Groups that have another id now: the old one to the new one."""
    rows = database.read("SELECT key, value FROM telegram_state WHERE account = ? AND key LIKE 'moved:%'", (account,))
    return {int(key.partition(":")[2]): int(new) for key, new in rows}
