"""What the channel remembers in core.db: per mailbox the newest letter that was taken."""

from __future__ import annotations

import apsw

from appliance.database import Database, Migration

MIGRATIONS: list[Migration] = [
    (
        "mail marks",
        """CREATE TABLE mail_marks(
            account TEXT PRIMARY KEY, validity INTEGER NOT NULL, uid INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;""",
    )
]


def put_mark(connection: apsw.Connection, account: str, validity: int, uid: int) -> None:
    """Remember that the letter `uid` is taken. Part of whatever transaction it belongs to."""
    connection.execute("INSERT OR REPLACE INTO mail_marks VALUES (?, ?, ?)", (account, validity, uid))


def mark(database: Database, account: str) -> tuple[int, int] | None:
    """(UIDVALIDITY, UID) of the newest letter that was taken, or None before the first start."""
    rows = database.read("SELECT validity, uid FROM mail_marks WHERE account = ?", (account,))
    return (int(rows[0][0]), int(rows[0][1])) if rows else None
