"""Erase a text from core.db: what was received, answered and sent. Used by `memory forget --erase`."""

from __future__ import annotations

from typing import Any

import apsw

from appliance.database import Database
from appliance.memory.erase import erased, forms

MARK = "[erased]"
_BODIES = (("inbox", "body"), ("replies", "body"), ("outbox", "parts"), ("cron_jobs", "body"))  # JSON
_TEXTS = (("outbox", "text"), ("cron_held", "text"), ("notices", "text"))


async def scrub(database: Database, text: str) -> int:
    """Replace `text` wherever core.db keeps what was said; return in how many rows."""
    wanted = [form.decode() for form in forms(text.strip())]

    def without(*column: Any) -> str:
        return erased(str(column[0]), wanted, MARK)

    def work(connection: apsw.Connection) -> int:
        connection.create_scalar_function("erased", without, 1)
        changed = 0
        for form in wanted:
            for table, column in _BODIES:
                connection.execute(
                    f"UPDATE {table} SET {column} = erased({column})"  # noqa: S608 - fixed names
                    f" WHERE instr({column}, ?) > 0 AND erased({column}) != {column}",
                    (form,),
                )
                changed += connection.changes()
            for table, column in _TEXTS:
                connection.execute(
                    f"UPDATE {table} SET {column} = replace({column}, ?1, ?2) WHERE instr({column}, ?1) > 0",  # noqa: S608 - fixed names
                    (form, MARK),
                )
                changed += connection.changes()
        return changed

    return await database.write(work)
