"""Erase a text from core.db: what was received, answered and sent. Used by `memory forget --erase`."""

from __future__ import annotations

import apsw

from appliance.database import Database
from appliance.memory.erase import forms

MARK = "[erased]"
_PLACES = (
    ("inbox", "body"), ("replies", "body"), ("outbox", "text"), ("outbox", "parts"), ("cron_jobs", "body"),
    ("cron_held", "text"), ("notices", "text"),
)  # fmt: skip


async def scrub(database: Database, text: str) -> int:
    """Replace `text` wherever core.db keeps what was said; return in how many rows."""
    wanted = [form.decode() for form in forms(text.strip())]

    def work(connection: apsw.Connection) -> int:
        changed = 0
        for table, column in _PLACES:
            for form in wanted:
                connection.execute(
                    f"UPDATE {table} SET {column} = replace({column}, ?1, ?2) WHERE instr({column}, ?1) > 0",  # noqa: S608 - fixed names
                    (form, MARK),
                )
                changed += connection.changes()
        return changed

    return await database.write(work)
