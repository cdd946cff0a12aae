"""Erase a text from core.db: what was received, answered and sent. Used by `memory forget --erase`."""

from __future__ import annotations

import apsw
import msgspec

from appliance.database import Database

MARK = "[erased]"
_PLACES = (("inbox", "body"), ("replies", "body"), ("outbox", "text"), ("outbox", "parts"))


async def scrub(database: Database, text: str) -> int:
    """Replace `text` wherever core.db keeps what was said; return in how many rows."""
    raw = text.strip()
    inside_json = msgspec.json.encode(raw).decode()[1:-1]

    def work(connection: apsw.Connection) -> int:
        changed = 0
        for table, column in _PLACES:
            for form in {raw, inside_json}:
                connection.execute(
                    f"UPDATE {table} SET {column} = replace({column}, ?1, ?2) WHERE instr({column}, ?1) > 0",  # noqa: S608 - fixed names
                    (form, MARK),
                )
                changed += connection.changes()
        return changed

    return await database.write(work)
